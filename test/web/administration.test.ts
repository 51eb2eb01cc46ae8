// What administrators do on the page: users and webhooks, from creating to deleting them.

import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stopPath } from '../../src/notify/stop-link.ts';
import { password } from '../support/client/client-world.ts';
import { openMailbox } from '../support/mail/mailbox.ts';
import { expectAddress } from './support/address.ts';
import { findViolations } from './support/axe.ts';
import {
  goTo,
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from './support/browser.ts';
import { expectGoodLooks } from './support/looks.ts';
import {
  bodyOf,
  breakingOrder,
  createAsset,
  createTeam,
  firstOrder,
  propose,
  publish,
  register,
  type StoryTeam,
} from './support/story.ts';

const mailbox = await openMailbox();
afterAll(() => mailbox.stop());
const { registry, browser, admin } = await openBrowserForFile({
  SMTP_URL: mailbox.url,
  SMTP_FROM: 'contracts@example.com',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
});
let person: Person;
let orders: StoryTeam;
let finance: StoryTeam;
let receiver: Receiver;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  receiver = await openReceiver();
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});
afterAll(() => void receiver?.server.close());

interface Receiver {
  readonly server: Server;
  readonly url: string;
  readonly got: { readonly signature: string; readonly body: string }[];
  status: number;
}

