import { DuckDBInstance } from '@duckdb/node-api';
import { openFiles } from '../../../../src/cli/check/duckdb-source.ts';
import type { Source } from '../../../../src/cli/check/source.ts';
import { duckdbTypes, type Table, tableSql } from './columns.ts';

/** Runs statements of DuckDB, such as those that write a file. */
export async function runInDuckdb(statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const sql of statements) await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

/** The table in a file of Parquet, opened as a source. */
export async function openParquet(table: Table, path: string): Promise<Source> {
  await writeParquet(table, path);
  return openFiles({ paths: [path], format: 'parquet', takesText: () => true });
}

export async function writeParquet(table: Table, path: string): Promise<void> {
  // In a dictionary, DuckDB writes a day and two hours and 26 hours as the same value, because they are equal.
  const hasIntervals = table.types.some(({ duckdb }) => duckdb === 'INTERVAL');
  const options = hasIntervals ? 'FORMAT parquet, DICTIONARY_SIZE_LIMIT 0' : 'FORMAT parquet';
  await runInDuckdb([
    ...duckdbTypes,
    ...tableSql(table, 'duckdb'),
    `COPY hostile TO '${path}' (${options})`,
  ]);
}
