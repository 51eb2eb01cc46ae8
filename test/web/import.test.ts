// A file becomes assets and contracts, and its effect is shown before.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { manifestOf } from '../support/manifest.ts';
import { findViolations } from './support/axe.ts';
import { goTo, openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import { chooseFile } from './support/choose-file.ts';
import { hostile } from './support/markup.ts';
import { bodyOf, createTeam, register, type StoryTeam } from './support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let owner: StoryTeam;
let person: Person;

beforeAll(async () => {
  owner = await createTeam(admin, 'Shop');
  // The teams that the manifest names.
  for (const name of ['data', 'orders', 'customer_success', 'ingestion', 'marketing']) {
    await createTeam(admin, name);
  }
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey, 'Shop');
});

const fixture = (name: string) => readFile(join(import.meta.dirname, '../fixtures/import', name));

const countAssets = async () =>
  bodyOf(await admin.listAssets({ query: { page_size: 1 } })).total ?? 0;
const kindOf = (page: Page) => page.getByLabel('Kind of file').inputValue();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const factsOf = (page: Page) =>
  page.getByRole('list', { name: 'Summary' }).getByRole('listitem').allTextContents();

/** The counts of the plan's items, by kind. */
async function countsOf(page: Page, more = {}): Promise<Record<string, number>> {
  await page.getByRole('heading', { name: 'Plan' }).waitFor(more);
  const told = await page.locator('.import-counts button').allTextContents();
  return Object.fromEntries(
    told.map((text) => [text.replace(/[\d,]+/, ''), Number(text.replace(/\D/g, ''))]),
  );
}

const openapi = `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
paths:
  /orders:
    get:
      responses:
        '200':
          description: Orders.
          content:
            application/json:
              schema: { type: object, properties: { id: { type: integer } } }
`;
const sdl = 'type Query { order(id: ID!): Order }\ntype Order { id: ID! total: Int }';
const odcs = `kind: DataContract
apiVersion: v3.0.2
id: 53581432-6c55-4ba2-a65f-72344a91553a
version: 1.0.0
status: active
name: orders
schema:
  - name: orders
    physicalName: shop.public.odcs_orders
    properties:
      - { name: id, logicalType: integer, required: true }
`;

describe('The kind of a file', () => {
  test.each([
    { name: 'manifest.json', kind: 'dbt', content: () => fixture('dbt-before.json') },
    { name: 'shop.yaml', kind: 'openapi', content: async () => openapi },
    {
      name: 'shop.json',
      kind: 'openapi',
      content: async () => '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}',
    },
    { name: 'schema.graphql', kind: 'graphql', content: async () => sdl },
    { name: 'orders.txt', kind: 'odcs', content: async () => odcs },
  ])('of $name is detected as $kind, and its plan is made', async ({ name, kind, content }) => {
    const { page, complaints } = person;
    await page.goto('/import');
    await chooseFile(page, name, await content());
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    expect(await kindOf(page)).toBe(kind);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('can be corrected, and the plan follows', async () => {
    const { page } = person;
    await page.goto('/import');
    await chooseFile(page, 'schema.txt', `# Nobody would guess.\n\n"""doc"""\n${sdl}`);
    await countsOf(page);
    await page.getByLabel('Kind of file').selectOption('odcs');
    await page.getByText('The file is neither JSON nor YAML').waitFor();
    await page.getByLabel('Kind of file').selectOption('graphql');
    expect(await countsOf(page)).toMatchObject({ new: 2 });
  });

  test('must be chosen if the file is ambiguous', async () => {
    const { page } = person;
    await page.goto('/import');
    await chooseFile(page, 'some.json', '{"answer": 42}');
    await page.getByText('The kind of file was not detected.').waitFor();
    await page.getByLabel('Kind of file').selectOption('openapi');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/openapi/i);
  });
});

describe('A message explains the refusal of', () => {
  test.each([
    {
      name: 'what is broken',
      file: 'a.json',
      content: '{"nodes": ',
      says: 'The file cannot be read.',
    },
    { name: 'what is empty', file: 'a.yaml', content: '\n', says: 'The file is empty.' },
    {
      name: 'what is no text',
      file: 'a.json',
      content: Buffer.from([0xff, 0xfe, 0x00, 0x80]),
      says: 'The file cannot be read.',
    },
    {
      name: 'the results of a run',
      file: 'run_results.json',
      content: JSON.stringify({
        metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json' },
        results: [],
      }),
      says: 'This file contains dbt run results',
    },
    {
      name: 'a DataContract',
      file: 'orders.yaml',
      content: 'apiVersion: concordat.dev/v1\nkind: DataContract\nspec: {}\n',
      says: 'This is a DataContract.',
    },
    {
      name: 'a JSON Schema',
      file: 'orders.schema.json',
      content: '{"type": "object"}',
      says: 'This is a JSON Schema.',
    },
  ])('$name', async ({ file, content, says }) => {
    const { page } = person;
    await page.goto('/import');
    await chooseFile(page, file, content);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain(says);
    expect(await page.getByRole('heading', { name: 'Plan' }).count()).toBe(0);
  });

  test("another team's assets", async () => {
    const other = await createTeam(admin, 'Other');
    const taken = manifestOf('taken', [{ name: 'orders' }]);
    bodyOf(await admin.uploadDbt({ body: { manifest: taken, owner_team_id: other.id } }));
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, owner.key);
    await page.goto('/import');
    const changed = manifestOf('taken', [{ name: 'orders', description: 'In other words.' }]);
    await chooseFile(page, 'manifest.json', JSON.stringify(changed));
    await countsOf(page);
    await page.getByLabel('Existing assets').selectOption('overwrite');
    await button(page, 'Dry run').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/Other|another team|acts? for/);
    expect(await button(page, 'Import').count()).toBe(0);
    await close();
  });

  test('a registry that does not respond, until it does', async () => {
    const { page } = person;
    await page.goto('/import');
    await page.route('**/sync/graphql/diff', (route) => route.abort());
    await chooseFile(page, 'schema.graphql', sdl);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('The registry is not responding');
    await page.unroute('**/sync/graphql/diff');
    await button(page, 'Try again').click();
    expect(await countsOf(page)).toMatchObject({ new: 2 });
  });

  test('writing, for users who may only read', async () => {
    const { key } = bodyOf(
      await admin.issueApiKey({ body: { name: 'reader', team_id: owner.id, scopes: ['read'] } }),
    );
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, key ?? '');
    await page.goto('/import');
    await chooseFile(page, 'schema.graphql', sdl);
    expect(await countsOf(page)).toMatchObject({ new: 2 });
    await page.getByText('You can view the plan.').waitFor();
    expect(await button(page, 'Dry run').count()).toBe(0);
    await close();
  });
});

