// One key imports as much as it can, while others are answered and the process stays within its
// memory. Judged by running imports, and by the peak memory of the process.

import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bombs } from '../../support/bombs.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import { issueKey, must, openWorld, type World } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';
import { readMetrics } from '../../support/metrics.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';

describe('Imports of one key', () => {
  let registry: TestRegistry;
  let world: World;
  let lock: pg.Client;
  beforeAll(async () => {
    registry = await openRegistry({ IMPORT_WORKERS: '2' });
    world = await openWorld(registry.url, registry.bootstrapKey);
    lock = new pg.Client(registry.database.url);
    await lock.connect();
  });
  afterAll(async () => {
    await lock.end();
    await registry.stop();
  });

  test('use half of the threads, so those of another key are answered meanwhile', async () => {
    // Locks the last table that an import writes, so imports wait there until it is released.
    await lock.query('begin');
    await lock.query('lock table outbox in access exclusive mode');
    const upload = (name: string) => ({
      manifest: Object(manifestOf('shop', [{ name }])),
      owner_team_id: world.producer.teamId,
      auto_publish_contracts: true,
    });
    const { client } = world.producer;
    const held = ['a', 'b', 'c'].map((name) => client.uploadDbt({ body: upload(name) }));
    await expect.poll(underWay, { timeout: 30_000 }).toEqual({ busy: 1, queued: 2 });
    const body = { manifest: Object(manifestOf('shop', [{ name: 'd' }])) };
    must(await world.other.client.diffDbt({ body }), 200);
    expect(await underWay()).toEqual({ busy: 1, queued: 2 });
    await lock.query('rollback');
    for (const upload of held) must(await upload, 200);
  });

  async function underWay() {
    const { value } = await readMetrics(registry.url);
    return {
      busy: value('concordat_threads{pool="import",state="busy"}'),
      queued: value('concordat_thread_queue_depth{pool="import"}'),
    };
  }
});

describe('A small file that is large in memory', () => {
  let database: TestDatabase;
  let registry: ProcessRegistry;
  let world: World;
  let key: string;
  beforeAll(async () => {
    database = await openDatabase();
    registry = await openProcess(database.serviceUrl);
    world = await openWorld(registry.url, 'bootstrap-key-of-the-tests');
    key = await issueKey(world.admin, { team_id: world.consumer.teamId, scopes: ['read'] });
  });
  afterAll(async () => {
    await registry?.stop();
    await database?.drop();
  });

  test.each(bombs)(
    '$name: is refused when sent twice at once, and others are answered',
    async ({ text }) => {
      const packed = gzipSync(text());
      const bomb = () =>
        fetch(`${registry.url}/api/v1/sync/dbt/diff`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'content-encoding': 'gzip',
          },
          body: packed,
        });
      const sent = [bomb(), bomb()];
      const body = { manifest: Object(manifestOf('shop', [{ name: 'd' }])) };
      must(await world.other.client.diffDbt({ body }), 200);
      const answers = await Promise.all(sent);
      const codes = await Promise.all(
        answers.map(async (answer) => ((await answer.json()) as Refused).detail.code),
      );
      expect(codes).toEqual(['PAYLOAD_TOO_LARGE', 'PAYLOAD_TOO_LARGE']);
      // The chart gives a replica 1 GiB.
      expect(registry.peakMemoryBytes() / 2 ** 20).toBeLessThan(700);
    },
  );
});

interface Refused {
  readonly detail: { readonly code: string };
}
