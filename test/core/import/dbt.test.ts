import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compare } from '../../../src/core/diff/compare.ts';
import { parseGuarantees } from '../../../src/core/guarantees.ts';
import {
  type Candidate,
  countGuarantees,
  toContractTerms,
} from '../../../src/core/import/candidate.ts';
import { type DbtOptions, parseDbtManifest } from '../../../src/core/import/dbt/dbt.ts';
import { schemaOfTypeName } from '../../../src/core/import/sql-type-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/value/json.ts';
import { checkSchema } from '../../../src/engine/check-schema.ts';
import { cpuMsOf } from './cpu-time.ts';
import {
  columnsOf,
  largeManifest,
  manifestOf,
  modelOf,
  sourceOf,
  testOf,
} from './manifest-builder.ts';

const fixtures = new URL('../../fixtures/import/', import.meta.url);

function fixture(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'));
}

function candidatesOf(manifest: Json, options?: DbtOptions): Readonly<Record<string, Candidate>> {
  const { candidates } = parseDbtManifest(manifest, options);
  return Object.fromEntries(candidates.map((candidate) => [candidate.fqn, candidate]));
}

function guaranteesOf(manifest: Json, fqn: string): Json | undefined {
  return candidatesOf(manifest)[fqn]?.metadata.guarantees;
}

const orders = 'model.shop.orders';
const customers = 'model.shop.customers';

test('a genuine manifest of dbt 1.11 becomes its models, sources, seeds and snapshots', () => {
  const parsed = parseDbtManifest(fixture('dbt-before.json'));
  expect(parsed.problems).toEqual([]);
  expect(parsed.candidates.map(({ fqn, resourceType }) => [fqn, resourceType])).toEqual([
    ['feat.analytics.fct_orders', 'model'],
    ['feat.analytics.stg_customers', 'model'],
    ['feat.analytics.country_codes', 'seed'],
    ['feat.analytics.orders_snapshot', 'snapshot'],
    ['feat.analytics.dim_customers_v1', 'model'],
    ['feat.analytics.dim_customers_v2', 'model'],
    ['raw_db.raw.customers', 'source'],
    ['raw_db.raw.orders_raw', 'source'],
  ]);
  for (const { metadata } of parsed.candidates) {
    expect(parseGuarantees(metadata.guarantees).problems).toEqual([]);
  }
});

test('an asset carries exactly the metadata keys of the specification', () => {
  const candidate = candidatesOf(fixture('dbt-before.json'))['feat.analytics.dim_customers_v2'];
  expect(candidate).toEqual({
    fqn: 'feat.analytics.dim_customers_v2',
    ownFqn: 'feat.analytics.dim_customers_v2',
    identity: {
      of: 'model.feature.dim_customers.v2',
      thing: '["feat","analytics","dim_customers_v2"]',
      stem: 'feat.analytics.dim_customers_v2',
    },
    resourceType: 'model',
    metadata: {
      build_node_id: 'model.feature.dim_customers.v2',
      resource_type: 'model',
      description: expect.any(String),
      tags: [],
      build_fqn: ['feature', 'marts', 'dim_customers', 'v2'],
      path: 'models/marts/dim_customers_v2.sql',
      depends_on: ['feat.analytics.stg_customers'],
      columns: {
        customer_id: { data_type: 'bigint', description: '' },
        email: { data_type: 'varchar', description: '' },
        country: { data_type: 'varchar', description: '' },
      },
      guarantees: {
        nullability: { customer_id: 'never' },
        accepted_values: { country: ['DE', 'FR'] },
        custom: [
          { type: 'check', column: 'customer_id', config: { expression: 'customer_id > 0' } },
          { type: 'unique', column: 'customer_id', config: {} },
        ],
      },
      svc_meta: {
        owner_team: 'customer_success',
        compatibility_mode: 'backward',
        consumers: [{ team: 'marketing', purpose: 'campaigns' }],
      },
    },
    ownerTeamName: 'customer_success',
    consumers: [{ team: 'marketing', purpose: 'campaigns' }],
    refs: ['feat.analytics.stg_customers'],
    terms: {
      schema: {
        type: 'object',
        properties: {
          customer_id: { type: 'integer' },
          email: { type: 'string' },
          country: { type: 'string' },
        },
        'x-dbt-access': 'public',
        'x-dbt-group': 'customer_success',
        'x-dbt-contract': 'enforced',
      },
      direction: 'data',
      format: 'dbt',
      compatibilityMode: 'backward',
      guarantees: candidate?.metadata.guarantees,
    },
    label: { kind: 'dbt', node_id: 'model.feature.dim_customers.v2' },
    place: '$.nodes["model.feature.dim_customers.v2"]',
  });
});

