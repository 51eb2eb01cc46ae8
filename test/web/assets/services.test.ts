// Services on the page: their list, their own page, what belongs to them, and the graph by service.

import { expect, test } from 'vitest';
import { addressOf } from '../support/address.ts';
import { openBrowserForFile, openPerson, signIn } from '../support/browser.ts';
import { bodyOf, createAsset, createTeam, tellStory } from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
const story = await tellStory(registry.url, registry.bootstrapKey);

test('a service is created, changed and deleted, and its asset stays', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, story.teams.finance.key, 'Finance');
  await page.goto('/services');
  await page.getByRole('button', { name: 'New service' }).click();
  await page.getByLabel('Name').fill('Ledger');
  await page.getByLabel('Repository').fill('https://ada:secret@git.example.org/ledger');
  await page.getByRole('button', { name: 'Create service' }).click();
  await page.getByText('is no name of a service').waitFor();
  await page.getByLabel('Name').fill('ledger');
  await page.getByRole('button', { name: 'Create service' }).click();
  await page.getByText('The address contains credentials').waitFor();
  await page.getByLabel('Repository').fill('https://git.example.org/ledger');
  await page.getByRole('button', { name: 'Create service' }).click();
  await page.getByText('No asset belongs to this service yet.').waitFor();
  const link = page.getByRole('link', { name: 'git.example.org/ledger' });
  expect(await link.getAttribute('href')).toBe('https://git.example.org/ledger');
  expect(await link.getAttribute('rel')).toContain('noopener');

  const assetId = await createAsset(admin, story.teams.finance, 'warehouse.finance.entries');
  await page.goto(`/assets/${assetId}`);
  await page.getByRole('button', { name: 'Edit details' }).click();
  await page.getByLabel('Service').selectOption('ledger');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'ledger', exact: true }).click();
  await page.getByRole('link', { name: 'warehouse.finance.entries' }).waitFor();

  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Repository').fill('git@git.example.org:finance/ledger.git');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('git@git.example.org:finance/ledger.git').waitFor();
  expect(await page.getByRole('link', { name: 'finance/ledger.git' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 asset belongs to no service then.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'order-desk', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'ledger', exact: true }).count()).toBe(0);
  const params = { asset_id: assetId };
  expect(bodyOf(await admin.getAsset({ params }))).not.toHaveProperty('service_id');
  expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
  await close();
});

test('a service of another team is read, not changed', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, story.teams.finance.key, 'Finance');
  await page.goto(`/services/${story.serviceId}`);
  await page.getByRole('link', { name: 'warehouse.sales.orders' }).waitFor();
  expect(await page.getByRole('button', { name: 'Change' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await close();
});

test('an asset that a source manages gets its service on the page', async () => {
  const assetId = await createAsset(admin, story.teams.orders, 'warehouse.sales.managed');
  await registry.database.query(
    `update asset set managed_source = 'kubernetes', managed_reference = 'orders in a' where id = $1`,
    [assetId],
  );
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, story.teams.orders.key, 'Orders');
  await page.goto(`/assets/${assetId}`);
  await page.getByRole('button', { name: 'Change service' }).click();
  await page.getByLabel('Service').selectOption('order-desk');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'order-desk' }).waitFor();
  await close();
});

test('the search finds a service and leads to it', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey);
  await page.goto('/');
  await page.getByRole('button', { name: /^Search/ }).click();
  await page.getByRole('combobox', { name: 'Go to' }).waitFor();
  await page.keyboard.type('order-d');
  await page.getByRole('option', { name: 'order-desk' }).click();
  await page.waitForURL(`**/services/${story.serviceId}`);
  await close();
});

test('the graph is drawn by service, and its address says so', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey);
  await page.goto('/graph');
  await page.getByText('lines between teams').waitFor();
  const choice = page.getByRole('group', { name: 'Group by' });
  await choice.getByRole('button', { name: 'Services' }).click();
  await page.getByText('services and teams').first().waitFor();
  await expect
    .poll(async () => new URL(await addressOf(page)).searchParams.get('by'))
    .toBe('service');
  const block = page.getByRole('link', { name: /^order-desk, owns \d assets? · 1 pending/ });
  await block.waitFor();
  await page.reload();
  await block.waitFor();
  await block.click();
  await page.waitForURL(`**/services/${story.serviceId}`);
  await page.goto('/graph?by=service&as=list');
  await page.getByRole('link', { name: 'order-desk' }).first().waitFor();
  await page
    .getByRole('group', { name: 'Group by' })
    .getByRole('button', { name: 'Teams' })
    .click();
  await page.getByText('lines between teams').waitFor();
  await expect.poll(async () => new URL(await addressOf(page)).searchParams.get('by')).toBeNull();
  await close();
});

test('a team that owns only a service needs an heir for it', async () => {
  const team = await createTeam(admin, 'Leaving');
  const body = { name: 'left-behind', owner_team_id: team.id };
  const { id: service_id } = bodyOf(await admin.createService({ body }));
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey);
  await page.goto('/teams?q=Leaving');
  await page.getByRole('button', { name: 'Delete Leaving' }).click();
  await page.getByText('It owns 1 service, which needs a new owner.').waitFor();
  await page.getByLabel('Transfer what it owns to').selectOption('Finance');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The team was deleted.').waitFor();
  const after = bodyOf(await admin.getService({ params: { service_id } }));
  expect(after.owner_team_id).toBe(story.teams.finance.id);
  await close();
});
