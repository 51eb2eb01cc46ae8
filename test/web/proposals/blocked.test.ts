// The ways out of a block: whom to ask, and an administrator who decides on the record.

import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  fieldsOf,
  propose,
  publish,
  register,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let orders: StoryTeam;
let finance: StoryTeam;
let proposalId: string;
let person: Person;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  const assetId = await createAsset(admin, orders, 'shop.sales.blocked');
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  await register(admin, contractId, finance, 'Revenue.');
  proposalId = await propose(admin, assetId, fieldsOf('id'));
  const body = {
    team_id: finance.id,
    response: 'blocked' as const,
    notes: 'The year-end report adds it up.',
    reason: 'They told us by phone.',
  };
  bodyOf(await admin.acknowledgeProposal({ params: { proposal_id: proposalId }, body }));
  person = await openPerson(browser, { url: registry.url });
});

describe('A blocked proposal', { concurrent: false }, () => {
  test('says to everybody who blocked it, when and why, and what can be done', async () => {
    const { page, complaints } = person;
    await signIn(page, orders.key, orders.name);
    await page.goto(`/proposals/${proposalId}`);
    const note = page.locator('.page-head').getByRole('note');
    await note.getByText('Blocked by Finance').waitFor();
    await note.getByText('The year-end report adds it up.').waitFor();
    expect(await note.locator('time').count()).toBe(1);
    await note.getByText('Answered by the bootstrap key.').waitFor();
    await note.getByText(/^That team can change its answer/).waitFor();
    expect(await page.getByText('published now').count()).toBe(0);
    // A field that is removed has readers, but no value that shows the break.
    const change = page.locator('.change');
    await change.getByText('What its consumers expect').waitFor();
    await change.locator('.reader').getByText('total', { exact: true }).waitFor();
    await change.getByText('string', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Withdraw' }).waitFor();
    expect(await page.getByRole('button', { name: 'Publish by force…' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
  });

  test('is published by an administrator with a reason', async () => {
    const { page, complaints } = person;
    await signIn(page, registry.bootstrapKey);
    await page.goto(`/proposals/${proposalId}`);
    await page.getByRole('button', { name: 'Publish by force…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The report moves to the new field today.');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Finance').waitFor();
    await dialog.getByLabel('Type the name of the asset').fill('shop.sales.blocked');
    await dialog.getByRole('button', { name: 'Publish by force' }).click();
    await page.locator('.page-head').getByText('published by force', { exact: true }).waitFor();
    expect(await page.locator('.page-head').getByText('Blocked by Finance').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test('A decided proposal that asked nobody does not say that it can be published', async () => {
  const { page } = person;
  const assetId = await createAsset(admin, orders, 'shop.sales.unread');
  await publish(admin, assetId, fieldsOf('id', 'total'), {});
  const unread = await propose(admin, assetId, fieldsOf('id'));
  await page.goto(`/proposals/${unread}`);
  await page.getByText('No team is registered, so the proposal can be published now.').waitFor();
  await page.getByText('Nobody has to agree. It can be published.').waitFor();
  expect(await page.getByText('All consumers have agreed').count()).toBe(0);
  const params = { proposal_id: unread };
  bodyOf(await admin.withdrawProposal({ params, body: { reason: 'Not needed after all.' } }));
  await page.getByText('No team was registered.').waitFor();
  expect(await page.getByText('can be published now').count()).toBe(0);
});
