// An asset that is managed elsewhere: its source, and its status by its conditions.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../../src/wire/client.ts';
import {
  openProcess,
  openRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { findViolations } from '../support/axe.ts';
import { launchBrowser, openPerson, type Person, signIn } from '../support/browser.ts';
import { writeSchema } from '../support/editor.ts';
import { bodyOf, createAsset, createTeam, register } from '../support/story.ts';

let folder: string;
let registry: TestRegistry;
let browser: Browser;
let admin: Client;
let person: Person;

const contractOf = (team: string) => ({
  apiVersion: 'concordat.dev/v1',
  kind: 'DataContract',
  metadata: { name: 'orders', namespace: 'shop' },
  spec: {
    fqn: 'shop.sources.orders',
    team,
    schema: { type: 'object', properties: { id: { type: 'string' } } },
  },
});

function write(document: object): Promise<void> {
  return replaceFile(join(folder, 'contracts/shop/orders.yaml'), JSON.stringify(document));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-source-'));
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  await writeFile(join(folder, 'teams.yaml'), 'shop: shop\n');
  registry = await openRegistry({
    CONTRACTS_DIR: join(folder, 'contracts'),
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
  });
  browser = await launchBrowser();
  admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
  person = await openPerson(browser, { url: registry.url, width: 360 });
  await signIn(person.page, registry.bootstrapKey);
});
afterAll(async () => {
  await browser?.close();
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function findAsset() {
  const query = { fqn: 'shop.sources.orders' };
  return bodyOf(await admin.listAssets({ query })).results[0];
}

test('An asset from a folder shows its file, its conditions and their reasons, and updates them', async () => {
  const { page, complaints } = person;
  await createTeam(admin, 'Shop');
  await write(contractOf('shop'));
  await expect.poll(findAsset, { timeout: 30_000 }).toBeDefined();
  const assetId = (await findAsset())?.id;
  await page.goto(`/assets/${assetId}`);
  await page.getByText('Managed in a folder of files. Change it there.').waitFor();
  await page.getByRole('link', { name: 'View the source and its status' }).click();
  await page.getByText('Ready: yes').waitFor();
  await page.getByText('shop/orders.yaml').waitFor();
  await page.getByText(join(folder, 'contracts'), { exact: true }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0);
  await write(contractOf('nobody'));
  await page.getByText('Ready: no').waitFor({ timeout: 30_000 });
  expect(complaints.splice(0)).toEqual([]);
});

test('Operators see what is not ready in a source and why, and what is on hold', async () => {
  const { page, complaints } = person;
  await page.goto('/operations');
  await page.getByText('The registry is ready.').waitFor();
  await page.getByText('Every notification arrives.').waitFor();
  await page.getByText(join(folder, 'contracts'), { exact: true }).waitFor();
  await page.getByRole('button', { name: '1 not ready' }).click();
  const unready = page.getByRole('list', { name: 'Objects that are not ready' });
  await unready.getByText('DataContract shop/orders').waitFor();
  await unready.getByText('nobody').first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  const tooWide = 'document.documentElement.scrollWidth - innerWidth';
  expect(await page.evaluate(tooWide)).toBeLessThanOrEqual(0);
  await write(contractOf('shop'));
  await page.getByText('Every object is ready.').waitFor({ timeout: 30_000 });
  await rm(join(folder, 'contracts/shop/orders.yaml'));
  await page.getByText('Deletions from this source are on hold:').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Accept the source' }).waitFor();
  await write(contractOf('shop'));
  await page.getByText('Deletions from this source are on hold:').waitFor({ state: 'detached' });
  expect(complaints.splice(0)).toEqual([]);
});

test('A cluster that lacks rights in a namespace says so, and has nothing to accept', async () => {
  const { page, complaints } = person;
  const problem = 'Namespace closed may not be read.';
  await registry.database.query(
    `insert into controller_lease (identity, kind, place, problem, fence, holder, renewed_at)
     values ('cluster-of-the-test', 'cluster', 'https://cluster', $1, 1, 'test', now())`,
    [problem],
  );
  await page.goto('/operations');
  await page.getByText(problem, { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Accept the source' }).count()).toBe(0);
  await registry.database.query("delete from controller_lease where holder = 'test'");
  expect(complaints.splice(0)).toEqual([]);
});

test('An asset that is managed elsewhere is published from here only with a reason, on the record', async () => {
  const { page, complaints } = person;
  const asset = await findAsset();
  await page.goto(`/assets/${asset?.id}/try`);
  await writeSchema(
    page,
    '{ "type": "object", "properties": { "id": { "type": "string" }, "a": {} } }',
  );
  await page.getByText('Its source does not have this change').waitFor();
  await page.getByRole('button', { name: 'Publish past the source' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The source overwrites it').waitFor();
  await dialog.getByLabel('Reason').fill('The repository is not available.');
  await dialog.getByRole('button', { name: 'Publish past the source' }).click();
  await page.getByText(/Version 1\.\d\.\d was published\./).waitFor();
  expect(complaints.splice(0)).toEqual([]);
});

test('The owner of an asset that is managed elsewhere is not offered what would be refused', async () => {
  const { results } = bodyOf(await admin.listTeams({ query: { q: 'Shop' } }));
  const key = bodyOf(
    await admin.issueApiKey({
      body: { name: 'Shop CI', team_id: results[0]?.id ?? '', scopes: ['write'] },
    }),
  ).key;
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, key ?? '');
  const asset = await findAsset();
  await page.goto(`/assets/${asset?.id}/try`);
  await writeSchema(
    page,
    '{ "type": "object", "properties": { "id": { "type": "string" }, "a": {}, "b": {} } }',
  );
  await page.getByText('Compatible: it would be published immediately.').waitFor();
  await page.getByText('Publish it where the asset is managed.').waitFor();
  expect(await page.getByRole('button', { name: /^Publish/ }).count()).toBe(0);
  await page.goto(`/assets/${asset?.id}/versions`);
  await page.getByText('first version').waitFor();
  expect(await page.getByRole('button', { name: /^Deprecate/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('An administrator hands over what a source that is gone managed, and sees before what would change', async () => {
  const { page, complaints } = person;
  const handed = 'shop.handed.orders';
  const find = async () => bodyOf(await admin.listAssets({ query: { fqn: handed } })).results[0];
  const managerOf = async (asset_id: string) =>
    bodyOf(await admin.getAsset({ params: { asset_id } })).managed_by?.reference;
  const consumer = await createTeam(admin, 'Handed');
  await mkdir(join(folder, 'old/shop'), { recursive: true });
  const contract = contractOf('shop');
  const spec = { ...contract.spec, fqn: handed };
  const text = JSON.stringify({
    ...contract,
    metadata: { ...contract.metadata, name: 'handed' },
    spec,
  });
  await writeFile(join(folder, 'old/shop/handed.yaml'), text);
  const old = await openProcess(registry.database.serviceUrl, {
    CONTRACTS_DIR: join(folder, 'old'),
    CONTRACTS_NAME: 'old',
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
  });
  let assetId = '';
  try {
    await expect
      .poll(async () => (await find())?.active_contract_id ?? null, { timeout: 30_000 })
      .not.toBeNull();
    const asset = await find();
    assetId = asset?.id ?? '';
    await register(admin, asset?.active_contract_id ?? '', consumer, 'Reports.');

    await page.goto(`/assets/${assetId}/source`);
    await page.getByRole('button', { name: 'Hand over to another source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The folder was moved.');
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.getByRole('alert').getByText('is still reconciled. Stop it first').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  } finally {
    await old.stop();
  }

  // The same object in the folder of the registry that goes on.
  await writeFile(join(folder, 'contracts/shop/handed.yaml'), text);
  await page.getByRole('button', { name: 'Hand over to another source' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New source').selectOption({ index: 0 });
  await dialog.getByLabel('Everything that this source manages and has registered').check();
  await dialog.getByLabel('Reason').fill('The folder was moved.');
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Preview changes' }).click();
  await dialog.getByText('1 asset and 0 registrations will be handed over.').waitFor();
  await dialog
    .getByText(/shop\.handed\.orders \(production\): shop\/handed in directory-/)
    .waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await managerOf(assetId)).toBe('shop/handed in directory-old');
  await dialog.getByRole('button', { name: 'Hand over', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Ready: yes').waitFor({ timeout: 30_000 });
  expect(await managerOf(assetId)).toMatch(/^shop\/handed in directory-.*\/contracts$/);
  const events = bodyOf(await admin.listEvents({ query: { event_type: 'source.taken_over' } }));
  expect(events.results.map(({ metadata }) => metadata.reason)).toEqual(['The folder was moved.']);
  expect(complaints.splice(0)).toEqual([]);
});

test("An asset that is not managed elsewhere has no such tab, and the tab's address says so", async () => {
  const { page, complaints } = person;
  const id = await createAsset(admin, await createTeam(admin, 'Here'), 'shop.here.orders');
  await page.goto(`/assets/${id}`);
  await page.getByRole('link', { name: 'History' }).waitFor();
  expect(await page.getByRole('link', { name: 'Source', exact: true }).count()).toBe(0);
  await page.goto(`/assets/${id}/source`);
  await page.getByText('The contract is managed in the registry.').waitFor();
  expect(complaints.splice(0)).toEqual([]);
});