test('the same manifest in another order of keys is the same import', () => {
  const manifest = fixture('dbt-before.json');
  const reversed = Object.fromEntries(Object.entries(manifest.nodes as JsonObject).reverse());
  expect(candidatesOf({ ...manifest, nodes: reversed })).toEqual(candidatesOf(manifest));
});

test('sources live under a key of their own, and are named by their identifier', () => {
  const manifest = manifestOf({}, { s: sourceOf('orders', { identifier: 'ORDERS_RAW' }) });
  expect(Object.keys(candidatesOf(manifest))).toEqual(['db.raw.orders_raw']);
});

test.each<[string, JsonObject, string]>([
  ['config.meta', { config: { meta: { svc: { owner_team: 'a' } } } }, 'a'],
  [
    'meta where config.meta has none',
    { config: { meta: {} }, meta: { svc: { owner_team: 'a' } } },
    'a',
  ],
  [
    'config.meta before meta',
    { config: { meta: { svc: { owner_team: 'a' } } }, meta: { svc: { owner_team: 'b' } } },
    'a',
  ],
  ['the alias concordat', { meta: { concordat: { owner_team: 'a' } } }, 'a'],
  [
    'svc before its alias',
    { meta: { concordat: { owner_team: 'b' }, svc: { owner_team: 'a' } } },
    'a',
  ],
  ['an alias that is a setting', { meta: { ours: { owner_team: 'a' } } }, 'a'],
])('the owner is read from %s', (_where, more, owner) => {
  const manifest = manifestOf({ [orders]: modelOf('orders', more) });
  const candidate = candidatesOf(manifest, { metaAliases: ['ours'] })['db.public.orders'];
  expect(candidate?.ownerTeamName).toBe(owner);
});

test('a meta block that is wrong is told with its place, and the rest of it is read', () => {
  const svc = {
    owner_team: 7,
    owner_user: 'ada@example.com',
    compatibility_mode: 'backwards',
    consumers: ['bi', { team: 'ml', purpose: 'training' }, { purpose: 'none' }, { team: 'BI' }],
    freshness: { max_staleness_minutes: 'an hour' },
    volume: { min_rows: 10 },
    owner_taem: 'orders',
  };
  const parsed = parseDbtManifest(manifestOf({ [orders]: modelOf('orders', { meta: { svc } }) }));
  const [candidate] = parsed.candidates;
  expect(candidate).toMatchObject({
    ownerUserEmail: 'ada@example.com',
    consumers: [{ team: 'bi' }, { team: 'ml', purpose: 'training' }],
    metadata: { guarantees: { volume: { min_rows: 10 } }, svc_meta: svc },
  });
  // Under a mode that nobody meant there is no contract.
  expect(candidate?.terms).toBeNull();
  const at = '$.nodes["model.shop.orders"].meta.svc';
  expect(parsed.problems.map(({ code, place }) => [code, place])).toEqual([
    ['INVALID_META', `${at}.owner_team`],
    ['INVALID_META', `${at}.owner_taem`],
    ['UNREADABLE_ITEM', `${at}.compatibility_mode`],
    ['INVALID_META', `${at}.freshness.max_staleness_minutes`],
    ['INVALID_META', `${at}.consumers[2]`],
  ]);
});

