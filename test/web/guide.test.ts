// The guide that the registry serves, in a browser: light, dark and narrow.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOf, pages } from '../../src/http/pages/guide/pages.ts';
import { openBrowserForFile, openPerson, type Person } from './support/browser.ts';
import { expectGoodLooks } from './support/looks.ts';

const { registry, browser } = await openBrowserForFile();

const guide = pages.map((page) => ({ name: page.name, address: addressOf(page) }));

describe('In a browser that is light, dark, or 360 pixels wide', () => {
  let person: Person;
  beforeAll(async () => {
    person = await openPerson(browser, { url: registry.url });
  });
  afterAll(() => person?.close());

  // The browser complains about a request to another host.
  test.each(guide)('$name is shown, and axe finds no violations', async ({ address }) => {
    const { page, complaints } = person;
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectGoodLooks(page);
    expect(complaints.splice(0)).toEqual([]);
  });
});

test('each link of the guide leads to an existing page and heading', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  const broken: string[] = [];
  const wanted: { readonly from: string; readonly pathname: string; readonly id: string }[] = [];
  const targets = new Map<string, Set<string>>();
  for (const { address } of guide) {
    await page.goto(address);
    const links = (await page.evaluate(
      '[...document.querySelectorAll("main a[href]")].map((link) => link.href)',
    )) as string[];
    const ids = (await page.evaluate(
      '[...document.querySelectorAll("[id]")].map(({ id }) => id)',
    )) as string[];
    targets.set(address, new Set(ids));
    for (const link of links.filter((one) => one.startsWith(`${registry.url}/docs/guide`))) {
      const { pathname, hash } = new URL(link);
      if (!guide.some((one) => one.address === pathname)) broken.push(`${address}: ${link}`);
      else if (hash !== '') wanted.push({ from: address, pathname, id: hash.slice(1) });
    }
  }
  for (const { from, pathname, id } of wanted) {
    if (!targets.get(pathname)?.has(decodeURIComponent(id))) broken.push(`${from}: #${id}`);
  }
  expect(broken).toEqual([]);
  await close();
});
