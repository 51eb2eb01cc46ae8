import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDbtManifest } from '../../../src/core/import/dbt/dbt.ts';
import { parseRunResults } from '../../../src/core/import/dbt/run-results.ts';
import { indexAssets, indexManifest } from '../../../src/core/import/dbt/run-results-index.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';

const manifest: JsonObject = JSON.parse(
  readFileSync(new URL('../../fixtures/import/dbt-before.json', import.meta.url), 'utf8'),
);
const byAssets = indexAssets(
  parseDbtManifest(manifest).candidates.map(({ fqn, label }) => ({
    fqn,
    build_node_id: label.kind === 'dbt' ? label.node_id : '',
  })),
);

function resultOf(id: string, status: string, more: JsonObject = {}): Json {
  return { unique_id: id, status, failures: null, message: null, timing: [], ...more };
}

const results = {
  metadata: { invocation_id: 'run-1', dbt_version: '1.11.0', generated_at: '2026-01-01T00:00:09Z' },
  results: [
    resultOf('model.feature.fct_orders', 'success', {
      timing: [
        {
          name: 'execute',
          started_at: '2026-01-01T00:00:01Z',
          completed_at: '2026-01-01T00:00:02Z',
        },
      ],
    }),
    resultOf('test.feature.not_null_fct_orders_order_id.4e687af8d0', 'fail', {
      failures: 3,
      message: 'Got 3 results',
      timing: [
        {
          name: 'execute',
          started_at: '2026-01-01T00:00:03Z',
          completed_at: '2026-01-01T00:00:04Z',
        },
      ],
    }),
    resultOf('test.feature.unique_fct_orders_order_id.523ddb6ce5', 'skipped'),
    resultOf('test.feature.source_unique_raw_customers_id.9027d6b367', 'warn', { failures: 1 }),
  ],
};

test.each([
  ['with the manifest', indexManifest(manifest)],
  ['by the assets alone', byAssets],
])('run results become one quality run an asset: %s', (_how, index) => {
  expect(parseRunResults(results, index)).toEqual({
    runs: [
      {
        fqn: 'feat.analytics.fct_orders',
        status: 'failed',
        triggeredBy: 'build_test',
        runId: 'run-1',
        guarantees: [
          { name: 'model.feature.fct_orders', status: 'passed' },
          {
            name: 'test.feature.not_null_fct_orders_order_id.4e687af8d0',
            status: 'failed',
            rows: 3,
            message: 'Got 3 results',
          },
        ],
        startedAt: '2026-01-01T00:00:01.000Z',
        finishedAt: '2026-01-01T00:00:04.000Z',
        metadata: { dbt_version: '1.11.0' },
      },
      {
        fqn: 'raw_db.raw.customers',
        status: 'passed',
        triggeredBy: 'build_test',
        runId: 'run-1',
        guarantees: [
          {
            name: 'test.feature.source_unique_raw_customers_id.9027d6b367',
            status: 'warned',
            rows: 1,
          },
        ],
        startedAt: null,
        finishedAt: '2026-01-01T00:00:09.000Z',
        metadata: { dbt_version: '1.11.0' },
      },
    ],
    problems: [],
  });
});

test('every generic test of the manifest is placed by name where the manifest places it', () => {
  const exact = indexManifest(manifest);
  const nodes = manifest.nodes as JsonObject;
  const generic = Object.keys(nodes).filter((id) => (nodes[id] as JsonObject).test_metadata);
  expect(generic.length).toBeGreaterThan(10);
  for (const id of generic)
    expect([id, byAssets.assetsOfTest(id)]).toEqual([id, exact.assetsOfTest(id)]);
});

test('of two names that begin a test together the longer one is meant', () => {
  const index = indexAssets([
    { fqn: 'db.public.orders', build_node_id: 'model.shop.orders' },
    { fqn: 'db.public.orders_daily', build_node_id: 'model.shop.orders_daily' },
  ]);
  expect(index.assetsOfTest('test.shop.not_null_orders_daily_id.1')).toEqual([
    'db.public.orders_daily',
  ]);
  expect(index.assetsOfTest('test.shop.not_null_orders_id.1')).toEqual(['db.public.orders']);
});

test('a test that nobody knows is told with its place', () => {
  const parsed = parseRunResults(
    { results: [resultOf('test.feature.odd.1', 'pass'), 7] },
    byAssets,
  );
  expect(parsed.runs).toEqual([]);
  expect(parsed.problems.map(({ code, place }) => [code, place])).toEqual([
    ['BROKEN_REFERENCE', '$.results[0]'],
    ['UNREADABLE_ITEM', '$.results[1]'],
  ]);
});

test.each<[string, Json]>([
  ['a manifest', { nodes: {} }],
  ['text', 'x'],
])('results that are %s are refused', (_what, input) => {
  const { problems } = parseRunResults(input, byAssets);
  expect(problems).toMatchObject([{ code: 'INVALID_MANIFEST', fatal: true, place: '$.results' }]);
});

test.each(['manifest/v12', 'sources/v3', 'catalog/v1'])(
  'another file of dbt (%s) is told by its name, whatever it holds',
  (name) => {
    const dbt_schema_version = `https://schemas.getdbt.com/dbt/${name}.json`;
    const { problems } = parseRunResults(
      { metadata: { dbt_schema_version }, results: [] },
      byAssets,
    );
    expect(problems).toMatchObject([
      { code: 'INVALID_MANIFEST', fatal: true, place: '$.metadata.dbt_schema_version' },
    ]);
  },
);

test.each([
  ['2022-01-01 00:00:01.5', '2022-01-01T00:00:01.500Z'],
  ['2022-01-01T02:00:00+02:00', '2022-01-01T00:00:00.000Z'],
  ['2022-13-45T00:00:00Z', null],
  ['yesterday', null],
])('a time is told in UTC, and no time is none: %s', (completed_at, told) => {
  const entry = resultOf('model.feature.fct_orders', 'success', { timing: [{ completed_at }] });
  const { runs } = parseRunResults({ results: [entry] }, byAssets);
  expect(runs.map(({ finishedAt }) => finishedAt)).toEqual([told]);
});