test.each<[string, JsonObject, string]>([
  ['relation_name is null', modelOf('Orders', { relation_name: null }), 'db.public.orders'],
  ['the alias is not the name', modelOf('orders', { alias: 'ORDERS_V2' }), 'db.public.orders_v2'],
  ['there is no database', modelOf('orders', { database: null }), 'public.orders'],
  ['it is ephemeral', modelOf('orders', { config: { materialized: 'ephemeral' } }), 'shop.orders'],
  [
    'it is ephemeral and has versions',
    modelOf('orders', { version: 2, config: { materialized: 'ephemeral' } }),
    'shop.orders_v2',
  ],
  ['the name has other characters', modelOf('o', { alias: 'orders.à$' }), 'db.public.orders___'],
])('a model is named by its table where %s', (_when, model, fqn) => {
  expect(Object.keys(candidatesOf(manifestOf({ [orders]: model })))).toEqual([fqn]);
});

test('versions of a model share its name and are assets of their own', () => {
  const versions = [1, 2].map((version) => [
    `model.shop.orders.v${version}`,
    modelOf('orders', { version, latest_version: 2, alias: `orders_v${version}` }),
  ]);
  const manifest = manifestOf(Object.fromEntries(versions));
  expect(Object.keys(candidatesOf(manifest))).toEqual([
    'db.public.orders_v1',
    'db.public.orders_v2',
  ]);
});

test('two names that differ only in what an FQN cannot hold are settled the same way every time', () => {
  const nodes = {
    'model.shop.b': modelOf('b', { alias: 'a$' }),
    'model.shop.a': modelOf('a', { alias: 'a!' }),
  };
  const named = (manifest: Json) =>
    Object.values(candidatesOf(manifest)).map(({ fqn, label }) => [fqn, label]);
  const expected = [
    ['db.public.a_', { kind: 'dbt', node_id: 'model.shop.a' }],
    ['db.public.a__2', { kind: 'dbt', node_id: 'model.shop.b' }],
  ];
  const reversed = Object.fromEntries(Object.entries(nodes).reverse());
  expect(named(manifestOf(nodes)).sort()).toEqual(expected);
  expect(named(manifestOf(reversed)).sort()).toEqual(expected);
  expect(parseDbtManifest(manifestOf(nodes)).problems.map(({ code }) => code)).toEqual([
    'FQN_COLLISION',
  ]);
});

test('a source that reads what a model writes is the same asset, with the tests of both', () => {
  const manifest = manifestOf(
    {
      [orders]: modelOf('orders'),
      t: testOf('not_null', ['source.shop.x'], { column_name: 'id' }),
    },
    { 'source.shop.x': sourceOf('orders', { schema: 'PUBLIC' }) },
  );
  const parsed = parseDbtManifest(manifest);
  expect(parsed.candidates.map(({ fqn, resourceType }) => [fqn, resourceType])).toEqual([
    ['db.public.orders', 'model'],
  ]);
  expect(guaranteesOf(manifest, 'db.public.orders')).toEqual({ nullability: { id: 'never' } });
  expect(parsed.problems.map(({ code }) => code)).toEqual(['FQN_COLLISION']);
});

const unique = { type: 'unique', column: 'id', config: {} };

