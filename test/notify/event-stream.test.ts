// Following events: each once, in the order of its asset, from any process.

import { request } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { openProcess, openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  createUser,
  issueKey,
  must,
  mustRefuse,
  openWorld,
  publishedAsset,
  publishOk,
  signIn,
  type World,
  widerSchema,
} from '../support/client/client-world.ts';

let registry: TestRegistry;
let world: World;
let readKey: string;

const waiting = { timeout: 20_000 };

beforeAll(async () => {
  registry = await openRegistry({
    EVENT_STREAMS_PER_KEY: '3',
    EVENT_STREAM_HEARTBEAT_SECONDS: '1',
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
  readKey = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
});
afterAll(() => registry.stop());

interface Told {
  readonly id: string;
  readonly event_type: string;
  readonly asset_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Reader {
  readonly status: number;
  readonly contentType: string;
  readonly told: readonly { readonly place: string; readonly event: Told }[];
  readonly resets: () => number;
  /** Also positions without an event. */
  readonly lastPlace: () => string | null;
  readonly hasEnded: () => boolean;
  readonly close: () => void;
  /** Stops reading without closing the connection. */
  readonly pause: () => void;
}

interface Asking {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** A reader of server-sent events that follows the standard strictly. */
function openReader({ url = registry.url, headers, query = '' }: Asking = {}): Promise<Reader> {
  const told: { place: string; event: Told }[] = [];
  let resets = 0;
  let lastPlace: string | null = null;
  let hasEnded = false;
  let rest = '';
  const read = (block: string) => {
    const fields = block.split('\n').map((line) => line.split(/: ?(.*)/s, 2));
    const fieldOf = (name: string) => fields.find(([field]) => field === name)?.[1];
    lastPlace = fieldOf('id') ?? lastPlace;
    const data = fieldOf('data');
    if (data === undefined) return;
    if (fieldOf('event') === 'reset') resets++;
    else told.push({ place: lastPlace ?? '', event: JSON.parse(data) });
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/api/v1/events/stream${query}`,
      { headers: headers ?? { authorization: `Bearer ${readKey}` } },
      (response) => {
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const blocks = (rest + chunk).split('\n\n');
          rest = blocks.pop() ?? '';
          blocks.forEach(read);
        });
        response.on('close', () => {
          hasEnded = true;
        });
        response.on('error', () => {});
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          told,
          resets: () => resets,
          lastPlace: () => lastPlace,
          hasEnded: () => hasEnded,
          close: () => void asked.destroy(),
          pause: () => void response.pause(),
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

/** The events of the assets in the trail, by id. */
async function trailOf(assetIds: readonly string[]): Promise<string[]> {
  const rows = await registry.database.query(
    'select id from audit_event where asset_id = any($1)',
    [assetIds],
  );
  return rows.map(({ id }) => String(id));
}

async function publishMany(url: string, assetId: string, count: number): Promise<void> {
  const client = openClient(url, world.producer.key);
  for (let i = 0; i < count; i++) {
    const more = Object.fromEntries(
      Array.from({ length: i + 1 }, (_, n) => [`more_${n}`, { type: 'string' }]),
    );
    const own = { id: { type: 'integer' }, total: { type: 'number' } };
    const schema = { type: 'object', properties: { ...own, ...more }, required: ['id'] };
    await publishOk(client, assetId, { schema });
  }
}

function versionsOf(told: Reader['told'], assetId: string): unknown[] {
  return told
    .filter(({ event }) => event.asset_id === assetId && event.event_type === 'contract.published')
    .map(({ event }) => event.metadata.version);
}

test('Events arrive as the list has them, limited to what the reader may see and the filters select', async () => {
  const reader = await openReader();
  const typed = await openReader({ query: '?event_type=contract.published' });
  expect([reader.status, reader.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await expect.poll(() => reader.lastPlace() !== null && typed.lastPlace(), waiting).toBeTruthy();
  const asset = await publishedAsset(world.producer);
  await expect.poll(() => reader.told.length, waiting).toBe(2);
  await expect.poll(() => typed.told.length, waiting).toBe(1);
  expect(reader.told.map(({ event }) => event.event_type)).toEqual([
    'asset.created',
    'contract.published',
  ]);
  const [, second] = reader.told;
  const params = { event_id: second?.event.id ?? '' };
  const { request_id, ...listed } = must(await world.admin.getEvent({ params }), 200);
  expect(second?.event).toEqual({ ...listed, asset_id: asset.assetId });
  expect(typed.told[0]?.event).toEqual(second?.event);
  const own = await openReader({ query: `?asset_id=${asset.assetId}` });
  await expect.poll(() => own.lastPlace(), waiting).not.toBeNull();
  await createAsset(world.producer);
  await publishOk(world.producer.client, asset.assetId, { schema: widerSchema });
  await expect.poll(() => own.told.length, waiting).toBe(2);
  expect(own.told.every(({ event }) => event.asset_id === asset.assetId)).toBe(true);
  for (const each of [reader, typed, own]) each.close();
});

test('While two processes publish, every event arrives once and in order, also after reconnects', async () => {
  const second = await openProcess(registry.database.serviceUrl);
  const urls = [registry.url, second.url];
  const assets = await Promise.all(Array.from({ length: 4 }, () => createAsset(world.producer)));
  const ids = assets.map(({ id }) => id);
  const steady = await openReader();
  await expect.poll(() => steady.lastPlace(), waiting).not.toBeNull();
  const from = steady.lastPlace() ?? '';
  let isWriting = true;
  const writing = Promise.all(ids.map((id, i) => publishMany(urls[i % 2] ?? '', id, 15))).finally(
    () => {
      isWriting = false;
    },
  );
  // Reconnects to the other process each time, at its last position.
  const returning: Reader['told'][number][] = [];
  let place = from;
  for (let i = 0; ; i++) {
    const wasWriting = isWriting;
    const headers = { authorization: `Bearer ${readKey}`, 'last-event-id': place };
    const url = urls[i % 2] ?? '';
    const short = await openReader({ url, headers, query: '?follow=false' });
    await expect.poll(short.hasEnded, waiting).toBe(true);
    // Discards half of the events, as if the connection had broken; the next one sends them again.
    const kept = short.told.slice(0, i % 3 === 0 ? Math.ceil(short.told.length / 2) : undefined);
    returning.push(...kept);
    place =
      kept.length < short.told.length
        ? (kept.at(-1)?.place ?? place)
        : (short.lastPlace() ?? place);
    if (!wasWriting && short.told.length === 0) break;
  }
  await writing;
  const created = new Set(
    (
      await registry.database.query("select id from audit_event where event_type = 'asset.created'")
    ).map(({ id }) => String(id)),
  );
  const trail = (await trailOf(ids)).filter((id) => !created.has(id)).sort();
  const ownOf = (told: Reader['told']) =>
    told.filter(({ event }) => ids.includes(event.asset_id ?? '')).map(({ event }) => event.id);
  await expect.poll(() => ownOf(steady.told).length, waiting).toBe(trail.length);
  expect(ownOf(steady.told).sort()).toEqual(trail);
  expect(ownOf(returning).sort()).toEqual(trail);
  const versions = Array.from({ length: 15 }, (_, i) => `1.${i}.0`).map((version, i) =>
    i === 0 ? '1.0.0' : version,
  );
  for (const id of ids) {
    expect(versionsOf(steady.told, id)).toEqual(versions);
    expect(versionsOf(returning, id)).toEqual(versions);
  }
  steady.close();
  await second.stop();
});

test('A late commit arrives late, and is not skipped', async () => {
  const reader = await openReader();
  await expect.poll(() => reader.lastPlace(), waiting).not.toBeNull();
  const [late, early] = [await createAsset(world.producer), await createAsset(world.producer)];
  await expect.poll(() => reader.told.length, waiting).toBe(2);
  const client = new pg.Client(registry.database.url);
  await client.connect();
  await client.query('begin');
  await client.query(
    `insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
       occurred_at, metadata)
     values (uuid_floor(now()), 'asset.updated', 'asset', $1, 'system', gen_random_uuid(), now(), '{}')`,
    [late.id],
  );
  await publishOk(world.producer.client, early.id, { schema: widerSchema });
  await expect.poll(() => reader.told.length, waiting).toBe(3);
  const between = reader.told.at(-1)?.place ?? '';
  await client.query('commit');
  await client.end();
  await expect.poll(() => reader.told.length, waiting).toBe(4);
  expect(reader.told.at(-1)?.event).toMatchObject({
    event_type: 'asset.updated',
    asset_id: late.id,
  });
  const headers = { authorization: `Bearer ${readKey}`, 'last-event-id': between };
  const again = await openReader({ headers, query: '?follow=false' });
  await expect.poll(again.hasEnded, waiting).toBe(true);
  expect(again.told.map(({ event }) => event.id)).toEqual([reader.told.at(-1)?.event.id]);
  reader.close();
});

test('Streams end when their key is revoked or their session is signed out', async () => {
  const issued = await world.admin.issueApiKey({
    body: { name: 'follower', team_id: world.other.teamId, scopes: ['read'] },
  });
  const { id, key } = must(issued, 201);
  const byKey = await openReader({ headers: { authorization: `Bearer ${key}` } });
  const user = await createUser(world.admin, { role: 'viewer' });
  const session = await signIn(world.admin.as(undefined), user.email);
  const byCookie = await openReader({ headers: { cookie: session.cookie } });
  const other = await openReader();
  expect([byKey.status, byCookie.status, other.status]).toEqual([200, 200, 200]);
  must(await world.admin.revokeApiKey({ params: { api_key_id: id } }), 204);
  await expect.poll(byKey.hasEnded, waiting).toBe(true);
  expect(byCookie.hasEnded()).toBe(false);
  must(await world.admin.signedIn(session).logOut(), 204);
  await expect.poll(byCookie.hasEnded, waiting).toBe(true);
  expect(other.hasEnded()).toBe(false);
  const again = await openReader({ headers: { authorization: `Bearer ${key}` } });
  expect(again.status).toBe(401);
  other.close();
});

test('The number of streams per key is limited, and closing one makes room', async () => {
  const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
  const headers = { authorization: `Bearer ${key}` };
  const open = await Promise.all([1, 2, 3].map(() => openReader({ headers })));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = await world.admin.as(key).streamEvents({ query: { follow: false } });
  mustRefuse(refused, 429, 'RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  open[0]?.close();
  const isLetIn = async () => {
    const { status } = await world.admin.as(key).streamEvents({ query: { follow: false } });
    return status;
  };
  await expect.poll(isLetIn, waiting).toBe(200);
  for (const each of open) each.close();
});

test('A position that the stream never sent is refused; one of another database starts again', async () => {
  for (const place of [
    'x',
    '1:2',
    '5:4:',
    '1:9:3,2',
    '1:5:7',
    '1:2:/3:4:',
    '1:2:/3:4:/x',
    '0:1:',
  ]) {
    const query = { last_event_id: place, follow: false };
    const refusal = mustRefuse(await world.admin.streamEvents({ query }), 400, 'VALIDATION_ERROR');
    expect(refusal.field).toBe('last_event_id');
  }
  const elsewhere = { last_event_id: '900000000000:900000000000:', follow: false };
  const body = must(await world.admin.streamEvents({ query: elsewhere }), 200);
  expect(body).toContain('event: reset');
});

test('Readers that do not read are disconnected, and the others receive everything', async () => {
  const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
  const headers = { authorization: `Bearer ${key}` };
  const slow = await Promise.all([1, 2, 3].map(() => openReader({ headers })));
  const quick = await openReader();
  await expect.poll(() => quick.lastPlace(), waiting).not.toBeNull();
  for (const each of slow) each.pause();
  const asset = await createAsset(world.producer);
  // 40 MB: more than the socket buffers of both sides and the megabyte of unread data.
  await registry.database.query(
    `insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
       occurred_at, metadata)
     select gen_random_uuid(), 'asset.updated', 'asset', $1, 'system', gen_random_uuid(), now(),
       json_build_object('filler', repeat('x', 100000))
     from generate_series(1, 400)`,
    [asset.id],
  );
  await expect.poll(() => quick.told.length, waiting).toBe(401);
  expect(new Set(quick.told.map(({ event }) => event.id)).size).toBe(401);
  // The disconnected readers do not notice, but the key can open streams again.
  const isLetIn = async () => {
    const { status } = await world.admin.as(key).streamEvents({ query: { follow: false } });
    return status;
  };
  await expect.poll(isLetIn, waiting).toBe(200);
  for (const each of [quick, ...slow]) each.close();
});

test('A process that stops ends its streams without waiting for them', async () => {
  const second = await openProcess(registry.database.serviceUrl, { SHUTDOWN_GRACE_SECONDS: '60' });
  const reader = await openReader({ url: second.url });
  expect(reader.status).toBe(200);
  await second.stop();
  await expect.poll(reader.hasEnded, waiting).toBe(true);
});
