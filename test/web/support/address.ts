import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The address as the page has it. `page.url()` hears of a change in place a moment later. */
export async function addressOf(page: Page): Promise<string> {
  return page.evaluate('location.href');
}

/** Waits for the address, which may change a moment after what the page shows. */
export function expectAddress(page: Page, part: 'href' | 'pathname' | 'search' = 'href') {
  return expect.poll(async () => new URL(await addressOf(page))[part]);
}
