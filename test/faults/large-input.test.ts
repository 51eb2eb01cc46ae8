// The largest allowed input delays only its sender. Judged by counting the responses that others
// got meanwhile, not by time.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  must,
  openWorld,
  publishOk,
  type World,
} from '../support/client/client-world.ts';
import { largeManifest, largestSchema, largestUnion } from '../support/largest.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let registry: ProcessRegistry;
let world: World;

beforeAll(async () => {
  database = await openDatabase();
  registry = await openProcess(database.serviceUrl);
  world = await openWorld(registry.url, bootstrapKey);
});
afterAll(async () => {
  await registry?.stop();
  await database?.drop();
});

interface Large {
  readonly path: string;
  readonly body: string;
}

const kinds = {
  schema: async () => {
    const { id } = await createAsset(world.producer);
    await publishOk(world.producer.client, id, { schema: largestSchema('first') });
    const body = JSON.stringify({ proposed_schema: largestSchema('second') });
    expect(body.length).toBeGreaterThan(900 * 1024);
    return { path: `/api/v1/assets/${id}/impact`, body };
  },
  manifest: async () => {
    const manifest = largeManifest();
    const body = JSON.stringify({ manifest });
    expect(body.length).toBeGreaterThan(50 * 1024 * 1024);
    return { path: '/api/v1/sync/dbt/diff', body };
  },
  union: async () => {
    const { id } = await createAsset(world.producer);
    await publishOk(world.producer.client, id, { schema: largestUnion(0) });
    return {
      path: `/api/v1/assets/${id}/impact`,
      body: JSON.stringify({ proposed_schema: largestUnion(1) }),
    };
  },
} satisfies Readonly<Record<string, () => Promise<Large>>>;

// Each is a row of the table above.
test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'The largest allowed %s: others are answered before it is',
  async (kind) => {
    const { path, body } = await kinds[kind]();
    const params = { asset_id: (await createAsset(world.other)).id };
    let isUnderWay = true;
    const large = fetch(`${registry.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.producer.key}`,
        'content-type': 'application/json',
      },
      body,
    }).then(async (answer) => {
      const text = await answer.text();
      isUnderWay = false;
      return { status: answer.status, text };
    });
    let reads = 0;
    let writes = 0;
    while (isUnderWay) {
      must(await world.other.client.getAsset({ params }), 200);
      if (isUnderWay) reads++;
      await createAsset(world.other);
      if (isUnderWay) writes++;
    }
    const { status, text } = await large;
    expect(status, text.slice(0, 500)).toBe(200);
    expect(Math.min(reads, writes)).toBeGreaterThanOrEqual(5);
  },
  180_000,
);
