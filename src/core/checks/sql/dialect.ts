// What differs between the engines that run a check.

import type { ColumnKind, SourceColumn } from './source-column.ts';

export interface SqlDialect {
  readonly name: 'postgres' | 'duckdb' | 'snowflake' | 'bigquery' | 'trino';
  readonly quoteName: (name: string) => string;
  readonly quoteText: (text: string) => string;
  /** Counts the rows for which a condition holds. */
  readonly countIf: (condition: string) => string;
  readonly remainder: (x: string, divisor: string) => string;
  /** The value of a column as text, for kinds that JSON writes as text. */
  readonly text: (column: SourceColumn) => string;
  /** The value of a column as the text of its JSON; absent where values are never read. */
  readonly json: ((column: SourceColumn) => string) | null;
  /** Whether a number is a JSON number: not NaN, and not infinite. Null if all of them are. */
  readonly isFinite: (column: SourceColumn) => string | null;
  /** Whether a value is null as JSON has it, which may be written in a column of JSON. */
  readonly isNull: (column: SourceColumn) => string;
  /** What is the same for values that are the same as JSON, and for no others; null if nothing is. */
  readonly same: (column: SourceColumn) => string | null;
  /**
   * A digest to group values by, in place of `same`. Its size is fixed, so that long texts do not fill the memory
   * of a check. Absent where that memory is the source's own; null for values that have a fixed size themselves.
   */
  readonly digest?: (column: SourceColumn, same: string) => string | null;
  /** Whether a date lies in the years that JSON Schema's formats can write. */
  readonly isWritable: (column: SourceColumn) => string;
  /** Number of code points; null if the source cannot count them. */
  readonly length: ((text: string) => string) | null;
  /** Null if the source reads patterns by another character set. */
  readonly matches: ((text: string, pattern: string) => string) | null;
  /** How a character stands in the class of a pattern. */
  readonly character: (code: number) => string;
  readonly maxRepeats: number;
  /** Whether a text may have the character NUL. */
  readonly holdsNul: boolean;
  /** Whether `%` of decimals is exact. */
  readonly hasExactRemainder: boolean;
  /**
   * The seconds since the newest value of a column. Values in the far future do not count, because they would
   * hide how old the others are. Null if the column holds no times.
   */
  readonly age: (column: SourceColumn) => string | null;
}

/** Of an engine that runs a check here. */
export interface RunDialect extends SqlDialect {
  readonly json: (column: SourceColumn) => string;
  /** How many numbers one query counts. */
  readonly countsAtOnce: number;
}

/** @example quoteName('a"b') // '"a""b"' */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** @example quoteText("it's") // "'it''s'" */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const nonFinite = (x: string, whenFinite: string, isNan: string) =>
  `CASE WHEN ${isNan} THEN '"NaN"' WHEN ${whenFinite} THEN CAST(${x} AS text) WHEN ${x} > 0 THEN '"Infinity"' ELSE '"-Infinity"' END`;

const alike = {
  ...{ quoteName, quoteText },
  countIf: (condition) => `count(*) FILTER (WHERE ${condition})`,
  remainder: (x, divisor) => `${x} % ${divisor}`,
} satisfies Partial<SqlDialect>;

