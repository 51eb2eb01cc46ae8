// An open page shows changes without a click, over one stream, through restarts.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openReader } from '../../src/web/data/server-sent.ts';
import { openProcess } from '../support/client/client-registry.ts';
import { password } from '../support/client/client-world.ts';
import { insertEvents } from '../support/postgres/audit-events.ts';
import {
  goTo,
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from './support/browser.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  firstOrder,
  propose,
  publish,
  register,
  type StoryTeam,
} from './support/story.ts';

// One stream per key: a second one would be refused, which reveals a leak.
const { registry, browser, admin } = await openBrowserForFile({ EVENT_STREAMS_PER_KEY: '1' });
let orders: StoryTeam;
let finance: StoryTeam;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
});

async function enter(url: string, key: string): Promise<Person> {
  const person = await openPerson(browser, { url });
  await signIn(person.page, key);
  await isLive(person.page);
  return person;
}

const isLive = (page: Page) => page.getByText('live', { exact: true }).waitFor();

const smaller = { type: 'object', properties: {} };

describe('A change by someone else', () => {
  test('appears on the start page, in the inbox, on the asset and in its proposal without a reload', async () => {
    const consumer = await enter(registry.url, finance.key);
    const producer = await enter(registry.url, orders.key);
    const assetId = await createAsset(admin, orders, 'live.orders');
    await consumer.page.getByText('live.orders').first().waitFor();
    await goTo(producer.page, 'Assets');
    await producer.page.getByRole('link', { name: 'live.orders' }).click();
    await producer.page.getByText('This asset has no contract yet.').waitFor();
    const contractId = await publish(admin, assetId, firstOrder, {});
    await producer.page.locator('.big-version', { hasText: '1.0.0' }).waitFor();
    await register(admin, contractId, finance, 'Revenue.');
    await consumer.page.getByText('This team has no proposals to answer.').waitFor();
    const proposalId = await propose(admin, assetId, smaller);
    await consumer.page.getByRole('link', { name: /^live\.orders 1? ?\d+ breaking/ }).click();
    await producer.page.getByRole('link', { name: 'View the proposal' }).click();
    await producer.page.getByText('0 of 1').first().waitFor();
    bodyOf(
      await admin.acknowledgeProposal({
        params: { proposal_id: proposalId },
        body: {
          team_id: finance.id,
          response: 'approved',
          reason: 'The team agreed in a meeting.',
        },
      }),
    );
    for (const { page } of [consumer, producer]) await page.getByText('1 of 1').first().waitFor();
    await producer.page.getByText('All consumers have agreed. It can be published.').waitFor();
    expect([...consumer.complaints, ...producer.complaints]).toEqual([]);
    await consumer.close();
    await producer.close();
  });

  test("such as a failed quality run appears on the owner's start page, until a run succeeds", async () => {
    const owner = await enter(registry.url, orders.key);
    const failing = owner.page.locator('.panel', { hasText: 'Failed quality runs' });
    const assetId = await createAsset(admin, orders, 'live.checked');
    const record = async (status: 'passed' | 'failed') =>
      bodyOf(
        await admin.recordQualityRun({
          params: { asset_id: assetId },
          body: { status, triggered_by: 'nightly checks' },
        }),
      );
    await failing.getByText('asset of this team passed').waitFor();
    await record('failed');
    await failing.getByRole('link', { name: 'live.checked' }).waitFor();
    await record('passed');
    await failing.getByText('asset of this team passed').waitFor();
    expect(owner.complaints).toEqual([]);
    await owner.close();
  });

  test('arrives over one stream for all views, which closes when the user signs out', async () => {
    const key = (await createTeam(admin, 'Streams')).key;
    const person = await openPerson(browser, { url: registry.url });
    const streams: string[] = [];
    person.page.on('request', (request) => {
      if (request.url().endsWith('/events/stream')) streams.push(request.url());
    });
    await signIn(person.page, key);
    await isLive(person.page);
    for (const name of ['Assets', 'Proposals', 'Audit trail', 'Teams', 'Home']) {
      await goTo(person.page, name);
      await person.page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await isLive(person.page);
    expect(streams).toHaveLength(1);
    // Without a reload, which would close all open connections.
    await person.page.getByRole('button', { name: 'Sign out' }).click();
    await person.page.getByRole('button', { name: 'With an API key' }).click();
    await person.page.getByLabel('API key', { exact: true }).fill(key);
    await person.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await person.page.getByRole('heading', { name: 'Home' }).waitFor();
    await isLive(person.page);
    expect(streams).toHaveLength(2);
    expect(person.complaints).toEqual([]);
    await person.close();
  });
});

describe('An open page while the registry restarts', () => {
  test('says that it is unreachable, and then shows what happened meanwhile', async () => {
    const first = await openProcess(registry.database.serviceUrl);
    const { page, complaints, close } = await enter(first.url, registry.bootstrapKey);
    await first.stop();
    await page.getByText('The registry is not responding. This page may be out of date').waitFor();
    await createAsset(admin, orders, 'live.while_away');
    const again = await openProcess(registry.database.serviceUrl, {
      PORT: new URL(first.url).port,
    });
    await page.getByText('live.while_away').waitFor();
    await page.getByText('The registry is not responding.').waitFor({ state: 'detached' });
    expect(complaints.filter((line) => !line.includes('net::ERR'))).toEqual([]);
    await close();
    await again.stop();
  });

  test('reloads everything if there were more events than can be sent', async () => {
    const first = await openProcess(registry.database.serviceUrl);
    const { page, close } = await enter(first.url, registry.bootstrapKey);
    await goTo(page, 'Teams');
    await page.getByRole('rowheader', { name: 'Finance' }).waitFor();
    await first.stop();
    // There is no event for this change, so only loading again shows it.
    await registry.database.query(`update team set name = 'Treasury' where name = 'Finance'`);
    await insertEvents(registry.database, 1, 10_001);
    const again = await openProcess(registry.database.serviceUrl, {
      PORT: new URL(first.url).port,
    });
    await page.getByRole('rowheader', { name: 'Treasury' }).waitFor();
    await close();
    await again.stop();
  });
});

test('An open page whose session ends asks to sign in without a click', async () => {
  const email = 'grace@example.com';
  const user = bodyOf(
    await admin.createUser({ body: { email, password, role: 'editor', team_id: orders.id } }),
  );
  const { page, close } = await openPerson(browser, { url: registry.url });
  await signInByEmail(page, email, password);
  await page.getByRole('link', { name: /^Proposals/ }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  bodyOf(await admin.deactivateUser({ params: { user_id: user.id } }));
  await page.getByText('Your session has ended.').waitFor();
  await close();
});

test('Events are parsed correctly, wherever the network splits them', () => {
  const text =
    ': \nid: 7:7:\n\nid: 8:8:\ndata: {"a":\ndata: 1}\n\nevent: reset\r\ndata: {}\r\n\r\n: \n\nid: 9:9:\n\n';
  const expected = [
    { type: 'message', data: '{"a":\n1}' },
    { type: 'reset', data: '{}' },
  ];
  for (let size = 1; size <= text.length; size++) {
    const reader = openReader(null);
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(expected);
    expect(reader.place()).toBe('9:9:');
  }
});
