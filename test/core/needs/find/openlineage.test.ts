// What jobs read, by the events of OpenLineage that they sent.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqlParser } from '../../../../src/cli/needs/parse-sql.ts';
import { gatherReads } from '../../../../src/core/needs/find/gather-reads.ts';
import { findOpenlineageReads } from '../../../../src/core/needs/find/openlineage/find-openlineage-reads.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { nameOf } from './support.ts';

const parse = await openSqlParser('duckdb');
const duckdb = (named: string | null) => (named === 'duckdb' ? { parse, dialect: 'duckdb' } : null);

const namespace = 'duckdb://shop.duckdb';
const all = ['DIRECT', 'INDIRECT'] as const;

const source = (name: string, field: string, kinds: readonly string[] = all) => ({
  ...{ namespace, name, field },
  transformations: kinds.map((type) => ({ type, subtype: 'IDENTITY' })),
});

const table = (name: string, more: object = {}) => ({ namespace, name, facets: {}, ...more });

const written = (sources: readonly object[], dataset: readonly object[] = []) =>
  table('shop.marts.totals', {
    facets: { columnLineage: { fields: { total: { inputFields: sources } }, dataset } },
  });

function event(inputs: readonly object[], outputs: readonly object[], more: object = {}): Json {
  const { sql, runId = 'run', ...others } = more as { sql?: object; runId?: string };
  const told = {
    eventType: 'COMPLETE',
    run: { runId },
    job: { namespace: 'reports', name: 'totals', facets: sql === undefined ? {} : { sql } },
    ...{ inputs, outputs, ...others },
  };
  return JSON.parse(JSON.stringify(told)) as JsonObject;
}

function readsOf(...events: readonly Json[]): string {
  const read = findOpenlineageReads(events, duckdb);
  if (!read.ok) return read.message;
  const assets = gatherReads(read.places, (name) => name.join('.'));
  return assets
    .flatMap(({ fqn, places }) =>
      places.map(
        ({ place, fields }) => `${place}: ${fqn}(${fields?.map(nameOf).join(' ') ?? '*'})`,
      ),
    )
    .join('; ');
}

const orders = table('shop.raw.orders');

describe('a job reads', () => {
  test('what its SQL names, as dbt tells it, in any order and more than once', async () => {
    const file = join(import.meta.dirname, '../../../fixtures/openlineage/dbt-ol.ndjson');
    const events = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line) as Json);
    const expected =
      'reports/shop.marts.reports.totals: shop.raw.customers(id name); reports/shop.marts.reports.totals: shop.raw.orders(amount customer_id status)';
    expect(readsOf(...events)).toContain(expected);
    expect(readsOf(...events.toReversed(), ...events)).toContain(expected);
  });

  test('what the lineage of its columns names, if that tells what filters too', () => {
    const lineage = written([source(orders.name, 'amount')], [source(orders.name, 'status')]);
    expect(readsOf(event([orders], [lineage]))).toBe(
      'reports/totals: shop.raw.orders(amount status)',
    );
  });

  test('what one event of a run tells, if another one tells less', () => {
    const told = event([orders], [written([source(orders.name, 'amount')])]);
    const silent = event([orders], [table('shop.marts.totals')]);
    for (const events of [
      [told, silent],
      [silent, told],
    ]) {
      expect(readsOf(...events)).toBe('reports/totals: shop.raw.orders(amount)');
    }
  });

  test('what any event of a run tells, if they tell different columns', () => {
    const first = event([orders], [written([source(orders.name, 'amount')])]);
    const second = event([orders], [written([source(orders.name, 'id')])]);
    const older = event([orders], [written([source(orders.name, 'note', [])])]);
    for (const events of [
      [first, second],
      [second, first],
    ]) {
      expect(readsOf(...events)).toBe('reports/totals: shop.raw.orders(amount id)');
      for (const both of [
        [...events, older],
        [older, ...events],
      ]) {
        expect(readsOf(...both)).toBe('reports/totals: shop.raw.orders(*)');
      }
    }
  });

  test('what any of its runs read', () => {
    const first = event([orders], [written([source(orders.name, 'amount')])], { runId: 'a' });
    const second = event([orders], [written([source(orders.name, 'id')])], { runId: 'b' });
    expect(readsOf(second, first)).toBe('reports/totals: shop.raw.orders(amount id)');
  });

  test('a table under the name that a catalog gives to its files', () => {
    const identifiers = [{ namespace: 'hive://metastore', name: 'shop.orders', type: 'TABLE' }];
    const files = table('warehouse/orders', { facets: { symlinks: { identifiers } } });
    const lineage = written([source(files.name, 'amount')]);
    expect(readsOf(event([files], [lineage]))).toBe(
      'reports/totals: shop.orders(amount); reports/totals: warehouse/orders(amount)',
    );
  });
});

describe('a job reads everything', () => {
  const known = source(orders.name, 'amount');
  test.each<readonly [string, readonly Json[]]>([
    ['without the lineage of its columns', [event([orders], [table('shop.marts.totals')])]],
    ['that writes nothing', [event([orders], [])]],
    [
      'whose sender names only what is written',
      [event([orders], [written([source(orders.name, 'amount', [])])])],
    ],
    [
      'of an input that its columns do not come from',
      [event([orders], [written([source('shop.raw.lines', 'id')])])],
    ],
    ['if one of its outputs is not told', [event([orders], [written([known]), table('x.y.z')])]],
    [
      'if one of its runs is not told',
      [event([orders], [written([known])]), event([orders], [table('a.b')], { runId: 'b' })],
    ],
    [
      'if one of its runs does not tell its SQL',
      [
        event([orders], [], { sql: { query: 'select id from orders', dialect: 'duckdb' } }),
        event([orders], [], { runId: 'b' }),
      ],
    ],
    [
      'with SQL of another dialect',
      [event([orders], [], { sql: { query: 'select id from orders', dialect: 'teradata' } })],
    ],
    [
      'with SQL that is not understood',
      [event([orders], [], { sql: { query: 'call refresh()', dialect: 'duckdb' } })],
    ],
    [
      'with two texts of SQL, of which one is not understood',
      ['call refresh()', 'select id from orders'].map((query) =>
        event([orders], [], { sql: { query, dialect: 'duckdb' } }),
      ),
    ],
    [
      'with SQL that reads everything, whatever its columns are said to come from',
      [
        event([orders], [written([known])], {
          sql: { query: 'select * from orders', dialect: 'duckdb' },
        }),
      ],
    ],
  ])('%s', (_, events) => {
    expect(readsOf(...events)).toBe('reports/totals: shop.raw.orders(*)');
  });
});

test('an event without a job is refused, and one about a dataset is none', () => {
  expect(readsOf({ eventType: 'START' })).toBe('Event 1: it has no job.');
  expect(readsOf({ dataset: { namespace, name: 'a.b' } }, 'x')).toBe('Event 2: it is no object.');
});
