// What the models of a dbt project read, named as the import names the assets.

import { describe, expect, test } from 'vitest';
import { openSqlParser } from '../../../../src/cli/needs/parse-sql.ts';
import { parseDbtManifest } from '../../../../src/core/import/dbt/dbt.ts';
import { findDbtReads } from '../../../../src/core/needs/find/dbt/find-dbt-reads.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';

const table = (type: string, name: string, more: JsonObject = {}): JsonObject => ({
  ...{ resource_type: type, package_name: 'shop', name, alias: name, identifier: name },
  ...{ database: 'Db', schema: type === 'source' ? 'raw' : 'marts' },
  ...{ original_file_path: `models/${name}.sql`, ...more },
});

const model = (name: string, sql: string | null, nodes: readonly string[], more: JsonObject = {}) =>
  table('model', name, {
    ...(sql !== null && { compiled_code: sql }),
    ...{ depends_on: { nodes: [...nodes] }, ...more },
  });

const orders = 'source.shop.raw.orders';
const lines = 'source.shop.raw.lines';

function manifestOf(models: Readonly<Record<string, JsonObject>>): Json {
  const nodes = Object.entries(models).map(([name, node]) => [`model.shop.${name}`, node] as const);
  return {
    metadata: {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
      ...{ project_name: 'shop', adapter_type: 'postgres' },
    },
    nodes: Object.fromEntries(nodes),
    sources: { [orders]: table('source', 'orders'), [lines]: table('source', 'lines') },
  };
}

async function readsOf(models: Readonly<Record<string, JsonObject>>, catalog: Json | null = null) {
  const manifest = manifestOf(models);
  const parser = { parse: await openSqlParser('postgres'), dialect: 'postgresql' };
  const read = findDbtReads({ manifest, catalog }, parser);
  if (!read.ok) throw new Error(read.message);
  const fqns = parseDbtManifest(manifest).candidates.map(({ fqn }) => fqn);
  const texts = read.places.flatMap(({ place, found }) =>
    found.reads.map(({ name: [fqn = ''], fields, reason }) => {
      const isKnown = fqns.includes(fqn) ? '' : '?';
      return `${place}: ${fqn}${isKnown} ${fields?.join(' ') ?? `* ${reason}`}`;
    }),
  );
  return { texts, doubts: read.places.flatMap(({ found }) => found.doubts) };
}

describe('a model reads', () => {
  test('the columns that its compiled SQL names, of sources and of other models', async () => {
    const found = await readsOf({
      first: model('first', 'select id, "Total" from "Db"."raw"."orders"', [orders]),
      second: model('second', 'select f.id from "Db"."marts"."first" f', ['model.shop.first']),
    });
    expect(found.texts).toEqual([
      'models/first.sql: db.raw.orders $.Total $.id',
      'models/second.sql: db.marts.first $.id',
    ]);
  });

  test('relations that are named without a database, and tables that are no node', async () => {
    const sql = 'select o.id, x.k from raw.orders o join other.things x on x.k = o.k';
    expect((await readsOf({ a: model('a', sql, [orders]) })).texts).toEqual([
      'models/a.sql: db.other.things? $.k',
      'models/a.sql: db.raw.orders $.id $.k',
    ]);
  });

  test('through an ephemeral model, whose SQL is part of its own', async () => {
    const sql =
      'with __dbt__cte__e as (select * from "Db"."raw"."orders") select id from __dbt__cte__e';
    const ephemeral = model('e', 'select * from "Db"."raw"."orders"', [orders], {
      config: { materialized: 'ephemeral' },
    });
    const found = await readsOf({ e: ephemeral, a: model('a', sql, ['model.shop.e']) });
    expect(found.texts).toEqual([
      'models/e.sql: db.raw.orders * select *',
      'models/a.sql: db.raw.orders $.id',
    ]);
  });

  test('not its own table, which an incremental model looks at', async () => {
    const sql = 'select id from raw.orders where at > (select max(at) from "Db"."marts"."a")';
    expect((await readsOf({ a: model('a', sql, [orders]) })).texts).toEqual([
      'models/a.sql: db.raw.orders $.at $.id',
    ]);
  });

  test('the column of the table that has it by the catalog', async () => {
    const sql = 'select id, sku from raw.orders, raw.lines';
    const columnsIn = (names: readonly string[]) => ({
      columns: Object.fromEntries(names.map((name) => [name, { type: 'text', name }])),
    });
    const catalog = {
      nodes: {},
      sources: { [orders]: columnsIn(['ID']), [lines]: columnsIn(['SKU']) },
    };
    const models = { a: model('a', sql, [orders, lines]) };
    expect(await readsOf(models, catalog)).toEqual({
      texts: ['models/a.sql: db.raw.lines $.sku', 'models/a.sql: db.raw.orders $.id'],
      doubts: [],
    });
    const without = await readsOf(models);
    expect(without.texts).toContain('models/a.sql: db.raw.lines $.id $.sku');
    expect(without.doubts).toHaveLength(2);
  });

  test.each([
    ['it has no compiled code', model('a', null, [orders, lines])],
    [
      'it is a Python model',
      model('a', 'def model(dbt, s): pass', [orders, lines], { language: 'python' }),
    ],
    ['does not accept it', model('a', 'select from (', [orders, lines])],
    [
      'reads stands in a text',
      model('a', "select * from dblink('a', 'b') as d(x int)", [orders, lines]),
    ],
  ])('everything that it depends on, if %s', async (reason, node) => {
    const { texts } = await readsOf({ a: node });
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^models\/a\.sql: db\.raw\.orders \* /);
    for (const text of texts) expect(text).toContain(reason);
  });

  test('everything of what it refers to outside of its SQL', async () => {
    const { texts } = await readsOf({
      a: model('a', 'select id from raw.orders', [orders, lines]),
    });
    expect(texts).toEqual([
      'models/a.sql: db.raw.orders $.id',
      'models/a.sql: db.raw.lines * the model refers to it, but not in its SQL',
    ]);
  });

  test('nothing if it is disabled', async () => {
    const node = model('a', 'select id from raw.orders', [orders], { config: { enabled: false } });
    expect((await readsOf({ a: node })).texts).toEqual([]);
  });
});

test('a test that is compiled reads columns, too, and one that is not reads nothing', async () => {
  const sql = 'select total from raw.orders where total < 0';
  const compiled = { ...model('check', sql, [orders]), resource_type: 'test' };
  const not = { ...model('not', null, [orders]), resource_type: 'test' };
  expect((await readsOf({ check: compiled, not })).texts).toEqual([
    'models/check.sql: db.raw.orders $.total',
  ]);
});

test('models of a package are places of that package', async () => {
  const node = { ...model('a', 'select id from raw.orders', [orders]), package_name: 'tools' };
  expect((await readsOf({ a: node })).texts).toEqual(['tools:models/a.sql: db.raw.orders $.id']);
});

test.each([
  ['a list', []],
  [
    'another file of dbt',
    {
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/catalog/v1.json' },
      nodes: {},
    },
  ],
  ['nothing', { nodes: {}, sources: {} }],
])('a manifest that is %s is refused', async (_what, manifest) => {
  const parser = { parse: await openSqlParser('postgres'), dialect: 'postgresql' };
  expect(findDbtReads({ manifest, catalog: null }, parser)).toMatchObject({ ok: false });
});
