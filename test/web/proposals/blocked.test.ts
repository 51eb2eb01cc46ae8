// The ways out of a block: whom to ask, and an administrator who decides on the record.

import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../../support/client/client.ts';
import { createUser, password } from '../../support/client/client-world.ts';
import {
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from '../support/browser.ts';
import { expectGoodLooks } from '../support/looks.ts';
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
  await propose(admin, assetId, fieldsOf('id'));
  proposalId = await block(assetId);
  person = await openPerson(browser, { url: registry.url });
});

const held = (page: Page, title: string) =>
  page.locator('.panel', { has: page.getByRole('heading', { name: title }) });

type Box = Awaited<ReturnType<Locator['boundingBox']>> | undefined;

/** How far one part of a page is above another. */
function gapOf(upper: Box, lower: Box): number {
  if (upper == null || lower == null) throw new Error('A part is not shown.');
  return Math.round(lower.y - upper.y - upper.height);
}

/** A proposal that asks Finance until a day. */
async function proposeLate(name: string, answerBy = '2099-05-03') {
  const assetId = await createAsset(admin, orders, name);
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  await register(admin, contractId, finance, 'Revenue.');
  const made = await propose(admin, assetId, fieldsOf('id'));
  const params = { proposal_id: made };
  bodyOf(await admin.updateProposal({ params, body: { answer_by: answerBy } }));
  return { assetId, proposalId: made };
}

/** Finance blocks the open proposal about an asset. */
async function block(assetId: string): Promise<string> {
  const query = { asset_id: assetId, status: 'pending' as const };
  const open = bodyOf(await admin.listProposals({ query })).results[0]?.id ?? '';
  const body = {
    team_id: finance.id,
    response: 'blocked' as const,
    notes: 'The year-end report adds it up.',
    reason: 'They told us by phone.',
  };
  bodyOf(await admin.acknowledgeProposal({ params: { proposal_id: open }, body }));
  return open;
}

