// The largest that may be sent: whoever sends it waits, and nobody else does. Told by counting whose
// answers came while it was under way, not by a clock.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcess, type ProcessRegistry } from '../support/client-registry.ts';
import { createAsset, must, openWorld, publishOk, type World } from '../support/client-world.ts';
import { manifestOf } from '../support/manifest.ts';
import { openDatabase, type TestDatabase } from '../support/postgres.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let registry: ProcessRegistry;
let world: World;

beforeAll(async () => {
  database = await openDatabase();
  registry = await openProcess(database.url);
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

/** 9,000 subschemas in close to a MiB: the limits are 10,000 and 1 MiB. */
function largestSchema(pad: string) {
  const properties = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, i) => [
      `column_${i}`,
      { type: 'string', description: `${pad} ${i} `.padEnd(60, 'about ') },
    ]),
  );
  return { type: 'object', properties };
}

/** Overlapping branches of objects, for which no tag says which is meant. */
function largestUnion(from: number) {
  const anyOf = Array.from({ length: 400 }, (_, i) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 10 }, (_, k) => [`p${(i * 7 + k) % 97}`, { minimum: from + i + k }]),
    ),
    required: [`p${(i * 7) % 97}`],
  }));
  return { anyOf: [...anyOf], type: 'object' };
}

const kinds = {
  schema: async () => {
    const { id } = await createAsset(world.producer);
    await publishOk(world.producer.client, id, { schema: largestSchema('first') as never });
    const body = JSON.stringify({ proposed_schema: largestSchema('second') });
    expect(body.length).toBeGreaterThan(900 * 1024);
    return { path: `/api/v1/assets/${id}/impact`, body };
  },
  manifest: async () => {
    const columns = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`c${i}`, 'text']));
    const description = 'about '.repeat(200);
    const models = Array.from({ length: 4_000 }, (_, i) => ({
      name: `model_${i}`,
      description,
      columns,
    }));
    const manifest = manifestOf('large', models);
    const body = JSON.stringify({ manifest });
    expect(body.length).toBeGreaterThan(50 * 1024 * 1024);
    return { path: '/api/v1/sync/dbt/diff', body };
  },
  union: async () => {
    const { id } = await createAsset(world.producer);
    await publishOk(world.producer.client, id, { schema: largestUnion(0) as never });
    return {
      path: `/api/v1/assets/${id}/impact`,
      body: JSON.stringify({ proposed_schema: largestUnion(1) }),
    };
  },
} satisfies Readonly<Record<string, () => Promise<Large>>>;

// Each is a row of the table above.
test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'The largest %s that is allowed: others are answered before it is',
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
