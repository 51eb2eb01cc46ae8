import { expect, test } from 'vitest';
import { schemaOfSqlType } from '../../../src/core/import/sql-type.ts';
import type { Json } from '../../../src/core/value/json.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const dateTime = { type: 'string', format: 'date-time' };
const time = { type: 'string', format: 'time' };
const object = { type: 'object' };
const listOf = (items: Json) => ({ type: 'array', items });
const structOf = (properties: Json) => ({ type: 'object', properties });

const table: readonly (readonly [string, string, Json])[] = [
  ['specification', 'string text varchar char', string],
  ['specification', 'integer int bigint smallint', integer],
  ['specification', 'float double numeric decimal', number],
  ['specification', 'boolean bool', { type: 'boolean' }],
  ['specification', 'date', { type: 'string', format: 'date' }],
  ['specification', 'datetime timestamp', dateTime],
  ['specification', 'json jsonb variant object', object],
  ['specification', 'array', { type: 'array' }],
];

const rows = table.flatMap(([origin, names, schema]) =>
  names.split(' ').map((name) => [origin, name, schema] as const),
);

test.each<readonly [string, string, Json]>([
  ...rows,
  ...rows.map(([, name, schema]) => ['in any case', name.toUpperCase(), schema] as const),
  ['parameters dropped', 'varchar(255)', string],
  ['parameters dropped', ' NUMERIC ( 38 , 0 ) ', number],
  ['Snowflake', 'NUMBER(38,0)', number],
  ['Snowflake', 'TIMESTAMP_NTZ(9)', dateTime],
  ['Snowflake', 'TIMESTAMP_LTZ', dateTime],
  ['Snowflake', 'ARRAY(NUMBER(38,0) NOT NULL)', listOf(number)],
  ['Snowflake', 'OBJECT(a NUMBER, "b c" VARCHAR NOT NULL)', structOf({ a: number, 'b c': string })],
  ['Snowflake', 'MAP(VARCHAR, NUMBER)', { type: 'object', additionalProperties: number }],
  ['Snowflake', 'VECTOR(FLOAT, 256)', listOf(number)],
  ['Snowflake', 'GEOGRAPHY', {}],
  ['BigQuery', 'INT64', integer],
  ['BigQuery', 'BIGNUMERIC', number],
  ['BigQuery', 'ARRAY<INT64>', listOf(integer)],
  ['BigQuery', 'STRUCT<sku STRING, qty INT64>', structOf({ sku: string, qty: integer })],
  [
    'BigQuery',
    'ARRAY<STRUCT<sku STRING NOT NULL, tags ARRAY<STRING(10)>>>',
    listOf(structOf({ sku: string, tags: listOf(string) })),
  ],
  ['BigQuery', 'RECORD', object],
  ['BigQuery', 'STRUCT<INT64, STRING>', structOf({ _1: integer, _2: string })],
  ['Redshift', 'character varying(256)', string],
  ['Redshift', 'SUPER', object],
  ['Redshift', 'double precision', number],
  ['Databricks', 'struct<a:int,b:array<string>>', structOf({ a: integer, b: listOf(string) })],
  ['Databricks', 'map<string,bigint>', { type: 'object', additionalProperties: integer }],
  [
    'Databricks',
    "struct<a: int comment 'the, first', b: string>",
    structOf({ a: integer, b: string }),
  ],
  ['Databricks', 'struct<`odd name`: int>', structOf({ 'odd name': integer })],
  ['Postgres', 'timestamp without time zone', dateTime],
  ['Postgres', 'timestamp(6) with time zone', dateTime],
  ['Postgres', 'time with time zone', time],
  ['Postgres', 'integer[]', listOf(integer)],
  ['Postgres', 'character varying(255)[][]', listOf(listOf(string))],
  ['Postgres', 'integer array', listOf(integer)],
  ['Postgres', 'uuid', { type: 'string', format: 'uuid' }],
  ['Postgres', 'int4range', string],
  ['DuckDB', 'HUGEINT', integer],
  ['DuckDB', 'INTEGER[3]', listOf(integer)],
  ['DuckDB', 'STRUCT(a INTEGER, b VARCHAR)[]', listOf(structOf({ a: integer, b: string }))],
  ['DuckDB', "ENUM('a', 'it''s')", { type: 'string', enum: ['a', "it's"] }],
  ['DuckDB', 'UNION(num INT, str VARCHAR)', { anyOf: [integer, string] }],
  [
    'DuckDB',
    'MAP(VARCHAR, STRUCT(a INT))',
    { type: 'object', additionalProperties: structOf({ a: integer }) },
  ],
  ['ClickHouse', 'LowCardinality(Nullable(String))', string],
])('%s: %s', (_origin, type, schema) => {
  const { named: _told, ...read } = schemaOfSqlType(type, { isIntegerAtScale0: false });
  expect(read).toEqual({ schema, unknownNames: [] });
});

test.each<readonly [string, Json]>([
  ['NUMBER(38,0)', integer],
  ['numeric(10)', integer],
  ['numeric(10,2)', number],
  ['numeric', number],
  ['ARRAY(NUMBER(38,0))', listOf(integer)],
])('with integer_at_scale_0, %s', (type, schema) => {
  expect(schemaOfSqlType(type, { isIntegerAtScale0: true }).schema).toEqual(schema);
});

test('a type that no dialect has accepts anything, and is told', () => {
  const parsed = schemaOfSqlType('STRUCT<a WIDGET, b INT64>', { isIntegerAtScale0: false });
  expect(parsed.schema).toEqual(structOf({ a: {}, b: integer }));
  expect(parsed.unknownNames).toEqual(['widget']);
});

test.each([
  ['empty', ''],
  ['brackets only', '<<<>>>,,(('],
  ['not closed', 'struct<a int, b array<'],
  ['nested beyond every limit', 'array<'.repeat(15_000)],
  ['long beyond every limit', 'a'.repeat(1_000_000)],
  ['quotes not closed', 'struct<"a int>'],
  ['a field named like a prototype', 'struct<__proto__ int, constructor int>'],
])('a type that is %s is a value, never an exception', (_what, type) => {
  expect(() => schemaOfSqlType(type, { isIntegerAtScale0: false })).not.toThrow();
});
