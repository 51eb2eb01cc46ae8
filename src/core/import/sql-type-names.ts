// The JSON Schema types for the type names of SQL dialects. The first block is exactly the table of
// the specification. The others apply the same idea to further names of Snowflake, BigQuery,
// Redshift, Databricks, Postgres and DuckDB.

import type { JsonObject } from '../value/json.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const date = { type: 'string', format: 'date' };
const dateTime = { type: 'string', format: 'date-time' };
const time = { type: 'string', format: 'time' };
const uuid = { type: 'string', format: 'uuid' };
const object = { type: 'object' };
const array = { type: 'array' };
/** Any value: a geography is text in one warehouse and an object in another. */
const anything = {};

const rows: readonly (readonly [JsonObject, string])[] = [
  [string, 'string text varchar char'],
  [integer, 'integer int bigint smallint'],
  [number, 'float double numeric decimal'],
  [boolean, 'boolean bool'],
  [date, 'date'],
  [dateTime, 'datetime timestamp'],
  [object, 'json jsonb variant object'],
  [array, 'array'],

  [string, 'character nchar nvarchar nvarchar2 varchar2 bpchar citext name clob nclob tinytext'],
  [string, 'mediumtext longtext fixedstring ltree xml tsvector tsquery inet cidr macaddr macaddr8'],
  [string, 'binary varbinary bytes bytea blob varbyte bit varbit bitstring hllsketch hll'],
  [string, 'interval range int4range int8range numrange tsrange tstzrange daterange'],
  [integer, 'int1 int2 int4 int8 int16 int32 int64 int128 int256 tinyint mediumint byteint'],
  [integer, 'uint8 uint16 uint32 uint64 uint128 uint256 hugeint uhugeint ubigint uinteger'],
  [integer, 'usmallint utinyint long short byte signed varint bignum oid'],
  [integer, 'serial bigserial smallserial serial2 serial4 serial8'],
  [number, 'number real float4 float8 float16 float32 float64 bignumeric bigdecimal dec fixed'],
  [number, 'decfloat money'],
  [boolean, 'logical'],
  [date, 'date32'],
  [dateTime, 'timestamptz timestamp_tz timestamp_ltz timestamp_ntz timestampltz timestampntz'],
  [dateTime, 'timestamp_s timestamp_ms timestamp_us timestamp_ns datetime2 smalldatetime'],
  [dateTime, 'datetime64 datetimeoffset timestamp_tz_ms'],
  [time, 'time timetz time_ns'],
  [uuid, 'uuid uniqueidentifier guid'],
  [object, 'super hstore struct record row map tuple nested'],
  [array, 'list vector'],
  [anything, 'geography geometry any void null unknown'],
];

export const schemaOfTypeName: ReadonlyMap<string, JsonObject> = new Map(
  rows.flatMap(([schema, names]) => names.split(' ').map((name) => [name, schema] as const)),
);

/** Names whose parameters are a precision and a scale. */
export const scaledTypeNames: ReadonlySet<string> = new Set(
  'number numeric decimal dec fixed bignumeric bigdecimal'.split(' '),
);

/** Names that hold fields: `struct<a: int>`, `object(a number)`, `row(a int)`. */
export const structTypeNames: ReadonlySet<string> = new Set(
  'struct record row object tuple nested'.split(' '),
);

/** Names that hold elements: `array<int>`, `array(number)`, `list(int)`, `vector(float, 256)`. */
export const listTypeNames: ReadonlySet<string> = new Set(['array', 'list', 'vector']);

/** Names without a meaning of their own: `nullable(int64)` is an int64. */
export const wrapperTypeNames: ReadonlySet<string> = new Set(['nullable', 'lowcardinality']);

/** Spellings of one type that mean the same in every dialect that has both; in the words of a type. */
export const spellings: readonly (readonly [RegExp, string])[] = [
  [/^int\b/, 'integer'],
  [/^bool\b/, 'boolean'],
  [/^(?:dec|numeric)\b/, 'decimal'],
  [/^double precision\b/, 'double'],
  [/^(?:character|char) varying\b/, 'varchar'],
  [/^character\b/, 'char'],
  [/^(timestamp|time)( \( "\d+" \))? without time zone\b/, '$1$2'],
  [/^(timestamp|time)( \( "\d+" \))? with time zone\b/, '$1tz$2'],
];
