// Postgres becomes unavailable and comes back: 503 meanwhile, and nothing has to be restarted.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import { type Gate, openGate } from '../../support/client/client-gate.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  mustRefuse,
  openWorld,
  orderSchema,
  publish,
  type World,
} from '../../support/client/client-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts';

let registry: TestRegistry;
let world: World;
let gate: Gate;

beforeAll(async () => {
  registry = await openRegistry({}, async (url) => {
    gate = await openGate(url);
    return gate.url;
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await gate.close();
});

test('While Postgres is unavailable every request is 503, the process lives, and it recovers by itself', async () => {
  const asset = await createAsset(world.producer);
  const params = { asset_id: asset.id };
  gate.shut();
  const { client } = world.producer;
  const read = await client.getAsset({ params });
  mustRefuse(read, 503, 'REGISTRY_UNAVAILABLE');
  expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0);
  const written = await client.publishContract({ params, body: { schema: orderSchema } });
  mustRefuse(written, 503, 'REGISTRY_UNAVAILABLE');
  mustRefuse(await world.admin.listEvents(), 503, 'REGISTRY_UNAVAILABLE');
  expect((await checkedFetch(`${registry.url}/health`)).status).toBe(200);
  const ready = await checkedFetch(`${registry.url}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: 'not_ready', checks: { database: 'failing' } },
  ]);

  gate.open();
  await expect
    .poll(async () => (await client.getAsset({ params })).status, { timeout: 10_000 })
    .toBe(200);
  expect((await publish(client, asset.id, { schema: orderSchema })).action).toBe('published');
  const healed = await checkedFetch(`${registry.url}/health/ready`);
  expect(healed.status).toBe(200);
});

test('While Postgres hangs the probe fails no later than requests do', async () => {
  let proxy: PostgresProxy | undefined;
  const own = await openRegistry({}, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  const { admin } = await openWorld(own.url, own.bootstrapKey);
  const probe = async () => (await checkedFetch(`${own.url}/health/ready`)).status;
  expect(await probe()).toBe(200);
  proxy?.stall();
  await probe();
  mustRefuse(await admin.listEvents(), 503, 'REGISTRY_UNAVAILABLE');
  expect(await probe()).toBe(503);
  proxy?.heal();
  await expect.poll(probe).toBe(200);
  await own.stop();
  await proxy?.close();
});

test('A database migrated beyond what this version can serve makes the probe fail', async () => {
  const { database } = registry;
  const ask = async () => {
    const answer = await checkedFetch(`${registry.url}/health/ready`);
    return [answer.status, ((await answer.json()) as { checks: unknown }).checks];
  };
  const ready = [200, { database: 'ok', migrations: 'ok' }];
  const notReady = [503, { database: 'ok', migrations: 'failing' }];
  expect(await ask()).toEqual(ready);

  const later = (isBreaking: boolean) =>
    database.query(`insert into schema_migration (number, name, checksum, is_breaking)
      values (9000, '9000-of-a-later-release', 'of its text', ${isBreaking})
      on conflict (number) do update set is_breaking = excluded.is_breaking`);
  await later(false);
  expect(await ask()).toEqual(ready);
  await later(true);
  expect(await ask()).toEqual(notReady);
  await database.query('delete from schema_migration where number = 9000');
  expect(await ask()).toEqual(ready);

  // Simulates restoring an older backup under the running process.
  await database.query('update schema_migration set number = -number where number = 1');
  expect(await ask()).toEqual(notReady);
  await database.query('update schema_migration set number = -number where number = -1');
  expect(await ask()).toEqual(ready);
});

test("A crash is a 500 without stack or SQL, and is logged with the request's id", async () => {
  const asset = await createAsset(world.producer);
  await registry.database.query('alter table registration rename column notes to lost');
  const result = await world.admin.listRegistrations();
  await registry.database.query('alter table registration rename column lost to notes');
  const refusal = mustRefuse(result, 500, 'INTERNAL_ERROR');
  const requestId = result.headers.get('x-request-id') ?? '';
  expect(Object.keys(refusal).sort()).toEqual(['code', 'message']);
  expect(refusal.message).toContain(requestId);
  expect(JSON.stringify(refusal)).not.toMatch(/select|column|relation|\.ts|node_modules/i);
  const logged = registry.takeCrashes();
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain(requestId);
  const params = { asset_id: asset.id };
  expect((await world.producer.client.getAsset({ params })).status).toBe(200);
});

test('Interrupted connections cost at most the requests on them', async () => {
  const asset = await createAsset(world.producer);
  const params = { asset_id: asset.id };
  const running = Array.from({ length: 20 }, () => world.producer.client.getAsset({ params }));
  gate.cut();
  for (const result of await Promise.all(running)) expect([200, 503]).toContain(result.status);
  await expect
    .poll(async () => (await world.producer.client.getAsset({ params })).status)
    .toBe(200);
});