test.each<[string, JsonObject, Json]>([
  [
    'not_null',
    testOf('not_null', [orders], { column_name: 'id' }),
    { nullability: { id: 'never' } },
  ],
  [
    'accepted_values',
    testOf('accepted_values', [orders], { column_name: 'id', values: [1, 2] }),
    { accepted_values: { id: [1, 2] } },
  ],
  [
    'accepted_values with its arguments apart',
    testOf('accepted_values', [orders], { column_name: 'id', arguments: { values: ['a'] } }),
    { accepted_values: { id: ['a'] } },
  ],
  ['unique', testOf('unique', [orders], { column_name: 'id', model: 'x' }), { custom: [unique] }],
  [
    'a not_null with where is not "never"',
    testOf('not_null', [orders], { column_name: 'id' }, { config: { where: 'id > 1' } }),
    { custom: [{ type: 'not_null', column: 'id', config: { where: 'id > 1' } }] },
  ],
  [
    'a not_null with severity warn is not "never"',
    testOf('not_null', [orders], { column_name: 'id' }, { config: { severity: 'WARN' } }),
    { custom: [{ type: 'not_null', column: 'id', config: { severity: 'warn' } }] },
  ],
  [
    'a not_null that tolerates failures is not "never"',
    testOf('not_null', [orders], { column_name: 'id' }, { config: { error_if: '> 10' } }),
    { custom: [{ type: 'not_null', column: 'id', config: { error_if: '> 10' } }] },
  ],
  ...(
    [
      ['counts otherwise', { fail_calc: 'greatest(count(*) - 100, 0)' }],
      ['counts to a limit below what is tolerated', { error_if: '> 10', limit: 5 }],
      ['looks at nothing', { limit: 0 }],
    ] as const
  ).map(([what, config]): [string, JsonObject, JsonObject] => [
    `a not_null that ${what} is not "never"`,
    testOf('not_null', [orders], { column_name: 'id' }, { config }),
    { custom: [{ type: 'not_null', column: 'id', config }] },
  ]),
  [
    'a not_null that counts as usual, and shows some failures, is "never"',
    testOf(
      'not_null',
      [orders],
      { column_name: 'id' },
      { config: { fail_calc: ' COUNT( * ) ', error_if: '!= 0', limit: 5 } },
    ),
    { nullability: { id: 'never' } },
  ],
  [
    'a test that is disabled is ignored',
    testOf('not_null', [orders], { column_name: 'id' }, { config: { enabled: false } }),
    {},
  ],
  [
    'a test of a package',
    testOf(
      'not_constant',
      [orders],
      { column_name: 'id', group_by: ['a'] },
      {
        test_metadata: {
          name: 'not_constant',
          namespace: 'dbt_utils',
          kwargs: { column_name: 'id', group_by: ['a'], model: 'm' },
        },
      },
    ),
    { custom: [{ type: 'dbt_utils.not_constant', column: 'id', config: { group_by: ['a'] } }] },
  ],
  [
    'a generic test of the project itself',
    testOf('is_even', [orders], { column_name: 'id' }),
    { custom: [{ type: 'shop.is_even', column: 'id', config: {} }] },
  ],
])('a test becomes a guarantee: %s', (_what, test, expected) => {
  const manifest = manifestOf({ [orders]: modelOf('orders'), 'test.shop.t': test });
  expect(guaranteesOf(manifest, 'db.public.orders')).toEqual(expected);
});

test('a singular test counts for each of its parents', () => {
  const singular = {
    resource_type: 'test',
    name: 'totals_match',
    raw_sql: 'select 1',
    config: {},
    depends_on: { nodes: [orders, customers] },
  };
  const manifest = manifestOf({
    [orders]: modelOf('orders'),
    [customers]: modelOf('customers'),
    t: singular,
  });
  const expected = { custom: [{ type: 'singular', name: 'totals_match', sql: 'select 1' }] };
  expect(guaranteesOf(manifest, 'db.public.orders')).toEqual(expected);
  expect(guaranteesOf(manifest, 'db.public.customers')).toEqual(expected);
});

const foreignKey = {
  column_name: 'customer_id',
  to: "ref('customers')",
  field: 'id',
  model: "{{ get_where_subquery(ref('orders')) }}",
};

test.each<[string, JsonObject]>([
  ['by attached_node', { attached_node: orders }],
  ['by the model it names', {}],
  [
    'by its column',
    { test_metadata: { name: 'relationships', kwargs: { ...foreignKey, model: '' } } },
  ],
])(
  'a relationships test belongs to the table that refers, never to the referenced one: %s',
  (_how, more) => {
    const manifest = manifestOf({
      [customers]: modelOf('customers'),
      [orders]: modelOf('orders', { columns: columnsOf({ id: 'int', customer_id: 'int' }) }),
      t: testOf('relationships', [customers, orders], foreignKey, more),
    });
    expect(guaranteesOf(manifest, 'db.public.customers')).toEqual({});
    expect(guaranteesOf(manifest, 'db.public.orders')).toEqual({
      custom: [
        {
          type: 'relationships',
          column: 'customer_id',
          config: { to: "ref('customers')", field: 'id', to_fqn: 'db.public.customers' },
        },
      ],
    });
  },
);

