// Files that DuckDB reads within this process.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { duckdbDialect, quoteName, quoteText } from '../../core/checks/sql/dialect.ts';
import { decimalKind, integerKind } from '../../core/checks/sql/exact-kinds.ts';
import type { ColumnKind, SourceColumn } from '../../core/checks/sql/source-column.ts';
import { writePointerToken } from '../../core/value/pointer-token.ts';
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
    const typeOf = (_: string, sqlType: string) => kindOf(sqlType);
    const headOf = async (file: string, ask: Source['ask']) =>
      topNames(await ask(`SELECT name, num_children FROM parquet_schema(${file})`));
    return open({ paths, fromOf: fromParquet, typeOf, headOf, hasNumbers: true });
  }
  const typeOf = (name: string) => (takesText(name) ? kindOf('VARCHAR') : cell);
  const headOf = async (file: string, ask: Source['ask']) =>
    (await ask(`FROM ${fromCsv(file, false)} LIMIT 1`))[0] ?? [];
  return open({ paths, fromOf: fromCsv, typeOf, headOf, placedFrom: numberedCsv(paths) });
}

/** The columns of a tree of names, whose every node says how many children follow it. */
function topNames([, ...nodes]: readonly (readonly Cell[])[]): readonly Cell[] {
  const names: Cell[] = [];
  let within = 0;
  for (const [name = null, children = null] of nodes) {
    if (within === 0) names.push(name);
    else within--;
    within += Number(children ?? 0);
  }
  return names;
}

/** Each file numbers its rows, from 1, without the line that names the columns. */
function numberedCsv(paths: readonly string[]): string {
  const numbered = paths.map(
    (path) =>
      `SELECT *, ${quoteText(path)} AS filename, row_number() OVER () AS row_number FROM ${fromCsv(listOf([path]))}`,
  );
  return `(${numbered.join(' UNION ALL BY NAME ')})`;
}

/**
 * As RFC 4180 has it, but for the sign between cells. What is left to guess would be guessed from the first
 * rows: that lines with # are no rows, or that the quotes of a later row are a part of its text.
 */
function fromCsv(files: string, hasHeader = true): string {
  const quotes = `quote = '"', escape = '"', comment = '', skip = 0, allow_quoted_nulls = false`;
  return `read_csv(${files}, header = ${hasHeader}, all_varchar = true, union_by_name = true, hive_types_autocast = false, ${quotes})`;
}

function fromParquet(files: string): string {
  return `read_parquet(${files}, union_by_name = true)`;
}

const cell: ColumnKind = { kind: 'cell' };
const json: ColumnKind = { kind: 'json' };

/** Members of the values in a file of NDJSON, as columns with the text of their JSON. */
export function openJson(path: string, members: readonly string[]): Promise<Source> {
  const columns = members.map((name) => {
    const place = quoteText(`/${writePointerToken(name)}`);
    return `nullif(CAST(json_extract(json, ${place}) AS VARCHAR), 'null') AS ${quoteName(name)}`;
  });
  const fromOf = (files: string) =>
    `(SELECT ${columns.join(', ')} FROM read_json_objects(${files}, format = 'newline_delimited'))`;
  return open({ paths: [path], fromOf, typeOf: () => json, memoryLimit: '128MB' });
}

/** With the values on their way to the validator, a check stays under 512 MiB. */
const usualMemoryLimit = '256MB';

interface Reading {
  readonly paths: readonly string[];
  /** What reads a list of files. */
  readonly fromOf: (files: string) => string;
  readonly typeOf: (column: string, sqlType: string) => ColumnKind;
  /** Asks for the names of the columns as a file has them; DuckDB changes those that it has seen before. */
  readonly headOf?: (file: string, ask: Source['ask']) => Promise<readonly Cell[]>;
  /** Whether DuckDB knows the number of each row in its file, from 0. */
  readonly hasNumbers?: true;
  /** The SQL that reads the files with row numbers, for formats in which DuckDB has to count the rows. */
  readonly placedFrom?: string;
  readonly memoryLimit?: string;
}

