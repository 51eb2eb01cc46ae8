// The lineage of data, as a graph of two hundred boxes and as a list.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../../src/wire/client.ts';
import { type Model, manifestOf } from '../../support/manifest.ts';
import { expectAddress } from '../support/address.ts';
import { findViolations } from '../support/axe.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { expectGoodLooks } from '../support/looks.ts';
import { hostile } from '../support/markup.ts';
import { bodyOf, createTeam } from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let person: Person;
let ids: Map<string, string>;

/** A raw table, two hundred models made from it in four steps, and its own sources. */
const models: readonly Model[] = [
  { name: 'source' },
  { name: 'raw', refs: ['source'] },
  ...Array.from({ length: 200 }, (_, index) => ({
    name: `m${index}`,
    refs: [index < 6 ? 'raw' : `m${Math.floor((index - 6) / 6)}`],
  })),
  { name: 'alone' },
  { name: 'top' },
  { name: 'left', refs: ['top'] },
  { name: 'right', refs: ['top', 'left'] },
  { name: 'bottom', refs: ['left', 'right'] },
];

beforeAll(async () => {
  const team = await createTeam(admin, hostile('owner'));
  const manifest = manifestOf('shop', models);
  bodyOf(await admin.uploadDbt({ body: { manifest, owner_team_id: team.id } }));
  ids = await idsOf(admin, ['source', 'raw', 'm0', 'm6', 'm199', 'alone', 'top', 'left']);
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

async function idsOf(admin: Client, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const page = bodyOf(await admin.listAssets({ query: { fqn: `shop.public.${name}` } }));
    found.set(name, page.results[0]?.id ?? '');
  }
  return found;
}

const lineageOf = (name: string, query = '') => `/assets/${ids.get(name)}/lineage${query}`;
const boxes = (page: Page) => page.locator('[data-node]');
const focused = (page: Page) =>
  page.evaluate('document.activeElement.querySelector("title").textContent') as Promise<string>;

describe('The lineage of an asset', { concurrent: false }, () => {
  test('is a picture of two hundred boxes without overlaps, drawn at once', async () => {
    const { page, complaints } = person;
    await page.goto(lineageOf('raw'));
    await page.getByText('201 assets').waitFor();
    // The places of the boxes come from a worker.
    await boxes(page).nth(201).waitFor();
    expect(await boxes(page).count()).toBe(202);
    expect(await page.evaluate(countOverlaps)).toBe(0);
    const direction = page.getByLabel('Direction');
    await direction.selectOption('upstream');
    await page.getByText('1 asset', { exact: true }).waitFor();
    const started = Number(await page.evaluate('performance.now()'));
    await direction.selectOption('both');
    await page.getByText('201 assets').waitFor();
    const tookMs = Number(await page.evaluate('performance.now()')) - started;
    process.stdout.write(`lineage of 201 assets, answer kept: ${tookMs.toFixed(0)} ms\n`);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('places boxes left and right of the asset, in the direction of the data', async () => {
    const { page } = person;
    const left = async (label: RegExp) =>
      (await page.getByRole('link', { name: label }).first().boundingBox())?.x ?? 0;
    const [from, here, to] = [
      await left(/shop\.public\.source,/),
      await left(/^This asset/),
      await left(/shop\.public\.m0,/),
    ];
    expect(from).toBeLessThan(here);
    expect(here).toBeLessThan(to);
  });

  test('can be followed with arrow keys, and opened with Enter', async () => {
    const { page, complaints } = person;
    await page.getByRole('link', { name: /^This asset/ }).focus();
    expect(await page.locator('[data-node][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toContain('shop.public.source, 1 step upstream');
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toBe('This asset: shop.public.raw');
    await page.keyboard.press('ArrowRight');
    const first = await focused(page);
    expect(first).toContain('1 step downstream');
    await page.keyboard.press('ArrowDown');
    const second = await focused(page);
    expect(second).toContain('1 step downstream');
    expect(second).not.toBe(first);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: `This asset: ${second.split(',')[0]}` }).waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('has a list with its own address for users who cannot see the picture', async () => {
    const { page } = person;
    await page.goto(lineageOf('m199'));
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByRole('rowheader', { name: 'shop.public.raw' }).waitFor();
    const cells = page.getByRole('cell').filter({ hasText: /^\d+ steps? / });
    expect(await cells.allTextContents()).toEqual([
      '1 step upstream',
      '2 steps upstream',
      '3 steps upstream',
      '4 steps upstream',
    ]);
    await expectAddress(page, 'search').toBe('?as=list');
    await page.reload();
    await page.getByRole('rowheader', { name: 'shop.public.source' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test('says so if it is truncated', async () => {
    const { page } = person;
    await page.goto(lineageOf('raw', '?direction=downstream&depth=2'));
    await page.getByText('Only 42 assets are shown: at most 2 steps').waitFor();
    await page.getByLabel('Steps', { exact: true }).selectOption('10');
    await page.getByText('200 assets').waitFor();
    expect(await page.getByText('are shown: at most').count()).toBe(0);
  });

  test('has a line for each path to an asset', async () => {
    const { page } = person;
    await page.goto(lineageOf('top'));
    await page.getByText('Each line is a dependency.').waitFor();
    expect(await boxes(page).count()).toBe(4);
    expect(await page.locator('.graph-edge').count()).toBe(5);
    expect(await page.evaluate(countOverlaps)).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  test('has the lines that pass the asset, from what it is made of to what is made of it', async () => {
    const { page } = person;
    await page.goto(lineageOf('left'));
    await page.getByText('Each line is a dependency.').waitFor();
    // top to left to right to bottom, left to bottom, and top to right past left.
    expect(await boxes(page).count()).toBe(4);
    expect(await page.locator('.graph-edge').count()).toBe(5);
    expect(await page.evaluate(countOverlaps)).toBe(0);
  });

  test('says that it is unknown if there is none', async () => {
    const { page } = person;
    await page.goto(lineageOf('alone'));
    await page.getByText('No lineage is recorded for this asset.').waitFor();
    await page.getByLabel('Direction').selectOption('downstream');
    await page.getByText('No downstream assets are recorded.').waitFor();
  });

  test('shows markup in the name of a team as text', async () => {
    const { page, complaints } = person;
    await page.goto(lineageOf('m199'));
    await page
      .getByRole('link', { name: /<b>owner<\/b>/ })
      .first()
      .waitFor();
    await page.goto(lineageOf('m199', '?as=list'));
    await page.getByRole('cell', { name: '<b>owner</b>' }).first().waitFor();
    expect(await page.evaluate('window.taken')).toBe(undefined);
    expect(await page.locator('main b, main script').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });
});

/** Runs in the browser: compares the painted boxes. */
const countOverlaps = `(() => {
  const boxes = [...document.querySelectorAll('[data-node] rect')].map((box) => box.getBoundingClientRect());
  let count = 0;
  boxes.forEach((one, index) => boxes.slice(index + 1).forEach((other) => {
    if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom) count++;
  }));
  return count;
})()`;

test('The direct dependencies of an asset are added and removed, and the picture follows', async () => {
  const { page, complaints } = person;
  await page.goto(lineageOf('alone'));
  await page.getByText('No lineage is recorded for this asset.').waitFor();
  await page.getByRole('button', { name: 'Add a dependency' }).click();
  const adding = page.getByRole('dialog');
  await adding.getByLabel('Search').fill('top');
  await adding.getByLabel('Asset').selectOption({ label: 'shop.public.top (production)' });
  await adding.getByLabel('Relation').selectOption('transforms');
  expect(await findViolations(page)).toEqual([]);
  await adding.getByRole('button', { name: 'Add a dependency' }).click();
  const row = page.getByRole('row', { name: /shop\.public\.top/ });
  await row.getByText('transforms').waitFor();
  await page.getByText('1 asset', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add a dependency' }).click();
  await adding.getByLabel('Search').fill('top');
  await adding.getByLabel('Asset').selectOption({ label: 'shop.public.top (production)' });
  await adding.getByRole('button', { name: 'Add a dependency' }).click();
  await adding.getByText(/already depends on/).waitFor();
  await page.keyboard.press('Escape');
  await expectGoodLooks(page);
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No lineage is recorded for this asset.').waitFor();
  expect(complaints.splice(0).filter((one) => !one.includes('409'))).toEqual([]);
});

test('A model that dbt reports is told to come back', async () => {
  const { page } = person;
  await page.goto(lineageOf('left'));
  const row = page.getByRole('row', { name: /shop\.public\.top.*a dbt manifest/ });
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByText('The next import adds it again').waitFor();
  await page.keyboard.press('Escape');
});

test('Who may not change an asset adds nothing to its lineage', async () => {
  const other = await createTeam(admin, 'Onlooker');
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, other.key);
  await page.goto(lineageOf('left'));
  await page
    .getByText(/\d assets?/)
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: 'Add a dependency' }).count()).toBe(0);
  await close();
});