describe('A manifest', { concurrent: false }, () => {
  test('is planned, rehearsed and imported, with links to the results', async () => {
    const { page, complaints } = person;
    const before = await countAssets();
    await page.goto('/');
    await goTo(page, 'Import');
    await chooseFile(page, 'manifest.json', await fixture('dbt-before.json'));
    const counts = await countsOf(page);
    expect(counts).toMatchObject({ new: 8, modified: 0, breaking: 0 });
    await page.getByLabel('Publish the schemas as contracts').check();
    await button(page, 'Dry run').click();
    await page.getByText('Nothing is written yet.').waitFor();
    expect((await factsOf(page))[0]).toBe('8 assets would be created.');
    expect(await countAssets()).toBe(before);
    await button(page, 'Import').click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    expect((await factsOf(page))[0]).toBe('8 assets were created.');
    expect(await countAssets()).toBe(before + 8);
    await page.getByRole('link', { name: 'feat.analytics.fct_orders' }).click();
    await page.getByText('Fields', { exact: true }).first().waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('that breaks shows where, with the change and its consumers, before anything is written', async () => {
    const { page, complaints } = person;
    const found = bodyOf(await admin.listAssets({ query: { fqn: 'feat.analytics.fct_orders' } }));
    const consumer = await createTeam(admin, 'Consumer');
    await register(admin, found.results[0]?.active_contract_id ?? '', consumer, 'Reads it.');
    await page.goto('/import');
    await chooseFile(page, 'manifest.json', await fixture('dbt-after-breaking.json'));
    expect((await countsOf(page)).breaking).toBeGreaterThan(0);
    await page.locator('.import-counts button', { hasText: 'breaking' }).click();
    await page
      .getByRole('button', { name: /^Show \d+ changes? feat\.analytics/ })
      .first()
      .click();
    await page.getByRole('list', { name: 'Changes, breaking ones first' }).waitFor();
    await page.getByText('Example that breaks').first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Publish the schemas as contracts').check();
    await button(page, 'Dry run').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/break/);
    await page.getByText('Could not be imported').waitFor();
    await page.getByLabel('Propose breaking changes to consumers').check();
    await page.setViewportSize({ width: 360, height: 900 });
    const { y: settings = 0 } = (await page.getByLabel('Existing assets').boundingBox()) ?? {};
    const { y: next = 0 } = (await button(page, 'Dry run').boundingBox()) ?? {};
    expect(settings, 'what the button uses stands above it').toBeLessThan(next);
    await page.setViewportSize({ width: 1280, height: 900 });
    await button(page, 'Dry run').click();
    await page.getByText('Nothing is written yet.').waitFor();
    // The versions are published, so the assets are not skipped.
    const facts = (await factsOf(page)).join(' ');
    expect(facts).toContain('2 proposals would be created.');
    expect(facts).toMatch(/assets exist and would keep their owner and details\./);
    expect(facts).not.toContain('skipped');
    await button(page, 'Import').click();
    await page.getByRole('heading', { name: 'Imported' }).waitFor();
    await page.getByRole('link', { name: 'Proposal', exact: true }).first().click();
    await page.getByText('Breaking schema change').first().waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('has no plan after a change of options until it is made again', async () => {
    const { page } = person;
    await page.goto('/import');
    await chooseFile(page, 'manifest.json', await fixture('dbt-before.json'));
    await countsOf(page);
    await page.getByLabel('Environment').fill('staging');
    await page.getByText('There is no plan for these options yet.').waitFor();
    await button(page, 'Create the plan').click();
    expect(await countsOf(page)).toMatchObject({ new: 8 });
  });

  test('of twelve megabytes does not block the page, and can be cancelled', {
    timeout: 180_000,
  }, async () => {
    const { page, complaints } = person;
    const manifest = manifestOf('large', largeModels());
    const text = JSON.stringify(manifest);
    expect(text.length).toBeGreaterThan(12_000_000);
    const folder = await mkdtemp(join(tmpdir(), 'concordat-import-'));
    const path = join(folder, 'manifest.json');
    await writeFile(path, text);
    await page.goto('/import');
    await page.evaluate(watchLongTasks);
    // By its path, because passing it as text would block the page's thread.
    await page.locator('.drop-input').setInputFiles(path);
    await page.getByRole('progressbar').waitFor();
    await countsOf(page, patient);
    const longestMs = Number(await page.evaluate('window.longestTaskMs'));
    process.stdout.write(`12 MB: the longest the page was busy: ${longestMs.toFixed(0)} ms\n`);
    expect(longestMs).toBeLessThan(500);
    await button(page, 'Dry run').click();
    await page.getByText('Running a dry run').first().waitFor();
    await button(page, 'Cancel').click();
    await button(page, 'Dry run').waitFor();
    expect(await page.getByText('Nothing is written yet.').count()).toBe(0);
    // The file is read again automatically, so the user does not choose it again.
    await page.getByLabel('Environment').fill('staging');
    await button(page, 'Create the plan').click();
    expect(await countsOf(page, patient)).toMatchObject({ new: modelCount });
    expect(complaints.splice(0)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

const modelCount = 1_500;
/** The registry takes seconds for it, and a busy machine gets more time. */
const patient = { timeout: 60_000 };

function largeModels() {
  return Array.from({ length: modelCount }, (_, index) => ({
    name: `m${index}`,
    description: 'Long words about a column that nobody reads. '.repeat(4),
    columns: Object.fromEntries(
      Array.from({ length: 34 }, (_, column) => [`column_${column}`, 'bigint']),
    ),
  }));
}

/** Runs in the browser: measures how long its thread is blocked at a time. */
const watchLongTasks = `window.longestTaskMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    window.longestTaskMs = Math.max(window.longestTaskMs, duration);
  }
}).observe({ entryTypes: ['longtask'] });`;

test('A file can be dropped, and markup in it is shown as text', async () => {
  const { page, complaints } = person;
  await page.goto('/import');
  const manifest = manifestOf('shop', [{ name: 'carts', meta: { owner: hostile('meta') } }]);
  const odd = { ...manifest, nodes: { ...(manifest.nodes as object), [hostile('node')]: 5 } };
  const dropped = { name: `${hostile('file')}.json`, text: JSON.stringify(odd) };
  await page.getByText('Drop a file here').waitFor();
  await page.evaluate(`(${dropText})(${JSON.stringify(dropped)})`);
  await page.getByText('<b>file</b>').first().waitFor();
  await countsOf(page);
  await page.getByText('Could not be read').waitFor();
  await page.getByText('<b>node</b>').first().waitFor();
  expect(await page.evaluate('window.taken')).toBe(undefined);
  expect(await page.locator('main b, main script').count()).toBe(0);
  expect(complaints.splice(0)).toEqual([]);
});

/** Runs in the browser: simulates dropping a file on the page. */
const dropText = `({ name, text }) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const options = { bubbles: true, cancelable: true, dataTransfer: data };
  document.querySelector('.drop').dispatchEvent(new DragEvent('drop', options));
}`;