async function open({
  paths,
  fromOf,
  typeOf,
  headOf,
  hasNumbers,
  placedFrom,
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
      const described = await ask(`DESCRIBE SELECT * FROM ${fromOf(listOf(some))}`);
      return described.map(([name, type]) => ({
        ...{ name: name ?? '', sqlType: type ?? '' },
        type: typeOf(name ?? '', type ?? ''),
      }));
    };
    const all = await describe(paths);
    const missingIn = new Map<string, string>();
    for (const path of paths) {
      refuseRepeated((await headOf?.(listOf([path]), ask)) ?? [], path);
      if (paths.length === 1) continue;
      const ofFile = await describe([path]);
      refuseOtherTypes(all, ofFile, path);
      const names = new Set(ofFile.map(({ name }) => name));
      for (const { name } of all) if (!names.has(name)) missingIn.set(name, path);
    }
    const columns = all.map((column) => {
      const path = missingIn.get(column.name);
      return path === undefined ? column : { ...column, missingIn: path };
    });
    const from = fromOf(listOf(paths));
    return {
      ...{ dialect: duckdbDialect, from, columns, ask, close },
      ...{ runsCustomSql: false, primaryKey: [], place: [] },
      ...(hasNumbers === true && { place: placeOf(paths, columns, 'file_row_number') }),
      ...(placedFrom !== undefined && placedBy(placedFrom, paths, columns)),
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

const fileName: SourceColumn = { name: 'filename', type: { kind: 'text' }, sqlType: 'VARCHAR' };

function placedBy(
  placedFrom: string,
  paths: readonly string[],
  columns: readonly SourceColumn[],
): Pick<Source, 'place' | 'placedFrom'> {
  const place = placeOf(paths, columns, 'row_number');
  return place.length === 0 ? { place } : { place, placedFrom };
}

/** Columns that are added to each file, unless the files have their own of this name. */
function placeOf(
  paths: readonly string[],
  columns: readonly SourceColumn[],
  number: 'file_row_number' | 'row_number',
): readonly SourceColumn[] {
  const rowNumber = { name: number, type: integerKind(64, true), sqlType: 'BIGINT' };
  const place = paths.length === 1 ? [rowNumber] : [fileName, rowNumber];
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return place.some(({ name }) => names.has(name)) ? [] : place;
}

/** The files themselves, whatever signs of patterns their names have. */
function listOf(paths: readonly string[]): string {
  return `[${paths.map((path) => quoteText(path.replace(/[[*?]/g, '[$&]'))).join(', ')}]`;
}

function refuseRepeated(head: readonly Cell[], path: string): void {
  const names = head.map((cell) => cell?.toLowerCase());
  const repeated = names.findIndex(
    (name, index) => name !== undefined && names.indexOf(name) < index,
  );
  if (repeated < 0) return;
  const message = `Two columns of ${path} are called ${head[repeated]}, small and capital letters aside. Give one another name.`;
  throw sourceFailure('SOURCE_UNREADABLE', message);
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
  TINYINT: integerKind(8, true),
  SMALLINT: integerKind(16, true),
  INTEGER: integerKind(32, true),
  BIGINT: integerKind(64, true),
  HUGEINT: integerKind(128, true),
  UTINYINT: integerKind(8, false),
  USMALLINT: integerKind(16, false),
  UINTEGER: integerKind(32, false),
  UBIGINT: integerKind(64, false),
  UHUGEINT: integerKind(128, false),
};

function kindOf(sqlType: string): ColumnKind {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(sqlType);
  if (decimal !== null) return decimalKind(Number(decimal[1]), Number(decimal[2]));
  if (Object.hasOwn(named, sqlType)) return named[sqlType] ?? json;
  return /^(?:ENUM|TIME|INTERVAL|BIT)\b/.test(sqlType) && !sqlType.endsWith(']')
    ? { kind: 'text' }
    : json;
}

function failureOf(error: unknown, [path, ...others]: readonly string[]) {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  const what = others.length === 0 ? path : 'One of the files';
  return sourceFailure('SOURCE_UNREADABLE', `${what} cannot be read: ${reason}`);
}
