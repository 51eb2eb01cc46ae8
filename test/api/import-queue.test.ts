// More imports than a registry has room for: what waits, what is refused, and that it passes.

import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client-registry.ts';
import { must, openWorld, type World } from '../support/client-world.ts';
import { manifestOf } from '../support/manifest.ts';
import { readMetrics } from '../support/metrics.ts';

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

const patience = { timeout: 20_000, interval: 20 };

/** The last of what an import writes: it waits there until the lock is released. */
async function holdImports(): Promise<void> {
  await lock.query('begin');
  await lock.query('lock table outbox in access exclusive mode');
}

function bodyOf(name: string, padding = '') {
  const manifest = { ...Object(manifestOf('shop', [{ name }])), padding };
  return { manifest, owner_team_id: world.producer.teamId, auto_publish_contracts: true };
}

function send(body: object): Promise<Response> {
  return fetch(`${registry.url}/api/v1/sync/dbt/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.producer.key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
}

/** Waits until one is at work, and so many wait for it. */
async function seeWaiting(count: number): Promise<void> {
  await vi.waitFor(async () => {
    const { value } = await readMetrics(registry.url);
    expect([
      value('concordat_threads{pool="import",state="busy"}'),
      value('concordat_thread_queue_depth{pool="import"}'),
    ]).toEqual([1, count]);
  }, patience);
}

test('files that take more memory than there is room for are asked for again later: 429', async () => {
  await holdImports();
  const padding = 'x'.repeat(importLimitBytes - 5_000);
  const held = ['a', 'b', 'c', 'd'].map((name) => send(bodyOf(name, padding)));
  await seeWaiting(3);
  const refused = await send(bodyOf('e', padding));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({
    detail: {
      code: 'RATE_LIMITED',
      message:
        'The files of the imports under way take as much memory as they may: 800000 bytes. Nothing was imported: send it again in 1 seconds.',
    },
  });
  // Nobody else is the worse for it.
  must(await world.producer.client.listAssets({ query: {} }), 200);
  await lock.query('rollback');
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await send(bodyOf('e', padding))).status).toBe(200);
});

test('room that a refused or cut file took is free again', async () => {
  const padding = 'x'.repeat(importLimitBytes - 5_000);
  for (let round = 0; round < 3; round++) {
    const tooLarge = await Promise.all(
      [1, 2, 3].map(() => send(bodyOf('f', `${padding}${padding}`))),
    );
    expect(tooLarge.map(({ status }) => status)).toEqual([413, 413, 413]);
  }
  expect((await send(bodyOf('f', padding))).status).toBe(200);
});

test('more imports than may wait are asked for again later, however small they are: 429', async () => {
  await holdImports();
  const first = send(bodyOf('g'));
  await seeWaiting(0);
  const waiting = Array.from({ length: 200 }, () => send({}));
  await seeWaiting(200);
  const refused = await send(bodyOf('h'));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await refused.json()).toEqual({
    detail: {
      code: 'RATE_LIMITED',
      message: 'As many imports wait as may: 200. Try again in a few seconds.',
    },
  });
  await lock.query('rollback');
  expect((await first).status).toBe(200);
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
});