test('a relationships test whose own node is not synced counts for nobody', () => {
  const manifest = manifestOf({
    [customers]: modelOf('customers'),
    t: testOf('relationships', [customers, orders], foreignKey),
    u: testOf('relationships', [customers], foreignKey),
  });
  expect(guaranteesOf(manifest, 'db.public.customers')).toEqual({});
});

test('a foreign key into its own table belongs to that table', () => {
  const kwargs = {
    column_name: 'parent_id',
    to: "ref('orders')",
    field: 'id',
    model: "ref('orders')",
  };
  const manifest = manifestOf({
    [orders]: modelOf('orders'),
    t: testOf('relationships', [orders], kwargs),
  });
  expect(countGuarantees(guaranteesOf(manifest, 'db.public.orders') as JsonObject)).toBe(1);
});

test('before attached_node a test belongs to the node that its model names, in its version', () => {
  const versions = { version: 1, latest_version: 2 };
  const manifest = manifestOf({
    'model.shop.orders.v1': modelOf('orders', { ...versions, alias: 'orders_v1' }),
    'model.shop.orders.v2': modelOf('orders', { ...versions, version: 2, alias: 'orders_v2' }),
    [customers]: modelOf('customers'),
    t: testOf('not_null', ['model.shop.orders.v1', 'model.shop.orders.v2', customers], {
      column_name: 'id',
      model: "{{ get_where_subquery(ref('shop', 'orders', v=1)) }}",
    }),
    u: testOf('unique', ['model.shop.orders.v1', 'model.shop.orders.v2'], {
      column_name: 'id',
      model: "{{ get_where_subquery(ref('orders')) }}",
    }),
  });
  expect(guaranteesOf(manifest, 'db.public.customers')).toEqual({});
  expect(guaranteesOf(manifest, 'db.public.orders_v1')).toEqual({ nullability: { id: 'never' } });
  expect(guaranteesOf(manifest, 'db.public.orders_v2')).toEqual({ custom: [unique] });
});

test('a test that several nodes could own is told, and left out', () => {
  const manifest = manifestOf({
    [customers]: modelOf('customers'),
    [orders]: modelOf('orders'),
    t: testOf('not_null', [customers, orders], { column_name: 'id' }),
  });
  expect(parseDbtManifest(manifest).problems).toEqual([
    {
      code: 'UNATTACHED_TEST',
      message: expect.stringContaining('not_null_test'),
      place: '$.nodes.t',
      fatal: false,
    },
  ]);
});

test('constraints of columns and models count like the tests that say the same', () => {
  const columns = {
    id: { name: 'id', data_type: 'int', constraints: [{ type: 'not_null' }, { type: 'unique' }] },
    a: { name: 'a', data_type: 'int', constraints: [{ type: 'check', expression: 'a > 0' }] },
  };
  const constraints = [{ type: 'primary_key', columns: ['id', 'a'] }];
  const manifest = manifestOf({
    [orders]: modelOf('orders', { columns, constraints }),
    t: testOf('unique', [orders], { column_name: 'id' }),
  });
  expect(guaranteesOf(manifest, 'db.public.orders')).toEqual({
    nullability: { a: 'never', id: 'never' },
    custom: [
      { type: 'check', column: 'a', config: { expression: 'a > 0' } },
      unique,
      { type: 'unique', columns: ['id', 'a'], config: {} },
    ],
  });
});

test.each<[JsonObject, Json]>([
  [{ contract: { enforced: true } }, { nullability: { id: 'never' } }],
  [
    { config: { contract: { enforced: true } }, contract: { enforced: false } },
    { nullability: { id: 'never' } },
  ],
  [{ contract: { enforced: false } }, {}],
  [{ config: { contract: { enforced: false } } }, {}],
])('constraints count if dbt enforces them: %j', (more, expected) => {
  const constraints = [{ type: 'not_null', columns: ['id'] }];
  const manifest = manifestOf({ [orders]: modelOf('orders', { constraints, ...more }) });
  expect(guaranteesOf(manifest, 'db.public.orders')).toEqual(expected);
});

