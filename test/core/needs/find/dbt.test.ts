// What the models of a dbt project read, named as the import names the assets.

import { describe, expect, test } from 'vitest';
import { openSqlParser, openSqlTokens } from '../../../../src/cli/needs/parse-sql.ts';
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

async function openParser() {
  const [parse, tokens] = [await openSqlParser('postgres'), await openSqlTokens('postgres')];
  return { parse, tokens, dialect: 'postgresql' };
}

async function readsOf(models: Readonly<Record<string, JsonObject>>, catalog: Json | null = null) {
  const manifest = manifestOf(models);
  const parser = await openParser();
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

describe('an incremental model reads', () => {
  const incremental = (branch: string, sql = 'select id from raw.orders', more: JsonObject = {}) =>
    model('a', sql, [orders], {
      raw_code: `select id from {{ source('raw', 'orders') }} ${branch}`,
      ...more,
    });

  test.each([
    [
      'what filters once its table exists',
      '{% if is_incremental() %} where updated_at > (select max(t.at) from {{ this }} t) {% endif %}',
      '$.id $.updated_at',
    ],
    [
      'any branch beside that',
      '{%- if var("x") and is_incremental() -%} where a {%- elif y -%} and b {% else %} {% if z %} and c {% endif %} {%- endif -%}',
      '$.a $.b $.c $.id',
    ],
    [
      'what a macro of dbt is given',
      "{% if is_incremental() %} where {{ dbt.dateadd('day', -3, 'loaded_at') }} > {{ dbt_utils.safe_cast(\"made_at\", 'date') }} {% endif %}",
      '$.date $.id $.loaded_at $.made_at',
    ],
    [
      'what stands beside a zone',
      "{% if is_incremental() %} where at at time zone 'UTC' > now() {% endif %}",
      '$.at $.id',
    ],
    [
      'what is compared with a literal',
      "{% if is_incremental() %} where '2020-01-01' < made_at and 3 < (kind) {% endif %}",
      '$.id $.kind $.made_at',
    ],
    [
      'what stands after the from of an expression',
      "{% if is_incremental() %} where extract(epoch from at) > 1 and trim(both ' ' from kind) is distinct from state and substring(code from start_at for 3) = '' {% endif %}",
      '$.at $.code $.id $.kind $.start_at $.state',
    ],
    [
      'columns with the names of types',
      "{% if is_incremental() %} where date > date '2020-01-01' and timestamp > 2 and type = x::date {% endif %}",
      '$.date $.id $.timestamp $.type $.x',
    ],
    [
      'columns with the names of clauses',
      '{% if is_incremental() %} where offset > max(partition) and (end, a) not in (select window, b from {{ this }}) order by c limit 3 offset 4 {% endif %}',
      '$.a $.b $.c $.end $.id $.offset $.partition $.window',
    ],
    [
      'a column that has the name of its own table there',
      '{% if is_incremental() %} where made > (select max(made) from {{ this }} made) {% endif %}',
      '$.id $.made',
    ],
    [
      'no other names, units and types',
      "{% if is_incremental() %} where at > (select cast(max(at) as timestamp with time zone) - interval '3' day as last from {{ this }} as t where t.b > current_date) {% endif %}",
      '$.at $.id',
    ],
    [
      'no columns of its own table',
      '{% if is_incremental() %} union all select t.* from {{ this }} t where t.x > 1 and count(*) > a * b {% endif %}',
      '$.a $.b $.id',
    ],
    [
      'a column and its field, and the column of a relation alone',
      '{% if is_incremental() %} where orders.made.at > 1 and address.city = 2 {% endif %}',
      '$.address $.city $.id $.made',
    ],
    [
      'what dbt quotes, and nothing of values in texts',
      "{% if is_incremental() %} where {{ adapter.quote('Made At') }} > '{{ var(\"start\") }}' and day > {{ var('days', 3) }} -- {{ this }} of\n {% endif %}",
      '$.day $.id $["Made At"]',
    ],
    [
      'a branch whose own table is named elsewhere, too',
      'and id not in (select id from {{ this }}) {% if is_incremental() %} where a > (select max(id) from {{ this }}) {% endif %}',
      '$.a $.id',
    ],
    ['nothing more in comments', '{# {% if is_incremental() %} where a {% endif %} #}', '$.id'],
    ['nothing more elsewhere', '{% if target.name == "x" %} where a {% endif %}', '$.id'],
    ['nothing twice', '{% if is_incremental() %} where ID > 3 {% endif %}', '$.id'],
  ])('%s', async (_what, branch, fields) => {
    const { texts } = await readsOf({ a: incremental(branch) });
    const found = texts.map((text) => text.replace('models/a.sql: db.raw.orders ', ''));
    expect(
      found
        .flatMap((text) => text.split(' '))
        .sort()
        .join(' '),
    ).toBe(fields);
  });

  test.each([
    '{% if is_incremental() %} {{ only_new() }} {% endif %}',
    '{% set is_new = is_incremental() %} {% if is_new %} where a {% endif %}',
    "{{ 'where a' if is_incremental() }}",
    "{%+ if is_incremental() %} where {{ var('cursor', 'updated_at') }} > 1 {% endif %}",
    "{% if is_incremental() %} where {{ dbt.dateadd('day', -3, col) }} > 1 {% endif %}",
    "{% if is_incremental() %} union select {{ dbt_utils.star(from=source('raw', 'orders')) }} {% endif %}",
    "{% if is_incremental() %} {{ dbt_utils.deduplicate('orders', 'id', 'at') }} {% endif %}",
    "{% if is_incremental() %} {% call where_new('updated_at') %}{% endcall %} {% endif %}",
    "{% if is_incremental() %} {% for c in ['a', 'b'] %} and x > 1 {% endfor %} {% endif %}",
    "{% if is_incremental() %} where a = 'it\\'s' {% endif %}",
    '{% if is_incremental() %} where "{{ this }}" > 1 {% endif %}',
    "{% if is_incremental() %} where a_{{ var('n', 3) }} > 1 {% endif %}",
    '{% if is_incremental %} where a {% endif %}',
    '{% if is_incremental() %} where a',
  ])('everything, if only dbt knows what stands there: %s', async (branch) => {
    const { texts } = await readsOf({ a: incremental(branch) });
    expect(texts).toEqual(['models/a.sql: db.raw.orders * is_incremental() has not its SQL']);
  });

  test.each([
    "union select * from {{ source('raw', 'orders') }}",
    "union select top 10 * from {{ source('raw', 'orders') }}",
    'union select o.* from {{ this }} t join o on o.id = t.id',
    'where row_to_json(orders) is null',
    'where hash(*) = 1',
    'where $1 > 2',
    'natural join {{ this }}',
  ])('everything, if the branch takes all columns: %s', async (branch) => {
    const rows = `{% if is_incremental() %} ${branch} {% endif %}`;
    expect((await readsOf({ a: incremental(rows) })).texts).toContain(
      'models/a.sql: db.raw.orders * the branch of is_incremental() takes all columns',
    );
  });

  test('the column of the relation that has the name before it', async () => {
    const branch = '{% if is_incremental() %} and o.updated_at > 1 {% endif %}';
    const sql = 'select o.id, l.updated_at from raw.orders o join raw.lines l on l.k = o.k';
    const node = { ...incremental(branch, sql), depends_on: { nodes: [orders, lines] } };
    const found = await readsOf({ a: node });
    expect(found.texts).toContain('models/a.sql: db.raw.orders $.updated_at');
    expect(found.texts).toHaveLength(3);
    expect(found.doubts).toEqual([]);
  });

  test.each([
    ['a query', 'with lines as (select * from raw.orders) select l.id from lines l', 'l'],
    [
      'a relation elsewhere',
      'select id from raw.orders, raw.orders x where k in (select k from raw.lines x)',
      'x',
    ],
  ])('what may belong to %s of the same name', async (_what, sql, name) => {
    const branch = `{% if is_incremental() %} and ${name}.made > 1 {% endif %}`;
    const { texts } = await readsOf({ a: incremental(branch, sql) });
    expect(texts.join()).toContain('db.raw.orders $.made');
  });

  test('everything of tables that its branch names without a template', async () => {
    const branch =
      'where a in (with q(b) as not materialized (select c from "things") select b from q join raw.lines on true)';
    const rows = `{% if is_incremental() %} ${branch} {% endif %}`;
    expect((await readsOf({ a: incremental(rows) })).texts).toEqual([
      'models/a.sql: db.raw.orders $.id',
      'models/a.sql: db.marts.things? * the branch of is_incremental() names it',
      'models/a.sql: db.raw.lines * the branch of is_incremental() names it',
      ...['a', 'c', 'b'].map((column) => `models/a.sql: db.raw.orders $.${column}`),
    ]);
  });

  test('tables that are no node although the branch is not understood', async () => {
    const branch = '{% if is_incremental() %} {{ only_new() }} {% endif %}';
    const sql = 'select o.id, t.x from raw.orders o join other.things t on t.k = o.k';
    expect((await readsOf({ a: incremental(branch, sql) })).texts).toEqual([
      'models/a.sql: db.other.things? $.k $.x',
      'models/a.sql: db.raw.orders * is_incremental() has not its SQL',
    ]);
  });

  test('what its compiled code names, if that has the branch', async () => {
    const branch =
      '{% if is_incremental() %} where {{ newer("x") }} > (select max(t.x) from {{ this }} t) {% endif %}';
    const sql = 'select id from raw.orders where at > (select max(t.x) from marts.a t)';
    expect((await readsOf({ a: incremental(branch, sql) })).texts).toEqual([
      'models/a.sql: db.raw.orders $.at $.id',
    ]);
    const all = 'models/a.sql: db.raw.orders * is_incremental() has not its SQL';
    const other = branch.replace('{% endif %}', '{% else %} where b {% endif %}');
    expect((await readsOf({ a: incremental(other, sql) })).texts).toEqual([all]);
    const outside = `{{ newer("y") }} > (select max(t.x) from {{ this }} t) ${branch}`;
    expect((await readsOf({ a: incremental(outside, sql) })).texts).toEqual([all]);
    const without = 'select id from raw.orders where id not in (select t.id from marts.a t)';
    expect((await readsOf({ a: incremental(branch, without) })).texts).toEqual([all]);
  });

  test('the column of the table that has it, and of all that may have it', async () => {
    const branch = '{% if is_incremental() %} and updated_at > 1 {% endif %}';
    const sql = 'select o.id from raw.orders o join raw.lines l on l.k = o.k';
    const node = { ...incremental(branch, sql), depends_on: { nodes: [orders, lines] } };
    const both = await readsOf({ a: node });
    expect(both.texts).toContain('models/a.sql: db.raw.lines $.updated_at');
    expect(both.texts).toContain('models/a.sql: db.raw.orders $.updated_at');
    expect(both.doubts).toHaveLength(1);
    const columnsIn = (...names: readonly string[]) => ({
      columns: Object.fromEntries(names.map((name) => [name, { type: 'text', name }])),
    });
    const sources = { [orders]: columnsIn('id', 'k', 'updated_at'), [lines]: columnsIn('k') };
    const known = await readsOf({ a: node }, { nodes: {}, sources });
    expect(known.texts).not.toContain('models/a.sql: db.raw.lines $.updated_at');
    expect(known.texts).toContain('models/a.sql: db.raw.orders $.updated_at');
    expect(known.doubts).toEqual([]);
    // The branch may stand in a query that reads the other table alone.
    const { [lines]: _, ...described } = sources;
    const partly = await readsOf({ a: node }, { nodes: {}, sources: described });
    expect(partly.texts).toContain('models/a.sql: db.raw.lines $.updated_at');
  });

  test('the time of an event of what it takes in batches', async () => {
    const upstream = model('u', 'select 1', [], { config: { event_time: 'made_at' } });
    const batches = model('a', 'select id from marts.u', ['model.shop.u'], {
      config: { materialized: 'incremental', incremental_strategy: 'microbatch' },
    });
    expect((await readsOf({ u: upstream, a: batches })).texts).toEqual([
      'models/a.sql: db.marts.u $.id',
      'models/a.sql: db.marts.u $.made_at',
    ]);
  });
});

describe('the freshness of a source is asked by', () => {
  const error_after = { count: 1, period: 'day' };
  test.each<[what: string, more: JsonObject, reads: readonly string[]]>([
    ['its column', { loaded_at_field: 'at', freshness: { error_after } }, ['$.at']],
    [
      'an expression, of the rows of a filter',
      { loaded_at_field: 'at::date', freshness: { error_after, filter: 'kind = 3' } },
      ['$.at $.kind'],
    ],
    ['nothing that is understood', { loaded_at_field: 'at((', freshness: { error_after } }, ['*']],
    [
      'its column, stated as configuration',
      { config: { loaded_at_field: 'at', freshness: { error_after } } },
      ['$.at'],
    ],
    ['nobody without an age', { loaded_at_field: 'at', freshness: { error_after: {} } }, []],
    ['its age in the warehouse', { freshness: { error_after } }, []],
  ])('%s', async (_what, more, reads) => {
    const nodes = { 'source.shop.raw.things': table('source', 'things', more) };
    const manifest = { ...Object(manifestOf({})), sources: nodes };
    const found = findDbtReads({ manifest, catalog: null }, await openParser());
    if (!found.ok) throw new Error(found.message);
    const texts = found.places.flatMap(({ found: { reads: all } }) =>
      all.map(({ name, fields }) => `${name.join()} ${fields?.join(' ') ?? '*'}`),
    );
    expect(texts).toEqual(reads.map((fields) => `db.raw.things ${fields}`));
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
  const parser = await openParser();
  expect(findDbtReads({ manifest, catalog: null }, parser)).toMatchObject({ ok: false });
});
