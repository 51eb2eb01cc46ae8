// Queries for warehouses: sqlglot reads each in the dialect of its warehouse, and a stand-in counts with it
// the rows that the validator and ajv refuse.

import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warehouseNames } from '../../../../src/cli/check/check-warehouse.ts';
import type { CheckedRule } from '../../../../src/cli/check/tally.ts';
import { printCheck } from '../../../../src/core/checks/sql/print-check.ts';
import { warehouses } from '../../../../src/core/checks/sql/warehouse-dialects.ts';
import { randomFrom } from '../../../core/laws/values.ts';
import { type Folder, makeFolder, run } from '../../support.ts';
import { hostileTable } from './columns.ts';
import { holdCounts } from './law.ts';
import { columnsOf, openStandIn, openTranspiler, type Transpiler, types } from './stand-in.ts';

let transpiler: Transpiler;
let folder: Folder;
beforeAll(async () => {
  transpiler = openTranspiler();
  folder = await makeFolder();
});
afterAll(async () => {
  transpiler.close();
  await folder.remove();
});

const tables = Number(process.env.CHECKED_TABLES ?? 5);

describe.each(warehouseNames)('A query for %s', (name) => {
  const { dialect, column } = warehouses[name];

  test('counts the rows that the validator and ajv refuse', async () => {
    let compiled = 0;
    for (let seed = 0; seed < tables; seed++) {
      const table = hostileTable(randomFrom(seed * 7919 + 1), 40);
      const columns = columnsOf(table, name, column);
      const printed = printCheck({ schema: table.schema, guarantees: null }, columns, {
        ...{ dialect, table: 'hostile', sha256: () => '' },
      });
      const standIn = await openStandIn(table, (sql) => transpiler.toDuckdb(name, sql));
      const { ask } = standIn;
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
    const answer = await connection.runAndReadAll(await transpiler.toDuckdb(name, stdout));
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

test('The row that another query answered is no pass', async () => {
  const contract = await folder.file('two.json', { properties: { a: { minimum: 1 } } });
  const stricter = await folder.file('three.json', { properties: { a: { minimum: 2 } } });
  const columns = await folder.file('a-column.json', [{ name: 'a', type: 'bigint' }]);
  const args = (of: string, table: string) => [
    ...['check', '--contract', of, '--table', table, '--print-sql', 'trino', '--columns', columns],
  ];
  const { stdout } = await run(args(contract, 't'));
  const [, check_id = ''] = /'(\w+)' AS check_id/.exec(stdout) ?? [];
  const counts = await folder.file('right.json', { checked_rows: 1, rule_1: 0, check_id });
  expect(await run([...args(contract, 't'), '--counts', counts])).toMatchObject({ code: 0 });
  for (const other of [args(contract, 'u'), args(stricter, 't')]) {
    expect(await run([...other, '--counts', counts])).toMatchObject({
      ...{ code: 3, stdout: '', stderr: expect.stringContaining('answers another query') },
    });
  }
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
  const { stdout } = await run([...args, '--columns', columns]);
  const [, check_id = ''] = /'(\w+)' AS check_id/.exec(stdout) ?? [];
  const whole = { check_id, checked_rows: 1, rule_1: '0', rule_2: 0 };
  expect((await judged(whole)).code).toBe(0);
  for (const row of [
    [],
    [whole, whole],
    { ...whole, rule_2: null },
    { check_id, checked_rows: 1 },
    { ...whole, check_id: null },
    { ...whole, rule_1: '' },
  ]) {
    expect(await judged(row)).toMatchObject({ code: 3, stdout: '' });
  }
  expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--columns') });
});
