// One message a day in place of one for each event. That its hour has come is written into the
// database; all else is judged by what real receivers and a real mail server get.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bootstrapKey,
  openProcess,
  openRegistry,
  type TestRegistry,
} from '../support/client/client-registry.ts';
import {
  must,
  mustRefuse,
  openParty,
  openWorld,
  type Party,
  proposedAsset,
  publishedAsset,
  register,
  type World,
} from '../support/client/client-world.ts';
import { freePorts } from '../support/free-ports.ts';
import { type Mailbox, openMailbox } from '../support/mail/mailbox.ts';
import { openDatabase } from '../support/postgres/postgres.ts';
import { answerWith, type Message, openReceiver, type Receiver } from './receiver.ts';

const waiting = { timeout: 60_000 };

let baseUrl: string;
let mailbox: Mailbox;
let registry: TestRegistry;
let world: World;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  mailbox = await openMailbox();
  settings = {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_RETRY_SECONDS: '0.05',
    WEBHOOK_RETRY_FOR_SECONDS: '0.1',
    WEBHOOK_TIMEOUT_SECONDS: '1',
    SMTP_URL: mailbox.url,
    SMTP_FROM: 'contracts@example.com',
  };
  const [port] = await freePorts(1);
  baseUrl = `http://localhost:${port}`;
  registry = await openRegistry({ ...settings, PORT: String(port), BASE_URL: baseUrl });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await mailbox.stop();
});

type Body = Parameters<World['admin']['createWebhook']>[0]['body'];

/** At the hour that was over an hour ago: the next one is tomorrow's. */
const daily_at = (new Date().getUTCHours() + 23) % 24;

async function summarize(party: Party, body: Body): Promise<string> {
  const made = await party.client.createWebhook({
    body: { team_id: party.teamId, daily_at, ...body },
  });
  return must(made, 201).id;
}

async function deliveriesOf(party: Party, webhookId: string) {
  const call = {
    params: { webhook_id: webhookId },
    query: { sort: 'created_at' as const, page_size: 50 },
  };
  return must(await party.client.listDeliveries(call), 200).results;
}

/** Waits until as many wait, none of which was tried. */
async function held(party: Party, webhookId: string, count: number): Promise<void> {
  const states = async () =>
    (await deliveriesOf(party, webhookId)).map(({ state, attempts }) => [state, attempts]);
  await expect.poll(states, waiting).toEqual(Array.from({ length: count }, () => ['pending', 0]));
}

async function strike(webhookId: string, database = registry.database): Promise<void> {
  await database.query(`update webhook set summary_due_at = now() where id = '${webhookId}'`);
}

async function nextOf(webhookId: string): Promise<Date> {
  const rows = await registry.database.query(
    `select summary_due_at as due from webhook where id = '${webhookId}'`,
  );
  return new Date(String(rows[0]?.due));
}

interface Summary {
  readonly id: string;
  readonly type: string;
  readonly messages: readonly Message[];
}

function summariesOf({ received }: Receiver): readonly Summary[] {
  return received.map(({ body }) => body as unknown as Summary);
}

test('A letter a day has all that happened, in order, and the next one is due tomorrow', async () => {
  const team = await openParty(world.admin, 'daily');
  const id = await summarize(team, { url: 'mailto:daily@example.com' });
  const first = await proposedAsset(world.producer, [team]);
  const second = await proposedAsset(world.producer, [team]);
  await held(team, id, 2);
  const own = () => mailbox.received.filter(({ to }) => to.includes('daily@example.com'));
  expect(own()).toEqual([]);
  const due = await nextOf(id);
  expect([due.getUTCHours(), due.getUTCMinutes()]).toEqual([daily_at, 0]);
  expect(due.getTime()).toBeGreaterThan(Date.now());
  expect(due.getTime()).toBeLessThanOrEqual(Date.now() + 86_400_000);
  await strike(id);
  await expect.poll(() => own().length, waiting).toBe(1);
  const [letter] = own();
  expect(letter?.headers.subject).toBe('Summary of Concordat: 2 messages');
  const titles = [first, second].map(({ fqn }) => `A breaking change of ${fqn} needs your answer`);
  const lines = letter?.text.split('\n') ?? [];
  expect(lines.filter((line) => line.startsWith('- A breaking'))).toEqual(
    titles.map((title) => `- ${title}`),
  );
  expect(lines.filter((line) => titles.includes(line))).toEqual(titles);
  for (const { proposalId } of [first, second]) {
    expect(lines).toContain(`See the change and answer: ${baseUrl}/proposals/${proposalId}`);
  }
  const states = async () => (await deliveriesOf(team, id)).map(({ state }) => state);
  await expect.poll(states, waiting).toEqual(['delivered', 'delivered']);
  expect(await nextOf(id)).toEqual(due);
});

