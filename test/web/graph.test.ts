// Who owns, who consumes, and where changes are pending: all teams at a glance.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/wire/client.ts';
import { openRegistry, type TestRegistry } from '../support/client-registry.ts';
import { manifestOf } from '../support/manifest.ts';
import { launchBrowser, openPerson, type Person, signIn } from './support/browser.ts';
import { hostile } from './support/markup.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  propose,
  publish,
  register,
  type StoryTeam,
} from './support/story.ts';

let registry: TestRegistry;
let browser: Browser;
let admin: Client;
let person: Person;
let orders: StoryTeam;

const simple = { type: 'object', properties: { id: { type: 'string' } } };

beforeAll(async () => {
  registry = await openRegistry();
  browser = await launchBrowser();
  admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});
afterAll(async () => {
  await browser?.close();
  await registry?.stop();
});

describe('The graph of the whole', { concurrent: false }, () => {
  test('is told to be empty where nobody owns anything', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.getByText('No team owns anything here.').waitFor();
  });

  test('shows owners left of their consumers, and a pending change in words', async () => {
    orders = await createTeam(admin, 'Orders');
    const finance = await createTeam(admin, 'Finance');
    const odd = await createTeam(admin, hostile('team'));
    const ordersId = await createAsset(admin, orders, 'shop.public.orders');
    const cartsId = await createAsset(admin, orders, 'shop.public.carts');
    const billsId = await createAsset(admin, finance, 'shop.public.bills');
    const ordersContract = await publish(admin, ordersId, simple, {});
    await register(admin, ordersContract, finance, 'Bills.');
    await register(admin, await publish(admin, cartsId, simple, {}), finance, 'Bills.');
    await register(admin, await publish(admin, billsId, simple, {}), odd, 'Books.');
    await propose(admin, ordersId, { type: 'object', properties: {} });
    const { page, complaints } = person;
    await page.goto('/graph');
    await page.getByText('3 teams, 3 assets, 2 lines between teams').waitFor();
    const left = async (name: RegExp) =>
      (await page.getByRole('link', { name }).boundingBox())?.x ?? 0;
    const places = [
      await left(/^Orders, owns/),
      await left(/^Finance, owns/),
      await left(/<b>team/),
    ];
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(3);
    await page.getByRole('link', { name: 'Orders, owns 2 assets · 1 pending change' }).waitFor();
    await page.locator('.graph-node-pending .graph-icon').waitFor();
    expect(await page.locator('.graph-icon').count()).toBe(1);
    expect(await page.locator('.graph-edge text').allTextContents()).toEqual([
      expect.stringMatching(/^(1|2 · 1 pending)$/),
      expect.stringMatching(/^(1|2 · 1 pending)$/),
    ]);
    expect(await page.locator('main b, main script').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('is a list too, with links to the assets and to what is pending', async () => {
    const { page } = person;
    await page.getByRole('button', { name: 'List' }).click();
    const rows = page.getByRole('row');
    await rows.filter({ hasText: 'Orders' }).waitFor();
    expect((await rows.allTextContents()).slice(1)).toEqual([
      `Finance${hostile('team')}shop.public.bills`,
      'OrdersFinanceshop.public.cartsshop.public.orders shop.public.orders',
    ]);
    await page.getByRole('link', { name: 'shop.public.orders' }).last().click();
    await page.getByText('Breaking schema change').first().waitFor();
  });

  test('is narrowed to an owner by its address', async () => {
    const { page } = person;
    await page.goto('/graph?as=list');
    await page.getByLabel('Owner').selectOption({ label: 'Finance' });
    await page.getByText('2 teams, 1 asset, 1 line between teams').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Environment').fill('nowhere');
    await page.getByText('No team owns anything here.').waitFor();
  });

  test('says so where there is more than it is made of', async () => {
    const models = Array.from({ length: 510 }, (_, index) => ({ name: `m${index}` }));
    const manifest = manifestOf('many', models);
    bodyOf(await admin.uploadDbt({ body: { manifest, owner_team_id: orders.id } }));
    const { page, complaints } = person;
    const asked = new Set<string | null>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/assets')) asked.add(searchParams.get('page'));
    });
    await page.goto('/graph');
    await page.getByText('made of the first 500 of 513 assets').waitFor();
    expect([...asked].sort()).toEqual(['1', '2', '3', '4', '5']);
    expect(complaints.splice(0)).toEqual([]);
  });
});
