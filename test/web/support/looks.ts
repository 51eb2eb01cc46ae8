// The three looks in which each view is checked. A page is loaded once and changes its look as a
// window does, because a page for each look is three times the work.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findViolations } from './axe.ts';

const looks = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: '360 pixels wide', colorScheme: 'light', width: 360 },
] as const;

/** As text, because it runs in the browser, whose types tests do not have. */
const cutTables = `[...document.querySelectorAll('.table-frame')]
  .filter((frame) => frame.scrollWidth > frame.clientWidth)
  .map((frame) => frame.getAttribute('aria-label'))`;

/** Words that end on another line than they begin; names in code have no better place to be cut. */
const cutWords = `(() => {
  const cut = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const holder = text.parentElement;
    if (holder.closest('code, pre, .fqn, .hidden, script, noscript, option') !== null) continue;
    for (const { 0: word, index } of text.data.matchAll(/(?<![\\w.])[A-Z]?[a-z]{1,19}(?![\\w.])/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) cut.push(word + ' in ' + holder.className + ' ' + holder.tagName);
    }
  }
  return cut;
})()`;

/** Tabs that do not fit into one row. */
const wrappedTabs = `[...document.querySelectorAll('.tabs')]
  .filter((row) => new Set([...row.children].map((tab) => tab.offsetTop)).size > 1)
  .map((row) => row.textContent)`;

/** Of the window and of an open dialog. */
const overflow = `Math.max(document.documentElement.scrollWidth - innerWidth,
  ...[...document.querySelectorAll('.dialog-body')].map((box) => box.scrollWidth - box.clientWidth))`;

/** Light, dark and narrow: axe finds nothing, and everything fits the window. */
export async function expectGoodLooks(page: Page): Promise<void> {
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    // The colors are all that a dark page changes.
    const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
    expect(await findViolations(page, rules), name).toEqual([]);
    expect(await page.evaluate(overflow), `${name}: overflow`).toBeLessThanOrEqual(0);
    expect(await page.evaluate(cutWords), `${name}: words cut in two`).toEqual([]);
    expect(await page.evaluate(wrappedTabs), `${name}: tabs in two rows`).toEqual([]);
    expect(await page.evaluate(cutTables), `${name}: columns out of sight`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: looks[0].colorScheme });
  await page.setViewportSize({ width: looks[0].width, height: 900 });
}
