// The graph of all teams: owners, consumers, and pending changes.

import { beforeAll, describe, expect, test } from 'vitest';
import { manifestOf } from '../../support/manifest.ts';
import { goTo, openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { hostile } from '../support/markup.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  propose,
  publish,
  register,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let person: Person;
let orders: StoryTeam;

const simple = { type: 'object', properties: { id: { type: 'string' } } };

beforeAll(async () => {
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

describe('The graph of all teams', { concurrent: false }, () => {
  test('says that it is empty if nobody owns anything', async () => {
    const { page } = person;
    await goTo(page, 'Graph');
    await page.getByText('No team owns assets here.').waitFor();
  });

  test('shows owners to the left of their consumers, and a pending change in words', async () => {
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
    await page.setViewportSize({ width: 360, height: 800 });
    const size = `(() => {
      const text = document.querySelector('.graph-node-title');
      return 13 * text.getScreenCTM().a;
    })()`;
    await expect.poll(() => page.evaluate(size)).toBeGreaterThan(10);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(complaints.splice(0)).toEqual([]);
  });

  test('has a list, too, with links to the assets and to pending proposals', async () => {
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

  test('can be restricted to an owner by its address', async () => {
    const { page } = person;
    await page.goto('/graph?as=list');
    await page.getByLabel('Owner').selectOption({ label: 'Finance' });
    await page.getByText('2 teams, 1 asset, 1 line between teams').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Environment').fill('nowhere');
    await page.getByText('No team owns assets here.').waitFor();
  });

  test('takes one request, however many assets there are', async () => {
    const models = Array.from({ length: 510 }, (_, index) => ({ name: `m${index}` }));
    const manifest = manifestOf('many', models);
    bodyOf(await admin.uploadDbt({ body: { manifest, owner_team_id: orders.id } }));
    const { page, complaints } = person;
    const asked = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/v1/')) asked.add(pathname.slice('/api/v1/'.length));
    });
    await page.goto('/graph');
    await page.getByText('3 teams, 513 assets, 2 lines between teams').waitFor();
    expect(asked).toContain('graph');
    const lists = ['assets', 'registrations', 'proposals'];
    expect([...asked].filter((path) => lists.includes(path))).toEqual([]);
    expect(await page.getByText('Choose an owner or an environment').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('shows a dependency between teams as a line without a reload', async () => {
    const { page, complaints } = person;
    const growth = await createTeam(admin, 'Growth');
    const funnelId = await createAsset(admin, growth, 'shop.public.funnel');
    const { results } = bodyOf(await admin.listAssets({ query: { fqn: 'shop.public.bills' } }));
    const body = { depends_on_asset_id: results[0]?.id ?? '' };
    bodyOf(await admin.addDependency({ params: { asset_id: funnelId }, body }));
    await page.getByText('4 teams, 514 assets, 3 lines between teams').waitFor();
    await page.goto('/graph?as=list');
    const row = page.getByRole('row').filter({ hasText: 'FinanceGrowth' });
    await row.waitFor();
    expect(await row.textContent()).toBe('FinanceGrowthshop.public.bills1 dependency');
    expect(complaints.splice(0)).toEqual([]);
  });

  test('says so if there are more teams than it shows', async () => {
    const { page, complaints } = person;
    await registry.database.query(`insert into team (id, name, slug, metadata, created_at, updated_at)
      select overlay(overlay(md5('t' || i) placing '7' from 13) placing '8' from 17)::uuid,
        'Team ' || i, 'team-' || i, '{}', now(), now() from generate_series(1, 220) i`);
    await registry.database.query(`insert into asset (id, fqn, environment, owner_team_id,
        guarantee_mode, auto_publish, metadata, tags, search_text, created_at, updated_at)
      select overlay(overlay(md5('a' || i) placing '7' from 13) placing '8' from 17)::uuid,
        'many.of_' || i, 'production',
        overlay(overlay(md5('t' || i) placing '7' from 13) placing '8' from 17)::uuid, 'notify',
        false, '{}', '{}', '', now(), now() from generate_series(1, 220) i`);
    await page.goto('/graph');
    await page.getByText('224 teams, 734 assets, 3 lines between teams').waitFor();
    await page.getByText('Only 200 teams and 3 lines are shown').waitFor();
    expect(await page.locator('[data-node]').count()).toBe(200);
    await page.getByRole('link', { name: /^Orders, owns 512 assets/ }).waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });
});
