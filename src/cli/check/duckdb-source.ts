// Files that DuckDB reads within this process.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { duckdbDialect, quoteName, quoteText } from '../../core/checks/sql/dialect.ts';
import type { ColumnKind, SourceColumn } from '../../core/checks/sql/source-column.ts';
import { negateRational, parseRational, subtractRationals } from '../../core/value/rational.ts';
import { jsonText } from './duckdb-json.ts';
import { type Cell, type Source, sourceFailure } from './source.ts';

interface FileTarget {
  readonly paths: readonly string[];
  readonly format: 'parquet' | 'csv';
  /** Whether the contract takes text in a column; other columns of CSV are read as numbers and booleans. */
  readonly takesText: (column: string) => boolean;
}

export function openFiles({ paths, format, takesText }: FileTarget): Promise<Source> {
  if (format === 'parquet') {
    return open({ paths, fromOf: fromParquet, typeOf: (_, sqlType) => kindOf(sqlType) });
  }
  const fromCsv = (files: string) =>
    `read_csv(${files}, header = true, all_varchar = true, union_by_name = true)`;
  const typeOf = (name: string) => (takesText(name) ? kindOf('VARCHAR') : cell);
  return open({ paths, fromOf: fromCsv, typeOf });
}

function fromParquet(files: string): string {
  return `read_parquet(${files}, union_by_name = true)`;
}

const cell: ColumnKind = { kind: 'cell' };
const json: ColumnKind = { kind: 'json' };

