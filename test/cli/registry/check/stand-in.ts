// Stands in for warehouses: sqlglot reads what is asked in their dialects, and DuckDB answers.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';
import type { warehouseNames } from '../../../../src/cli/check/check-warehouse.ts';
import type { SourceColumn } from '../../../../src/core/checks/sql/source-column.ts';
import { pythonPackage } from '../../../support/tools.ts';
import { type Table, tableSql } from './columns.ts';

type WarehouseName = (typeof warehouseNames)[number];

export type Transpiler = ReturnType<typeof openTranspiler>;

export function openTranspiler() {
  const PYTHONPATH = pythonPackage('sqlglot', '30.22.0', 'wheel');
  const python = spawn('python3', [join(import.meta.dirname, 'transpile.py')], {
    env: { ...process.env, PYTHONPATH },
    // Nobody reads it here, and a pipe that is full stops whoever writes.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface(python.stdout)[Symbol.asyncIterator]();
  return {
    async toDuckdb(dialect: string, sql: string): Promise<string> {
      python.stdin.write(`${JSON.stringify({ dialect, sql })}\n`);
      const { value } = await answers.next();
      const answer = JSON.parse(value ?? '{}');
      if (answer.error !== undefined) throw new Error(`${answer.error}\n${sql}`);
      return answer.sql;
    },
    close: () => python.stdin.end(),
  };
}

/** The types of each warehouse, by those of the stand-in; others are left out. */
export const types: Readonly<Record<WarehouseName, Readonly<Record<string, string>>>> = {
  snowflake: {
    ...{ SMALLINT: 'NUMBER(38,0)', BIGINT: 'NUMBER(38,0)', BOOLEAN: 'BOOLEAN', DATE: 'DATE' },
    ...{ 'DECIMAL(10,2)': 'NUMBER(10,2)', 'DECIMAL(38,10)': 'NUMBER(38,10)', DOUBLE: 'FLOAT' },
    ...{
      VARCHAR: 'VARCHAR(16777216)',
      TIMESTAMP: 'TIMESTAMP_NTZ(9)',
      TIMESTAMPTZ: 'TIMESTAMP_TZ(9)',
    },
    JSON: 'VARIANT',
  },
  bigquery: {
    ...{ SMALLINT: 'INT64', BIGINT: 'INT64', BOOLEAN: 'BOOL', DATE: 'DATE', DOUBLE: 'FLOAT64' },
    ...{ 'DECIMAL(10,2)': 'NUMERIC(10, 2)', VARCHAR: 'STRING', JSON: 'JSON' },
    ...{ TIMESTAMP: 'DATETIME', TIMESTAMPTZ: 'TIMESTAMP' },
  },
  trino: {
    ...{
      SMALLINT: 'smallint',
      BIGINT: 'bigint',
      BOOLEAN: 'boolean',
      DATE: 'date',
      DOUBLE: 'double',
    },
    ...{ 'DECIMAL(10,2)': 'decimal(10,2)', 'DECIMAL(38,10)': 'decimal(38,10)', FLOAT: 'real' },
    ...{ VARCHAR: 'varchar', UUID: 'uuid', JSON: 'json', TIMESTAMP: 'timestamp(6)' },
    TIMESTAMPTZ: 'timestamp(6) with time zone',
  },
};

/** The columns of a table as a warehouse has them. */
export function columnsOf(
  table: Table,
  name: WarehouseName,
  column: (name: string, type: string) => SourceColumn,
): readonly SourceColumn[] {
  return table.types.map(({ duckdb }, index) =>
    column(`c${index}`, types[name][duckdb] ?? 'other'),
  );
}

/** A table in DuckDB, which is asked in the words of a warehouse. */
export async function openStandIn(table: Table, toDuckdb: (sql: string) => Promise<string>) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  // A function of Trino that sqlglot does not know.
  await connection.run('CREATE MACRO is_finite(x) AS isfinite(x)');
  for (const sql of tableSql(table, 'duckdb')) await connection.run(sql);
  return {
    ask: async (sql: string) => {
      const asked = await toDuckdb(sql);
      const answer = await connection.runAndReadAll(asked).catch((error) => {
        throw new Error(`${error}\n${sql}\n${asked}`);
      });
      return answer.getRows();
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
