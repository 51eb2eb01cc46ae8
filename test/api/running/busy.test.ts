// Busy is not unavailable: while a lock blocks every connection of the pool, the probe and the
// metrics report Postgres as available, without waiting for the lock, and other requests are told
// that the registry is busy.

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import { type Gate, openGate } from '../../support/client/client-gate.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  mustRefuse,
  openWorld,
  publishedAsset,
  type World,
} from '../../support/client/client-world.ts';
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

/** Another session locks every asset, as a forgotten terminal may. */
async function lockAssets() {
  const { assetId } = await publishedAsset(world.producer);
  const locker = new pg.Client(registry.database.url);
  await locker.connect();
  await locker.query('begin; lock table asset in access exclusive mode');
  const params = { asset_id: assetId };
  const waiting =
    "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'";
  return {
    readAssets: (count: number) =>
      Array.from({ length: count }, () => world.producer.client.getAsset({ params })),
    blocksEveryConnection: () =>
      expect
        .poll(async () => (await registry.database.query(waiting))[0]?.count, { timeout: 60_000 })
        .toBeGreaterThanOrEqual(3),
    release: async () => {
      await locker.query('commit');
      await locker.end();
    },
  };
}

const ready = {
  status: 200,
  body: { status: 'ready', checks: { database: 'ok', migrations: 'ok' } },
};

test('a lock that blocks every connection of the pool leaves the replica ready, and Postgres up', async () => {
  const lock = await lockAssets();
  const reads = lock.readAssets(12);
  await lock.blocksEveryConnection();
  // The lock is held until both have answered, so neither waits for it.
  expect(await readiness()).toEqual(ready);
  expect((await readMetrics(registry.url)).value('concordat_database_up')).toBe(1);
  await lock.release();
  const statuses = (await Promise.all(reads)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
});

test('while every connection is in use, reads and writes are refused as busy, and counted; those with a connection are served once the lock is released', async () => {
  const lock = await lockAssets();
  const refusals = async () =>
    (await readMetrics(registry.url)).value('concordat_database_busy_total');
  const before = await refusals();
  const served = lock.readAssets(3);
  await lock.blocksEveryConnection();
  // The lock is held until both have answered, so neither waits for it.
  const read = await world.producer.client.listTeams();
  const write = await world.admin.createTeam({ body: { name: 'During the lock' } });
  for (const answer of [read, write]) {
    const { code, message } = mustRefuse(answer, 503, 'REGISTRY_UNAVAILABLE');
    expect([code, message, answer.headers.get('retry-after')]).toEqual([
      'REGISTRY_UNAVAILABLE',
      'The registry is busy: all its connections to the database are in use. Try again in a few seconds. If this lasts, tell the operators of the registry.',
      '2',
    ]);
  }
  expect((await refusals()) - before).toBeGreaterThanOrEqual(2);
  await lock.release();
  expect((await Promise.all(served)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await world.producer.client.listTeams()).status).toBe(200);
});

test('while Postgres does not respond, the probe returns the last known state', async () => {
  expect(await readiness()).toEqual(ready);
  gate.stall();
  // Postgres does not respond until the gate opens again, so this response does not wait for it.
  expect(await readiness()).toEqual(ready);
  gate.open();
  await expect.poll(readiness, { timeout: 60_000 }).toEqual(ready);
});