test('what is disabled is ignored; macros, exposures and analyses are not synced', () => {
  const manifest = {
    ...manifestOf({
      [orders]: modelOf('orders'),
      [customers]: modelOf('customers', { config: { enabled: false } }),
      'analysis.shop.a': modelOf('a', { resource_type: 'analysis' }),
    }),
    disabled: { 'model.shop.old': [modelOf('old')] },
    macros: { 'macro.shop.m': {} },
    exposures: { 'exposure.shop.e': { name: 'e', depends_on: { nodes: [orders] } } },
  };
  expect(Object.keys(candidatesOf(manifest))).toEqual(['db.public.orders']);
});

test('a column without data_type is left out; a node with none has no contract', () => {
  const manifest = manifestOf({
    [orders]: modelOf('orders', { columns: columnsOf({ id: 'int', note: null }) }),
    [customers]: modelOf('customers', { columns: columnsOf({ id: null }) }),
  });
  const candidates = candidatesOf(manifest);
  expect(candidates['db.public.orders']?.terms?.schema).toEqual({
    type: 'object',
    properties: { id: { type: 'integer' } },
  });
  expect(candidates['db.public.customers']?.terms).toBeNull();
});

test('settings, off by default, put nulls, integers at scale 0 and required columns into the schema', () => {
  const manifest = manifestOf({
    [orders]: modelOf('orders', {
      columns: columnsOf({ id: 'NUMBER(38,0)', price: 'NUMBER(10,2)', note: 'text' }),
    }),
    t: testOf('not_null', [orders], { column_name: 'id' }),
  });
  const schemaUnder = (options: DbtOptions) =>
    candidatesOf(manifest, options)['db.public.orders']?.terms?.schema;
  expect(schemaUnder({})).toEqual({
    type: 'object',
    properties: { id: { type: 'number' }, price: { type: 'number' }, note: { type: 'string' } },
  });
  const all = { nullableColumns: true, integerAtScale0: true, notNullAsRequired: true };
  expect(schemaUnder(all)).toEqual({
    type: 'object',
    properties: {
      id: { type: 'integer' },
      price: { type: ['number', 'null'] },
      note: { type: ['string', 'null'] },
    },
    required: ['id'],
  });
});

test('columns of dotted names are fields of the struct before the dot', () => {
  const types = {
    'lines.sku': 'string',
    lines: 'array<struct<qty int64>>',
    address: 'record',
    'address.city': 'string',
    'address.geo': 'struct',
    'address.geo.lat': 'float64',
    'not.nested': 'string',
  };
  const manifest = manifestOf({ [orders]: modelOf('orders', { columns: columnsOf(types) }) });
  expect(candidatesOf(manifest)['db.public.orders']?.terms?.schema).toEqual({
    type: 'object',
    properties: {
      lines: {
        type: 'array',
        items: {
          type: 'object',
          properties: { qty: { type: 'integer' }, sku: { type: 'string' } },
        },
      },
      address: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          geo: { type: 'object', properties: { lat: { type: 'number' } } },
        },
      },
      'not.nested': { type: 'string' },
    },
  });
});

test('refs are the assets it depends on, in one order, without what is no asset', () => {
  const upstream = [customers, 'source.shop.raw.o', 'model.shop.gone', customers];
  const manifest = manifestOf(
    {
      [orders]: modelOf('orders', { depends_on: { nodes: upstream } }),
      [customers]: modelOf('customers'),
    },
    { 'source.shop.raw.o': sourceOf('a') },
  );
  const candidate = candidatesOf(manifest)['db.public.orders'];
  expect(candidate?.refs).toEqual(['db.public.customers', 'db.raw.a']);
  expect(candidate?.metadata.depends_on).toEqual(candidate?.refs);
});

test.each([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 99])('manifest version %i is read', (version) => {
  const manifest = manifestOf({ [orders]: modelOf('orders') }, {}, `v${version}`);
  expect(Object.keys(candidatesOf(manifest))).toEqual(['db.public.orders']);
});

