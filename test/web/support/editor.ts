// The editor of schemas. It draws only the lines in sight, so the whole text is read from a
// download.

import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';

export function editorOf(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Schema', exact: true });
}

/** Pastes, as whoever has the schema in a file does; typing hundreds of lines takes a browser long. */
export async function writeSchema(page: Page, text: string): Promise<void> {
  await page.bringToFront();
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await editorOf(page).press('Control+a');
  await page.keyboard.press('Control+v');
}

export async function textOfEditor(page: Page): Promise<string> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  return readFile(await (await saved).path(), 'utf8');
}
