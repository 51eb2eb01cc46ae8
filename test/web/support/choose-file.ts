// Chooses a file in the import view, like a user.

import type { Page } from 'playwright-core';

export async function chooseFile(
  page: Page,
  name: string,
  content: string | Buffer,
): Promise<void> {
  await page.locator('.drop-input').setInputFiles({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(content),
  });
}

/** The story's shop: one type is new, one breaks. */
export const shopSchema = `type Order { id: ID! name: String updated_at: String total: Float }
type Customer { id: ID! }
type Address { street: String city: String! }
`;