test.each<[string, Json, string]>([
  ['text', 'manifest', '$'],
  ['a list', [], '$'],
  ['null', null, '$'],
  ['no nodes at all', {}, '$.nodes'],
  ['empty nodes and sources', manifestOf({}), '$.nodes'],
  ['nodes that are a list', { nodes: [] }, '$.nodes'],
  ['an old version', manifestOf({ a: {} }, {}, 'v3'), '$.metadata.dbt_schema_version'],
  [
    'another file of dbt',
    {
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json' },
      nodes: { a: {} },
    },
    '$.metadata.dbt_schema_version',
  ],
])(
  'a manifest that is %s is refused with its place, and nothing of it is imported',
  (_what, manifest, place) => {
    expect(parseDbtManifest(manifest)).toEqual({
      candidates: [],
      problems: [{ code: 'INVALID_MANIFEST', message: expect.any(String), place, fatal: true }],
    });
  },
);

test('a node that cannot be read is told with its place, and the rest goes on', () => {
  const manifest = { nodes: { [orders]: modelOf('orders'), 'model.shop.bad': 7 } };
  const parsed = parseDbtManifest(manifest);
  expect(parsed.candidates.map(({ fqn }) => fqn)).toEqual(['db.public.orders']);
  expect(parsed.problems.map(({ code, place }) => [code, place])).toEqual([
    ['UNREADABLE_ITEM', '$.nodes["model.shop.bad"]'],
  ]);
});

test('nodes of every wrong shape are values, never exceptions', () => {
  const odd: readonly Json[] = [null, 7, 'x', [], {}, [[]], true];
  const keys = [
    'columns',
    'config',
    'meta',
    'depends_on',
    'alias',
    'schema',
    'tags',
    'fqn',
    'name',
  ];
  for (const value of odd) {
    for (const key of [...keys, 'test_metadata', 'constraints', 'version', '__proto__']) {
      const model = Object.fromEntries([...Object.entries(modelOf('orders')), [key, value]]);
      const check = { ...testOf('not_null', [orders], {}), [key]: value };
      const column = { ...modelOf('o'), columns: { constructor: { [key]: value }, b: value } };
      const manifest = manifestOf({ [orders]: model, t: check, [customers]: column });
      expect(() => parseDbtManifest(manifest)).not.toThrow();
    }
  }
});

test('a manifest of 5,000 models and 23,800 tests is read in about a second', () => {
  const manifest = largeManifest(5_000, 20, 23_800);
  const elapsedMs = cpuMsOf(() => {
    const parsed = parseDbtManifest(manifest);
    expect(parsed.problems).toEqual([]);
    expect(parsed.candidates.length).toBe(5_000);
  });
  // Several times what it takes, so that only a change of its order of growth fails here.
  expect(elapsedMs).toBeLessThan(6_000);
});

/** One project as dbt wrote it in each version: where it puts things has moved. */
function projectOf(version: number): JsonObject {
  const isOld = version < 7;
  const svc = { svc: { owner_team: 'orders' } };
  const sql = (text: string) => (isOld ? { raw_sql: text } : { raw_code: text });
  // Until 1.9 beside the configuration as well, since then in it alone.
  const meta = version < 12 ? { meta: svc, config: { meta: svc } } : { config: { meta: svc } };
  const attached = version >= 9 ? { attached_node: orders } : {};
  const argued = (kwargs: JsonObject, own: JsonObject) =>
    version >= 12 ? { ...kwargs, arguments: own } : { ...kwargs, ...own };
  const model = { model: "{{ get_where_subquery(ref('orders')) }}" };
  return manifestOf(
    {
      [orders]: modelOf('orders', {
        ...meta,
        ...sql('select 1'),
        columns: columnsOf({ id: 'bigint', state: 'text', customer_id: 'bigint' }),
        ...(version >= 9 ? { constraints: [], version: null, latest_version: null } : {}),
      }),
      [customers]: modelOf('customers', sql('select 2')),
      'test.shop.a': testOf('not_null', [orders], { column_name: 'id', ...model }, attached),
      'test.shop.b': testOf(
        'accepted_values',
        [orders],
        argued({ column_name: 'state', ...model }, { values: ['new', 'paid'] }),
        attached,
      ),
      'test.shop.c': testOf(
        'relationships',
        [customers, orders],
        argued({ column_name: 'customer_id', ...model }, { to: "ref('customers')", field: 'id' }),
        attached,
      ),
      'test.shop.totals': {
        resource_type: 'test',
        package_name: 'shop',
        name: 'totals_match',
        config: { enabled: true, severity: 'ERROR' },
        depends_on: { nodes: [orders] },
        ...sql('select 3'),
      },
    },
    { 'source.shop.raw.o': sourceOf('o') },
    `v${version}`,
  );
}

