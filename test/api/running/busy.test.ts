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
  uniqueName,
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
  const { client } = world.producer;
  return {
    /** A read in one statement, one with lists among its values, and one of several statements. */
    reads: () => [
      client.getAsset({ params }),
      client.listAssets({ query: { tag: 'a' } }),
      client.getAssetContext({ params }),
    ],
    /** Writes wait for the lock, each with a connection. */
    blockEveryConnection: async () => {
      const writes = Array.from({ length: 3 }, () =>
        client.createAsset({
          body: {
            fqn: `shop.${uniqueName('locked').replace(' ', '_')}`,
            owner_team_id: world.producer.teamId,
          },
        }),
      );
      await expect
        .poll(async () => (await registry.database.query(waiting))[0]?.count, { timeout: 60_000 })
        .toBe(3);
      return writes;
    },
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

const refusalOf = (answer: Parameters<typeof mustRefuse>[0] & { readonly headers: Headers }) => {
  const { message } = mustRefuse(answer, 503, 'REGISTRY_UNAVAILABLE');
  return [message, answer.headers.get('retry-after')];
};

test('a lock that blocks every connection of the pool leaves the replica ready, and Postgres up', async () => {
  const lock = await lockAssets();
  const writes = await lock.blockEveryConnection();
  // The lock is held until both have answered, so neither waits for it.
  expect(await readiness()).toEqual(ready);
  expect((await readMetrics(registry.url)).value('concordat_database_up')).toBe(1);
  await lock.release();
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([201, 201, 201]);
});

test('while every connection is in use, reads and writes are refused as busy, and counted; writes with a connection are served once the lock is released', async () => {
  const lock = await lockAssets();
  const refusals = async () =>
    (await readMetrics(registry.url)).value('concordat_database_busy_total');
  const before = await refusals();
  const served = await lock.blockEveryConnection();
  // The lock is held until both have answered, so neither waits for it.
  const read = await world.producer.client.listTeams();
  const write = await world.admin.createTeam({ body: { name: 'During the lock' } });
  for (const answer of [read, write]) {
    expect(refusalOf(answer)).toEqual([
      'The registry is busy: all its connections to the database are in use. Try again in a few seconds. If this lasts, tell the operators of the registry.',
      '2',
    ]);
  }
  expect((await refusals()) - before).toBeGreaterThanOrEqual(2);
  await lock.release();
  expect((await Promise.all(served)).map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await world.producer.client.listTeams()).status).toBe(200);
});

test('a read that has a connection does not wait for a lock until its statement is cancelled: it is refused as busy', async () => {
  const lock = await lockAssets();
  // The lock is held until all have answered.
  for (const answer of await Promise.all(lock.reads())) {
    expect(refusalOf(answer)).toEqual([
      'The registry is busy: another session of its database holds a lock. Try again in a few seconds. If this lasts, tell the operators of the registry.',
      '2',
    ]);
  }
  await lock.release();
  for (const answer of await Promise.all(lock.reads())) expect(answer.status).toBe(200);
});

test('while Postgres does not respond, the probe returns the last known state', async () => {
  expect(await readiness()).toEqual(ready);
  gate.stall();
  // Postgres does not respond until the gate opens again, so this response does not wait for it.
  expect(await readiness()).toEqual(ready);
  gate.open();
  await expect.poll(readiness, { timeout: 60_000 }).toEqual(ready);
});
