// Queries for warehouses: sqlglot reads each in the dialect of its warehouse, and a stand-in counts with it
// the rows that the validator and ajv refuse.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warehouseNames } from '../../../../src/cli/check/check-warehouse.ts';
import type { CheckedRule } from '../../../../src/cli/check/tally.ts';
import { printCheck } from '../../../../src/core/checks/sql/print-check.ts';
import { warehouses } from '../../../../src/core/checks/sql/warehouse-dialects.ts';
import { randomFrom } from '../../../core/laws/values.ts';
import { pythonPackage } from '../../../support/tools.ts';
import { type Folder, makeFolder, run } from '../../support.ts';
import { hostileTable, type Table, tableSql } from './columns.ts';
import { holdCounts } from './law.ts';

let python: ChildProcessWithoutNullStreams;
let answers: AsyncIterator<string>;
let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  const PYTHONPATH = pythonPackage('sqlglot', '30.22.0', 'wheel');
  python = spawn('python3', [join(import.meta.dirname, 'transpile.py')], {
    env: { ...process.env, PYTHONPATH },
  });
  answers = createInterface(python.stdout)[Symbol.asyncIterator]();
});
afterAll(async () => {
  python.stdin.end();
  await folder.remove();
});

async function transpile(dialect: string, sql: string): Promise<string> {
  python.stdin.write(`${JSON.stringify({ dialect, sql })}\n`);
  const { value } = await answers.next();
  const answer = JSON.parse(value);
  if (answer.error !== undefined) throw new Error(`${answer.error}\n${sql}`);
  return answer.sql;
}

