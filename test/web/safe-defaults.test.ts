// A form decides nothing for its user: what matters is chosen, and says what it means.

import { beforeAll, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  fieldsOf,
  propose,
  publish,
  register,
  type StoryTeam,
} from './support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let orders: StoryTeam;
let finance: StoryTeam;
let proposalId: string;
let person: Person;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  const assetId = await createAsset(admin, orders, 'shop.sales.orders');
  await createAsset(admin, orders, 'shop.sales.carts');
  await createAsset(admin, orders, 'shop.sales.returns');
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  await register(admin, contractId, finance, 'Revenue.');
  proposalId = await propose(admin, assetId, fieldsOf('id'));
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

test('An answer to a proposal is chosen, and never sent by default', async () => {
  const { page } = person;
  await page.goto(`/proposals/${proposalId}`);
  await page.getByLabel('Why are you answering').fill('They told us by phone.');
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send answer' }).click();
  expect(await page.locator('input[type=radio]:invalid').count()).toBe(3);
  const asked = bodyOf(await admin.getProposal({ params: { proposal_id: proposalId } }));
  expect(asked.consumers.map(({ response }) => response)).toEqual([undefined]);
});

test('The team of a new key is chosen', async () => {
  const { page } = person;
  await page.goto('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is it for?').fill('somebody');
  expect(await dialog.getByLabel('Team').inputValue()).toBe('');
  await dialog.getByRole('button', { name: 'Issue key' }).click();
  expect(await dialog.locator('select:invalid').count()).toBe(1);
  await dialog.getByLabel('Team').selectOption({ label: 'Finance' });
  await dialog.getByRole('button', { name: 'Issue key' }).click();
  await page.getByText('Copy the key now').waitFor();
});

test('The owner of a new asset is chosen, if there are several teams', async () => {
  const { page } = person;
  await page.goto('/assets');
  await page.getByRole('button', { name: 'New asset' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Fully qualified name').fill('shop.sales.owned');
  expect(await dialog.getByLabel('Owner').inputValue()).toBe('');
  await dialog.getByRole('button', { name: 'Create asset' }).click();
  expect(await dialog.locator('select:invalid').count()).toBe(1);
  await dialog.getByLabel('Owner').selectOption({ label: 'Finance' });
  await dialog.getByRole('button', { name: 'Create asset' }).click();
  await page.getByText('This asset has no contract yet.').waitFor();
});

test('Deleting a team says how many assets it owns, and asks who gets them', async () => {
  const { page, complaints } = person;
  await page.goto('/teams');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Delete Orders' }).click();
  await dialog.getByText('It owns 3 assets, which need a new owner.').waitFor();
  expect(await dialog.getByText('It owns no assets').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  expect(await dialog.locator('select:invalid').count()).toBe(1);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await createTeam(admin, 'Idle');
  await page.getByRole('button', { name: 'Delete Idle' }).click();
  await dialog.getByText('It owns no assets.').waitFor();
  expect(await dialog.getByRole('combobox').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('Recent changes are about data, and not about who signed in or became a user', async () => {
  const { page } = person;
  bodyOf(
    await admin.createUser({
      body: {
        email: 'new@example.com',
        name: 'Newcomer',
        role: 'viewer',
        password: 'a long sentence',
      },
    }),
  );
  await page.goto('/');
  const recent = page.locator('.panel', { hasText: 'Recent changes' });
  await recent.getByText('Breaking change proposed').waitFor();
  for (const said of ['User created', 'API key issued', 'Signed in', 'Sign-in failed']) {
    expect(await recent.getByText(said).count()).toBe(0);
  }
});

test('An administrator chooses for which of several teams', async () => {
  const { page } = person;
  const [prices, sales] = [await createTeam(admin, 'Prices'), await createTeam(admin, 'Sales')];
  const assetId = await createAsset(admin, prices, 'shop.sales.prices');
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  for (const team of [finance, sales]) await register(admin, contractId, team, 'Revenue.');
  await page.goto(`/proposals/${await propose(admin, assetId, fieldsOf('id'))}`);
  const panel = page.locator('.panel-answer');
  await panel.getByRole('heading', { name: 'Answer for a team' }).waitFor();
  expect(await panel.getByLabel('Team').inputValue()).toBe('');
  expect(await panel.getByRole('radio').count()).toBe(0);
  await panel.getByLabel('Team').selectOption({ label: 'Finance' });
  await panel.getByRole('heading', { name: 'Answer for Finance' }).waitFor();
  await panel.getByRole('radio', { name: /^Approve/ }).waitFor();
});
