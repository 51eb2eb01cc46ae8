// A producer's decisions besides publishing: waiting, comparing again, withdrawing. And two
// administrators' decision to force.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../../support/client/client.ts';
import { createUser, password } from '../../support/client/client-world.ts';
import { findViolations } from '../support/axe.ts';
import {
  goTo,
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from '../support/browser.ts';
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

const { registry, browser, admin } = await openBrowserForFile({ FOUR_EYES: 'true' });
let orders: StoryTeam;
let finance: StoryTeam;
let producer: Person;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  producer = await openPerson(browser, { url: registry.url });
  await signIn(producer.page, orders.key, orders.name);
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** An asset with a proposal to remove `total`, which asks its consumer. */
async function askFinance(fqn: string): Promise<{ assetId: string; proposalId: string }> {
  const assetId = await createAsset(admin, orders, fqn);
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  await register(admin, contractId, finance, 'Revenue.');
  return { assetId, proposalId: await propose(admin, assetId, fieldsOf('id')) };
}

async function agree(proposalId: string): Promise<void> {
  const params = { proposal_id: proposalId };
  bodyOf(
    await admin.acknowledgeProposal({
      params,
      body: { team_id: finance.id, reason: 'The team agreed in a meeting.' },
    }),
  );
}

describe('A proposal', () => {
  test('shows the version that it would become, and the current one', async () => {
    const { page } = producer;
    const { proposalId } = await askFinance('shop.sales.versions');
    await page.goto(`/proposals/${proposalId}`);
    await page.getByText('as 2.0.0, after 1.0.0').waitFor();
    await page.getByRole('heading', { name: 'Consumers asked' }).waitFor();
  });

  test('that all consumers agreed to is approved, and published later', async () => {
    const { page, complaints } = producer;
    const { proposalId } = await askFinance('shop.sales.parked');
    await page.goto(`/proposals/${proposalId}`);
    await page.getByText('It can be published once all consumers have agreed.').waitFor();
    await agree(proposalId);
    await button(page, 'Approve for later').click();
    await page.getByText('Approved. Publish it when you are ready').waitFor();
    await page.locator('.page-head').getByText('approved', { exact: true }).waitFor();
    await goTo(page, 'Home');
    const ready = page.locator('.panel', { hasText: 'Ready to publish' });
    await ready.getByRole('link', { name: 'shop.sales.parked' }).click();
    await button(page, 'Publish').click();
    await page.getByText('Its schema becomes the active contract').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.locator('.page-head').getByText('published', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Consumers that were asked' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('that another version overtook is compared again, and its consumers are asked again', async () => {
    const { page, complaints } = producer;
    const { assetId, proposalId } = await askFinance('shop.sales.overtaken');
    await agree(proposalId);
    await publish(admin, assetId, fieldsOf('id', 'total', 'note'), {});
    await page.goto(`/proposals/${proposalId}`);
    await button(page, 'Publish').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('a major version after 1.0.0').waitFor();
    // The registry's message says why not, and what to do.
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Compare again').click();
    await page.getByText('Compared with the current version').waitFor();
    await page.getByText('Asked again, round 2').waitFor();
    await page.getByText('as 2.0.0, after 1.1.0').waitFor();
    await page.getByText('no answer yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is ended as expired, once it was not pursued for a month', async () => {
    const { page, complaints } = producer;
    const { proposalId } = await askFinance('shop.sales.quiet');
    await agree(proposalId);
    await page.goto(`/proposals/${proposalId}`);
    await button(page, 'Withdraw').waitFor();
    expect(await button(page, 'End as expired').count()).toBe(0);
    await registry.database.query(
      `update proposal set proposed_at = proposed_at - interval '30 days' where id = $1`,
      [proposalId],
    );
    await page.reload();
    // An answer that takes long invites a second click.
    const asked: string[] = [];
    const answering = Promise.withResolvers<void>();
    await page.route('**/expire', async (route) => {
      asked.push(route.request().url());
      await answering.promise;
      await route.continue();
    });
    await button(page, 'End as expired').click();
    const dialog = page.getByRole('dialog', { name: 'End the proposal as expired?' });
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(asked).toEqual([]);
    await button(page, 'End as expired').click();
    await dialog.getByRole('button', { name: 'End as expired' }).dblclick();
    answering.resolve();
    await page.getByText('Nothing was published.').waitFor();
    expect(asked).toHaveLength(1);
    await page.locator('.page-head').getByText('withdrawn', { exact: true }).waitFor();
    await page.locator('.page-head').getByText('Expired: its consumers were last asked').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is withdrawn with a reason, which its consumers can read', async () => {
    const { page, complaints } = producer;
    const { proposalId } = await askFinance('shop.sales.tax');
    await page.goto(`/proposals/${proposalId}`);
    await button(page, 'Withdraw').click();
    await page.getByLabel('Reason').fill('Not this quarter.');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.locator('.page-head').getByText('withdrawn', { exact: true }).waitFor();
    await page.locator('.page-head').getByText('Not this quarter.').waitFor();
    await page.getByText('gave no answer').waitFor();
    expect(await button(page, 'Publish').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('about a deprecation says so, and does not offer to publish a schema', async () => {
    const { page } = producer;
    const assetId = await createAsset(admin, orders, 'shop.sales.old');
    const contractId = await publish(admin, assetId, fieldsOf('id'), {});
    await register(admin, contractId, finance, 'Year-end.');
    const asked = bodyOf(
      await admin.updateContract({
        params: { contract_id: contractId },
        body: { status: 'deprecated' },
      }),
    );
    const proposalId = 'action' in asked ? (asked.proposal.id ?? '') : '';
    await agree(proposalId);
    await page.goto('/');
    const ready = page.locator('.panel', { hasText: 'Ready to publish' });
    await ready.getByRole('link', { name: 'shop.sales.old Deprecation' }).click();
    await button(page, 'Publish').click();
    await page.getByText('The version is deprecated. Its consumers have been asked.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.locator('.page-head').getByText('published', { exact: true }).waitFor();
  });
});

async function openAdministrator(name: string): Promise<Person> {
  const { email } = await createUser(openClient(registry.url, registry.bootstrapKey), {
    role: 'admin',
    name,
  });
  const person = await openPerson(browser, { url: registry.url });
  await signInByEmail(person.page, email, password);
  return person;
}

/** Fills in the dialog. */
async function force(page: Page, fqn: string, reason: string, last: string) {
  await button(page, 'Publish by force…').click();
  const dialog = page.getByRole('dialog');
  const hint = await dialog.locator('p').first().textContent();
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByLabel('Type the name of the asset').fill(fqn);
  await dialog.getByRole('button', { name: last }).click();
  return hint;
}

test('A force is requested by one administrator and confirmed by a second one', async () => {
  const fqn = 'shop.sales.forced';
  const { proposalId } = await askFinance(fqn);
  const [ada, bob] = [await openAdministrator('Ada'), await openAdministrator('Bob')];

  await ada.page.goto(`/proposals/${proposalId}`);
  const request = 'Request publishing by force';
  expect(await force(ada.page, fqn, 'Legal wants it gone.', request)).toContain(
    'This needs two administrators',
  );
  await ada.page.getByText('A second administrator can confirm it on this page.').waitFor();
  await ada.page.getByText('Ada requested publishing by force').waitFor();
  expect(await button(ada.page, 'Publish by force…').count()).toBe(0);
  await ada.page.locator('.page-head').getByText('pending', { exact: true }).waitFor();

  await bob.page.goto(`/proposals/${proposalId}`);
  await bob.page.getByText('Legal wants it gone.').first().waitFor();
  const confirm = 'Publish by force';
  expect(await force(bob.page, fqn, 'The regulator asked for it.', confirm)).toContain(
    'Ada requested this.',
  );
  await bob.page.locator('.page-head').getByText('published by force', { exact: true }).waitFor();
  await bob.page.getByText('Publishing by force requested').waitFor();
  expect([...ada.complaints, ...bob.complaints]).toEqual([]);
});