/** The types of each warehouse, by those of the stand-in; others are left out. */
const types: Readonly<Record<(typeof warehouseNames)[number], Readonly<Record<string, string>>>> = {
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

async function openStandIn(table: Table) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  // A function of Trino that sqlglot does not know.
  await connection.run('CREATE MACRO is_finite(x) AS isfinite(x)');
  for (const sql of tableSql(table, 'duckdb')) await connection.run(sql);
  return {
    ask: async (sql: string) => (await connection.runAndReadAll(sql)).getRows(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const tables = Number(process.env.CHECKED_TABLES ?? 5);

describe.each(warehouseNames)('A query for %s', (name) => {
  const { dialect, column } = warehouses[name];

  test('counts the rows that the validator and ajv refuse', async () => {
    let compiled = 0;
    for (let seed = 0; seed < tables; seed++) {
      const table = hostileTable(randomFrom(seed * 7919 + 1), 40);
      const columns = table.types.map(({ duckdb }, index) =>
        column(`c${index}`, types[name][duckdb] ?? 'other'),
      );
      const printed = printCheck({ schema: table.schema, guarantees: null }, columns, {
        dialect,
        table: 'hostile',
      });
      const standIn = await openStandIn(table);
      const ask = async (sql: string) => {
        const asked = await transpile(name, sql);
        return standIn.ask(asked).catch((error) => {
          throw new Error(`${error}\n${sql}\n${asked}`);
        });
      };
      const [row = []] = await ask(printed.sql);
      expect(Number(row[0])).toBe(40);
      const held = await holdCounts(table, { columns, dialect, ask });
      standIn.close();
      expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
      compiled += held.compiled;
    }
    expect(compiled).toBeGreaterThan(tables * 3);
  });
});

describe.each(warehouseNames)('The command, for %s', (name) => {
  const contract = {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'orders' } },
    spec: {
      fqn: 'shop.public.orders',
      guarantees: {
        freshness: { maxStalenessMinutes: 60, measuredBy: 'at' },
        volume: { minRows: 5 },
        nullability: { note: 'never' },
        custom: [
          { type: 'unique', column: 'id' },
          { name: 'own', type: 'sql', sql: 'select 1' },
        ],
      },
      schema: {
        properties: {
          id: { type: 'integer', minimum: 2 },
          state: { enum: ["it's", 'a\\b', 'a\nb'] },
          at: { type: 'string', format: 'date-time' },
          inside: { type: 'object', required: ['x'] },
          gone: {},
        },
      },
    },
  };
  const own = types[name];
  const described = Object.entries({
    ...{ id: own.BIGINT, state: own.VARCHAR, at: own.TIMESTAMPTZ, note: own.VARCHAR },
    inside: own.JSON,
  }).map(([column, type]) => ({ COLUMN_NAME: column, DATA_TYPE: type }));

  test('prints a query, and judges the row that it answers', async () => {
    const args = [
      ...['check', '--contract', await folder.file('orders.json', contract), '--table', 'orders'],
      ...['--print-sql', name, '--columns', await folder.file('columns.json', described)],
    ];
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([
      0,
      'Not checked: inside, whose rules this SQL cannot say exactly\n' +
        'Not checked: gone, which is no column of the table\n' +
        'Not checked: custom.own, which is not checked, because SQL of a contract runs only on Postgres\n',
    ]);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE orders AS SELECT * FROM (VALUES
      (1, 'it''s', TIMESTAMPTZ '2024-01-01 10:00:00Z', NULL, '{}'::JSON),
      (3, 'a\\b', TIMESTAMPTZ '2999-01-01 10:00:00Z', 'x', '{}'::JSON),
      (3, 'a' || chr(10) || 'b', NULL, 'y', '{}'::JSON),
      (NULL, 'ab', TIMESTAMPTZ '2024-01-01 10:00:00Z', 'z', '{}'::JSON)) AS t (id, state, "at", note, inside)`);
    const answer = await connection.runAndReadAll(await transpile(name, stdout));
    const [row = {}] = answer.getRowObjectsJson();
    connection.closeSync();
    instance.closeSync();
    const upper = Object.entries(row).map(([key, value]) => [key.toUpperCase(), value]);
    const counts = await folder.file('counts.json', [Object.fromEntries(upper)]);
    const judged = await run([...args, '--counts', counts, '--format', 'json']);
    const { rows, rules } = JSON.parse(judged.stdout);
    const failed = rules.filter((rule: { status: string }) => rule.status === 'failed');
    expect([judged.code, rows, failed.map((rule: CheckedRule) => [rule.name, rule.rows])]).toEqual([
      ...[1, 4],
      [
        ...[
          ['$.id null', 1],
          ['$.id minimum', 1],
          ['$.state enum', 1],
          ['$.at null', 1],
        ],
        ...[
          ['nullability.note', 1],
          ['freshness', null],
          ['volume.min_rows', null],
        ],
        ['custom.unique.id', 2],
      ],
    ]);
    const skipped = rules.filter((rule: { status: string }) => rule.status === 'skipped');
    expect(skipped.map((rule: CheckedRule) => rule.name)).toEqual(['inside', 'gone', 'custom.own']);
  });
});

test('A row that is none of the query is no pass', async () => {
  const contract = await folder.file('one.json', {
    properties: { a: { type: 'integer', minimum: 1 } },
  });
  const columns = await folder.file('one-column.json', [{ name: 'a', type: 'bigint' }]);
  const args = ['check', '--contract', contract, '--table', 't', '--print-sql', 'trino'];
  const judged = async (row: unknown) => {
    const counts = await folder.file(`row-${Math.random()}.json`, row as object);
    return run([...args, '--columns', columns, '--counts', counts]);
  };
  const whole = { checked_rows: 1, rule_1: '0', rule_2: 0 };
  expect((await judged(whole)).code).toBe(0);
  for (const row of [
    [],
    [whole, whole],
    { ...whole, rule_2: null },
    { checked_rows: 1 },
    { ...whole, rule_1: '' },
  ]) {
    expect(await judged(row)).toMatchObject({ code: 3, stdout: '' });
  }
  expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--columns') });
});
