// Changes of data contracts and dbt manifests that a contract does not hold, or that nobody read once: each is
// told, as a change or as a part that was not compared.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/value/json.ts';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

async function diff(old: JsonObject, next: JsonObject): Promise<string> {
  const files = [await folder.file('old.json', old), await folder.file('new.json', next)];
  const { code, stdout } = await run(['diff', ...files, '--show', 'all']);
  const types = [...stdout.matchAll(/\[(\w+)\]$/gm)].map(([, type]) => type);
  const parts = [...stdout.matchAll(/: ([^:]+) changed, which is not compared\.$/gm)];
  return [`exit ${code}`, ...types, ...parts.map(([, part]) => part)].join(', ');
}

const odcs = (properties: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...{ kind: 'DataContract', apiVersion: 'v3.1.0', id: 'x' },
  schema: [{ name: 'orders', properties }],
  ...more,
});
const column = (more: JsonObject) => odcs([{ name: 'a', ...more }]);
const levels = (...slaProperties: readonly JsonObject[]) =>
  odcs([{ name: 'a', logicalType: 'string' }], { slaProperties });
const hours = (value: number, element?: string, property = 'freshness') => ({
  ...{ property, value, unit: 'h' },
  ...(element === undefined ? {} : { element }),
});
const odcs2 = (more: JsonObject, document: JsonObject = {}): JsonObject => ({
  ...{ kind: 'DataContract', apiVersion: 'v2.2.2', uuid: 'x', version: '1' },
  dataset: [{ table: 'orders', columns: [{ column: 'a', ...more }] }],
  ...document,
});
const typed2 = (column: string) => ({ column, logicalType: 'string', physicalType: 'text' });
const specification = (fields: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ dataContractSpecification: '1.1.0', id: 'x', info: { title: 't', version: '1' } },
  models: { orders: { fields } },
  ...more,
});
const promised = (servicelevels: JsonObject) =>
  specification({ a: { type: 'string' } }, { servicelevels });
const nested = (more: JsonObject): JsonObject =>
  column({ logicalType: 'object', properties: [{ name: 'b', ...more }] });

const model = (columns: Readonly<Record<string, string>>, more: JsonObject = {}): JsonObject => ({
  ...{ resource_type: 'model', name: 'o', package_name: 's', path: 'o.sql' },
  ...{ original_file_path: 'models/o.sql', database: 'd', schema: 'p', alias: 'o' },
  columns: Object.fromEntries(
    Object.entries(columns).map(([name, data_type]) => [name, { name, data_type }]),
  ),
  ...more,
});
const manifest = (nodes: JsonObject, sources: JsonObject = {}): JsonObject => ({
  metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
  nodes,
  sources,
});
const dbt = (columns: Readonly<Record<string, string>>) =>
  manifest({ 'model.s.o': model(columns) });
const typed = (data_type: string) => dbt({ a: data_type });
const source = (more: JsonObject) =>
  manifest({}, { 's.o': model({ a: 'text' }, { resource_type: 'source', ...more }) });

const configured = (config: JsonObject) =>
  manifest({ 'model.s.o': model({ a: 'text' }, { config }) });
const keyed = (key: JsonObject) =>
  specification(
    { a: { type: 'map', keys: { $ref: '#/definitions/key' }, values: { type: 'string' } } },
    { definitions: { key } },
  );

const inDatabase = 'the type in the database';
const text = { logicalType: 'string' };
const number = { logicalType: 'integer' };

