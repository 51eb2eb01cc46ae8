// A contract's summary: promises, last change, dependent assets; also in print.

import { beforeAll, describe, expect, test } from 'vitest';
import { expectAddress } from '../support/address.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { tellData } from '../support/data-story.ts';
import { writeSchema } from '../support/editor.ts';
import { breakingOrder, type Story, tellStory } from '../support/story.ts';

const { registry, browser } = await openBrowserForFile();
let story: Story;
let person: Person;

beforeAll(async () => {
  story = await tellStory(registry.url, registry.bootstrapKey);
  await tellData(registry.url, registry.bootstrapKey, story);
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey, 'Orders');
});

const panel = (title: string) => person.page.locator('.panel', { hasText: title });

describe('A contract', () => {
  test('shows what it is, what changed last, its consumers, and its open proposal', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${story.ordersId}`);
    await page.getByText('One row for each order a customer has placed').waitFor();
    await page.getByText('A breaking change awaits approval.').waitFor();
    await page.getByText('2 of 3 agreed').waitFor();
    const changed = panel('What changed since 1.1.0');
    await changed.waitFor();
    expect(await changed.getByRole('listitem').allTextContents()).toEqual([
      'Property added voucher',
      'Annotation changed channel',
    ]);
    const consumers = panel('Who depends on it');
    await consumers.getByText('Logistics').waitFor();
    expect((await consumers.getByRole('listitem').allTextContents()).sort()).toEqual([
      'Analytics',
      'Finance',
      'Logistics',
    ]);
    await changed.getByRole('link', { name: 'View the changes' }).click();
    await page.getByRole('heading', { name: 'Changes' }).waitFor();
    await expectAddress(page, 'search').toBe('?from=1.1.0&to=1.2.0');
    await page.goBack();
    await consumers.getByRole('link', { name: 'View all 3 registrations' }).click();
    await page.getByText('Monthly revenue report.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('keeps its tabs in place when another one is chosen', async () => {
    const { page } = person;
    const last = page.locator('.tabs').getByRole('link', { name: 'History' });
    await page.goto(`/assets/${story.ordersId}`);
    const before = await last.boundingBox();
    await page.locator('.tabs').getByRole('link', { name: 'Who reads what' }).click();
    await page.getByLabel('Find a field').waitFor();
    expect((await last.boundingBox())?.x).toBe(before?.x);
  });

  test('shows no change for the first version', async () => {
    const { page } = person;
    await page.goto(`/assets/${story.ordersId}?version=1.0.0`);
    await page.getByRole('heading', { name: 'Version 1.0.0' }).waitFor();
    await panel('Who depends on it').getByText('Logistics').waitFor();
    expect(await page.getByText('What changed since').count()).toBe(0);
  });

  test('uses words for counts: one item, a length of two', async () => {
    const { page } = person;
    await page.goto(`/assets/${story.ordersId}`);
    const rules = page.locator('.rule');
    await rules.first().waitFor();
    const said = await rules.allTextContents();
    expect(said).toContain('≥ 1 item');
    expect(said).toContain('length 2');
    expect(said).not.toContain('length ≥ 2');
  });

  test("shows times in the user's zone, and in UTC on hover", async () => {
    const { page } = person;
    await page.goto(`/assets/${story.ordersId}`);
    const time = page.locator('.facts time').first();
    await time.waitFor();
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const berlin = at.toLocaleTimeString('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    });
    expect(await time.textContent()).toContain(berlin);
    expect(await time.getAttribute('title')).toBe(
      `${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`,
    );
  });

  test('is printed with its fields and guarantees, and without the rest of the page', async () => {
    const { page } = person;
    await page.addInitScript('window.print = () => { window.isPrinted = true; };');
    await page.goto(`/assets/${story.ordersId}`);
    await page.getByRole('button', { name: 'Print' }).click();
    expect(await page.evaluate('window.isPrinted')).toBe(true);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
    expect(await page.getByRole('navigation', { name: 'Views of the asset' }).isVisible()).toBe(
      false,
    );
    expect(await page.getByRole('button').count()).toBeGreaterThan(0);
    for (const text of [
      'voucher',
      'Never used twice.',
      'At most 1 hour old, measured by placed_at',
    ]) {
      expect(await page.getByText(text).first().isVisible()).toBe(true);
    }
    const pdf = await page.pdf();
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await page.emulateMedia({ media: null });
  });
});

describe('A tried change', () => {
  test('names the dependent assets and their owners', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${story.ordersId}/try`);
    await writeSchema(page, JSON.stringify(breakingOrder, null, 2));
    const behind = page.locator('.asked', { hasText: 'Downstream assets' });
    await behind.waitFor();
    const lines = await behind.getByRole('listitem').allTextContents();
    expect(lines).toHaveLength(5);
    expect(lines).toContain('warehouse.logistics.shipmentsowned by Logistics, consumed by Orders');
    await behind.getByRole('link', { name: 'and 1 more' }).click();
    await page.getByText('6 assets').waitFor();
    expect(complaints).toEqual([]);
  });
});

