// More imports than a registry has room for: what waits, what is refused, and that this ends.

import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { must, openWorld, type World } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';
import { readMetrics } from '../../support/metrics.ts';

const importLimitBytes = 200_000;
let registry: TestRegistry;
let world: World;
let lock: pg.Client;

beforeAll(async () => {
  registry = await openRegistry({
    IMPORT_LIMIT_BYTES: String(importLimitBytes),
    IMPORT_WORKERS: '1',
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
  lock = new pg.Client(registry.database.url);
  await lock.connect();
});
afterAll(async () => {
  await lock.end();
  await registry.stop();
});

const patience = { timeout: 120_000, interval: 20 };

/** Locks the last table that an import writes, so imports wait there until it is released. */
async function holdImports(): Promise<void> {
  await lock.query('begin');
  await lock.query('lock table outbox in access exclusive mode');
}

function bodyOf(name: string, padding = '') {
  const manifest = { ...Object(manifestOf('shop', [{ name }])), padding };
  return { manifest, owner_team_id: world.producer.teamId, auto_publish_contracts: true };
}

function send(body: object, key = world.producer.key): Promise<Response> {
  return fetch(`${registry.url}/api/v1/sync/dbt/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
}

/** Waits until one import runs and this many wait for it. */
async function seeWaiting(count: number): Promise<void> {
  await vi.waitFor(async () => {
    const { value } = await readMetrics(registry.url);
    expect([
      value('concordat_threads{pool="import",state="busy"}'),
      value('concordat_thread_queue_depth{pool="import"}'),
    ]).toEqual([1, count]);
  }, patience);
}

test('files that exceed the available memory are 429 with a time to retry', async () => {
  await holdImports();
  const padding = 'x'.repeat(importLimitBytes - 5_000);
  const { key } = world.other;
  const held = [send(bodyOf('a', padding)), send(bodyOf('b', padding), key)];
  await seeWaiting(1);
  const refused = await send(bodyOf('e', padding), world.consumer.key);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({
    detail: {
      code: 'RATE_LIMITED',
      message:
        'The files of the running imports use the memory limit of 400000 bytes. Nothing was imported. Try again in 1 seconds.',
    },
  });
  // Others are not affected.
  must(await world.producer.client.listAssets({ query: {} }), 200);
  await lock.query('rollback');
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 403]);
  expect((await send(bodyOf('e', padding))).status).toBe(200);
});

test('one key may use as much as the largest file, and leaves the rest to others: 429', async () => {
  await holdImports();
  const padding = 'x'.repeat(importLimitBytes - 5_000);
  const held = send(bodyOf('i', padding));
  await seeWaiting(0);
  const refused = await send(bodyOf('j', padding));
  expect(refused.status).toBe(429);
  expect(await refused.json()).toEqual({
    detail: {
      code: 'RATE_LIMITED',
      message:
        'The files of your running imports use the memory limit of 200000 bytes. Nothing was imported. Try again in 1 seconds.',
    },
  });
  const others = send(bodyOf('k', padding), world.other.key);
  await lock.query('rollback');
  expect([(await held).status, (await others).status]).toEqual([200, 403]);
});

test('the room of a refused or interrupted file is free again', async () => {
  const padding = 'x'.repeat(importLimitBytes - 5_000);
  for (let round = 0; round < 3; round++) {
    const tooLarge = await send(bodyOf('f', `${padding}${padding}`));
    expect(tooLarge.status).toBe(413);
  }
  expect((await send(bodyOf('f', padding))).status).toBe(200);
});

test('more imports than may wait are 429 with a time to retry, however small they are', async () => {
  await holdImports();
  const first = send(bodyOf('g'));
  await seeWaiting(0);
  const many = (count: number, key: string) => Array.from({ length: count }, () => send({}, key));
  // One too many: only this one is answered while the others wait.
  const own = many(101, world.producer.key);
  const refusedOwn = await Promise.race(own);
  expect(refusedOwn.status).toBe(429);
  expect(await refusedOwn.json()).toEqual({
    detail: {
      code: 'RATE_LIMITED',
      message:
        'The queue for imports of one caller is full: 100 are waiting. Try again in a few seconds.',
    },
  });
  const others = many(100, world.other.key);
  await seeWaiting(200);
  const refused = await send(bodyOf('h'), world.consumer.key);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await refused.json()).toEqual({
    detail: {
      code: 'RATE_LIMITED',
      message: 'The queue for imports is full: 200 are waiting. Try again in a few seconds.',
    },
  });
  await lock.query('rollback');
  expect((await first).status).toBe(200);
  const answers = await Promise.all([...own, ...others]);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(200);
});
