// An asset that is managed elsewhere: its source, and its status by its conditions.

import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/wire/client.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import { findViolations } from './support/axe.ts';
import { launchBrowser, openPerson, type Person, signIn } from './support/browser.ts';
import { bodyOf, createAsset, createTeam } from './support/story.ts';

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

/** Atomically, like editors. */
async function write(document: object): Promise<void> {
  await writeFile(join(folder, 'draft'), JSON.stringify(document));
  await rename(join(folder, 'draft'), join(folder, 'contracts/shop/orders.yaml'));
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
