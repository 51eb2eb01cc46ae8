import type { Page } from 'playwright-core';

/** The address as the page has it. `page.url()` hears of a change in place a moment later. */
export async function addressOf(page: Page): Promise<string> {
  return page.evaluate('location.href');
}