describe('A blocked proposal', { concurrent: false }, () => {
  test('says to everybody who blocked it, when and why, and what can be done', async () => {
    const { page, complaints } = person;
    await signIn(page, orders.key, orders.name);
    await page.goto(`/proposals/${proposalId}`);
    const note = page.locator('.page-head').getByRole('note');
    await note.getByText('Blocked by Finance').waitFor();
    await note.getByText('The year-end report adds it up.').waitFor();
    await note.getByText('Answered by the bootstrap key.').waitFor();
    expect(await note.locator('time').count()).toBe(1);
    const facts = page.locator('.page-head .muted');
    const [above, box, below] = await Promise.all(
      [facts, note, page.locator('.columns')].map((part) => part.boundingBox()),
    );
    expect([box?.x, box?.width], 'as wide as what follows').toEqual([below?.x, below?.width]);
    const gaps = [gapOf(above, box), gapOf(box, below)];
    expect(gaps[0], 'the gap above').toBe(gaps[1]);
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

  test('is on the start page of an administrator, until a newer one replaced it', async () => {
    const { page, complaints } = person;
    const { assetId } = await proposeLate('shop.sales.replaced');
    const replacedId = await block(assetId);
    const newer = { schema: fieldsOf('total') };
    const made = await admin.publishContract({ params: { asset_id: assetId }, body: newer });
    expect(bodyOf(made).action).toBe('proposal_created');
    const { superseded_by } = bodyOf(
      await admin.getProposal({ params: { proposal_id: replacedId } }),
    );
    expect(superseded_by).not.toBeNull();
    await signIn(page, registry.bootstrapKey);
    const blocked = held(page, 'Blocked proposals');
    await blocked.getByText('shop.sales.blocked').waitFor();
    await blocked.getByText('Blocked by Finance.').waitFor();
    expect(await blocked.getByRole('listitem').count()).toBe(1);
    await expectGoodLooks(page);
    await page.goto('/proposals?show=all&status=rejected&superseded=false');
    const shown = page.getByRole('rowheader');
    await expect.poll(() => shown.allTextContents()).toEqual(['shop.sales.blocked']);
    await page.getByLabel('Replaced', { exact: true }).selectOption('Replaced or not');
    await expect
      .poll(() => shown.allTextContents())
      .toEqual(['shop.sales.replaced', 'shop.sales.blocked']);
    expect(complaints).toEqual([]);
  });

  test('is not alone there: answers that are overdue are, and not those that have time', async () => {
    const { page, complaints } = person;
    const { proposalId: late } = await proposeLate('shop.sales.late');
    await proposeLate('shop.sales.in-time', '2099-07-31');
    await page.clock.setFixedTime('2099-06-01T00:00:00Z');
    await page.goto('/');
    const overdue = held(page, 'Answers are overdue');
    await overdue.getByText('shop.sales.late').waitFor();
    await overdue.getByText('over', { exact: true }).waitFor();
    await overdue.getByText('Waiting for Finance.').waitFor();
    expect(await overdue.getByRole('listitem').count()).toBe(1);
    await overdue.getByRole('link', { name: /shop\.sales\.late/ }).click();
    await page.waitForURL(`**/proposals/${late}`);
    expect(complaints).toEqual([]);
  });

  test('is on the start page of its producer, and counted for everybody', async () => {
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, orders.key, orders.name);
    const open = held(page, 'Open proposals of this team');
    await open.getByText('Blocked by Finance.').waitFor();
    expect(await page.getByRole('heading', { name: 'Blocked proposals' }).count()).toBe(0);
    await page.getByRole('link', { name: /^1\s*Blocked proposals/ }).click();
    await expect
      .poll(() => page.getByRole('rowheader').allTextContents())
      .toEqual(['shop.sales.blocked']);
    await close();
  });

  test('is told on the page of its asset, with a button that leads to it', async () => {
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, finance.key, finance.name);
    const { asset_id } = bodyOf(await admin.getProposal({ params: { proposal_id: proposalId } }));
    await page.goto(`/assets/${asset_id}`);
    await page.getByText('A breaking change is blocked.').waitFor();
    const way = page.getByRole('link', { name: 'View the proposal' });
    expect(await way.getAttribute('class')).toBe('button');
    await expectGoodLooks(page);
    await way.click();
    await page.waitForURL(`**/proposals/${proposalId}`);
    await close();
  });

  test('tells a viewer of each team why there is nothing to press', async () => {
    const { page, complaints, close } = await openPerson(browser, { url: registry.url });
    const viewerOf = async (team: StoryTeam) => {
      const { email } = await createUser(openClient(registry.url, registry.bootstrapKey), {
        role: 'viewer',
        team_id: team.id,
      });
      await signInByEmail(page, email, password);
    };
    await viewerOf(finance);
    await page.getByText('Proposals to answer').waitFor();
    expect(await page.locator('.goal-count').count(), 'nothing that a viewer can answer').toBe(0);
    await page.goto('/proposals?show=all');
    await page.getByRole('cell', { name: 'no date' }).first().waitFor();
    await page.goto(`/proposals/${proposalId}`);
    await held(page, 'Answer for Finance').getByText('You are a viewer').waitFor();
    await held(page, 'Comments').getByText('You are a viewer').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();

    await viewerOf(orders);
    const { asset_id } = bodyOf(await admin.getProposal({ params: { proposal_id: proposalId } }));
    await page.goto(`/assets/${asset_id}/try`);
    await page.locator('.cm-content').fill('{"type": "object"}');
    await page.getByText('You are a viewer, so you cannot propose this for Orders.').waitFor();
    expect(await page.getByRole('button', { name: /Propose|Publish/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('is published by an administrator with a reason', async () => {
    const { page, complaints } = person;
    await page.goto(`/proposals/${proposalId}`);
    await page.getByRole('button', { name: 'Publish by force…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The report moves to the new field today.');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Finance').waitFor();
    await dialog.getByText('The report moves to the new field today.').waitFor();
    await dialog.getByText('What is published: total (Property removed)').waitFor();
    const confirmed = dialog.getByLabel('Type the name of the asset');
    expect(await confirmed.evaluate((field) => field.matches(':focus'))).toBe(true);
    const colour = () =>
      page.evaluate(
        "getComputedStyle(document.querySelector('dialog .button-danger')).backgroundColor",
      );
    const [empty] = [await colour(), await confirmed.fill('shop.sales.blocked')];
    expect(await colour(), 'the button is seen to be ready').not.toBe(empty);
    await dialog.getByRole('button', { name: 'Publish by force' }).click();
    await page.locator('.page-head').getByText('published by force', { exact: true }).waitFor();
    await page.locator('.page-head').getByText('Published as 2.0.0.').waitFor();
    await page
      .locator('.page-head .note')
      .filter({ hasText: 'Published by force by the bootstrap key' })
      .filter({ hasText: 'The report moves to the new field today.' })
      .waitFor();
    await page.getByRole('link', { name: 'View the published contract' }).waitFor();
    expect(await page.locator('.page-head').getByText('Blocked by Finance').count()).toBe(0);
    const { asset_id } = bodyOf(await admin.getProposal({ params: { proposal_id: proposalId } }));
    await page.goto(`/assets/${asset_id}/versions`);
    const rows = page.locator('.timeline-row');
    await rows.first().getByText('Published by force by the bootstrap key').waitFor();
    await rows.first().getByText('The report moves to the new field today.').waitFor();
    expect(await rows.last().getByText('by force').count()).toBe(0);
    await rows.first().getByRole('link', { name: 'View the proposal' }).click();
    await page.waitForURL(`**/proposals/${proposalId}`);
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
