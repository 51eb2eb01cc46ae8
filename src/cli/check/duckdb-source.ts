// Files that DuckDB reads within this process.

import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { duckdbDialect, quoteName, quoteText } from '../../core/checks/sql/dialect.ts';
import { decimalKind, integerKind } from '../../core/checks/sql/exact-kinds.ts';
import type { ColumnKind, SourceColumn } from '../../core/checks/sql/source-column.ts';
import { describeFiles, type FilesReading, ignoringFolders, siblingsOf } from './describe-files.ts';
import { jsonText } from './duckdb-json.ts';
import { betweenTexts, type Cell, OutOfMemory, type Source, sourceFailure } from './source.ts';

interface FileTarget {
  readonly paths: readonly string[];
  readonly format: 'parquet' | 'csv';
  /** Whether the contract takes text in a column; other columns of CSV are read as numbers and booleans. */
  readonly takesText: (column: string) => boolean;
}

export function openFiles({ paths, format, takesText }: FileTarget): Promise<Source> {
  const typeOfText = (name: string) => (takesText(name) ? kindOf('VARCHAR') : cell);
  if (format === 'parquet') {
    return open({
      ...{ paths, fromOf: fromParquet, typeOf: (_, sqlType) => kindOf(sqlType), typeOfText },
      namesIn: async (file, ask) =>
        siblingsOf(await ask(`SELECT name, num_children FROM parquet_schema(${file})`)),
      rowNumber: { name: 'file_row_number', first: 0, isKnown: true },
    });
  }
  return open({
    ...{ paths, fromOf: fromCsv, typeOf: typeOfText, typeOfText },
    namesIn: async (file, ask) => {
      const [head = []] = await ask(`FROM ${fromCsv(file, ignoringFolders, false)} LIMIT 1`);
      return [head];
    },
    rowNumber: { name: 'row_number', first: 1, isKnown: false },
  });
}

/**
 * As RFC 4180 has it, but for the sign between cells. What is left to guess would be guessed from the first
 * rows: that lines with # are no rows, or that the quotes of a later row are a part of its text.
 */
function fromCsv(files: string, more: string, hasHeader = true): string {
  const quotes = `quote = '"', escape = '"', comment = '', skip = 0, allow_quoted_nulls = false`;
  return `read_csv(${files}, header = ${hasHeader}, all_varchar = true, union_by_name = true, buffer_size = 8388608, ${quotes}${more})`;
}

function fromParquet(files: string, more: string): string {
  return `read_parquet(${files}, union_by_name = true${more})`;
}

const cell: ColumnKind = { kind: 'cell' };
const json: ColumnKind = { kind: 'json' };

/** Lines of texts that are the JSON of these members; nothing stands for one that is null. */
export function openTexts(path: string, members: readonly string[]): Promise<Source> {
  const types = members.map((_, index) => `column${index}: 'VARCHAR'`);
  const columns = members.map((name, index) => `column${index} AS ${quoteName(name)}`);
  const form = `auto_detect = false, header = false, quote = '', escape = '', nullstr = ''`;
  // By default, DuckDB's JSON reader takes 32 MiB for each thread. The check for unique values needs that memory.
  const sizes = 'max_line_size = 4194304, buffer_size = 8388608';
  const fromOf = (files: string) =>
    `(SELECT ${columns.join(', ')} FROM read_csv(${files}, columns = {${types.join(', ')}}, delim = ${quoteText(betweenTexts)}, ${form}, ${sizes}))`;
  return open({ paths: [path], fromOf, typeOf: () => json });
}

/** Each thread has its own buffers, and the memory limit of DuckDB does not include all of them. */
const maxThreads = 4;

/**
 * A check stays under 512 MiB, whatever it reads: Node takes up to 200 MiB, and DuckDB some 60 MiB that it does not count. What
 * needs more, such as many different values of a unique column, goes to files.
 */
const settings = {
  memory_limit: '128MB',
  threads: String(Math.min(availableParallelism(), maxThreads)),
  // Each file is read a few times at most, and the system keeps it as well.
  enable_external_file_cache: 'false',
};

/** Settings for a query that ran out of memory, for example on a file with pages of 100 MB. */
const remedies = ['SET threads = 1', "SET memory_limit = '256MB'"];

async function open(reading: FilesReading): Promise<Source> {
  const { paths } = reading;
  const instance = await DuckDBInstance.create(':memory:', {
    ...settings,
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
  const read = async (sql: string): Promise<readonly (readonly Cell[])[]> => {
    const result = await connection.runAndReadAll(sql);
    const types = result.columnTypes();
    return result.getRows().map((row) => toCells(row, types));
  };
  const left = [...remedies];
  const readOrAgain = (sql: string): ReturnType<typeof read> =>
    read(sql).catch(async (error) => {
      const remedy = isOutOfMemory(error) ? left.shift() : undefined;
      if (remedy === undefined) throw error;
      await connection.run(remedy);
      return readOrAgain(sql);
    });
  const ask = (sql: string) => run(() => readOrAgain(sql));
  try {
    await ask("SET TimeZone = 'UTC'");
    const files = await describeFiles(reading, ask);
    const { columns, number } = files;
    return {
      ...{ dialect: duckdbDialect, from: files.from, columns, ask, close },
      ...{ runsCustomSql: false, primaryKey: [], place: [] },
      ...(number !== null && {
        placedFrom: files.placedFrom,
        place: [...(paths.length === 1 ? [] : [textColumn(files.name)]), numberColumn(number)],
      }),
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

function textColumn(name: string): SourceColumn {
  return { name, type: { kind: 'text' }, sqlType: 'VARCHAR' };
}

function numberColumn(name: string): SourceColumn {
  return { name, type: integerKind(64, true), sqlType: 'BIGINT' };
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

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error');
}

function failureOf(error: unknown, [path, ...others]: readonly string[]) {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  const what = others.length === 0 ? path : 'One of the files';
  const failure = sourceFailure('SOURCE_UNREADABLE', `${what} cannot be read: ${reason}`);
  return isOutOfMemory(error) ? new OutOfMemory(failure.code, failure.message) : failure;
}
