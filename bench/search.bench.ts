// The search at 100,000 assets: what a palette asks with each letter, and what is the worst for it.

import type { Benchmark, Figure } from './support/figure.ts';
import { get, openConnection, quantile } from './support/load.ts';
import {
  type BenchDatabase,
  type ServerProcess,
  startBenchDatabase,
  startProduct,
} from './support/processes.ts';
import { seedRegistry } from './support/seed.ts';

const assetCount = 100_000;
const rounds = 60;

/** Each with the number of results that it must have at least. */
const questions: readonly (readonly [string, string, number])[] = [
  ['the name of an asset', 'table_77123', 1],
  ['a whole FQN', 'shop.area_23.table_77123', 1],
  ['the beginning of many names', 'table_7', 10],
  ['a word that all assets have', 'shop', 10],
  ['one letter', 't', 10],
  ['two words', 'area_23 table_77', 1],
  ['a field of one contract', 'customer_77123', 1],
  ['a field of a hundred contracts', 'parcel_weight_123', 10],
  ['a field of all contracts', 'field_3', 10],
  ['the beginning of a field of all contracts', 'fie', 10],
  ['words of fields', 'weight parcel', 10],
  ['nothing', 'zzzz', 0],
];

export const benchmark: Benchmark = {
  name: 'Search',
  run: async () => {
    const database = await startBenchDatabase();
    try {
      const size = { teams: 4_000, assets: assetCount, versions: 1, edgesPerAsset: 0, events: 0 };
      await seedRegistry(database, size);
      await giveFields(database);
      const product = await startProduct(database.url);
      try {
        return [await nameFields(product), ...(await askAll(product))];
      } finally {
        await product.stop();
      }
    } finally {
      await database.stop();
    }
  },
};

/** The words that the service writes, and twelve fields each: one of its own, one that a hundred share, and ten that all have. */
async function giveFields(database: BenchDatabase): Promise<void> {
  await database.query(`
    with counted as (select id, row_number() over (order by asset_id) as i from contract)
    update contract set schema = json_build_object('properties', (
      select json_object_agg(name, '{"type": "string"}'::json)
      from (values ('customer_' || i), ('parcel_weight_' || i % 1000)) own (name)
    )::jsonb || (contract.schema::jsonb -> 'properties'))
    from counted where counted.id = contract.id`);
  await database.query(`update asset set search_text = translate(fqn, '._', '  ')`);
  await database.query('vacuum (analyze)');
}

/** What a registry of before does once after an upgrade. */
async function nameFields(product: ServerProcess): Promise<Figure> {
  const startedAt = performance.now();
  const connection = await openConnection(product.port);
  for (;;) {
    const { body } = await connection.send(get('/api/v1/search?q=field_3&types=field'));
    if (JSON.parse(body).pending_contracts === 0) break;
    await new Promise((done) => setTimeout(done, 500));
  }
  connection.close();
  return {
    name: 'naming the fields of 100,000 contracts after an upgrade',
    unit: 's',
    value: (performance.now() - startedAt) / 1000,
    targetValue: 300,
  };
}

async function askAll(product: ServerProcess): Promise<readonly Figure[]> {
  const connection = await openConnection(product.port);
  const figures: Figure[] = [];
  for (const [name, q, least] of questions) {
    const request = get(`/api/v1/search?q=${encodeURIComponent(q)}`);
    const times: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const startedAt = performance.now();
      const { body } = await connection.send(request);
      times.push(performance.now() - startedAt);
      const found = JSON.parse(body).results.length;
      if (found < least) throw new Error(`${q}: ${found} results, and ${least} were expected.`);
    }
    times.sort((a, b) => a - b);
    figures.push({
      name: `${name} among 100,000 assets: p95`,
      unit: 'ms',
      value: quantile(times, 0.95),
      targetValue: 50,
      note: `p50 ${quantile(times, 0.5).toFixed(1)} ms`,
    });
  }
  connection.close();
  return figures;
}