test('A day on which nothing happened sends nothing, and what happens later waits for the next hour', async () => {
  const team = await openParty(world.admin, 'quiet');
  const own = await openReceiver();
  const id = await summarize(team, { url: own.url });
  const due = await nextOf(id);
  await strike(id);
  await expect.poll(() => nextOf(id), waiting).toEqual(due);
  await proposedAsset(world.producer, [team]);
  await held(team, id, 1);
  expect(own.received).toEqual([]);
  await own.stop();
});

test('What has to be answered before the next summary brings it forward, with what waits', async () => {
  const team = await openParty(world.admin, 'urgent');
  const own = await openReceiver();
  const id = await summarize(team, { url: own.url });
  await proposedAsset(world.producer, [team]);
  await held(team, id, 1);
  const ask = async (answer_by: string) => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(team, contractId);
    const body = { schema: { type: 'object' }, request: { answer_by } };
    must(await world.producer.client.publishContract({ params: { asset_id: assetId }, body }), 201);
  };
  await ask('2099-01-31');
  await held(team, id, 2);
  const due = await nextOf(id);
  await ask(due.toISOString().slice(0, 10));
  await expect
    .poll(() => summariesOf(own).map(({ messages }) => messages.length), waiting)
    .toEqual([3]);
  await expect.poll(() => nextOf(id), waiting).toEqual(due);
  await own.stop();
});

test.each(['slack', 'teams'] as const)(
  '%s gets twenty in one message, within its limits, and the rest in the next',
  async (format) => {
    const team = await openParty(world.admin, `many-${format}`);
    const own = await openReceiver();
    const id = await summarize(team, { url: own.url, format });
    const { assetId, proposalId } = await proposedAsset(world.producer, [team]);
    for (let said = 0; said < 24; said++) {
      const body = { text: `${said} ${'\\&é'.repeat(600)}` };
      const params = { proposal_id: proposalId };
      must(await world.producer.client.commentOnProposal({ params, body }), 201);
    }
    await held(team, id, 25);
    await strike(id);
    await expect.poll(() => own.received.length, waiting).toBe(2);
    const counts = own.received.map(
      ({ text }) => text.split(`/proposals/${proposalId}`).length - 1,
    );
    expect(counts).toEqual([20, 5]);
    for (const { text } of own.received) {
      if (format === 'teams') expect(Buffer.byteLength(text)).toBeLessThan(28_000);
      else {
        const { blocks } = JSON.parse(text) as { blocks: { text: { text: string } }[] };
        expect(blocks.length).toBeLessThanOrEqual(50);
        for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3_000);
      }
    }
    expect(assetId).toBeDefined();
    await own.stop();
  },
);