test.each([4, 5, 6, 7, 8, 9, 10, 11])('version %i says of a project what v12 says', (version) => {
  expect(parseDbtManifest(projectOf(version))).toEqual(parseDbtManifest(projectOf(12)));
});

test('dbt 2.0, which leaves out what is null, says of a project what v12 says', () => {
  const lean = withoutNulls(projectOf(12)) as JsonObject;
  const own = { functions: { 'function.shop.f': { name: 'f' } }, unit_tests: {} };
  expect(parseDbtManifest({ ...lean, ...own })).toEqual(parseDbtManifest(projectOf(12)));
});

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

test('the project of every version has its owner and all of its promises', () => {
  const { candidates, problems } = parseDbtManifest(projectOf(12));
  expect(problems).toEqual([]);
  const [found] = candidates;
  expect([found?.fqn, found?.ownerTeamName]).toEqual(['db.public.orders', 'orders']);
  expect(found?.terms?.guarantees).toMatchObject({
    nullability: { id: 'never' },
    accepted_values: { state: ['new', 'paid'] },
    custom: [
      { type: 'relationships', config: { to_fqn: 'db.public.customers' } },
      { type: 'singular', name: 'totals_match', sql: 'select 3' },
    ],
  });
});

test('a test that is added is a stronger promise and no break; one that goes is a warning', () => {
  const without = projectOf(12);
  const { 'test.shop.a': _gone, 'test.shop.b': _too, ...nodes } = without.nodes as JsonObject;
  const termsOf = (manifest: JsonObject) => {
    const terms = parseDbtManifest(manifest).candidates[0]?.terms;
    if (terms === null || terms === undefined) throw new Error('The orders have terms.');
    return toContractTerms(terms, null);
  };
  const [few, many] = [termsOf({ ...without, nodes }), termsOf(without)];
  const strict = { guaranteeMode: 'strict' } as const;
  expect(compare(few, many, strict)).toMatchObject({ isBreaking: false, bump: 'patch' });
  expect(compare(many, few)).toMatchObject({ isBreaking: false });
  expect(compare(many, few, strict)).toMatchObject({ isBreaking: true });
});

test.each([
  ['as it comes', {}],
  ['set otherwise', { nullableColumns: true, integerAtScale0: true, notNullAsRequired: true }],
])('of what a registry %s reads a manifest into ajv has nothing to say', (_how, options) => {
  const types = [
    ...schemaOfTypeName.keys(),
    ...[
      'array<struct<a int, b decimal(10,2)>>',
      'map(varchar, int)',
      'numeric(38,0)',
      'text[]',
      '??',
    ],
  ];
  const columns = columnsOf(Object.fromEntries(types.map((type, at) => [`c${at}`, type])));
  const every = manifestOf({ 'model.shop.every': modelOf('every', { columns }) });
  for (const manifest of [fixture('dbt-before.json'), fixture('dbt-after-breaking.json'), every]) {
    for (const { fqn, terms } of parseDbtManifest(manifest, options).candidates) {
      if (terms !== null) expect(checkSchema(terms.schema).ok, fqn).toBe(true);
    }
  }
});

test.each([
  [{ tags: ['PII'] }, true],
  [{ meta: { contains_pii: true } }, true],
  [{ config: { meta: { pii: true } } }, true],
  [{ meta: { pii: false }, tags: ['other'] }, false],
])('A column that dbt calls personal is personal in the contract: %j', (stated, isPersonal) => {
  const columns = { email: { name: 'email', data_type: 'varchar', ...stated } };
  const { candidates } = parseDbtManifest(manifestOf({ [orders]: modelOf('orders', { columns }) }));
  const schema = JSON.stringify(candidates[0]?.terms?.schema);
  expect(schema.includes('"x-classification":"pii"')).toBe(isPersonal);
});