/** Some members of the values in files of JSON, as columns with the text of their JSON. */
export function openJson(paths: readonly string[], members: readonly string[]): Promise<Source> {
  const isLines = !paths.some((path) => path.endsWith('.json'));
  // A line that is not JSON is reported by whoever reads the values.
  const how = isLines ? ", format = 'newline_delimited', ignore_errors = true" : '';
  const columns = members.map((name) => {
    const place = quoteText(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    return `nullif(CAST(json_extract(json, ${place}) AS VARCHAR), 'null') AS ${quoteName(name)}`;
  });
  const fromOf = (files: string) =>
    `(SELECT ${columns.join(', ')} FROM read_json_objects(${files}${how}))`;
  return open({ paths, fromOf, typeOf: () => json, memoryLimit: '128MB' });
}

/** With the values on their way to the validator, a check stays under 512 MiB. */
const usualMemoryLimit = '256MB';

interface Reading {
  readonly paths: readonly string[];
  /** What reads a list of files. */
  readonly fromOf: (files: string) => string;
  readonly typeOf: (column: string, sqlType: string) => ColumnKind;
  readonly memoryLimit?: string;
}

async function open({
  paths,
  fromOf,
  typeOf,
  memoryLimit = usualMemoryLimit,
}: Reading): Promise<Source> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    temp_directory: join(tmpdir(), 'concordat-check'),
  });
  const connection = await instance.connect();
  const close = async () => {
    connection.closeSync();
    instance.closeSync();
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error, paths);
    }
  };
  const ask = (sql: string): Promise<readonly (readonly Cell[])[]> =>
    run(async () => {
      const result = await connection.runAndReadAll(sql);
      const types = result.columnTypes();
      return result.getRows().map((row) => toCells(row, types));
    });
  try {
    await ask("SET TimeZone = 'UTC'");
    const describe = async (some: readonly string[]): Promise<readonly SourceColumn[]> => {
      const files = `[${some.map(quoteText).join(', ')}]`;
      const described = await ask(`DESCRIBE SELECT * FROM ${fromOf(files)}`);
      return described.map(([name, type]) => ({
        ...{ name: name ?? '', sqlType: type ?? '' },
        type: typeOf(name ?? '', type ?? ''),
      }));
    };
    const columns = await describe(paths);
    if (paths.length > 1) {
      for (const path of paths) refuseOtherTypes(columns, await describe([path]), path);
    }
    const from = fromOf(`[${paths.map(quoteText).join(', ')}]`);
    return {
      ...{ dialect: duckdbDialect, from, columns, ask, close },
      ...{ runsCustomSql: false, primaryKey: [] },
      async *stream(sql) {
        const result = await run(() => connection.stream(sql));
        const types = result.columnTypes();
        const rows = result.yieldRows();
        for (;;) {
          const batch = await run(() => rows.next());
          if (batch.done === true) return;
          yield batch.value.map((row) => toCells(row, types));
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Read together, numbers beside text would become text. */
function refuseOtherTypes(
  columns: readonly SourceColumn[],
  ofFile: readonly SourceColumn[],
  path: string,
): void {
  const kinds = new Map(columns.map(({ name, type }) => [name, type.kind]));
  const other = ofFile.find(({ name, type }) => kinds.get(name) !== type.kind);
  if (other === undefined) return;
  const message = `${path} has the column ${other.name} with the type ${other.sqlType}, and other files have it with another type. Check them by themselves.`;
  throw sourceFailure('SOURCE_UNREADABLE', message);
}

/** Lists, structs and maps as the text of their JSON; everything else is asked for as text or counted. */
function toCells(row: readonly DuckDBValue[], types: readonly DuckDBType[]): readonly Cell[] {
  return row.map((value, index) => {
    const type = types[index];
    if (value === null || value === undefined || type === undefined) return null;
    return typeof value === 'object' ? jsonText(value, type) : String(value);
  });
}

const named: Readonly<Record<string, ColumnKind>> = {
  BOOLEAN: { kind: 'boolean' },
  VARCHAR: { kind: 'text' },
  DATE: { kind: 'date' },
  TIMESTAMP: { kind: 'timestamp' },
  TIMESTAMP_S: { kind: 'timestamp' },
  TIMESTAMP_MS: { kind: 'timestamp' },
  TIMESTAMP_NS: { kind: 'timestamp' },
  'TIMESTAMP WITH TIME ZONE': { kind: 'timestamp' },
  UUID: { kind: 'uuid' },
  FLOAT: { kind: 'single' },
  DOUBLE: { kind: 'double' },
  TINYINT: integer(8, true),
  SMALLINT: integer(16, true),
  INTEGER: integer(32, true),
  BIGINT: integer(64, true),
  HUGEINT: integer(128, true),
  UTINYINT: integer(8, false),
  USMALLINT: integer(16, false),
  UINTEGER: integer(32, false),
  UBIGINT: integer(64, false),
  UHUGEINT: integer(128, false),
};

function integer(bits: number, isSigned: boolean): ColumnKind {
  const size = 2n ** BigInt(isSigned ? bits - 1 : bits);
  const greatest = parseRational(`${size - 1n}`);
  const least = isSigned ? parseRational(`-${size}`) : 0;
  return { kind: 'exact', step: 1, least, greatest, hasNan: false };
}

function kindOf(sqlType: string): ColumnKind {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(sqlType);
  if (decimal !== null) return decimalKind(Number(decimal[1]), Number(decimal[2]));
  if (Object.hasOwn(named, sqlType)) return named[sqlType] ?? json;
  return /^(?:ENUM|TIME|INTERVAL|BIT)\b/.test(sqlType) && !sqlType.endsWith(']')
    ? { kind: 'text' }
    : json;
}

function decimalKind(precision: number, scale: number): ColumnKind {
  const step = parseRational(`1e${-scale}`) ?? 1;
  const greatest = subtractRationals(parseRational(`1e${precision - scale}`) ?? 0, step);
  return { kind: 'exact', step, least: negateRational(greatest), greatest, hasNan: false };
}

function failureOf(error: unknown, [path, ...others]: readonly string[]) {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  const what = others.length === 0 ? path : 'One of the files';
  return sourceFailure('SOURCE_UNREADABLE', `${what} cannot be read: ${reason}`);
}
