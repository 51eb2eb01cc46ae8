// What differs between the engines that run a check.

import type { ColumnKind, SourceColumn } from './source-column.ts';

export interface SqlDialect {
  readonly name: 'postgres' | 'duckdb';
  /** The value of a column as text, for kinds that JSON writes as text. */
  readonly text: (column: SourceColumn) => string;
  /** The value of a column as the text of its JSON; null for null. */
  readonly json: (column: SourceColumn) => string;
  /** Whether a number is a JSON number: not NaN, and not infinite. Null if all of them are. */
  readonly isFinite: (column: SourceColumn) => string | null;
  /** Whether a date lies in the years that JSON Schema's formats can write. */
  readonly isWritable: (column: SourceColumn) => string;
  /** Number of code points. */
  readonly length: (text: string) => string;
  readonly matches: (text: string, pattern: string) => string;
  /** How a character stands in the class of a pattern. */
  readonly character: (code: number) => string;
  readonly maxRepeats: number;
  /** Whether `%` of decimals is exact. */
  readonly hasExactRemainder: boolean;
  /** How many numbers one query counts. */
  readonly countsAtOnce: number;
  /** The time in seconds since the largest value of a column; null if its values are no times. */
  readonly age: (column: SourceColumn) => string | null;
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

export const postgresDialect: SqlDialect = {
  name: 'postgres',
  text: (column) => {
    const x = quoteName(column.name);
    switch (column.type.kind) {
      case 'date':
        return textOfTime(x, `to_char(${x}, 'YYYY-MM-DD')`);
      case 'timestamp':
        return textOfTime(x, `to_char(${x}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);
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
        return `CAST(to_json(${x}) AS text)`;
      default:
        return `CAST(to_json(${postgresDialect.text(column)}) AS text)`;
    }
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double' || type.kind === 'single' || (type.kind === 'exact' && type.hasNan)
      ? finiteInPostgres(quoteName(name))
      : null,
  isWritable: ({ name }) =>
    `(${quoteName(name)} >= '0001-01-01' AND ${quoteName(name)} < '10000-01-01')`,
  length: (text) => `char_length(${text})`,
  matches: (text, pattern) => `${text} ~ ${quoteText(pattern)}`,
  character: (code) => `\\U${code.toString(16).padStart(8, '0')}`,
  maxRepeats: 255,
  hasExactRemainder: true,
  // Postgres answers at most 1,664 columns.
  countsAtOnce: 1_000,
  age: ({ name, type }) =>
    isTime(type) ? `extract(epoch FROM now() - max(${quoteName(name)}))` : null,
};

function isTime({ kind }: ColumnKind): boolean {
  return kind === 'date' || kind === 'timestamp';
}

function jsonOfNumber(x: string): string {
  return `CASE WHEN ${x} IS NOT NULL THEN ${nonFinite(x, finiteInPostgres(x), `${x} = 'NaN'`)} END`;
}

function finiteInPostgres(x: string): string {
  return `${x} NOT IN ('NaN', 'Infinity', '-Infinity')`;
}

/** Infinity is a date in Postgres; `to_char` has no text for it. */
function textOfTime(x: string, text: string): string {
  return `CASE WHEN isfinite(${x}) THEN ${text} ELSE CAST(${x} AS text) END`;
}

const jsonNumber = '-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?';

export const duckdbDialect: SqlDialect = {
  name: 'duckdb',
  text: (column) => {
    const x = quoteName(column.name);
    switch (column.type.kind) {
      case 'timestamp':
        return textOfTime(x, `strftime(${x}, '%Y-%m-%dT%H:%M:%S.%fZ')`);
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
        return `CASE WHEN ${x} IN ('true', 'false') OR regexp_full_match(${x}, ${quoteText(jsonNumber)}) THEN ${x} ELSE CAST(to_json(${x}) AS VARCHAR) END`;
      default:
        return `CAST(to_json(${duckdbDialect.text(column)}) AS VARCHAR)`;
    }
  },
  isFinite: ({ name, type }) =>
    type.kind === 'double' || type.kind === 'single' ? `isfinite(${quoteName(name)})` : null,
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
  hasExactRemainder: false,
  // DuckDB plans twice as many in four times the time, and reads each column only for its own query.
  countsAtOnce: 150,
  age: ({ name, type }) => {
    const x = quoteName(name);
    if (isTime(type)) return `epoch(now()) - epoch(max(${x}))`;
    // Files without types have times as text.
    const text = type.kind === 'json' ? `CAST(${x} AS JSON) ->> '$'` : x;
    const isText = type.kind === 'json' || type.kind === 'text';
    return isText ? `epoch(now()) - epoch(max(TRY_CAST(${text} AS TIMESTAMPTZ)))` : null;
  },
};
