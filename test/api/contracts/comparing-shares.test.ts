// Who asks what takes all the time there is has half of the threads for it: the others are answered
// meanwhile. Told by whose answers came first, not by a clock.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../src/core/value/json.ts';
import {
  bootstrapKey,
  openProcess,
  type ProcessRegistry,
} from '../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  openWorld,
  orderSchema,
  type Party,
  publishedAsset,
  publishOk,
  type World,
} from '../../support/client/client-world.ts';
import { readMetrics } from '../../support/metrics.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';

let database: TestDatabase;
let registry: ProcessRegistry;
let world: World;

beforeAll(async () => {
  database = await openDatabase();
  // No budget: only the limit of time ends the comparison. A process of its own: memory and threads
  // are nobody else's.
  const settings = { COMPARE_STEP_BUDGET: '1000000000000', COMPARE_WORKERS: '2' };
  registry = await openProcess(database.url, settings);
  world = await openWorld(registry.url, bootstrapKey);
});
afterAll(() => database.drop());

/** 2^40 ways to be valid, none of which is like the other's. */
function endless(type: string): Json {
  const either = (name: string) => ({ properties: { [name]: { type } }, required: [name] });
  const allOf = Array.from({ length: 40 }, (_, i) => ({
    anyOf: [either(`a${i}`), either(`b${i}`)],
  }));
  return { type: 'object', allOf };
}

function assess({ client }: Party, assetId: string, schema: Json) {
  const body = { proposed_schema: schema as never };
  return client.assessImpact({ params: { asset_id: assetId }, body });
}

/** Longer than what is compared where it is asked. */
const longSchema = { ...orderSchema, description: 'Orders. '.repeat(2_000) };

test('One caller with endless comparisons does not block those of others', async () => {
  const { producer, consumer } = world;
  const { id } = await createAsset(producer);
  await publishOk(producer.client, id, { schema: endless('integer') as never });
  const { assetId } = await publishedAsset(consumer);

  const answered: unknown[] = [];
  const asking = [1, 2, 3].map(() =>
    assess(producer, id, endless('string')).then(
      ({ status, ...rest }) => answered.push([status, 'refusal' in rest && rest.refusal]),
      (error) => answered.push(error),
    ),
  );
  const settled = Promise.allSettled(asking);
  const state = async () => ({ ...(await underWay()), answered });
  await expect.poll(state, { timeout: 60_000 }).toEqual({ busy: 1, queued: 2, answered: [] });

  const long = must(await assess(consumer, assetId, longSchema), 200);
  expect(long.is_breaking).toBe(false);
  // One after the other: with both threads, two would have had to end first.
  expect(answered.length).toBeLessThan(2);
  // Ten seconds each are more than anybody has to wait for here.
  await registry.kill();
  await settled;
});

async function underWay() {
  const { value } = await readMetrics(registry.url);
  return {
    busy: value('concordat_threads{pool="engine",state="busy"}'),
    queued: value('concordat_thread_queue_depth{pool="engine"}'),
  };
}
