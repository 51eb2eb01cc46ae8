// Dates are the same for everybody, and times that say how long ago keep up.

import { beforeAll, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, signIn } from './support/browser.ts';
import {
  createAsset,
  createTeam,
  fieldsOf,
  propose,
  publish,
  register,
  type StoryTeam,
} from './support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let finance: StoryTeam;
let proposalId: string;

beforeAll(async () => {
  const orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  const assetId = await createAsset(admin, orders, 'shop.sales.orders');
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  await register(admin, contractId, finance, 'Revenue.');
  proposalId = await propose(admin, assetId, fieldsOf('id'));
});

const zones = ['America/Los_Angeles', 'Europe/Berlin', 'Pacific/Auckland'];

test('A date until which a team migrates is the same in every time zone', async () => {
  const author = await openPerson(browser, { url: registry.url, zone: 'America/Los_Angeles' });
  await signIn(author.page, finance.key);
  await author.page.goto(`/proposals/${proposalId}`);
  await author.page.getByRole('radio', { name: 'Migrating' }).check();
  await author.page.getByLabel('We need the old version until').fill('2031-05-03');
  await author.page.getByRole('button', { name: 'Send answer' }).click();
  await author.page.locator('.answer').getByText('until 3 May 2031').waitFor();
  await author.close();
  for (const zone of zones) {
    const { page, complaints, close } = await openPerson(browser, { url: registry.url, zone });
    await signIn(page, registry.bootstrapKey);
    await page.goto(`/proposals/${proposalId}`);
    const text = await page.locator('.answer').getByText('until').textContent();
    expect(text).toMatch(/until 3 May 2031$/);
    expect(complaints).toEqual([]);
    await close();
  }
});

test('The date on which a key expires is the same in every time zone', async () => {
  const author = await openPerson(browser, { url: registry.url, zone: 'America/Los_Angeles' });
  await signIn(author.page, registry.bootstrapKey);
  await author.page.goto('/keys');
  await author.page.getByRole('button', { name: 'New key' }).click();
  const dialog = author.page.getByRole('dialog');
  await dialog.getByLabel('What is it for?').fill('dated');
  await dialog.getByLabel('Team').selectOption({ label: 'Finance' });
  const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('Expires').fill(day);
  await dialog.getByRole('button', { name: 'Issue key' }).click();
  await author.page.getByText('Copy the key now').waitFor();
  await author.close();
  const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  for (const zone of zones) {
    const { page, close } = await openPerson(browser, { url: registry.url, zone });
    await signIn(page, registry.bootstrapKey);
    await page.goto('/keys');
    const row = page.getByRole('row').filter({ hasText: 'dated' });
    await row.getByText(shown.format(new Date(day)), { exact: true }).waitFor();
    await close();
  }
});

test('A time that says how long ago keeps up while the page is open', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await page.clock.install();
  await signIn(page, registry.bootstrapKey);
  await page.goto(`/proposals/${proposalId}`);
  const head = page.locator('.page-head time').first();
  await head.waitFor();
  await page.clock.fastForward('02:00:00');
  await expect.poll(() => head.textContent()).toBe('2 hours ago');
  expect(complaints).toEqual([]);
  await close();
});
