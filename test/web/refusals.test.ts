// A refusal by the registry is shown as a message where the action was started.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { openProcess } from '../support/client/client-registry.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import { writeSchema } from './support/editor.ts';
import { bodyOf, breakingOrder, createTeam, type Story, tellStory } from './support/story.ts';

const { registry, browser } = await openBrowserForFile();
let story: Story;
let admin: Person;

beforeAll(async () => {
  story = await tellStory(registry.url, registry.bootstrapKey);
  admin = await openPerson(browser, { url: registry.url });
  await signIn(admin.page, registry.bootstrapKey, 'Orders');
});

const alertOf = (page: Page) => page.getByRole('alert').first().textContent();

async function nextPerson(): Promise<Person> {
  return openPerson(browser, { url: registry.url });
}

describe('A message explains the refusal of', () => {
  test.each([
    { name: 'a key that nobody knows', key: 'cdt_live_nobody_knows_this_one' },
    { name: 'a key that no header can carry', key: 'Schlüssel 🔑' },
  ])('$name', async ({ key }) => {
    const { page, close } = await nextPerson();
    await page.goto('/');
    await page.getByRole('button', { name: 'With an API key' }).click();
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await alertOf(page)).toBe(
      'This API key is unknown, expired or revoked. Check it, or ask an administrator for a new one.',
    );
    await close();
  });

  test('a team whose name is taken', async () => {
    const { page } = admin;
    await page.goto('/teams');
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByLabel('Name').fill('FINANCE');
    await page.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('alert').waitFor();
    expect(await alertOf(page)).toMatch(/FINANCE/);
  });

  test('an asset whose name has no dot', async () => {
    const { page } = admin;
    await page.goto('/assets');
    await page.getByRole('button', { name: 'New asset' }).click();
    await page.getByLabel('Fully qualified name').fill('orders');
    await page.getByRole('button', { name: 'Create asset' }).click();
    await page.getByRole('alert').waitFor();
    expect(await alertOf(page)).toMatch(/two or more segments joined by dots/);
  });

  test('a second proposal, until it is told to supersede the first', async () => {
    const { page } = admin;
    await page.goto(`/assets/${story.ordersId}/try`);
    const schema = {
      ...breakingOrder,
      properties: { ...breakingOrder.properties, note: { type: 'integer' } },
    };
    await writeSchema(page, JSON.stringify(schema));
    await page.getByRole('button', { name: 'Propose to consumers' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Propose to consumers' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await alertOf(page)).toBe(
      'A proposal of this asset is open. Publish or withdraw it first.',
    );
    await dialog.getByLabel('Replace the open proposal with this one').check();
    await dialog.getByRole('button', { name: 'Propose to consumers' }).click();
    await page.locator('.page-head').getByText('pending', { exact: true }).waitFor();
    await page.goto(`/proposals/${story.proposalId}`);
    await page.getByRole('link', { name: 'View the proposal that replaced it' }).waitFor();
  });

  test('an invalid schema', async () => {
    const { page } = admin;
    await page.goto(`/assets/${story.ordersId}/try`);
    await writeSchema(page, '{"type": 5}');
    await page.locator('.asked, .note-warn[role=status]').last().waitFor();
    await page.locator('.panel .note-warn[role=status]').waitFor();
    expect(await page.locator('.panel .note-warn[role=status]').textContent()).toMatch(/type/);
    await page.getByText('This schema is invalid, so it cannot be compared.').waitFor();
    expect(await page.getByRole('heading', { name: 'Changes' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^(Publish|Propose)/ }).count()).toBe(0);
  });

  test('incomplete JSON', async () => {
    const { page } = admin;
    await writeSchema(page, '{"type": ');
    await page.getByText('Invalid JSON').waitFor();
  });

  test('the keys, for users other than administrators', async () => {
    const { page, close } = await nextPerson();
    await signIn(page, story.teams.finance.key, 'Finance');
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    await page.goto('/keys');
    await page.getByRole('alert').waitFor();
    expect(await alertOf(page)).toContain('You don’t have access');
    await close();
  });
});

describe('Force', () => {
  test("asks for a reason, shows the affected consumers, and asks for the asset's name", async () => {
    const { page, complaints } = admin;
    const client = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const { results } = bodyOf(
      await client.listProposals({ query: { asset_id: story.ordersId, status: 'pending' } }),
    );
    await page.goto(`/proposals/${results[0]?.id}`);
    await page.getByRole('button', { name: 'Publish by force…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByLabel('Reason').fill('Legal wants it gone today.');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'Analytics · no answer yet',
      'Finance · no answer yet',
      'Logistics · no answer yet',
    ]);
    await dialog.getByLabel('Type the name of the asset').fill('warehouse.sales.order');
    await dialog.getByRole('button', { name: 'Publish by force' }).click();
    await dialog.getByLabel('Type the name of the asset').fill('warehouse.sales.orders');
    await dialog.getByRole('button', { name: 'Publish by force' }).click();
    await page.locator('.page-head').getByText('published by force', { exact: true }).waitFor();
    await page.getByText('Legal wants it gone today.').first().waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });
});

describe('An open page', () => {
  test('asks to sign in again once its key is revoked, and then continues where it was', async () => {
    const client = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const team = await createTeam(client, 'Short-lived');
    const { page, close } = await nextPerson();
    await signIn(page, team.key, 'Short-lived');
    await page.goto('/assets?q=orders');
    await page.getByRole('link', { name: 'legacy.shop.orders_export' }).waitFor();
    const keys = bodyOf(await client.listApiKeys({ query: { team_id: team.id } }));
    await client.revokeApiKey({ params: { api_key_id: keys.results[0]?.id ?? '' } });
    await page.getByText('Your session has ended.').waitFor();
    await page.getByRole('button', { name: 'With an API key' }).click();
    await page.getByLabel('API key', { exact: true }).fill(registry.bootstrapKey);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'legacy.shop.orders_export' }).waitFor();
    await close();
  });

  test('keeps its content while the registry is unreachable, and recovers by itself', async () => {
    const url = registry.database.url;
    const first = await openProcess(url);
    const { page, close } = await openPerson(browser, { url: first.url });
    await signIn(page, registry.bootstrapKey, 'Orders');
    await page.goto(`/proposals/${story.blockedId}`);
    await page.getByText('tracking number').first().waitFor();
    await first.stop();
    await page.getByText('The registry is not responding. This page may be out of date').waitFor();
    expect(await page.getByText('tracking number').count()).toBeGreaterThan(0);
    const again = await openProcess(url, { PORT: new URL(first.url).port });
    const banner = page.getByText('The registry is not responding.');
    await banner.waitFor({ state: 'detached' });
    await close();
    await again.stop();
  });

  test('refuses the later of two people acting at once with a message', async () => {
    const client = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const proposal = { params: { proposal_id: story.deprecationId } };
    const { page } = admin;
    await page.goto(`/proposals/${story.deprecationId}`);
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Not yet, please.');
    bodyOf(await client.publishProposal({ ...proposal, body: {} }));
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('it cannot be withdrawn from that state').waitFor();
  });
});