async function openReceiver(): Promise<Receiver> {
  const got: Receiver['got'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const signature = String(request.headers['concordat-signature']);
      got.push({ signature, body: Buffer.concat(parts).toString() });
      response.writeHead(opened.status).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const opened: Receiver = { server, url: `http://127.0.0.1:${port}/hook`, got, status: 204 };
  return opened;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

describe('A user', { concurrent: false }, () => {
  const email = 'grace@example.com';

  test('is created with a role, a team and a password, and signs in', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Users' }).click();
    await button(page, 'New user').click();
    await dialog(page).getByLabel('E-mail').fill(email);
    await dialog(page).getByLabel('Name').fill('Grace Hopper');
    await dialog(page).getByLabel('Role').selectOption({ label: 'Editor' });
    await dialog(page).getByLabel('Team').selectOption({ label: 'Orders' });
    await dialog(page).getByLabel('Password').fill(password);
    await button(page, 'Create user').click();
    await row(page, 'Grace Hopper').getByText('Orders').waitFor();
    const grace = await openPerson(browser, { url: registry.url });
    await signInByEmail(grace.page, email, password);
    await grace.page.getByText('Proposals that Orders can').waitFor();
    expect(await grace.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await grace.page.goto('/users');
    await grace.page.getByText('You don’t have access').waitFor();
    await notifyOwnTeam(grace.page);
    expect(grace.complaints).toEqual([]);
    await grace.close();
  });

  test('is refused with a message if the address is taken', async () => {
    const { page } = person;
    await button(page, 'New user').click();
    await dialog(page).getByLabel('E-mail').fill(email.toUpperCase());
    await button(page, 'Create user').click();
    await dialog(page)
      .getByRole('alert')
      .getByText(/grace@example.com/i)
      .waitFor();
    await button(page, 'Cancel').click();
  });

  test('gets another role and leaves the team', async () => {
    const { page } = person;
    await row(page, 'Grace Hopper').getByRole('button', { name: 'Change' }).click();
    await dialog(page).getByLabel('Role').selectOption({ label: 'Viewer' });
    await dialog(page).getByLabel('Team').selectOption({ label: 'no team' });
    await button(page, 'Save').click();
    await row(page, 'Grace Hopper').getByText('Viewer').waitFor();
    await row(page, 'Grace Hopper').getByText('no team').waitFor();
    await page.getByRole('search').getByLabel('Role').selectOption({ label: 'Editor' });
    await page.getByText('No matching users.').waitFor();
    await page.reload();
    await expectAddress(page, 'search').toBe('?role=editor');
    await page.getByRole('search').getByLabel('Role').selectOption({ label: 'Any role' });
  });

  test('gets the right to manage people, and gives nobody more than that', async () => {
    const { page } = person;
    await row(page, 'Grace Hopper').getByRole('button', { name: 'Change' }).click();
    await dialog(page).getByLabel('manage people and keys').check();
    await expectGoodLooks(page);
    await button(page, 'Save').click();
    await row(page, 'Grace Hopper').getByText('manage people and keys').waitFor();
    const grace = await openPerson(browser, { url: registry.url });
    await signInByEmail(grace.page, email, password);
    await goTo(grace.page, 'Users');
    const menu = grace.page.getByRole('navigation', { name: 'Main' });
    expect(await menu.getByRole('link', { name: 'Trusts' }).count()).toBe(0);
    await button(grace.page, 'New user').click();
    const roles = dialog(grace.page).getByLabel('Role').getByRole('option');
    expect(await roles.allTextContents()).toEqual(['Editor', 'Viewer']);
    const rights = dialog(grace.page).getByRole('group', { name: 'May also' });
    expect(await rights.getByRole('checkbox').count()).toBe(1);
    await dialog(grace.page).getByLabel('E-mail').fill('mary@example.com');
    await button(grace.page, 'Create user').click();
    await row(grace.page, 'mary').waitFor();
    await row(grace.page, 'Grace Hopper').waitFor();
    await goTo(grace.page, 'API keys');
    await button(grace.page, 'New key').click();
    const scopes = dialog(grace.page).getByLabel('Permissions').getByRole('option');
    expect(await scopes.allTextContents()).toEqual([
      'read',
      'answer proposals',
      'read and write',
      'manage people and keys',
    ]);
    await button(grace.page, 'Cancel').click();
    await goTo(grace.page, 'Teams');
    const orders = row(grace.page, 'Orders').first();
    await orders.getByRole('button', { name: 'Rename' }).waitFor();
    expect(await orders.getByRole('button').count()).toBe(1);
    expect(grace.complaints).toEqual([]);
    await grace.close();
  });

  test('gets another password, which ends the sessions', async () => {
    const { page } = person;
    const grace = await openPerson(browser, { url: registry.url });
    await signInByEmail(grace.page, email, password);
    await row(page, 'Grace Hopper').getByRole('button', { name: 'Set password' }).click();
    await dialog(page).getByLabel('New password').fill('short');
    await dialog(page).getByRole('button', { name: 'Set password' }).click();
    expect(await page.locator('dialog input:invalid').count()).toBe(1);
    await dialog(page).getByLabel('New password').fill('another long sentence');
    await dialog(page).getByRole('button', { name: 'Set password' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await grace.page.getByText('Your session has ended.').waitFor();
    await signInByEmail(grace.page, email, 'another long sentence');
    await grace.close();
  });

  test('is deactivated and reactivated', async () => {
    const { page } = person;
    await row(page, 'Grace Hopper').getByRole('button', { name: 'Deactivate' }).click();
    await button(page, 'Deactivate').click();
    await row(page, 'Grace Hopper').waitFor({ state: 'detached' });
    await page.getByLabel('Show deactivated users').click();
    await row(page, 'Grace Hopper').getByText('deactivated').waitFor();
    await row(page, 'Grace Hopper').getByRole('button', { name: 'Reactivate' }).click();
    await row(page, 'Grace Hopper').getByText('active', { exact: true }).waitFor();
    expect(person.complaints.splice(0)).toEqual([]);
  });
});

/** An editor sets up what tells the own team, tries it, and deletes it. */
async function notifyOwnTeam(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('Nobody is notified yet.').waitFor();
  await button(page, 'New notification').click();
  await dialog(page).getByLabel('Send to').selectOption({ label: 'Slack' });
  await dialog(page).getByLabel('URL').fill(receiver.url);
  expect(await dialog(page).getByLabel('Set up by').inputValue()).toBe(orders.id);
  expect(await dialog(page).getByLabel('Add a team').count()).toBe(0);
  await button(page, 'Create notification').click();
  await row(page, receiver.url).getByText('Slack').waitFor();
  await page.getByRole('link', { name: receiver.url }).click();
  await button(page, 'Send a test').click();
  await page.getByText('The receiver took the test message.').waitFor();
  expect(receiver.got.splice(0)[0]?.body).toContain('A test message of Concordat');
  receiver.status = 404;
  await button(page, 'Send a test').click();
  await page.getByText('The receiver answered 404.').waitFor();
  receiver.status = 204;
  receiver.got.splice(0);
  await button(page, 'Delete').click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nobody is notified yet.').waitFor();
}

describe('A webhook', { concurrent: false }, () => {
  let secret = '';
  let proposalCount = 0;

  test('shows its secret once', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Notifications' }).click();
    await page.getByText('Nobody is notified yet.').waitFor();
    await button(page, 'New notification').click();
    await dialog(page).getByLabel('URL').fill(receiver.url);
    await dialog(page).getByLabel('Breaking change proposed').check();
    await dialog(page).getByLabel('Add a team').selectOption({ label: 'Finance' });
    await button(page, 'Create notification').click();
    const shown = page.getByLabel('The secret', { exact: true });
    await shown.waitFor();
    secret = await shown.inputValue();
    expect(secret.length).toBeGreaterThan(20);
    await button(page, 'Close').click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    const told = row(page, receiver.url);
    await told.getByText('Breaking change proposed').waitFor();
    await told.getByText('Finance').waitFor();
  });

  test('shows the result of each delivery live, and sends one again', async () => {
    const { page } = person;
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('Nothing has been sent yet.').waitFor();
    await askFinance();
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
    const first = receiver.got[0];
    const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(first?.signature ?? '') ?? [];
    const expected = createHmac('sha256', secret).update(`${seconds}.${first?.body}`);
    expect(digest).toBe(expected.digest('hex'));
    await page.getByRole('button', { name: 'Resend' }).click();
    await expect.poll(() => receiver.got.length).toBe(2);
    expect(JSON.parse(receiver.got[1]?.body ?? '{}')).toMatchObject({ replay: true });
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
  });

  test('shows why a receiver refused a delivery, and when it is retried', async () => {
    const { page } = person;
    receiver.status = 503;
    await askFinance();
    await page.getByText('503').first().waitFor();
    await page.getByText('Next attempt').waitFor();
    await page.getByRole('columnheader', { name: 'Actions' }).waitFor();
    await page.getByLabel('State').selectOption({ label: 'waiting' });
    await page.getByText('1 delivery').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Actions' }).count()).toBe(0);
    await page.getByLabel('State').selectOption({ label: 'delivered' });
    await page.getByText('1 delivery').waitFor();
    await expectAddress(page, 'search').toBe('?state=delivered');
    await page.getByLabel('State').selectOption({ label: 'given up' });
    await page.getByText('No deliveries are in this state.').waitFor();
    await page.getByLabel('State').selectOption({ label: 'Any state' });
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByText('fails, 1 waiting').waitFor();
    await page.getByText('The receiver answered 503.').waitFor();
    await page.getByRole('link', { name: 'Notifications' }).click();
    await row(page, receiver.url).getByText('fails, 1 waiting').waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('Next attempt').waitFor();
    receiver.status = 204;
  });

  test('becomes a daily summary, and is sent at once again', async () => {
    const { page } = person;
    for (const when of ['Daily at 07:00 UTC', 'At once']) {
      await button(page, 'Change').click();
      await dialog(page).getByLabel('When').selectOption({ label: when });
      await button(page, 'Save').click();
      await dialog(page).waitFor({ state: 'detached' });
      await page.getByRole('definition').filter({ hasText: when }).waitFor();
    }
  });

  test('gets another address and secret, and is deleted', async () => {
    const { page } = person;
    await button(page, 'Change').click();
    await dialog(page).getByLabel('URL').fill('ftp://elsewhere.example');
    await button(page, 'Save').click();
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByLabel('URL').fill(`${receiver.url}/elsewhere`);
    await dialog(page).getByRole('button', { name: 'Remove Finance' }).click();
    await dialog(page).getByLabel('New secret').fill('another-secret-of-mine');
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: `${receiver.url}/elsewhere` }).waitFor();
    await page.getByText('every team', { exact: true }).waitFor();
    await button(page, 'Delete').click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nobody is notified yet.').waitFor();
    expect(person.complaints.splice(0)).toEqual([]);
  });

  async function askFinance(): Promise<void> {
    const assetId = await createAsset(admin, orders, `shop.orders_${proposalCount++}`);
    const contractId = await publish(admin, assetId, firstOrder, {});
    await register(admin, contractId, finance, 'Revenue.');
    await propose(admin, assetId, { type: 'object', properties: {} });
  }
});

test('A key that ends within a month is marked, and operators see it', async () => {
  const { page, complaints } = person;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const issue = (name: string, expires_at: string) =>
    admin.issueApiKey({ body: { name, team_id: orders.id, scopes: ['read'], expires_at } });
  bodyOf(await issue('Nightly', inDays(9.5)));
  bodyOf(await issue('Yearly', inDays(90)));
  await page.goto('/keys');
  await row(page, 'Nightly').getByText('ends in 9 days').waitFor();
  await row(page, 'Yearly').getByText('active').waitFor();
  await page.goto('/operations');
  await page.getByText('Every notification arrives.').waitFor();
  const ending = page.getByRole('list', { name: 'Keys that end within a month' });
  await ending.getByText('ends in 9 days').waitFor();
  expect(await ending.getByText('Yearly').count()).toBe(0);
  expect(complaints.splice(0)).toEqual([]);
  // With the longest texts of its columns, the last of them is in sight.
  bodyOf(await issue('Reconciliation', inDays(29.5)));
  const later = await openPerson(browser, { url: registry.url });
  await later.page.clock.setFixedTime(Date.now() + 28 * 60_000);
  await signIn(later.page, registry.bootstrapKey);
  await later.page.goto('/keys');
  await row(later.page, 'Reconciliation').getByText('28 minutes ago').waitFor();
  await expectGoodLooks(later.page);
  await later.close();
});

describe('A list is ordered by the head of a column, and its address keeps the order', () => {
  let assetId: string;
  beforeAll(async () => {
    const owner = await createTeam(admin, 'Zebras');
    assetId = await createAsset(admin, owner, 'shop.sales.ordered');
    const contractId = await publish(admin, assetId, firstOrder, {});
    for (const team of [orders, finance]) await register(admin, contractId, team, 'Reads it.');
    for (const name of ['First', 'Second']) {
      const issuer = 'https://issuer.example.com';
      const [subject, email] = [name.toLowerCase(), `${name.toLowerCase()}@ordered.example.com`];
      bodyOf(
        await admin.createTrust({
          body: {
            ...{ name, issuer, audience: 'concordat', team_id: owner.id },
            ...{ claims: { sub: subject }, scopes: ['write'] },
          },
        }),
      );
      bodyOf(await admin.createUser({ body: { email, name, role: 'viewer', password: password } }));
      bodyOf(
        await admin.createWebhook({ body: { url: `${receiver.url}/${subject}`, events: [] } }),
      );
    }
  });

  test.each([
    { of: 'teams', path: () => '/teams', head: 'Name', first: 'Zebras', last: 'Finance' },
    { of: 'teams by age', path: () => '/teams', head: 'Created', first: 'Orders', last: 'Zebras' },
    { of: 'keys', path: () => '/keys', head: 'Issued', first: 'Orders CI', last: 'Zebras CI' },
    {
      of: 'keys by name',
      path: () => '/keys',
      head: 'Name',
      first: 'Finance CI',
      last: 'Zebras CI',
    },
    { of: 'users by name', path: () => '/users', head: 'Name', first: 'First', last: 'Second' },
    { of: 'users', path: () => '/users', head: 'E-mail', first: 'First', last: 'Second' },
    { of: 'trusts', path: () => '/trusts', head: 'Created', first: 'First', last: 'Second' },
    { of: 'webhooks', path: () => '/webhooks', head: 'Since', first: '/first', last: '/second' },
    {
      ...{ of: 'consumers', path: () => `/assets/${assetId}/consumers` },
      ...{ head: 'Since', first: 'Orders', last: 'Finance' },
    },
  ])('$of', async ({ path, head, first, last }) => {
    const { page, complaints } = person;
    await page.goto(path());
    const ends = async () => {
      const names = await page.getByRole('rowheader').allTextContents();
      const at = (end: string) => names.findIndex((name) => name.endsWith(end));
      return at(first) < 0 || at(last) < 0 ? 'missing' : at(first) < at(last) ? 'up' : 'down';
    };
    const column = page.getByRole('columnheader', { name: head });
    await column.getByRole('button').click();
    await expect.poll(ends).toBe('up');
    const said = await column.getAttribute('aria-sort');
    await page.reload();
    await expect.poll(ends).toBe('up');
    expect(await column.getAttribute('aria-sort')).toBe(said);
    await column.getByRole('button').click();
    await expect.poll(ends).toBe('down');
    await page.setViewportSize({ width: 360, height: 900 });
    await column.getByRole('button').click();
    await expect.poll(ends).toBe('up');
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(complaints.splice(0)).toEqual([]);
  });
});

test('The name of a team leads to its assets, and for administrators a link to its members', async () => {
  const { page, complaints } = person;
  await page.goto('/teams');
  await page.getByRole('link', { name: 'Finance', exact: true }).click();
  await page.getByRole('heading', { name: 'Assets' }).waitFor();
  await expectAddress(page, 'search').toBe(`?owner=${finance.id}`);
  await page.goBack();
  await page.getByRole('link', { name: 'Members of Finance' }).click();
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  expect(await page.getByLabel('Team', { exact: true }).inputValue()).toBe(finance.id);
  expect(complaints.splice(0)).toEqual([]);
});

test('All assets of a team are moved, and those with consumers are asked about', async () => {
  const { page, complaints } = person;
  const team = await createTeam(admin, 'Merged');
  const free = await createAsset(admin, team, 'shop.merged.free');
  const read = await createAsset(admin, team, 'shop.merged.read');
  const contractId = await publish(admin, read, firstOrder, {});
  await register(admin, contractId, finance, 'Revenue.');
  const busy = await createAsset(admin, team, 'shop.merged.busy');
  await register(admin, await publish(admin, busy, firstOrder, {}), finance, 'Margins.');
  await propose(admin, busy, breakingOrder);
  await page.goto('/teams');
  await row(page, 'Merged').getByRole('button', { name: 'Move assets Merged' }).click();
  await dialog(page).getByLabel('Move them to').selectOption({ label: 'Orders' });
  expect(await findViolations(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Move assets', exact: true }).click();
  await dialog(page).getByText('1 asset was moved.').waitFor();
  await dialog(page)
    .getByRole('listitem')
    .getByText('shop.merged.read: its consumers are asked first')
    .waitFor();
  await dialog(page)
    .getByRole('listitem')
    .getByText('A proposal of this asset is open. Publish or withdraw it first.')
    .waitFor();
  await expectGoodLooks(page);
  const ownerOf = async (asset_id: string) =>
    bodyOf(await admin.getAsset({ params: { asset_id } })).owner_team_id;
  expect(await Promise.all([free, read, busy].map(ownerOf))).toEqual([orders.id, team.id, team.id]);
  await button(page, 'Close').click();
  expect(complaints).toEqual([]);
});

test('A refused move says why, and not that the team owns nothing', async () => {
  const { page } = person;
  await page.goto('/teams');
  await page.route('**/reassign', (route) => route.fulfill({ status: 409, json: refusedMove }));
  await row(page, 'Finance').getByRole('button', { name: 'Move assets Finance' }).click();
  await dialog(page).getByLabel('Move them to').selectOption({ label: 'Orders' });
  await dialog(page).getByRole('button', { name: 'Move assets', exact: true }).click();
  await dialog(page).getByText(refusedMove.detail.message).waitFor();
  expect(await page.getByText('The team owns no assets.').count()).toBe(0);
  await page.unroute('**/reassign');

  // Of one asset, while others were moved: its message may have a name that is wider than a telephone.
  const results = [{ index: 0, status: 409, asset: null, body: refusedMove }];
  await page.route('**/reassign', (route) =>
    route.fulfill({ json: { results, next_cursor: null } }),
  );
  await dialog(page).getByRole('button', { name: 'Move assets', exact: true }).click();
  await dialog(page).getByRole('listitem').getByText(refusedMove.detail.message).waitFor();
  await expectGoodLooks(page);
  await page.unroute('**/reassign');
  await button(page, 'Close').click();
  person.complaints.splice(0);
});

const refusedMove = {
  detail: { code: 'CONFLICT', message: `Somebody else moves ${'w'.repeat(60)}.` },
};

test('A team that was deleted is found among the deleted ones, and restored', async () => {
  const { page, complaints } = person;
  const team = await createTeam(admin, 'Archive');
  bodyOf(await admin.deleteTeam({ params: { team_id: team.id } }));
  await page.goto('/teams');
  await row(page, 'Finance').waitFor();
  const deleted = page.getByRole('row', { name: /^Archive · deleted/ });
  expect(await deleted.count()).toBe(0);
  await page.getByLabel('Show').selectOption({ label: 'Also deleted' });
  await deleted.getByRole('button', { name: 'Restore Archive' }).click();
  expect(await findViolations(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The team was restored.').waitFor();
  await row(page, 'Archive').getByRole('button', { name: 'Rename Archive' }).waitFor();
  expect(complaints).toEqual([]);
});

describe('With more teams than a list shows', () => {
  test('one is found by part of its name, and stays selected', async () => {
    await registry.database.query(
      `insert into team (id, name, slug, metadata, created_at, updated_at)
       select gen_random_uuid(), 'Team ' || lpad(n::text, 3, '0'), 'team-' || n, '{}', now(), now()
       from generate_series(1, 150) n`,
    );
    const { page } = person;
    await page.goto('/users');
    await button(page, 'New user').click();
    const choice = dialog(page).getByLabel('Team', { exact: true });
    await dialog(page).getByLabel('Find a team').fill('team 14');
    await choice.getByText('Team 149').waitFor({ state: 'attached' });
    await choice.selectOption({ label: 'Team 149' });
    await dialog(page).getByLabel('Find a team').fill('nobody has this name');
    await dialog(page).getByText('No team matches.').waitFor();
    await dialog(page).getByLabel('E-mail').fill('alan@example.com');
    await button(page, 'Create user').click();
    await row(page, 'alan').getByText('Team 149').waitFor();
    expect(bodyOf(await admin.listTeams({ query: { q: 'Team 149' } })).total).toBe(1);
    expect(person.complaints.splice(0)).toEqual([]);
  });
});

test('A user chooses letters to them, an administrator stops them, and the user starts them again', async () => {
  const email = 'letters@example.com';
  bodyOf(
    await admin.createUser({
      body: { email, password, name: 'Lee', role: 'viewer', team_id: finance.id },
    }),
  );
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signInByEmail(page, email, password);
  await page.getByRole('link', { name: 'Letters to you' }).click();
  await page.getByLabel(`Send letters to ${email}`).check();
  await page.getByLabel('When').selectOption({ label: 'Daily at 07:00 UTC' });
  await page.getByLabel('Breaking change proposed', { exact: true }).check();
  await expectGoodLooks(page);
  await button(page, 'Save').click();
  await page.getByText('Your choice was saved.').waitFor();
  await page.reload();
  expect(await page.getByLabel('When').inputValue()).toBe('7');
  expect(await page.getByLabel('Breaking change proposed', { exact: true }).isChecked()).toBe(true);
  await person.page.goto('/webhooks');
  await person.page.getByRole('link', { name: email }).click();
  await person.page.getByText('A user, for themself').first().waitFor();
  expect(await button(person.page, 'Change').count()).toBe(0);
  await button(person.page, 'Stop').click();
  await person.page.getByText('It was stopped').waitFor();
  await expectGoodLooks(person.page);
  await page.getByText('The letters were stopped').waitFor();
  await button(page, 'Save').click();
  await page.getByText('The letters were stopped').waitFor({ state: 'detached' });
  await button(person.page, 'Stop').waitFor();
  expect([...complaints, ...person.complaints]).toEqual([]);
  await close();
});

test('Whoever has a letter stops what a team set up by its link, without signing in', async () => {
  const secret = 'a-secret-of-sixteen-characters';
  const body = { url: 'mailto:all@example.com', team_id: finance.id, secret };
  const { id } = bodyOf(await admin.createWebhook({ body }));
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await page.goto(stopPath(id, secret));
  await page.getByText('nothing more to all@example.com').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await button(page, 'Stop these letters').click();
  await page.getByRole('heading', { name: 'The letters are stopped' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await person.page.goto(`/webhooks/${id}`);
  await person.page.getByText('It was stopped').waitFor();
  await button(person.page, 'Start again').click();
  await person.page.getByText('It was stopped').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await close();
});
