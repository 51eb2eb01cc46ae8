// Busy is not unavailable: while a lock blocks every connection of the pool, the probe and the
// metrics report Postgres as available, without waiting for the lock.

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import { type Gate, openGate } from '../../support/client/client-gate.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { openWorld, publishedAsset, type World } from '../../support/client/client-world.ts';
import { readMetrics } from '../../support/metrics.ts';

let registry: TestRegistry;
let world: World;
let gate: Gate;

beforeAll(async () => {
  const settings = { DATABASE_POOL_SIZE: '3' };
  registry = await openRegistry(settings, async (url) => {
    gate = await openGate(url);
    return gate.url;
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await gate.close();
});

const readiness = async () => {
  const response = await checkedFetch(`${registry.url}/health/ready`);
  return { status: response.status, body: await response.json() };
};

const ready = {
  status: 200,
  body: { status: 'ready', checks: { database: 'ok', migrations: 'ok' } },
};

test('a lock that blocks every connection of the pool leaves the replica ready, and Postgres up', async () => {
  const { assetId } = await publishedAsset(world.producer);
  const locker = new pg.Client(registry.database.url);
  await locker.connect();
  await locker.query('begin; lock table asset in access exclusive mode');
  const params = { asset_id: assetId };
  const reads = Array.from({ length: 12 }, () => world.producer.client.getAsset({ params }));
  const waiting =
    "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'";
  await expect
    .poll(async () => (await registry.database.query(waiting))[0]?.count, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(3);
  // The lock is held until both have answered, so neither waits for it.
  expect(await readiness()).toEqual(ready);
  expect((await readMetrics(registry.url)).value('concordat_database_up')).toBe(1);
  await locker.query('commit');
  await locker.end();
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
});

test('while Postgres does not respond, the probe returns the last known state', async () => {
  expect(await readiness()).toEqual(ready);
  gate.stall();
  // Postgres does not respond until the gate opens again, so this response does not wait for it.
  expect(await readiness()).toEqual(ready);
  gate.open();
  await expect.poll(readiness, { timeout: 60_000 }).toEqual(ready);
});
