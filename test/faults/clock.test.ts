// System clocks that jump, forward and back, and differ between replicas: neither caches nor limits
// last longer, and no order depends on a clock.

import { hash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/value/json.ts';
import { openClient } from '../support/client/client.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  createUser,
  issueKey,
  must,
  mustRefuse,
  openWorld,
  orderSchema,
  publishOk,
  signIn,
  type World,
} from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { problemsOf } from './ledger.ts';
import { openChance, openStory, readEnd, runClients } from './recorded-clients.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';
const hourMs = 60 * 60 * 1000;

interface Turned extends ProcessRegistry {
  readonly turn: (byMs: number) => Promise<void>;
}

let folder: string;
let database: TestDatabase;
let one: Turned;
let two: Turned;
let world: World;

async function openTurned(name: string, settings: Record<string, string>): Promise<Turned> {
  const file = join(folder, name);
  await writeFile(file, '0');
  const preload = pathToFileURL(join(import.meta.dirname, '../support/turned-clock.ts')).href;
  const process = await openProcess(database.serviceUrl, {
    NODE_OPTIONS: `--import=${preload}`,
    CLOCK_FILE: file,
    AUDIT_KEY: 'an audit key of the tests, long enough for it',
    ...settings,
  });
  return { ...process, turn: (byMs) => writeFile(file, String(byMs)) };
}

beforeAll(async () => {
  folder = await openFolder('concordat-clock-');
  database = await openDatabase();
  one = await openTurned('one', {});
  two = await openTurned('two', { RATE_LIMIT_READ: '200' });
  world = await openWorld(one.url, bootstrapKey);
});
afterAll(async () => {
  for (const each of [one, two]) await each?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

test('Setting a clock back extends neither a revoked key nor a rate limit', async () => {
  const team_id = world.other.teamId;
  const often = openClient(two.url, await issueKey(world.admin, { team_id, scopes: ['read'] }));
  const revoked = await issueKey(world.admin, { team_id, scopes: ['read'] });
  const late = openClient(two.url, revoked);
  must(await late.listTeams(), 200);
  // Directly in the database, without a notification.
  await database.query('update api_key set revoked_at = now() where digest = $1', [
    hash('sha256', revoked, 'buffer'),
  ]);
  const tooOften = async () => (await often.listTeams()).status;
  await expect.poll(tooOften, { interval: 1, timeout: 30_000 }).toBe(429);
  await two.turn(-hourMs);
  const refused = await often.listTeams();
  mustRefuse(refused, 429, 'RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  await expect
    .poll(async () => (await late.listTeams()).status, { timeout: 20_000, interval: 500 })
    .toBe(401);
  await two.turn(0);
});

test('Sessions, Idempotency-Keys and the order of versions hold while clocks jump', async () => {
  const { producer, admin } = world;
  const { email } = await createUser(admin);
  const session = await signIn(openClient(one.url), email);
  const asset = await createAsset(producer);
  const send = (url: string, name: string, schema: object) =>
    openClient(url, producer.key).publishContract({
      params: { asset_id: asset.id },
      body: { schema: schema as never },
      headers: { 'Idempotency-Key': name },
    });
  const first = must(await send(one.url, 'first', orderSchema), 201);
  const versions: string[] = [];
  let properties: JsonObject = orderSchema.properties;
  for (const [byMs, name] of [
    [hourMs, 'ahead'],
    [-hourMs, 'behind'],
  ] as const) {
    await one.turn(byMs);
    await two.turn(-byMs);
    expect(await send(two.url, 'first', orderSchema)).toMatchObject({ body: first });
    properties = { ...properties, [name]: { type: 'string' } };
    const schema = { ...orderSchema, properties };
    versions.push(await publishOk(producer.client, asset.id, { schema }));
    for (const { url } of [one, two]) {
      must(await openClient(url).signedIn(session).getIdentity(), 200);
    }
  }
  await one.turn(0);
  await two.turn(0);
  const params = { asset_id: asset.id };
  const { results } = must(await producer.client.listAssetContracts({ params }), 200);
  const active = results.filter(({ status }) => status === 'active').map(({ id }) => id);
  expect(active).toEqual(versions.slice(-1));
  expect(results.map(({ version }) => version).sort()).toEqual(['1.0.0', '1.1.0', '1.2.0']);
});

test('No acknowledged write is lost while clocks jump, and no event looks forged', async () => {
  const chance = openChance(11);
  const story = await openStory(one.url, bootstrapKey, 3);
  const clients = runClients({
    replicas: [one, two].map(({ url }) => ({ url })),
    story,
    clients: 4,
    acts: 40,
    chance,
  });
  // A replica that is far ahead seals what others write later.
  for (const [at, oneMs, twoMs] of [
    [15, hourMs, 0],
    [30, 0, -hourMs / 2],
    [45, 5 * hourMs, 0],
    [75, 0, hourMs / 2],
    [90, 0, 0],
  ] as const) {
    await clients.reached(at);
    await one.turn(oneMs);
    await two.turn(twoMs);
  }
  await clients.done;
  const end = await readEnd(one.url, bootstrapKey, story);
  expect(end.contracts.length).toBeGreaterThan(5);
  expect(problemsOf(clients.entries, end)).toEqual([]);
  await expect
    .poll(async () => must(await world.admin.verifyAudit(), 200), { timeout: 60_000 })
    .toMatchObject({ intact: true, unsealed: { events: 0 } });
});