test.each<[what: string, old: JsonObject, next: JsonObject, told: string]>([
  [
    'the properties of a struct without logicalType',
    column({ physicalType: 'struct', properties: [{ name: 'b', ...text }] }),
    column({ physicalType: 'struct', properties: [{ name: 'b', ...number }] }),
    'exit 1, type_changed',
  ],
  [
    'the properties of a property without any type',
    column({ properties: [{ name: 'b', ...text }] }),
    column({ properties: [] }),
    'exit 1, property_removed',
  ],
  [
    'the properties of items without a type',
    column({ logicalType: 'array', items: { properties: [{ name: 'b', ...text }] } }),
    column({ logicalType: 'array', items: { properties: [{ name: 'b', ...number }] } }),
    'exit 1, type_changed',
  ],
  [
    'the items of an array without logicalType',
    column({ physicalType: 'array', items: text }),
    column({ physicalType: 'array', items: number }),
    'exit 1, type_changed',
  ],
  [
    'the fields of a list of structs, beside it',
    column({ physicalType: 'array<struct>', properties: [{ name: 'b', ...text }] }),
    column({ physicalType: 'array<struct>', properties: [{ name: 'b', ...number }] }),
    'exit 1, type_changed',
  ],
  [
    'the properties of a logicalType that nobody knows',
    column({ logicalType: 'record', properties: [{ name: 'b', ...text }] }),
    column({ logicalType: 'record', properties: [{ name: 'b', ...number }] }),
    'exit 1, type_changed',
  ],
  [
    'the physicalType of a logicalType that nobody knows',
    column({ logicalType: 'words', physicalType: 'text' }),
    column({ logicalType: 'words', physicalType: 'int' }),
    'exit 1, type_changed',
  ],
  [
    'members of another kind of property',
    column({ ...text, properties: [{ name: 'b', ...text }] }),
    column({ ...text, properties: [{ name: 'b', ...number }] }),
    'exit 3, what stands in it',
  ],
  [
    'fields without a type',
    specification({ r: { fields: { a: { type: 'string' } } } }),
    specification({ r: { fields: { a: { type: 'int' } } } }),
    'exit 1, type_changed',
  ],
  [
    'the values of a map',
    column({ physicalType: 'map', map: { value: text } }),
    column({ physicalType: 'map', map: { value: number } }),
    'exit 1, type_changed',
  ],

  [
    'latency by its short name',
    levels(hours(4, 'orders.a', 'ly')),
    levels(hours(400, 'orders.a', 'ly')),
    'exit 0, freshness_relaxed',
  ],
  [
    'latency beside freshness',
    levels(hours(1), hours(4, undefined, 'latency')),
    levels(hours(1), hours(400, undefined, 'latency')),
    'exit 3, what is promised',
  ],
  [
    'the freshness of a second column',
    levels(hours(1, 'orders.a'), hours(1, 'orders.b')),
    levels(hours(1, 'orders.a'), hours(9, 'orders.b')),
    'exit 3, what is promised',
  ],
  [
    'two promises of one column',
    levels(hours(1, 'orders.a'), hours(2, 'orders.a'), hours(3, 'orders.a')),
    levels(hours(1, 'orders.a'), hours(9, 'orders.a'), hours(3, 'orders.a')),
    'exit 3, what is promised, what is promised',
  ],
  [
    'the freshness of one of several elements',
    levels(hours(1, 'orders.b, orders.a')),
    levels(hours(9, 'orders.b, orders.a')),
    'exit 3, freshness_relaxed, what is promised',
  ],
  [
    'a promise in months',
    levels({ property: 'freshness', value: 1, unit: 'months' }),
    levels({ property: 'freshness', value: 9, unit: 'months' }),
    'exit 3, what is promised',
  ],
  [
    'a promise in seconds that is no whole minute',
    levels({ property: 'freshness', value: 61, unit: 's' }),
    levels({ property: 'freshness', value: 119, unit: 's' }),
    'exit 3, what is promised',
  ],
  [
    'the latency of a specification beside its freshness',
    promised({ freshness: { threshold: '1h' }, latency: { threshold: '1h' } }),
    promised({ freshness: { threshold: '1h' }, latency: { threshold: '9h' } }),
    'exit 3, what is promised',
  ],
  [
    'a duration of hours and minutes',
    promised({ freshness: { threshold: 'PT1H30M' } }),
    promised({ freshness: { threshold: 'PT9H30M' } }),
    'exit 0, freshness_relaxed',
  ],
  [
    'a month is no minute',
    promised({ freshness: { threshold: 'PT60M' } }),
    promised({ freshness: { threshold: 'P1M' } }),
    'exit 3, freshness_removed, what is promised',
  ],
  [
    'how often data comes',
    promised({ frequency: { type: 'batch', interval: 'daily' } }),
    promised({ frequency: { type: 'batch', interval: 'weekly' } }),
    'exit 3, what is promised',
  ],
  [
    'the promises of ODCS 2',
    odcs2(text, { slaProperties: [{ property: 'retention', value: 3, unit: 'y' }] }),
    odcs2(text, { slaProperties: [{ property: 'retention', value: 1, unit: 'y' }] }),
    'exit 3, what is promised',
  ],

  [
    'a rule within a property',
    nested({ ...text, quality: [{ metric: 'nullValues', mustBe: 0 }] }),
    nested(text),
    'exit 0, custom_removed',
  ],
  [
    'a rule on items',
    column({ logicalType: 'array', items: { ...text, quality: [{ type: 'sql', query: 'x' }] } }),
    column({ logicalType: 'array', items: text }),
    'exit 0, custom_removed',
  ],
  [
    'unique within a property',
    nested({ ...text, unique: true }),
    nested(text),
    'exit 0, custom_removed',
  ],
  [
    'a key within a property',
    nested({ ...text, primaryKey: true }),
    nested(text),
    'exit 3, what is a key',
  ],
  [
    'unique within a field',
    specification({ r: { type: 'record', fields: { a: { type: 'string', unique: true } } } }),
    specification({ r: { type: 'record', fields: { a: { type: 'string' } } } }),
    'exit 0, custom_removed',
  ],
  [
    'nulls up to one percent',
    column({ ...text, quality: [{ metric: 'nullValues', mustBe: 0 }] }),
    column({ ...text, quality: [{ metric: 'nullValues', mustBeLessThan: 1, unit: 'percent' }] }),
    'exit 0, nullability_removed, custom_added',
  ],
  [
    'fewer nulls than one record, for none',
    column({ ...text, quality: [{ metric: 'nullValues', mustBe: 0 }] }),
    column({ ...text, quality: [{ metric: 'nullValues', mustBeLessThan: 1, unit: 'records' }] }),
    'exit 0',
  ],
  [
    'the first of two lists of values',
    column({ ...text, quality: [accepts('a', 'b'), accepts('a', 'b', 'c')] }),
    column({ ...text, quality: [accepts('a', 'b', 'c')] }),
    'exit 0, accepted_values_relaxed',
  ],
  [
    'a pattern beside a list of values',
    column({ ...text, quality: [accepts('a', 'b', { pattern: '^a' })] }),
    column({ ...text, quality: [accepts('a', 'b')] }),
    'exit 0, custom_removed',
  ],

  [
    'a type within a property',
    nested({ ...text, physicalType: 'text' }),
    nested({ ...text, physicalType: 'bytea' }),
    `exit 3, ${inDatabase}`,
  ],
  [
    'bounds of a time within a property',
    nested({ logicalType: 'date', logicalTypeOptions: { minimum: '2020-01-01' } }),
    nested({ logicalType: 'date', logicalTypeOptions: { minimum: '2010-01-01' } }),
    'exit 3, how the time is written',
  ],
  [
    'the width of a number',
    column({ ...number, logicalTypeOptions: { format: 'i32' } }),
    column({ ...number, logicalTypeOptions: { format: 'i64' } }),
    'exit 3, what is said of its values',
  ],
  [
    'the keys of a map',
    column({ logicalType: 'map', map: { key: number, value: text } }),
    column({ logicalType: 'map', map: { key: text, value: text } }),
    'exit 3, the type of the keys',
  ],
  [
    'what a column refers to',
    column({ ...text, relationships: [{ to: 'x.y' }] }),
    column({ ...text, relationships: [{ to: 'x.z' }] }),
    'exit 3, what it refers to',
  ],
  [
    'the precision of a field within a record',
    specification({ r: { type: 'record', fields: { a: { type: 'decimal', precision: 9 } } } }),
    specification({ r: { type: 'record', fields: { a: { type: 'decimal', precision: 8 } } } }),
    `exit 3, ${inDatabase}`,
  ],
  [
    'a type of the specification with the schema of another one',
    specification({ a: { type: 'string' } }),
    specification({ a: { type: 'bytes' } }),
    `exit 3, ${inDatabase}`,
  ],
  [
    'two names of one type of the specification',
    specification({ a: { type: 'string' } }),
    specification({ a: { type: 'text' } }),
    'exit 0',
  ],
  [
    'physicalType in ODCS 2',
    odcs2({ ...text, physicalType: 'varchar' }),
    odcs2({ ...text, physicalType: 'bytea' }),
    `exit 3, ${inDatabase}`,
  ],
  [
    'where the data of ODCS 2 is',
    odcs2(text, { database: 'a' }),
    odcs2(text, { database: 'b' }),
    'exit 3, where the data is',
  ],
  [
    'a new column of ODCS 2 between others',
    odcs2({}, { dataset: [{ table: 'orders', columns: [typed2('a'), typed2('c')] }] }),
    odcs2({}, { dataset: [{ table: 'orders', columns: [typed2('a'), typed2('b'), typed2('c')] }] }),
    'exit 0, property_added',
  ],
  [
    'a union that may be null',
    column({ physicalType: 'union(a int, b text)', required: true }),
    column({ physicalType: 'union(a int, b text)' }),
    'exit 0, nullable_added',
  ],

  ...[
    ['text', 'bytea'],
    ['timestamp', 'timestamptz'],
    ['timestamp(6)', 'timestamp(6) with time zone'],
    ['map<int, string>', 'map<string, string>'],
    ['int', 'int unsigned'],
    ['range<date>', 'range<timestamp>'],
    ['varchar(10)', 'varchar(1)'],
    ['struct<b text, c int>', 'struct<b bytea, c int>'],
    ['text[]', 'bytea[]'],
    ['array<struct<b: text>>', 'array<struct<b: bytea, c: int>>'],
    ['String', 'Nullable(String)'],
    ['vector(float, 256)', 'vector(float, 512)'],
    ['struct<b int not null>', 'struct<b int>'],
    ['JSON(a Int64)', 'JSON(a String)'],
    ['float[3]', 'float[4]'],
    ['text[] not null', 'text[]'],
    ['text collate "de"', 'text collate "fr"'],
    ['int default 0 not null', 'int default 0'],
    ['union(b int, c text)', 'union(b int, d text)'],
    ['union(b int, c text)', 'union(b text, c int)'],
  ].flatMap(([old = '', next = '']): [string, JsonObject, JsonObject, string][] => [
    [`${old} and ${next} in dbt`, typed(old), typed(next), expect.stringContaining(inDatabase)],
    [
      `${old} and ${next} in ODCS`,
      column({ physicalType: old }),
      column({ physicalType: next }),
      expect.stringContaining(inDatabase),
    ],
    [
      `${old} and ${next} beside a logicalType`,
      column({ ...text, physicalType: old }),
      column({ ...text, physicalType: next }),
      `exit 3, ${inDatabase}`,
    ],
  ]),
  ...[
    ['INT', 'integer'],
    ['character varying(10)', 'varchar(10)'],
    ['timestamp with time zone', 'TIMESTAMPTZ'],
    ['time(3) with time zone', 'timetz(3)'],
    ['numeric(10,2)', 'DECIMAL(10, 2)'],
    ["struct<b int comment 'x'>", 'struct<b: integer>'],
    ['LowCardinality(String)', 'string'],
    ['int[]', 'integer array'],
  ].flatMap(([old = '', next = '']): [string, JsonObject, JsonObject, string][] => [
    [`${old} is ${next} in dbt`, typed(old), typed(next), 'exit 0'],
    [
      `${old} is ${next} beside a logicalType`,
      column({ ...text, physicalType: old }),
      column({ ...text, physicalType: next }),
      'exit 0',
    ],
  ]),
  // What the comparison tells is not told twice.
  ['text and int in dbt', typed('text'), typed('int'), 'exit 1, type_changed'],
  [
    'int and numeric in dbt',
    typed('int'),
    typed('numeric'),
    expect.stringMatching(/^exit [01], \w+$/),
  ],
  [
    'a new field of a struct',
    typed('struct<b int>'),
    typed('struct<b int, c text>'),
    'exit 0, property_added',
  ],
  ['a type that goes', typed('text'), typed(''), expect.not.stringContaining(inDatabase)],
  [
    'a type that comes',
    dbt({ a: 'int', b: '' }),
    dbt({ a: 'int', b: 'text' }),
    expect.not.stringContaining(inDatabase),
  ],
  [
    'a field of a struct that a column of dbt describes again',
    dbt({ a: 'struct<b int>', 'a.b': 'text' }),
    dbt({ a: 'struct<b text>', 'a.b': 'text' }),
    `exit 3, ${inDatabase}`,
  ],
  [
    'the columns of a second node of one table',
    manifest({
      'model.s.o': model({ a: 'text' }),
      'model.s.p': model({ a: 'text' }, { alias: 'O' }),
    }),
    manifest({
      'model.s.o': model({ a: 'text' }),
      'model.s.p': model({ a: 'int' }, { alias: 'O' }),
    }),
    `exit 3, ${inDatabase}`,
  ],
  [
    'the freshness of a source',
    source({ freshness: { error_after: { count: 1, period: 'day' } } }),
    source({ freshness: { error_after: { count: 9, period: 'day' } } }),
    'exit 3, how old the data may be',
  ],
  [
    'what newer manifests say of nothing',
    source({}),
    source({ freshness: null, loaded_at_query: null }),
    'exit 0',
  ],
  [
    'a column without a type that goes',
    dbt({ a: 'int', b: '' }),
    dbt({ a: 'int' }),
    'exit 3, the list of columns without a type',
  ],
  [
    'a column without a type that comes where none has one',
    dbt({ a: '' }),
    dbt({ a: '', b: '' }),
    'exit 3, the list of columns without a type',
  ],
  [
    'a column that gets its type',
    dbt({ a: 'int', b: '' }),
    dbt({ a: 'int', b: 'int' }),
    'exit 0, property_added',
  ],
  [
    'a column that loses its type',
    dbt({ a: 'int', b: 'int' }),
    dbt({ a: 'int', b: '' }),
    'exit 1, property_removed',
  ],
  [
    'the types of a seed',
    configured({ column_types: { a: 'int' } }),
    configured({ column_types: { a: 'text' } }),
    'exit 3, the types of the columns',
  ],
  [
    'the columns that a snapshot adds',
    configured({ snapshot_meta_column_names: { dbt_valid_to: 'ended' } }),
    configured({ snapshot_meta_column_names: { dbt_valid_to: null } }),
    'exit 3, what a snapshot adds to its rows',
  ],
  [
    'the end of rows that have none',
    configured({ dbt_valid_to_current: "date '9999-12-31'" }),
    configured({}),
    'exit 3, what a snapshot adds to its rows',
  ],
  [
    'a name that is quoted',
    manifest({ 'model.s.o': model({}, { columns: { a: { name: 'a', data_type: 'int' } } }) }),
    manifest({
      'model.s.o': model({}, { columns: { a: { name: 'a', data_type: 'int', quote: true } } }),
    }),
    'exit 3, whether its name is quoted',
  ],
  [
    'the name of a column in its database',
    column({ ...text, physicalName: 'b' }),
    column(text),
    'exit 3, what the database calls it',
  ],
  [
    'the name in the database, where it was the same',
    column(text),
    column({ ...text, physicalName: 'a' }),
    'exit 0',
  ],
  [
    'the name of a table in its database',
    odcs([], { schema: [{ name: 'orders', physicalName: 'a' }] }),
    odcs([], { schema: [{ name: 'orders', physicalName: 'b' }] }),
    'exit 3, what the database calls it',
  ],
  [
    'the keys of a map whose values nobody describes',
    specification({ a: { type: 'map', keys: { type: 'string' } } }),
    specification({ a: { type: 'map', keys: { type: 'int' } } }),
    'exit 3, the type of the keys',
  ],
  [
    'the keys of a map, by a definition',
    keyed({ type: 'string' }),
    keyed({ type: 'int' }),
    'exit 3, the type of the keys',
  ],
])('%s', async (_what, old, next, told) => {
  expect(await diff(old, next)).toEqual(told);
});

function accepts(...values: readonly (string | JsonObject)[]): JsonObject {
  const validValues = values.filter((value) => typeof value === 'string');
  const others = Object.assign({}, ...values.filter((value) => typeof value === 'object'));
  return { metric: 'invalidValues', arguments: { validValues, ...others }, mustBe: 0 };
}
