// Three people at separate browsers, without reloads: each sees what the others do. And two of them
// acting at once.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { password } from '../../support/client/client-world.ts';
import { findViolations } from '../support/axe.ts';
import { openBrowserForFile, openPerson, type Person, signInByEmail } from '../support/browser.ts';
import { writeSchema } from '../support/editor.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  firstOrder,
  propose,
  publish,
  register,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let teams: Record<'orders' | 'finance' | 'analytics', StoryTeam>;
let producer: Person;
let finance: Person;
let analytics: Person;
let assetId: string;

beforeAll(async () => {
  teams = {
    orders: await createTeam(admin, 'Orders'),
    finance: await createTeam(admin, 'Finance'),
    analytics: await createTeam(admin, 'Analytics'),
  };
  assetId = await createAsset(admin, teams.orders, 'warehouse.sales.orders');
  const contractId = await publish(admin, assetId, firstOrder, {});
  await register(admin, contractId, teams.finance, 'Revenue.');
  await register(admin, contractId, teams.analytics, 'Dashboards.');
  producer = await enter(teams.orders, 'Ada');
  finance = await enter(teams.finance, 'Grace');
  analytics = await enter(teams.analytics, 'Edith');
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
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const headOf = (page: Page) => page.locator('.page-head');

const withoutAmount = {
  ...firstOrder,
  properties: Object.fromEntries(
    Object.entries(firstOrder.properties).filter(([name]) => name !== 'amount'),
  ),
  required: firstOrder.required.filter((name) => name !== 'amount'),
};

describe('A breaking change with three people', { concurrent: false }, () => {
  test("appears in one consumer's inbox and on another's start page when it is proposed", async () => {
    await link(finance.page, 'Proposals').click();
    await finance.page.getByText('Your team has no proposals to answer.').waitFor();
    const { page } = producer;
    await link(page, 'Assets').click();
    await page.getByRole('link', { name: 'warehouse.sales.orders' }).click();
    await link(page, 'Change the schema').first().click();
    await page.getByText('No effective change.').waitFor();
    await writeSchema(page, JSON.stringify(withoutAmount));
    await button(page, 'Propose to consumers').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Propose to consumers' }).click();
    await page.getByText('0 of 2').first().waitFor();
    await finance.page.getByRole('link', { name: 'warehouse.sales.orders' }).click();
    await analytics.page.getByRole('link', { name: 'warehouse.sales.orders 1 breaking' }).click();
  });

  test('is blocked by one consumer, and the two others see the reason at once', async () => {
    const { page } = finance;
    await page.getByLabel('Block').check();
    await page.getByLabel('Reason').fill('The year-end closing sums this number.');
    await button(page, 'Send answer').click();
    for (const other of [producer, analytics]) {
      await headOf(other.page).getByText('blocked', { exact: true }).waitFor();
      await other.page.locator('.answer-note', { hasText: 'year-end closing' }).waitFor();
    }
  });

  test('is agreed to by both, and the producer may publish after the last answer', async () => {
    await button(finance.page, 'Change answer').click();
    await finance.page.getByLabel('Approve').check();
    await button(finance.page, 'Send answer').click();
    await producer.page.getByText('1 of 2').first().waitFor();
    expect(await button(producer.page, 'Publish').count()).toBe(0);
    await analytics.page.getByLabel('Migrating').check();
    await analytics.page.getByLabel('We need the old version until').fill('2031-05-03');
    await button(analytics.page, 'Send answer').click();
    await producer.page.getByText('All consumers have agreed. It can be published.').waitFor();
    await finance.page.getByText('3 May 2031').waitFor();
  });

  test('is published, and everybody sees it on the proposal, the asset and the start page', async () => {
    await finance.page.getByRole('link', { name: 'warehouse.sales.orders' }).first().click();
    await finance.page.locator('.big-version', { hasText: '1.0.0' }).waitFor();
    await link(analytics.page, 'Home').click();
    await button(producer.page, 'Publish').click();
    await producer.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await finance.page.locator('.big-version', { hasText: '2.0.0' }).waitFor();
    await analytics.page.getByText('Proposal published').waitFor();
    await headOf(producer.page).getByText('published', { exact: true }).waitFor();
  });
});

describe('Two people acting at once', { concurrent: false }, () => {
  test('notice each other: an answer that comes too late is refused, and its text is kept', async () => {
    const id = await askAgain({ type: 'object', properties: {} });
    const { page } = finance;
    // Blocks the stream, so this page does not see decisions of others.
    await page.route('**/events/stream', (route) => route.abort());
    await page.goto(`/proposals/${id}`);
    await page.getByLabel('Block').check();
    await page.getByLabel('Reason').fill('Not before the closing.');
    bodyOf(
      await admin.forceProposal({ params: { proposal_id: id }, body: { reason: 'It must be.' } }),
    );
    await button(page, 'Send answer').click();
    await headOf(page).getByText('published by force', { exact: true }).waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/published|no longer|cannot/);
    expect(await page.getByLabel('Your text').inputValue()).toBe('Not before the closing.');
    await page.unroute('**/events/stream');
  });

  const late = 'Not before the closing: the ledger still sums it.';
  const startBlock = async (page: Page, id: string) => {
    await page.goto(`/proposals/${id}`);
    await page.getByLabel('Block').check();
    await page.getByLabel('Reason').fill(late);
  };
  const keptNote = (page: Page) => page.getByLabel('Your text');

  test('keep what they were writing when the proposal is withdrawn meanwhile', async () => {
    const { page } = finance;
    const id = await askAgain({ type: 'array' });
    await startBlock(page, id);
    await producer.page.goto(`/proposals/${id}`);
    await button(producer.page, 'Withdraw').click();
    const dialog = producer.page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Not yet, please.');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    const told = page.getByText('The proposal was withdrawn before you sent your answer.');
    await told.waitFor();
    expect(await told.textContent()).toContain('You were about to block.');
    expect(await keptNote(page).inputValue()).toBe(late);
    expect(await keptNote(page).getAttribute('readonly')).not.toBeNull();
    const isFocused = 'document.activeElement?.tagName';
    expect(await page.evaluate(isFocused)).toBe('TEXTAREA');
    expect(await button(page, 'Send answer').count()).toBe(0);
    await button(page, 'Copy text').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(late);
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Discard text').click();
    await told.waitFor({ state: 'detached' });
    expect(await page.getByText('Answer for Finance').count()).toBe(0);
  });

  test('are shown the proposal that replaced the one they were answering', async () => {
    const { page } = finance;
    const id = await askAgain({ type: 'array' });
    await startBlock(page, id);
    const next = bodyOf(
      await admin.publishContract({
        params: { asset_id: assetId },
        body: { schema: { type: 'string' }, supersede: true },
      }),
    );
    await link(page, 'Answer the proposal that replaced it').click();
    const successor = 'proposal' in next ? next.proposal.id : '';
    await page.waitForURL(`**/proposals/${successor}`);
    await page.getByLabel('Approve').waitFor();
    expect(await page.getByLabel('Message to the producer').inputValue()).toBe('');
    await withdraw(successor ?? '');
  });

  test('can still send it once the other consumer takes back the block', async () => {
    const { page } = finance;
    const id = await askAgain({ type: 'array' });
    await startBlock(page, id);
    const params = { proposal_id: id };
    const team_id = teams.analytics.id;
    const respond = async (response: 'blocked' | 'approved') =>
      bodyOf(
        await admin.acknowledgeProposal({
          params,
          body: { team_id, response, notes: 'So.', reason: 'The team agreed in a meeting.' },
        }),
      );
    await respond('blocked');
    await page
      .getByText('Another team blocked the proposal before you sent your answer.')
      .waitFor();
    expect(await keptNote(page).inputValue()).toBe(late);
    await respond('approved');
    await page.getByLabel('Block').waitFor();
    expect(await page.getByLabel('Block').isChecked()).toBe(true);
    expect(await page.getByLabel('Reason').inputValue()).toBe(late);
    await button(page, 'Send answer').click();
    await page.locator('.answer-note', { hasText: late }).waitFor();
    await button(page, 'Change answer').waitFor();
    await withdraw(id);
  });

  test('can answer in the same moment, and both answers count', async () => {
    const id = await askAgain({ type: 'array' });
    const pages = [finance.page, analytics.page];
    for (const page of pages) {
      await page.goto(`/proposals/${id}`);
      await page.getByLabel('Approve').check();
    }
    await Promise.all(pages.map((page) => button(page, 'Send answer').click()));
    for (const page of pages) await page.getByText('2 of 2').first().waitFor();
    expect(
      [producer, finance, analytics].flatMap(({ complaints }) =>
        complaints.filter((line) => !line.includes('net::ERR_FAILED')),
      ),
    ).toEqual([]);
  });

  async function withdraw(id: string): Promise<void> {
    bodyOf(
      await admin.withdrawProposal({
        params: { proposal_id: id },
        body: { reason: 'It has to be.' },
      }),
    );
  }

  async function askAgain(schema: Parameters<typeof propose>[2]): Promise<string> {
    const current = bodyOf(
      await admin.getAssetContract({ params: { asset_id: assetId, version: 'latest' } }),
    );
    for (const team of [teams.finance, teams.analytics]) {
      await admin.registerConsumer({
        body: { contract_id: current.id ?? '', consumer_team_id: team.id },
      });
    }
    return propose(admin, assetId, schema);
  }
});
