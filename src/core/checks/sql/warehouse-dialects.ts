// Warehouses, whose queries are printed and run by somebody else. What is not known to mean exactly the
// same there is left out: the kind of such columns is `json`, which no query speaks of.

import { quoteName, quoteText, type SqlDialect } from './dialect.ts';
import { decimalKind, integerKind } from './exact-kinds.ts';
import type { ColumnKind, SourceColumn } from './source-column.ts';

export interface Warehouse {
  readonly dialect: SqlDialect;
  /** A column by its type as the warehouse names it, such as `NUMBER(10,2)`. */
  readonly column: (name: string, type: string) => SourceColumn;
}

const json: ColumnKind = { kind: 'json' };
const text: ColumnKind = { kind: 'text' };
const double: ColumnKind = { kind: 'double' };

/** A type by its name, with its numbers: the first row that it matches. */
type TypeRow = readonly [
  type: RegExp,
  kind: ColumnKind | ((numbers: readonly number[]) => ColumnKind),
  /** The type in literals; as it is named, without one. */
  sqlType?: string,
];

function columnsBy(rows: readonly TypeRow[]): Warehouse['column'] {
  return (name, type) => {
    const given = type
      .trim()
      .toUpperCase()
      .replace(/\s*([(),])/g, '$1')
      .replace(/([(,])\s*/g, '$1');
    for (const [pattern, kind, sqlType = given] of rows) {
      const found = new RegExp(`^(?:${pattern.source})$`).exec(given);
      if (found === null) continue;
      const numbers = found.slice(1).flatMap((each) => (each === undefined ? [] : [Number(each)]));
      return { name, sqlType, type: typeof kind === 'function' ? kind(numbers) : kind };
    }
    return { name, sqlType: given, type: json };
  };
}

const decimal =
  (precision: number, scale: number) =>
  ([
    ownPrecision = precision,
    ownScale = ownPrecision === precision ? scale : 0,
  ]: readonly number[]) =>
    decimalKind(ownPrecision, ownScale);

/** Strings of BigQuery and Snowflake read backslashes as escapes. */
function quoteEscaped(text: string): string {
  const escaped = text.replace(/[\\'\n\r]/g, (sign) => escapes[sign] ?? sign);
  return `'${escaped}'`;
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
};

const isWritable = (x: string) => `(${x} >= DATE '0001-01-01' AND ${x} <= DATE '9999-12-31')`;
function same(column: SourceColumn, { text, quoteName }: SqlDialect): string | null {
  if (column.type.kind === 'json') return null;
  // Without the collation of the column.
  return column.type.kind === 'text' ? text(column) : quoteName(column.name);
}

const common = { json: null, hasExactRemainder: false, holdsNul: true, maxRepeats: 255 } as const;

const snowflakeUtc = (x: string, sqlType: string) =>
  sqlType === 'TIMESTAMP_TZ' ? `CONVERT_TIMEZONE('UTC', ${x})` : x;
const trinoUtc = (x: string, sqlType: string) =>
  sqlType === 'TIMESTAMP WITH TIME ZONE' ? `${x} AT TIME ZONE 'UTC'` : x;

const snowflakeDialect: SqlDialect = {
  ...common,
  name: 'snowflake',
  quoteName,
  quoteText: quoteEscaped,
  countIf: (condition) => `COUNT_IF(${condition})`,
  remainder: (x, divisor) => `${x} % ${divisor}`,
  text: ({ name, type, sqlType }) => {
    const x = quoteName(name);
    const time = `"T"HH24:MI:SS.FF6"Z"`;
    if (type.kind === 'date') return `TO_CHAR(${x}, 'YYYY-MM-DD')`;
    if (type.kind !== 'timestamp') return `COLLATE(${x}, 'utf8')`;
    return `TO_CHAR(${snowflakeUtc(x, sqlType)}, 'YYYY-MM-DD${time}')`;
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double'
      ? `${quoteName(name)} NOT IN (${['NaN', 'inf', '-inf'].map((each) => `CAST('${each}' AS FLOAT)`).join(', ')})`
      : null,
  isNull: ({ name, sqlType }) => {
    const x = quoteName(name);
    return sqlType === 'VARIANT' ? `(${x} IS NULL OR IS_NULL_VALUE(${x}))` : `${x} IS NULL`;
  },
  same: (column) => same(column, snowflakeDialect),
  isWritable: ({ name, sqlType }) =>
    isWritable(`CAST(${snowflakeUtc(quoteName(name), sqlType)} AS DATE)`),
  length: (text) => `LENGTH(${text})`,
  // Its regular expressions are not described closely enough to say that they mean the same.
  matches: null,
  character: String.fromCodePoint,
  age: ({ name, type }) => {
    const x = quoteName(name);
    if (type.kind !== 'date' && type.kind !== 'timestamp') return null;
    const newest = `MAX(CASE WHEN ${x} < DATEADD(day, 1, CURRENT_TIMESTAMP()) THEN ${x} END)`;
    return `DATEDIFF(second, ${newest}, CURRENT_TIMESTAMP())`;
  },
};

const snowflakeTypes: readonly TypeRow[] = [
  [/(?:NUMBER|DECIMAL|NUMERIC)(?:\((\d+)(?:,(\d+))?\))?/, decimal(38, 0)],
  [/(?:BIG|SMALL|TINY|BYTE)?INT(?:EGER)?/, decimalKind(38, 0), 'NUMBER(38,0)'],
  [/FLOAT[48]?|DOUBLE(?: PRECISION)?|REAL/, double, 'FLOAT'],
  [/BOOLEAN/, { kind: 'boolean' }],
  [/(?:VARCHAR|STRING|TEXT|CHAR|CHARACTER)(?:\(\d+\))?/, text],
  [/DATE/, { kind: 'date' }],
  [/TIMESTAMP_NTZ(?:\(\d\))?|DATETIME(?:\(\d\))?/, { kind: 'timestamp' }, 'TIMESTAMP_NTZ'],
  [/TIMESTAMP_L?TZ(?:\(\d\))?/, { kind: 'timestamp' }, 'TIMESTAMP_TZ'],
];

const backticked = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

const bigqueryDialect: SqlDialect = {
  ...common,
  name: 'bigquery',
  quoteName: backticked,
  quoteText: quoteEscaped,
  countIf: (condition) => `COUNTIF(${condition})`,
  remainder: (x, divisor) => `MOD(${x}, ${divisor})`,
  text: ({ name, type, sqlType }) => {
    const x = backticked(name);
    if (type.kind === 'date') return `FORMAT_DATE('%Y-%m-%d', ${x})`;
    if (type.kind !== 'timestamp') return `COLLATE(${x}, '')`;
    const pattern = "'%Y-%m-%dT%H:%M:%E6SZ'";
    return sqlType === 'DATETIME'
      ? `FORMAT_DATETIME(${pattern}, ${x})`
      : `FORMAT_TIMESTAMP(${pattern}, ${x}, 'UTC')`;
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double'
      ? `NOT (IS_NAN(${backticked(name)}) OR IS_INF(${backticked(name)}))`
      : null,
  isNull: ({ name, sqlType }) => {
    const x = backticked(name);
    return sqlType === 'JSON' ? `COALESCE(JSON_TYPE(${x}), 'null') = 'null'` : `${x} IS NULL`;
  },
  same: (column) => same(column, bigqueryDialect),
  // It has no other years.
  isWritable: () => 'TRUE',
  length: (text) => `LENGTH(${text})`,
  matches: (text, pattern) => `REGEXP_CONTAINS(${text}, ${quoteEscaped(pattern)})`,
  character: (code) => `\\x{${code.toString(16)}}`,
  age: ({ name, type, sqlType }) => {
    if (type.kind !== 'date' && type.kind !== 'timestamp') return null;
    const x = sqlType === 'TIMESTAMP' ? backticked(name) : `TIMESTAMP(${backticked(name)})`;
    const newest = `MAX(IF(${x} < TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 DAY), ${x}, NULL))`;
    return `TIMESTAMP_DIFF(CURRENT_TIMESTAMP(), ${newest}, SECOND)`;
  },
};

const bigqueryTypes: readonly TypeRow[] = [
  [/INT64|INT(?:EGER)?|BIGINT|SMALLINT|TINYINT|BYTEINT/, integerKind(64, true), 'INT64'],
  [/(?:NUMERIC|DECIMAL)(?:\((\d+)(?:,(\d+))?\))?/, decimal(38, 9), 'NUMERIC'],
  [/(?:BIGNUMERIC|BIGDECIMAL)\((\d+)(?:,(\d+))?\)/, decimal(76, 38), 'BIGNUMERIC'],
  [/FLOAT64/, double],
  [/BOOL(?:EAN)?/, { kind: 'boolean' }],
  [/STRING(?:\(\d+\))?/, text, 'STRING'],
  [/DATE/, { kind: 'date' }],
  [/DATETIME|TIMESTAMP/, { kind: 'timestamp' }],
];

const trinoDialect: SqlDialect = {
  ...common,
  name: 'trino',
  quoteName,
  quoteText,
  countIf: (condition) => `count_if(${condition})`,
  remainder: (x, divisor) => `${x} % ${divisor}`,
  text: ({ name, type, sqlType }) => {
    const x = quoteName(name);
    if (type.kind !== 'timestamp') return `CAST(${x} AS varchar)`;
    return `concat(replace(CAST(CAST(${trinoUtc(x, sqlType)} AS timestamp(6)) AS varchar), ' ', 'T'), 'Z')`;
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double' || type.kind === 'single' ? `is_finite(${quoteName(name)})` : null,
  isNull: ({ name, sqlType }) => {
    const x = quoteName(name);
    return sqlType === 'JSON' ? `coalesce(json_format(${x}), 'null') = 'null'` : `${x} IS NULL`;
  },
  same: (column) => same(column, trinoDialect),
  isWritable: ({ name, sqlType }) =>
    isWritable(`CAST(${trinoUtc(quoteName(name), sqlType)} AS date)`),
  length: (text) => `length(${text})`,
  // The end of a line before the end of a text is an end, too, in its regular expressions.
  matches: (text, pattern) =>
    `regexp_like(${text}, ${quoteText(pattern.replace(/(?<!\\)\$/g, '\\z'))})`,
  character: (code) => `\\x{${code.toString(16)}}`,
  age: ({ name, type }) => {
    const x = quoteName(name);
    if (type.kind !== 'date' && type.kind !== 'timestamp') return null;
    const at = `CAST(${x} AS timestamp with time zone)`;
    const newest = `max(CASE WHEN ${at} < now() + INTERVAL '1' DAY THEN ${at} END)`;
    return `to_unixtime(now()) - to_unixtime(${newest})`;
  },
};

const trinoTypes: readonly TypeRow[] = [
  [/TINYINT/, integerKind(8, true)],
  [/SMALLINT/, integerKind(16, true)],
  [/INTEGER|INT/, integerKind(32, true)],
  [/BIGINT/, integerKind(64, true)],
  [/DECIMAL\((\d+)(?:,(\d+))?\)/, decimal(38, 0)],
  [/DOUBLE/, double],
  [/REAL/, { kind: 'single' }],
  [/BOOLEAN/, { kind: 'boolean' }],
  [/VARCHAR(?:\(\d+\))?/, text],
  [/UUID/, { kind: 'uuid' }],
  [/DATE/, { kind: 'date' }],
  // Finer times would be rounded.
  [/TIMESTAMP(?:\([0-6]\))?/, { kind: 'timestamp' }, 'TIMESTAMP'],
  [/TIMESTAMP(?:\([0-6]\))? WITH TIME ZONE/, { kind: 'timestamp' }, 'TIMESTAMP WITH TIME ZONE'],
];

export const warehouses = {
  snowflake: { dialect: snowflakeDialect, column: columnsBy(snowflakeTypes) },
  bigquery: { dialect: bigqueryDialect, column: columnsBy(bigqueryTypes) },
  trino: { dialect: trinoDialect, column: columnsBy(trinoTypes) },
} as const satisfies Readonly<Record<string, Warehouse>>;