describe('A summary that is not taken', () => {
  test('is sent again with its id, given up like a message, and resent without waiting for tomorrow', async () => {
    const team = await openParty(world.admin, 'failing');
    const own = await openReceiver();
    own.behave(answerWith(503));
    const id = await summarize(team, { url: own.url });
    await proposedAsset(world.producer, [team]);
    await proposedAsset(world.producer, [team]);
    await held(team, id, 2);
    await strike(id);
    const states = async () => (await deliveriesOf(team, id)).map(({ state }) => state);
    await expect.poll(states, waiting).toEqual(['parked', 'parked']);
    const tried = summariesOf(own);
    expect(tried.length).toBeGreaterThanOrEqual(5);
    expect(new Set(tried.map((each) => each.id)).size).toBe(1);
    expect(own.received[0]?.headers).toMatchObject({
      'concordat-event': 'summary',
      'concordat-delivery': tried[0]?.id,
    });
    own.behave(answerWith(200));
    must(await team.client.replayParked({ params: { webhook_id: id }, body: {} }), 200);
    await expect.poll(states, waiting).toEqual(['delivered', 'delivered']);
    const [last] = summariesOf(own).slice(-1);
    expect(last?.messages.map(({ replay, gap }) => [replay, gap])).toEqual([
      [true, true],
      [true, true],
    ]);
    await own.stop();
  });

  test('because the process was killed is sent by another one, with the same id and all that is in it', async () => {
    const database = await openDatabase();
    const first = await openProcess(database.serviceUrl, settings);
    const own = await openReceiver();
    const alone = await openWorld(first.url, bootstrapKey);
    const id = await summarize(alone.consumer, { url: own.url });
    await proposedAsset(alone.producer, [alone.consumer]);
    await proposedAsset(alone.producer, [alone.consumer]);
    await held(alone.consumer, id, 2);
    // It waits for an answer when it is killed.
    own.behave(() => {});
    await strike(id, database);
    await expect.poll(() => own.received.length, waiting).toBe(1);
    await first.kill();
    own.behave(answerWith(200));
    const second = await openProcess(database.serviceUrl, settings);
    const left = () => database.query("select id from delivery where state <> 'delivered'");
    await expect.poll(left, waiting).toEqual([]);
    const sent = summariesOf(own);
    expect(sent.map(({ messages }) => messages.length)).toEqual([2, 2]);
    expect(new Set(sent.map((each) => each.id)).size).toBe(1);
    await second.stop();
    await own.stop();
    await database.drop();
  });
});

test('Two processes send one summary', async () => {
  const second = await openProcess(registry.database.serviceUrl, settings);
  const team = await openParty(world.admin, 'shared');
  const receivers = await Promise.all(Array.from({ length: 8 }, () => openReceiver()));
  const ids: string[] = [];
  for (const { url } of receivers) ids.push(await summarize(team, { url }));
  await proposedAsset(world.producer, [team]);
  for (const id of ids) await held(team, id, 1);
  await Promise.all(ids.map((id) => strike(id)));
  const open = async () =>
    (await Promise.all(ids.map((id) => deliveriesOf(team, id))))
      .flat()
      .filter(({ state }) => state !== 'delivered');
  await expect.poll(open, waiting).toEqual([]);
  expect(receivers.map(({ received }) => received.length)).toEqual(receivers.map(() => 1));
  await second.stop();
  for (const receiver of receivers) await receiver.stop();
});

test('Who changes to "at once" gets what waits at once, and each change is on the trail', async () => {
  const team = await openParty(world.admin, 'changes');
  const own = await openReceiver();
  const id = await summarize(team, { url: own.url });
  await proposedAsset(world.producer, [team]);
  await held(team, id, 1);
  const params = { webhook_id: id };
  const changed = await team.client.updateWebhook({ params, body: { daily_at: null } });
  expect(must(changed, 200).daily_at).toBeNull();
  await expect
    .poll(() => own.received.map(({ body }) => body.type), waiting)
    .toEqual(['proposal.created']);
  const query = { entity_id: id, event_type: 'webhook.updated' as const };
  const { results } = must(await world.admin.listEvents({ query }), 200);
  expect(results[0]?.metadata).toMatchObject({ daily_at: null, from: { daily_at } });
  await own.stop();
});

test.each([24, -1, 7.5])('There is no hour %d', async (hour) => {
  const body = { url: 'https://hooks.example.com', team_id: world.other.teamId, daily_at: hour };
  const refused = await world.other.client.createWebhook({ body });
  expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('daily_at');
});

test('What waits for its hour is not late', async () => {
  const team = await openParty(world.admin, 'early');
  const own = await openReceiver();
  const id = await summarize(team, { url: own.url });
  await proposedAsset(world.producer, [team]);
  await held(team, id, 1);
  const text = await (await fetch(new URL('/metrics', registry.url))).text();
  const late = /^concordat_delivery_lane_overdue_seconds\S* (\S+)$/m.exec(text)?.[1];
  expect(Number(late)).toBe(0);
  await own.stop();
});
