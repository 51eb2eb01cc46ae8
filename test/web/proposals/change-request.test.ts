// A proposal as a change request: why, whom to ask, until when; reminders; comments; and what changed
// since an answer.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { password } from '../../support/client/client-world.ts';
import { findViolations } from '../support/axe.ts';
import {
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from '../support/browser.ts';
import { writeSchema } from '../support/editor.ts';
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
let teams: Record<'orders' | 'finance' | 'strangers', StoryTeam>;
let ada: Person;
let grace: Person;

beforeAll(async () => {
  teams = {
    orders: await createTeam(admin, 'Orders'),
    finance: await createTeam(admin, 'Finance'),
    strangers: await createTeam(admin, 'Strangers'),
  };
  ada = await enter(teams.orders, 'Ada');
  grace = await enter(teams.finance, 'Grace');
});

async function enter(team: StoryTeam, name: string): Promise<Person> {
  const email = `${name.toLowerCase()}@example.com`;
  bodyOf(
    await admin.createUser({ body: { email, name, password, role: 'editor', team_id: team.id } }),
  );
  const person = await openPerson(browser, { url: registry.url });
  await signInByEmail(person.page, email, password);
  await person.page.getByText('live', { exact: true }).waitFor();
  return person;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const panel = (page: Page, title: string | RegExp) =>
  page.locator('section.panel').filter({ has: page.getByRole('heading', { name: title }) });

/** An asset with a proposal to remove `total`, which asks Finance. */
async function askFinance(fqn: string): Promise<{ assetId: string; proposalId: string }> {
  const assetId = await createAsset(admin, teams.orders, fqn);
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
  await register(admin, contractId, teams.finance, 'Revenue.');
  return { assetId, proposalId: await propose(admin, assetId, fieldsOf('id')) };
}

describe('What the producer says', () => {
  test('is written on the proposal, and read by the consumer without a reload', async () => {
    const { assetId, proposalId } = await askFinance('shop.sales.said');
    await grace.page.goto(`/proposals/${proposalId}`);
    await grace.page.getByText('Answer for Finance').waitFor();
    expect(await panel(grace.page, 'What the producer says').count()).toBe(0);
    const { page } = ada;
    await page.goto(`/proposals/${proposalId}`);
    await page.getByText('The producer has not said why').waitFor();
    await button(page, 'Edit').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why is the change made?').fill('Finance needs amounts in cents.');
    await dialog.getByLabel('Whom can they ask?').fill('Ada Byron, #orders');
    await dialog.getByLabel('Last day for answers', { exact: true }).fill('2099-05-03');
    await dialog.getByLabel('How do they migrate?').fill('Read `cents` and divide by 100.');
    await dialog.getByLabel('Last day of the old version').fill('2099-08-01');
    await dialog
      .getByLabel('When the last day for answers is over')
      .selectOption('Remind who has not answered');
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Save').click();
    // Until then the form says the same.
    await dialog.waitFor({ state: 'detached' });
    for (const reader of [page, grace.page]) {
      const said = panel(reader, 'What the producer says');
      await said.getByText('Finance needs amounts in cents.').waitFor();
      await said.getByText('Ada Byron, #orders').waitFor();
      await said.getByText('3 May 2099').waitFor();
      await said.getByText('Read `cents` and divide by 100.').waitFor();
      await said.getByText('1 Aug 2099').waitFor();
    }
    const asset = bodyOf(await admin.getAsset({ params: { asset_id: assetId } }));
    expect(asset.on_deadline).toBe('remind');
    expect(await button(grace.page, 'Edit').count()).toBe(0);
    expect(await button(grace.page, 'Remind').count()).toBe(0);
    expect(await findViolations(grace.page)).toEqual([]);
    expect([ada.complaints, grace.complaints]).toEqual([[], []]);
  });

  test('is asked for where a breaking change is proposed', async () => {
    const assetId = await createAsset(admin, teams.orders, 'shop.sales.proposed');
    const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
    await register(admin, contractId, teams.finance, 'Revenue.');
    const { page } = ada;
    await page.goto(`/assets/${assetId}/try`);
    await writeSchema(page, JSON.stringify(fieldsOf('id')));
    await button(page, 'Propose to consumers').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why is the change made?').fill('Nobody fills it.');
    await dialog.getByText('Propose this schema for shop.sales.proposed?').waitFor();
    const asked = dialog.getByLabel('Whom can they ask?');
    expect(await asked.inputValue()).toBe('Ada, ada@example.com');
    await asked.fill('Ada');
    await dialog.getByRole('button', { name: 'Propose to consumers' }).click();
    const said = panel(page, 'What the producer says');
    await said.getByText('Nobody fills it.').waitFor();
    const query = { asset_id: assetId };
    expect(bodyOf(await admin.listProposals({ query })).results[0]?.request).toEqual({
      reason: 'Nobody fills it.',
      contact: 'Ada',
      answer_by: null,
      migration: null,
      migrate_by: null,
    });
  });
});

describe('A consumer that is asked', () => {
  let support: StoryTeam;
  let sue: Person;
  let proposalId: string;

  beforeAll(async () => {
    support = await createTeam(admin, 'Support');
    sue = await enter(support, 'Sue');
    const assetId = await createAsset(admin, teams.orders, 'shop.sales.counted');
    const contractId = await publish(admin, assetId, fieldsOf('id', 'total', 'note'), {});
    await register(admin, contractId, teams.finance, 'Revenue.');
    const body = {
      contract_id: contractId,
      consumer_team_id: support.id,
      needs: { fields: ['$.total'] },
    };
    bodyOf(await admin.registerConsumer({ body }));
    const proposed = await admin.publishContract({
      params: { asset_id: assetId },
      body: {
        schema: fieldsOf('id', 'note'),
        request: { reason: 'Gone.', answer_by: '2099-05-03' },
      },
    });
    const result = bodyOf(proposed);
    if (result.action !== 'proposal_created') throw new Error('nothing was proposed');
    proposalId = result.proposal.id ?? '';
  });

  test('sees how many proposals wait, until when, and what each means for the team', async () => {
    const { page, complaints } = sue;
    const inbox = page.getByRole('link', { name: 'Proposals 1 to answer' });
    await inbox.click();
    const row = page.getByRole('row', { name: /shop\.sales\.counted/ });
    await row.getByText('3 May 2099').waitFor();
    expect(await row.getByText('over', { exact: true }).count()).toBe(0);
    await row.getByRole('link').click();
    const mine = panel(page, 'What it means for Support');
    await mine.getByText('It breaks what the team reads: $.total').waitFor();
    expect(await findViolations(page)).toEqual([]);
    const params = { proposal_id: proposalId };
    const reason = 'They told us by phone.';
    const body = { team_id: support.id, reason, response: 'migrating' as const };
    bodyOf(await admin.acknowledgeProposal({ params, body }));
    await page.getByRole('link', { name: 'Proposals', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('that reads everything sees the shortest example first', async () => {
    const { page } = grace;
    await page.goto(`/proposals/${proposalId}`);
    const mine = panel(page, 'What it means for Finance');
    await mine.getByText('so the breaking change below may concern it.').waitFor();
    await mine.getByText('You can answer without saying more.').waitFor();
    await mine.getByRole('link', { name: 'Say what you read' }).waitFor();
    // The change is told once, right below.
    const sentence = page.getByText('The property was removed; consumers will no longer find it');
    await panel(page, 'Changes').locator(sentence).waitFor();
    expect(await sentence.count()).toBe(1);
    const params = { proposal_id: await askAbout('shop.sales.several') };
    await page.goto(`/proposals/${params.proposal_id}`);
    await mine.getByText('so each of the 2 breaking changes below may concern it.').waitFor();
    await mine.getByText('The shortest example is about total:').waitFor();
    await mine.locator('.marked').getByText('"total"').waitFor();
    const told = { team_id: teams.finance.id, reason: 'They told us by phone.' };
    bodyOf(await admin.acknowledgeProposal({ params, body: told }));
    await page.getByText('Finance has answered: approved.').waitFor();
    expect(await mine.getByText('You can answer without saying more.').count()).toBe(0);
  });

  /** A proposal that changes the types of two fields, one of which has a long example. */
  async function askAbout(fqn: string): Promise<string> {
    const assetId = await createAsset(admin, teams.orders, fqn);
    const long = { type: 'string', minLength: 200 };
    const typed = (total: string, note: JsonObject) => ({
      type: 'object',
      properties: { total: { type: total }, note },
    });
    const contractId = await publish(admin, assetId, typed('number', long), {});
    await register(admin, contractId, teams.finance, 'Revenue.');
    return propose(admin, assetId, typed('boolean', { type: 'integer' }));
  }

  test('sees which days are over, and an administrator finds those without answers', async () => {
    const { page } = ada;
    await page.clock.setFixedTime('2099-06-01T00:00:00Z');
    await page.goto('/proposals?show=all');
    const row = page.getByRole('row', { name: /shop\.sales\.counted/ });
    await row.getByText('over', { exact: true }).waitFor();
    const asked = page.waitForRequest(/\/proposals\?.*escalated=true/);
    await page.getByLabel('Day for answers').selectOption('Over, answers missing');
    await asked;
    await page.getByText('No matching proposals.').waitFor();
  });

  test('prints it with its address, and with times that stay true', async () => {
    const { page } = grace;
    await page.goto(`/proposals/${proposalId}`);
    await panel(page, 'What it means for Finance').waitFor();
    expect(await page.getByText(`/proposals/${proposalId}`).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await page.getByText(`${registry.url}/proposals/${proposalId}`).waitFor();
    const time = page.locator('.page-head time').first();
    const printed = await time.evaluate(
      "getComputedStyle(document.querySelector('.page-head time'), '::after').content",
    );
    expect(printed).toContain(String(new Date().getFullYear()));
    expect(await time.locator('span').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
  });
});

test('The producer reminds the consumers, and is told when that was too soon', async () => {
  const { proposalId } = await askFinance('shop.sales.reminded');
  const { page } = ada;
  await page.goto(`/proposals/${proposalId}`);
  await button(page, 'Remind').click();
  const said = panel(page, 'What the producer says');
  await said.getByText(/^Reminded/).waitFor();
  await button(page, 'Remind').click();
  await said.getByText(/^The consumers were reminded at/).waitFor();
  const params = { proposal_id: proposalId };
  const body = { team_id: teams.finance.id, reason: 'They told us by phone.' };
  bodyOf(await admin.acknowledgeProposal({ params, body }));
  await button(page, 'Remind').waitFor({ state: 'detached' });
});

test('A team that is not asked objects, and the producer reads it without a reload', async () => {
  const { proposalId } = await askFinance('shop.sales.objected');
  const { page } = ada;
  await page.goto(`/proposals/${proposalId}`);
  await button(page, 'Withdraw').waitFor();
  expect(await panel(page, 'Objections').count()).toBe(0);
  const olga = await enter(teams.strangers, 'Olga');
  await olga.page.goto(`/proposals/${proposalId}`);
  await button(olga.page, 'Object for Strangers').click();
  await olga.page.getByLabel('Why does your team object?').fill('We read it from June on.');
  expect(await findViolations(olga.page)).toEqual([]);
  await button(olga.page, 'Send objection').click();
  for (const reader of [page, olga.page]) {
    const said = panel(reader, 'Objections');
    await said.getByText('We read it from June on.').waitFor();
    await said.getByText('Strangers', { exact: true }).waitFor();
  }
  expect(await button(page, 'Take objection back').count()).toBe(0);
  await page.goto('/proposals?show=all');
  const row = page.getByRole('row', { name: /shop\.sales\.objected/ });
  await row.getByText('1 objection').waitFor();
  expect(await row.getByRole('cell').nth(2).textContent()).toMatch(/agreed · 1 objection$/);
  await button(olga.page, 'Take objection back').click();
  await olga.page.getByText('Objection taken back.').waitFor();
  await button(olga.page, 'Object for Strangers').waitFor();
  await row.getByText('1 objection').waitFor({ state: 'detached' });
  expect([ada.complaints, olga.complaints]).toEqual([[], []]);
  await olga.close();
});

describe('Comments', () => {
  test('are written and answered by two people who see each other’s without a reload', async () => {
    const { proposalId } = await askFinance('shop.sales.discussed');
    for (const { page } of [ada, grace]) {
      await page.goto(`/proposals/${proposalId}`);
      await panel(page, 'Comments').getByText('Nobody has commented yet.').waitFor();
    }
    await grace.page.getByLabel('Your comment').fill('Which field replaces it?');
    await button(grace.page, 'Comment').click();
    const talk = panel(ada.page, 'Comments');
    await talk.getByText('Which field replaces it?').waitFor();
    await talk.getByRole('button', { name: 'Reply Grace, Finance' }).click();
    await ada.page.getByLabel('Reply to Grace, Finance').fill('amount_cents.');
    await button(ada.page, 'Comment').click();
    const reply = panel(grace.page, 'Comments').locator('.reply');
    await reply.getByText('amount_cents.').waitFor();
    await reply.locator('strong').getByText('Ada, Orders').waitFor();
    await reply.getByText('Reply to Grace, Finance').waitFor();
    expect(await grace.page.getByLabel('Your comment').inputValue()).toBe('');
    expect(await findViolations(grace.page)).toEqual([]);
    expect([ada.complaints, grace.complaints]).toEqual([[], []]);
  });

  test('on a proposal that was replaced are read on the one in its place', async () => {
    const { assetId, proposalId } = await askFinance('shop.sales.continued');
    const params = { proposal_id: proposalId };
    const text = 'Until when do we have both?';
    bodyOf(await admin.commentOnProposal({ params, body: { text } }));
    const body = { schema: fieldsOf('total'), supersede: true };
    const newer = bodyOf(await admin.publishContract({ params: { asset_id: assetId }, body }));
    if (newer.action !== 'proposal_created') throw new Error(newer.action);
    const gina = await enter(teams.finance, 'Gina');
    await gina.page.goto(`/proposals/${newer.proposal.id}`);
    await panel(gina.page, 'Comments')
      .getByText('1 comment on the proposal that this one replaced')
      .click();
    await gina.page.getByText(text).waitFor();
    expect(await gina.page.getByRole('button', { name: /^Reply/ }).count()).toBe(0);
    await gina.page.getByLabel('Your comment').waitFor();
    await gina.close();
  });

  test('are read, but not written, by a team that the proposal does not concern', async () => {
    const { proposalId } = await askFinance('shop.sales.watched');
    const params = { proposal_id: proposalId };
    bodyOf(await admin.commentOnProposal({ params, body: { text: 'Please agree soon.' } }));
    const stranger = await enter(teams.strangers, 'Mallory');
    await stranger.page.goto(`/proposals/${proposalId}`);
    await stranger.page.getByText('Please agree soon.').waitFor();
    expect(await button(stranger.page, 'Comment').count()).toBe(0);
    await stranger.close();
  });
});

test('What waits for an answer is listed by what is due first, or as the reader likes', async () => {
  const asked = await createTeam(admin, 'Due');
  for (const [name, answer_by] of [
    ['undated', undefined],
    ['sooner', '2099-06-01'],
    ['later', '2099-06-02'],
  ] as const) {
    const assetId = await createAsset(admin, teams.orders, `shop.due.${name}`);
    const contractId = await publish(admin, assetId, fieldsOf('id', 'total'), {});
    await register(admin, contractId, asked, 'Revenue.');
    const params = { proposal_id: await propose(admin, assetId, fieldsOf('id')) };
    if (answer_by !== undefined) {
      bodyOf(await admin.updateProposal({ params, body: { answer_by } }));
    }
  }
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey, asked.name);
  await page.goto('/proposals');
  const names = page.getByRole('rowheader').filter({ hasText: 'shop.due.' });
  const shown = () => names.allTextContents();
  const expected = (...order: string[]) => order.map((name) => `shop.due.${name}`);
  await expect.poll(shown).toEqual(expected('sooner', 'later', 'undated'));
  const order = page.getByLabel('Order');
  await order.selectOption('Newest first');
  await expect.poll(shown).toEqual(expected('later', 'sooner', 'undated'));
  await order.selectOption('Oldest first');
  await expect.poll(shown).toEqual(expected('undated', 'sooner', 'later'));
  await page.reload();
  await expect.poll(shown).toEqual(expected('undated', 'sooner', 'later'));
  await page.getByRole('link', { name: 'All', exact: true }).click();
  await page.getByLabel('State').waitFor();
  expect(await order.inputValue()).toBe('-proposed_at');
  await order.selectOption('Due first');
  // What is decided is not due.
  expect(await page.getByLabel('State').inputValue()).toBe('pending');
  await expect.poll(async () => (await shown()).slice(0, 2)).toEqual(expected('sooner', 'later'));
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('The producer revises a blocked proposal, and who blocked it reads what changed since', async () => {
  const { proposalId } = await askFinance('shop.sales.revised');
  const params = { proposal_id: proposalId };
  bodyOf(
    await admin.updateProposal({ params, body: { reason: 'Nobody fills it.', contact: 'Ada' } }),
  );
  const body = { response: 'blocked', team_id: teams.finance.id, notes: 'We sum it.' } as const;
  bodyOf(await admin.acknowledgeProposal({ params, body: { ...body, reason: 'By phone.' } }));
  const { page } = ada;
  await page.goto(`/proposals/${proposalId}`);
  await page.getByRole('link', { name: 'Revise', exact: true }).click();
  await page.getByText('This revises a proposal that is open.').waitFor();
  // The change as it was proposed: there is nothing else to propose yet.
  await page.getByText('1 breaking change').first().waitFor();
  expect(await button(page, 'Propose to consumers').count()).toBe(0);
  const sums = { total: { type: 'string' }, total_cents: { type: 'integer' } };
  const next = { type: 'object', properties: sums };
  await writeSchema(page, JSON.stringify(next));
  await button(page, 'Propose to consumers').click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Why is the change made?').inputValue()).toBe('Nobody fills it.');
  await dialog.getByText(/^More:/).click();
  await dialog.getByLabel('How do they migrate?').fill('Sum total_cents.');
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Propose to consumers' }).click();
  await page.getByRole('link', { name: 'View the proposal that it replaced' }).waitFor();
  await panel(page, 'What the producer says').getByText('Sum total_cents.').waitFor();

  await grace.page.goto(`/proposals/${proposalId}`);
  await grace.page.getByRole('link', { name: 'View the proposal that replaced it' }).click();
  const since = panel(grace.page, 'What changed since Finance answered the proposal before');
  await since.getByText('We sum it.').waitFor();
  await since.getByText('1 change is gone').waitFor();
  await since.getByText('2 changes are new').waitFor();
  expect(await findViolations(grace.page)).toEqual([]);
});

test('Who is asked again reads what changed since the answer before', async () => {
  const { assetId, proposalId } = await askFinance('shop.sales.again');
  const params = { proposal_id: proposalId };
  const body = { team_id: teams.finance.id, notes: 'We do not sum it.', reason: 'By phone.' };
  bodyOf(await admin.acknowledgeProposal({ params, body }));
  await publish(admin, assetId, fieldsOf('id', 'total', 'currency'), {});
  bodyOf(await admin.rebaseProposal({ params }));
  const { page } = grace;
  await page.goto(`/proposals/${proposalId}`);
  const since = panel(page, 'What changed since Finance answered in round 1');
  await since.getByText('We do not sum it.').waitFor();
  await since.getByText('1 change is new').waitFor();
  await since.getByText('currency').first().waitFor();
  expect(await findViolations(page)).toEqual([]);
});