const postgresDialect: RunDialect = {
  ...alike,
  name: 'postgres',
  text: (column) => {
    const x = quoteName(column.name);
    switch (column.type.kind) {
      case 'date':
        return textOfTime(column, `to_char(${x}, 'YYYY-MM-DD')`, 'text');
      case 'timestamp':
        return textOfTime(column, `to_char(${x}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, 'text');
      default:
        // Without the collation of the column, which may call different texts equal.
        return `CAST(${x} AS text) COLLATE "C"`;
    }
  },
  json: (column) => {
    const x = quoteName(column.name);
    switch (column.type.kind) {
      case 'boolean':
        return `CAST(${x} AS text)`;
      case 'exact':
        if (!column.type.hasNan) return `CAST(${x} AS text)`;
        return jsonOfNumber(x);
      case 'double':
      case 'single':
        return jsonOfNumber(x);
      case 'json':
        // Alone, such times read as those of UTC.
        return `CAST(to_json(${column.sqlType === 'timestamp[]' ? `CAST(${x} AS timestamptz[])` : x}) AS text)`;
      default:
        return `CAST(to_json(${postgresDialect.text(column)}) AS text)`;
    }
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double' || type.kind === 'single' || (type.kind === 'exact' && type.hasNan)
      ? finiteInPostgres(quoteName(name))
      : null,
  isNull: ({ name, type }) => {
    const x = quoteName(name);
    // Of a row, `IS NULL` asks for its fields.
    return type.kind === 'json'
      ? `coalesce(json_typeof(to_json(${x})), 'null') = 'null'`
      : `${x} IS NULL`;
  },
  same: (column) => {
    const x = quoteName(column.name);
    // Equality of their own types calls an interval of a day one of 24 hours, and letters of citext the same.
    if (column.type.kind === 'text') return postgresDialect.text(column);
    return column.type.kind === 'json' ? `to_jsonb(${x})` : x;
  },
  isWritable: ({ name }) =>
    `(${quoteName(name)} >= '0001-01-01' AND ${quoteName(name)} < '10000-01-01')`,
  length: (text) => `char_length(${text})`,
  matches: (text, pattern) => `${text} ~ ${quoteText(pattern)}`,
  character: (code) => `\\U${code.toString(16).padStart(8, '0')}`,
  maxRepeats: 255,
  holdsNul: false,
  hasExactRemainder: true,
  // Postgres answers at most 1,664 columns.
  countsAtOnce: 1_000,
  age: ({ name, type }) =>
    isTime(type) ? `extract(epoch FROM now() - ${newest(quoteName(name))})` : null,
};

/** A database that is not in UTF-8 reads the numbers of characters in patterns by its own character set. */
export function postgresDialectOf(encoding: string): RunDialect {
  if (encoding === 'UTF8') return postgresDialect;
  // Without a character set, Postgres counts bytes.
  const length = encoding === 'SQL_ASCII' ? null : postgresDialect.length;
  return { ...postgresDialect, length, matches: null };
}

function newest(x: string): string {
  return `max(${x}) FILTER (WHERE ${x} < now() + INTERVAL '1 day')`;
}

function isTime({ kind }: ColumnKind): boolean {
  return kind === 'date' || kind === 'timestamp';
}

function jsonOfNumber(x: string): string {
  return `CASE WHEN ${x} IS NOT NULL THEN ${nonFinite(x, finiteInPostgres(x), `${x} = 'NaN'`)} END`;
}

function finiteInPostgres(x: string): string {
  return `${x} NOT IN ('NaN', 'Infinity', '-Infinity')`;
}

/** Infinity, and years before the first and after 9999, are no text that a format knows. */
function textOfTime(column: SourceColumn, text: string, type: 'text' | 'VARCHAR'): string {
  const { isWritable } = type === 'text' ? postgresDialect : duckdbDialect;
  const x = quoteName(column.name);
  return `CASE WHEN ${isWritable(column)} THEN ${text} ELSE CAST(${x} AS ${type}) END`;
}

/** One text for all ways to write a number: its digits without zeros at the ends, and their exponent. */
function sameNumber(x: string): string {
  const part = (pattern: string, group: number) =>
    `regexp_extract(${x}, ${quoteText(pattern)}, ${group})`;
  const fraction = part('[.]([0-9]+)', 1);
  const digits = `ltrim(replace(${part('^-?([0-9.]+)', 1)}, '.', ''), '0')`;
  const exponent = `coalesce(TRY_CAST(${part('[eE]([+-]?[0-9]+)$', 1)} AS HUGEINT), 0)`;
  const trimmed = `rtrim(${digits}, '0')`;
  const shifted = `${exponent} - length(${fraction}) + length(${digits}) - length(${trimmed})`;
  const number = `CASE WHEN ${trimmed} = '' THEN '0' ELSE ${part('^(-?)', 1)} || ${trimmed} || 'e' || (${shifted}) END`;
  return `CASE WHEN regexp_full_match(${x}, ${quoteText(jsonNumber)}) THEN ${number} ELSE ${x} END`;
}

const jsonNumber = '-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?';

export const duckdbDialect: RunDialect = {
  ...alike,
  name: 'duckdb',
  text: (column) => {
    const x = quoteName(column.name);
    switch (column.type.kind) {
      case 'timestamp':
        return textOfTime(column, `strftime(${x}, '%Y-%m-%dT%H:%M:%S.%fZ')`, 'VARCHAR');
      default:
        return `CAST(${x} AS VARCHAR)`;
    }
  },
  json: (column) => {
    const x = quoteName(column.name);
    switch (column.type.kind) {
      case 'exact':
      case 'boolean':
        return `CAST(${x} AS VARCHAR)`;
      case 'double':
      case 'single':
        return `CASE WHEN ${x} IS NOT NULL THEN ${nonFinite(x, `isfinite(${x})`, `isnan(${x})`)} END`;
      case 'json':
        // What reads the answer writes lists and structs as JSON itself.
        return x;
      case 'cell':
        // A cell that takes no text has no value if nothing stands between its quotes.
        return `CASE WHEN ${x} = '' THEN NULL WHEN ${x} IN ('true', 'false') OR regexp_full_match(${x}, ${quoteText(jsonNumber)}) THEN ${x} ELSE CAST(to_json(${x}) AS VARCHAR) END`;
      default:
        return `CAST(to_json(${duckdbDialect.text(column)}) AS VARCHAR)`;
    }
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double' || type.kind === 'single' ? `isfinite(${quoteName(name)})` : null,
  isNull: ({ name, type, sqlType }) => {
    const x = quoteName(name);
    if (type.kind === 'cell') return `nullif(${x}, '') IS NULL`;
    return sqlType === 'JSON' ? `coalesce(json_type(${x}), 'NULL') = 'NULL'` : `${x} IS NULL`;
  },
  same: (column) => {
    const { name, type, sqlType } = column;
    const x = quoteName(name);
    if (type.kind === 'cell') return sameNumber(x);
    // JSON has the text of an interval, and no nanoseconds.
    if (type.kind === 'text') return duckdbDialect.text(column);
    if (sqlType === 'TIMESTAMP_NS') return `CAST(${x} AS TIMESTAMP)`;
    return /\b(?:JSON|MAP|UNION|INTERVAL|TIMESTAMP_NS)\b/.test(sqlType) ? null : x;
  },
  digest: ({ type, sqlType }, same) => {
    const isText = type.kind === 'text' || type.kind === 'cell' || sqlType === 'VARCHAR';
    // MD5 of a text that nobody can choose: no two texts with the same digest are known.
    return isText ? `md5_number(sha256(${same}))` : null;
  },
  isWritable: ({ name, sqlType }) => {
    // Nanoseconds have no such years.
    if (sqlType === 'TIMESTAMP_NS') return 'TRUE';
    const x = quoteName(name);
    return `(${x} >= DATE '0001-01-01' AND ${x} < DATE '10000-01-01')`;
  },
  length: (text) => `length(${text})`,
  matches: (text, pattern) => `regexp_matches(${text}, ${quoteText(pattern)})`,
  character: (code) => `\\x{${code.toString(16)}}`,
  maxRepeats: 1000,
  holdsNul: true,
  hasExactRemainder: false,
  // DuckDB plans twice as many in four times the time, and reads each column only for its own query.
  countsAtOnce: 150,
  age: ({ name, type }) => {
    const x = quoteName(name);
    if (isTime(type)) return `epoch(now()) - epoch(${newest(x)})`;
    // Files without types have times as text.
    const text = type.kind === 'json' ? `TRY_CAST(${x} AS JSON) ->> '$'` : x;
    const isText = type.kind === 'json' || type.kind === 'text';
    return isText ? `epoch(now()) - epoch(${newest(`TRY_CAST(${text} AS TIMESTAMPTZ)`)})` : null;
  },
};
