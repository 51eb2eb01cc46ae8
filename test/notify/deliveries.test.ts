// Receivers that are slow, failing, inconsistent, unavailable and back: nothing is lost, and each
// asset's order is kept.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signatureOf } from '../../src/notify/message.ts';
import { openStore } from '../../src/store/store.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  must,
  mustRefuse,
  openWorld,
  type Published,
  publishedAsset,
  publishOk,
  type World,
} from '../support/client/client-world.ts';
import { readMetrics } from '../support/metrics.ts';
import {
  answerWith,
  type Behaviour,
  openReceiver,
  type Received,
  type Receiver,
} from './receiver.ts';

let registry: TestRegistry;
let world: World;
let receiver: Receiver;
let webhookId: string;

const waiting = { timeout: 20_000 };
const settings = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  WEBHOOK_RETRY_SECONDS: '0.02',
  WEBHOOK_TIMEOUT_SECONDS: '0.5',
};

beforeAll(async () => {
  registry = await openRegistry(settings);
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(() => registry.stop());

/** One webhook per test. */
beforeEach(async () => {
  receiver = await openReceiver();
  const made = await world.admin.createWebhook({ body: { url: receiver.url } });
  webhookId = must(made, 201).id;
  return async () => {
    must(await world.admin.deleteWebhook({ params: { webhook_id: webhookId } }), 204);
    await receiver.stop();
  };
});

/** Each version deprecates the previous one, which causes a notification. */
async function deprecate(asset: Published, times: number, from = 0): Promise<void> {
  for (let i = from; i < from + times; i++) {
    const properties = Object.fromEntries(
      Array.from({ length: i + 1 }, (_, n) => [`more_${n}`, { type: 'string' }]),
    );
    const schema = {
      type: 'object',
      properties: { id: { type: 'integer' }, total: { type: 'number' }, ...properties },
      required: ['id'],
    };
    await publishOk(world.producer.client, asset.assetId, { schema });
  }
}

async function deliveries() {
  const call = { params: { webhook_id: webhookId }, query: { page_size: 100 } };
  const { results } = must(await world.admin.listDeliveries(call), 200);
  return results.toSorted((a, b) => a.sequence - b.sequence);
}

async function states() {
  return (await deliveries()).map(({ state }) => state);
}

/** For each asset the versions of the accepted deliveries, in order of arrival. */
function versionsTaken(assetId: string): unknown[] {
  return receiver
    .taken()
    .filter(({ asset }) => asset.id === assetId)
    .map(({ event }) => event.metadata.version);
}

test('A failed delivery is retried; later ones of its asset wait, those of other assets do not', async () => {
  const [stuck, free] = [
    await publishedAsset(world.producer),
    await publishedAsset(world.producer),
  ];
  let isFailing = true;
  receiver.behave((response, received) => {
    const isStuck = isFailing && received.body.asset.id === stuck.assetId;
    answerWith(isStuck ? 503 : 200)(response, received);
  });
  await deprecate(stuck, 3);
  await deprecate(free, 3);
  await expect
    .poll(() => versionsTaken(free.assetId), waiting)
    .toEqual(['1.0.0', '1.1.0', '1.2.0']);
  const tried = () => receiver.received.filter(({ body }) => body.asset.id === stuck.assetId);
  await expect.poll(() => tried().length, waiting).toBeGreaterThan(2);
  expect(new Set(tried().map(({ body }) => body.event.metadata.version))).toEqual(
    new Set(['1.0.0']),
  );
  expect(new Set(tried().map(({ body }) => body.id)).size).toBe(1);
  const [first, second] = await deliveries();
  expect(first).toMatchObject({
    state: 'pending',
    last_status: 503,
    last_error: 'The receiver answered 503.',
    finished_at: null,
  });
  expect(first?.attempts).toBeGreaterThan(1);
  expect(second).toMatchObject({ state: 'pending', attempts: 0, last_attempt_at: null });
  isFailing = false;
  await expect
    .poll(() => versionsTaken(stuck.assetId), waiting)
    .toEqual(['1.0.0', '1.1.0', '1.2.0']);
  expect(receiver.taken().some(({ gap }) => gap)).toBe(false);
  await expect.poll(async () => new Set(await states()), waiting).toEqual(new Set(['delivered']));
});

interface Trouble {
  readonly what: string;
  readonly behaviour: Behaviour | 'gone';
  readonly status: number | null;
  readonly error: string;
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

const troubles: readonly Trouble[] = [
  { what: 'never answers', behaviour: () => {}, status: null, error: 'No answer within 500 ms.' },
  {
    what: 'answers 200 and then nothing',
    behaviour: (response) => void response.writeHead(200).write('x'),
    status: null,
    error: 'No answer within 500 ms.',
  },
  {
    what: 'says 200 and breaks off',
    behaviour: (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      response.socket?.destroySoon();
    },
    status: null,
    error: 'aborted',
  },
  {
    what: 'hangs up',
    behaviour: (response) => void response.socket?.destroy(),
    status: null,
    error: 'socket hang up',
  },
  {
    what: 'answers what is no HTTP',
    behaviour: (response) => void response.socket?.end('what is it?\r\n\r\n'),
    status: null,
    error: 'Parse Error',
  },
  {
    what: 'promises to go on for ever',
    behaviour: (response) => response.writeProcessing(),
    status: null,
    error: 'No answer within 500 ms.',
  },
  {
    what: 'changes to a protocol that nobody asked for',
    behaviour: (response) => void response.socket?.write(switching),
    status: 101,
    error: 'The receiver answered 101.',
  },
  {
    what: 'changes to another protocol and hangs up',
    behaviour: (response) => void response.socket?.end(switching),
    status: 101,
    error: 'The receiver answered 101.',
  },
  {
    what: 'is gone',
    behaviour: 'gone',
    status: null,
    error: 'Nothing listens at this address: connect ECONNREFUSED',
  },
  {
    what: 'answers 500',
    behaviour: answerWith(500),
    status: 500,
    error: 'The receiver answered 500.',
  },
  {
    what: 'says that it is gone for good',
    behaviour: answerWith(410),
    status: 410,
    error: 'The receiver answered 410.',
  },
];

test.each(troubles)(
  'A receiver that $what gets it once it has recovered',
  async ({ behaviour, status, error }) => {
    const asset = await publishedAsset(world.producer);
    if (behaviour === 'gone') await receiver.goAway();
    else receiver.behave(behaviour);
    await deprecate(asset, 2);
    const first = async () => (await deliveries())[0];
    await expect.poll(async () => (await first())?.last_error, waiting).toContain(error);
    expect((await first())?.last_status).toBe(status);
    if (behaviour === 'gone') await receiver.comeBack();
    receiver.behave(answerWith(200));
    await expect.poll(() => versionsTaken(asset.assetId), waiting).toEqual(['1.0.0', '1.1.0']);
  },
);

test('A slow receiver that answers in time gets each delivery once and in order', async () => {
  const asset = await publishedAsset(world.producer);
  receiver.behave((response, received) => {
    // Takes half of the allowed time.
    setTimeout(() => answerWith(200)(response, received), 250);
  });
  await deprecate(asset, 3);
  await expect
    .poll(() => versionsTaken(asset.assetId), waiting)
    .toEqual(['1.0.0', '1.1.0', '1.2.0']);
  await expect.poll(async () => new Set(await states()), waiting).toEqual(new Set(['delivered']));
});

test('A receiver that accepts a delivery but reports a failure gets it again, with the same id', async () => {
  const asset = await publishedAsset(world.producer);
  receiver.behave((response, received) => {
    answerWith(receiver.received.length < 3 ? 500 : 200)(response, received);
  });
  await deprecate(asset, 1);
  await expect.poll(states, waiting).toEqual(['delivered']);
  expect(receiver.received.length).toBeGreaterThan(2);
  expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(1);
});

test('The signature check in the guide works, also for deliveries that waited while the secret was changed', async () => {
  const isFromTheRegistry = await checkOfTheGuide();
  const asset = await publishedAsset(world.producer);
  const [older, newer] = ['the-secret-of-before-it', 'the-secret-of-after-it'];
  const params = { webhook_id: webhookId };
  must(await world.admin.updateWebhook({ params, body: { secret: older } }), 200);
  receiver.behave(answerWith(500));
  await deprecate(asset, 1);
  const isSigned = (by: string) => (received: Received) =>
    isFromTheRegistry(by, String(received.headers['concordat-signature']), received.text);
  await expect.poll(() => receiver.received.length, waiting).toBeGreaterThan(1);
  must(await world.admin.updateWebhook({ params, body: { secret: newer } }), 200);
  await expect.poll(() => receiver.received.some(isSigned(newer)), waiting).toBe(true);
  receiver.behave(answerWith(200));
  await expect.poll(states, waiting).toEqual(['delivered']);

  const [first, last] = [receiver.received[0], receiver.received.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing came');
  expect([isSigned(older)(first), isSigned(newer)(first)]).toEqual([true, false]);
  expect([isSigned(older)(last), isSigned(newer)(last)]).toEqual([false, true]);
  expect(isSigned(newer)({ ...last, text: `${last.text} ` })).toBe(false);
  const long = Math.floor(Date.now() / 1000) - 3600;
  const mac = signatureOf(newer, last.text, long);
  expect(isFromTheRegistry(newer, mac, last.text)).toBe(false);
  expect(isFromTheRegistry(newer, 'undefined', last.text)).toBe(false);
});

type Check = (secret: string, signature: string, body: string) => boolean;

/** The lines of docs/guide/how-to-consume.md, as a receiver would use them. */
async function checkOfTheGuide(): Promise<Check> {
  const page = join(import.meta.dirname, '../../docs/guide/how-to-consume.md');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(page, 'utf8')) ?? [];
  const { isFromTheRegistry } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return isFromTheRegistry;
}

test('A redirect is not followed', async () => {
  const asset = await publishedAsset(world.producer);
  const inside = await openReceiver();
  receiver.behave(answerWith(307, { location: inside.url }));
  await deprecate(asset, 1);
  await expect
    .poll(async () => (await deliveries())[0]?.last_error, waiting)
    .toBe('The receiver answered 307. Redirects are not followed.');
  expect(inside.received).toEqual([]);
  await inside.stop();
});

test('An endless response is cut off, and its status counts', async () => {
  const asset = await publishedAsset(world.producer);
  let sent = 0;
  const cut = new Promise<void>((done) => {
    receiver.behave((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      response.on('close', () => done());
      more();
    });
  });
  await deprecate(asset, 1);
  await cut;
  await expect.poll(states, waiting).toEqual(['delivered']);
  // Not more than the socket buffers of both sides hold.
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

test('A metric shows how long a receiver has failed, until it accepts what waited', async () => {
  const asset = await publishedAsset(world.producer);
  const failing = async () =>
    (await readMetrics(registry.url)).value('concordat_delivery_failing_seconds');
  expect(await failing()).toBe(0);
  receiver.behave(answerWith(503));
  await deprecate(asset, 2);
  await expect.poll(async () => (await deliveries())[0]?.attempts, waiting).toBeGreaterThan(1);
  await registry.database.query("update delivery set queued_at = queued_at - interval '1 hour'");
  await expect.poll(failing, waiting).toBeGreaterThan(3600);
  receiver.behave(answerWith(200));
  await expect.poll(states, waiting).toEqual(['delivered', 'delivered']);
  await expect.poll(failing, waiting).toBe(0);
});

test('A delivery that fails for too long is parked; later ones continue with a gap, and it can be replayed', async () => {
  const asset = await publishedAsset(world.producer);
  receiver.behave((response, received) => {
    const isFirst = received.body.event.metadata.version === '1.0.0';
    answerWith(isFirst ? 500 : 200)(response, received);
  });
  await deprecate(asset, 3);
  await expect.poll(async () => (await deliveries())[0]?.attempts, waiting).toBeGreaterThan(4);
  const health = async (failing: boolean) => {
    const listed = must(await world.admin.listWebhooks({ query: { failing } }), 200).results;
    return listed.find(({ id }) => id === webhookId)?.health;
  };
  expect(await health(true)).toEqual({
    pending: 3,
    parked: 0,
    failing_since: (await deliveries())[0]?.created_at,
    last_error: expect.stringContaining('500'),
  });
  expect(await health(false)).toBeUndefined();
  await registry.database.query("update delivery set queued_at = queued_at - interval '1 day'");
  await expect.poll(states, waiting).toEqual(['parked', 'delivered', 'delivered']);
  expect(receiver.taken().map(({ event, gap }) => [event.metadata.version, gap])).toEqual([
    ['1.1.0', true],
    ['1.2.0', false],
  ]);
  const parkedOnly = { params: { webhook_id: webhookId }, query: { state: 'parked' as const } };
  const { results } = must(await world.admin.listDeliveries(parkedOnly), 200);
  const [parked, ...none] = results;
  expect(none).toEqual([]);
  expect(parked).toMatchObject({ state: 'parked', last_status: 500, next_attempt_at: null });
  expect(parked?.finished_at).not.toBeNull();
  const over = { pending: 0, parked: 1, failing_since: null, last_error: null };
  expect(await health(true)).toEqual(over);

  receiver.behave(answerWith(200));
  const params = { webhook_id: webhookId, delivery_id: parked?.id ?? '' };
  const replayed = must(await world.admin.replayDelivery({ params }), 200);
  expect(replayed).toMatchObject({ id: parked?.id, state: 'pending', attempts: 0 });
  await expect.poll(states, waiting).toEqual(['delivered', 'delivered', 'delivered']);
  const last = receiver.taken().at(-1);
  expect(last).toMatchObject({ id: parked?.id, replay: true });
  expect(await health(false)).toEqual({ ...over, parked: 0 });
  const missing = { ...params, delivery_id: webhookId };
  mustRefuse(await world.admin.replayDelivery({ params: missing }), 404, 'DELIVERY_NOT_FOUND');
});

test('All parked deliveries can be replayed at once, in order', async () => {
  const asset = await publishedAsset(world.producer);
  await deprecate(asset, 3);
  await expect.poll(() => versionsTaken(asset.assetId), waiting).toHaveLength(3);
  await expect.poll(async () => new Set(await states()), waiting).toEqual(new Set(['delivered']));
  const before = receiver.received.length;
  await registry.database.query("update delivery set state = 'parked' where webhook_id = $1", [
    webhookId,
  ]);
  must(await world.admin.replayParked({ params: { webhook_id: webhookId } }), 200);
  await expect.poll(() => receiver.received.length, waiting).toBe(before + 3);
  const again = receiver.received.slice(before).map(({ body }) => body.event.metadata.version);
  expect(again).toEqual(['1.0.0', '1.1.0', '1.2.0']);
});

test('An unresponsive receiver does not delay the others', async () => {
  const hanging = await openReceiver();
  hanging.behave(() => {});
  const made = must(await world.admin.createWebhook({ body: { url: hanging.url } }), 201);
  const assets = await Promise.all(
    Array.from({ length: 12 }, () => publishedAsset(world.producer)),
  );
  await Promise.all(assets.map((asset) => deprecate(asset, 1)));
  await expect.poll(() => receiver.taken().length, waiting).toBe(12);
  expect(hanging.taken()).toEqual([]);
  must(await world.admin.deleteWebhook({ params: { webhook_id: made.id } }), 204);
  await hanging.stop();
});

test('Old deliveries are deleted, parked ones later', async () => {
  const asset = await publishedAsset(world.producer);
  await deprecate(asset, 3);
  await expect
    .poll(
      async () => [await registry.database.query('select from outbox'), ...new Set(await states())],
      waiting,
    )
    .toEqual([[], 'delivered']);
  await registry.database.query(
    `update delivery set
       state = case when sequence % 2 = 0 then 'delivered' else 'parked' end,
       finished_at = now() - interval '8 days'
     where webhook_id = $1`,
    [webhookId],
  );
  const parked = (await states()).filter((state) => state === 'parked');
  const store = await openStore({ url: registry.database.url });
  await store.outbox.prune();
  expect(await states()).toEqual(parked);
  await registry.database.query(
    "update delivery set finished_at = now() - interval '31 days' where webhook_id = $1",
    [webhookId],
  );
  await store.outbox.prune();
  await store.stop();
  expect(await states()).toEqual([]);
  expect(await registry.database.query('select from delivery_lane')).toEqual([]);
});