test('The part of a value that breaks is visible, also on a phone', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url, width: 360 });
  await signIn(page, registry.bootstrapKey, 'Orders');
  await page.goto(`/proposals/${story.proposalId}`);
  const marked = page.locator('.witness .marked');
  await marked.first().waitFor();
  const outOfSight = await page.evaluate(`[...document.querySelectorAll('.witness section')]
    .filter((box) => {
      const mark = box.querySelector('.marked').getBoundingClientRect();
      const frame = box.getBoundingClientRect();
      return mark.bottom > frame.bottom + 1 || mark.top < frame.top - 1;
    }).length`);
  expect(await marked.count()).toBe(3);
  expect(outOfSight).toBe(0);
  await close();
});

test('All columns of a contract are in sight at 1280 pixels, and a row stands on one line', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey, 'Orders');
  await page.goto(`/assets/${story.ordersId}`);
  await page
    .getByRole('link', { name: /^Remove/ })
    .first()
    .waitFor();
  const [hidden, apart] = (await page.evaluate(`(() => {
    const table = document.querySelector('.fields');
    const apart = [...table.querySelectorAll('tbody tr')].filter((row) => {
      const [name, rule] = ['.field-name code', '.field-rules .rule'].map((at) =>
        row.querySelector(at)?.getBoundingClientRect());
      const isFirst = row.querySelector('.field-text') === null;
      return rule !== undefined && isFirst && Math.abs(name.top - rule.top) > 4;
    });
    return [table.offsetWidth - table.parentElement.clientWidth, apart.length];
  })()`)) as [number, number];
  expect.soft(hidden, 'pixels out of sight').toBeLessThanOrEqual(0);
  expect.soft(apart).toBe(0);
  await close();
});

test('On a phone nothing covers or cuts the text of a contract, and what ends a field has no line of its own', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url, width: 360 });
  await signIn(page, registry.bootstrapKey, 'Orders');
  await page.goto(`/assets/${story.ordersId}?as=json`);
  const copy = await page.locator('.json-actions .button').boundingBox();
  const text = await page.locator('.json pre').boundingBox();
  expect.soft((copy?.y ?? 0) + (copy?.height ?? 0)).toBeLessThanOrEqual(text?.y ?? 0);
  await page.goto(`/assets/${story.ordersId}`);
  await page
    .getByRole('link', { name: /^Remove/ })
    .first()
    .waitFor();
  const [removed, alone, ends] = (await page.evaluate(`(() => {
    const rows = [...document.querySelectorAll('.fields tbody tr')];
    const at = (row, what) => row.querySelector(what).getBoundingClientRect();
    const isAlone = (row) => at(row, '.field-remove').top >= at(row, '.field-type').bottom;
    const ends = rows.map((row) => Math.round(at(row, 'td:nth-child(3) > span').right));
    const removed = rows.filter((row) => row.querySelector('.field-remove') !== null);
    return [removed.length, removed.filter(isAlone).length, new Set(ends).size];
  })()`)) as [number, number, number];
  expect.soft(removed).toBeGreaterThan(0);
  expect.soft(alone).toBe(0);
  expect.soft(ends, 'required and optional end at one place').toBe(1);
  await page.goto(`/assets/${story.ordersId}/try?revises=${story.proposalId}`);
  await page.locator('.change-head .button').first().waitFor();
  const below =
    await page.evaluate(`[...document.querySelectorAll('.change-head')].filter((head) => {
    const [badge, show] = ['.badge', '.button'].map((at) =>
      head.querySelector(at).getBoundingClientRect());
    return show.top + show.height / 2 >= badge.bottom;
  }).length`);
  expect.soft(below, 'shows that have a row of their own').toBe(0);
  await page.goto(`/assets/${story.ordersId}/lineage?as=list`);
  await page.getByRole('rowheader').first().waitFor();
  // A line of the way ends after a whole part of a name: each part is one text.
  const cut = await page.evaluate(`[...document.querySelectorAll('td code')].flatMap((way) => {
    const words = document.createTreeWalker(way, NodeFilter.SHOW_TEXT);
    const cut = [];
    while (words.nextNode()) {
      const { data } = words.currentNode;
      for (const { index, 0: word } of data.matchAll(/[a-z]+/g)) {
        const range = document.createRange();
        range.setStart(words.currentNode, index);
        range.setEnd(words.currentNode, index + word.length);
        if (range.getClientRects().length > 1) cut.push(word);
      }
    }
    return cut;
  })`);
  expect.soft(cut).toEqual([]);
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  const middle = `(() => {
    const [frame, box] = ['.graph-frame', '.graph-node-focus'].map((at) =>
      document.querySelector(at).getBoundingClientRect());
    return Math.abs(frame.left + frame.width / 2 - box.left - box.width / 2);
  })()`;
  await page.locator('.graph-node-focus').waitFor();
  expect.soft(await page.evaluate(middle), 'the asset is in the middle').toBeLessThan(3);
  await close();
});
