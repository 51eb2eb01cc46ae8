// A caller with endless comparisons gets half of the threads, and others are answered meanwhile.
// Judged by the order of responses, not by time.

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
  // Without a step budget only the time limit ends the comparison. A separate process, so that
  // memory and threads are not shared.
  const settings = { COMPARE_STEP_BUDGET: '1000000000000', COMPARE_WORKERS: '2' };
  registry = await openProcess(database.serviceUrl, settings);
  world = await openWorld(registry.url, bootstrapKey);
});
afterAll(() => database.drop());

/** 2^40 ways to be valid, all of them different. */
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

/** Too long to be compared on the serving thread. */
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
  // One after the other: if both threads were used, two would have ended first.
  expect(answered.length).toBeLessThan(2);
  // Ten seconds each would be too long to wait for here.
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
