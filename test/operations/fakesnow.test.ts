// Queries for Snowflake, answered by fakesnow: it reads them in the dialect of Snowflake, without anything
// of ours between. It knows no collations and no formats of times, so these are left out here.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programOf } from '../../scripts/tools/python-environment.ts';
import { warehouses } from '../../src/core/checks/sql/warehouse-dialects.ts';
import { hostileTable, type Table } from '../cli/registry/check/columns.ts';
import { holdCounts } from '../cli/registry/check/law.ts';
import { types } from '../cli/registry/check/stand-in.ts';
import { type Folder, makeFolder, run } from '../cli/support.ts';
import { randomFrom } from '../core/laws/values.ts';

const { dialect, column } = warehouses.snowflake;

let python: ChildProcessWithoutNullStreams;
let answers: AsyncIterator<string>;
let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  python = spawn(programOf('fakesnow', 'python'), ['-W', 'ignore', 'snowflake-answers.py'], {
    cwd: import.meta.dirname,
  });
  answers = createInterface(python.stdout)[Symbol.asyncIterator]();
});
afterAll(async () => {
  python.stdin.end();
  await folder.remove();
});

type Row = Readonly<Record<string, unknown>>;

async function ask(query: string, statements: readonly string[] = []): Promise<readonly Row[]> {
  const known = query.replace(/COLLATE\(("[^"]*"), 'utf8'\)/g, '$1').replace(/;\s*$/, '');
  python.stdin.write(`${JSON.stringify({ query: known, statements })}\n`);
  const { value } = await answers.next();
  const { rows, error } = JSON.parse(value ?? '{}');
  if (error !== undefined) throw new Error(`${error}\n${query}`);
  return rows;
}

/** The type in Snowflake; null where the stand-in would not answer as it does. */
function typeOf(duckdb: string): string | null {
  if (/TIMESTAMP|JSON/.test(duckdb)) return null;
  // It has 64 bits for NUMBER(38,0), and Snowflake has 38 digits.
  return types.snowflake[duckdb]?.replace('(38,0)', '(37,0)') ?? null;
}

function tableSql({ types: kinds, rows }: Table): readonly string[] {
  const columns = kinds.map(({ duckdb }, index) => `"c${index}" ${typeOf(duckdb) ?? 'VARCHAR'}`);
  const values = rows.map((row) => {
    const cells = row.map((cell, index) => {
      if (cell === null || typeOf(kinds[index]?.duckdb ?? '') === null) return 'NULL';
      const [sql, json] = cell;
      return typeof json === 'string' ? dialect.quoteText(json) : sql;
    });
    return `(${cells.join(', ')})`;
  });
  return [
    `CREATE OR REPLACE TABLE "hostile" (${columns.join(', ')})`,
    `INSERT INTO "hostile" VALUES ${values.join(', ')}`,
  ];
}

test('fakesnow counts the rows that the validator and ajv refuse', async () => {
  let compiled = 0;
  for (let seed = 0; seed < 30; seed++) {
    const table = hostileTable(randomFrom(seed * 7919 + 1), 40);
    await ask('SELECT 1', tableSql(table));
    const columns = table.types.map(({ duckdb }, index) =>
      column(`c${index}`, typeOf(duckdb) ?? 'other'),
    );
    const asRow = async (sql: string) => (await ask(sql)).map((row) => Object.values(row));
    const held = await holdCounts(table, { columns, dialect, ask: asRow });
    expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
    compiled += held.compiled;
  }
  expect(compiled).toBeGreaterThan(90);
});

test('the query that the command prints is answered by fakesnow, and its row is judged', async () => {
  const contract = await folder.file('orders.json', {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'orders' } },
    spec: {
      fqn: 'shop.public.orders',
      guarantees: {
        freshness: { maxStalenessMinutes: 60, measuredBy: 'AT' },
        volume: { minRows: 5 },
        nullability: { NOTE: 'never' },
        custom: [{ type: 'unique', column: 'ID' }],
      },
      schema: {
        properties: { ID: { type: 'integer', minimum: 2 }, STATE: { enum: ["it's", 'a\\b'] } },
      },
    },
  });
  await ask('SELECT 1', [
    'CREATE TABLE orders (id NUMBER(38,0), state VARCHAR, "AT" TIMESTAMP_NTZ, note VARCHAR)',
    `INSERT INTO orders VALUES (1, 'it''s', '2024-01-01 10:00:00', NULL), (3, 'a\\\\b', '2999-01-01 10:00:00', 'x'),
      (3, 'ab', NULL, 'y'), (4, 'ab', '2024-01-01 10:00:00', 'z')`,
  ]);
  const described = await ask(
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'ORDERS' ORDER BY column_name",
  );
  const args = [
    ...['check', '--contract', contract, '--print-sql', 'snowflake', '--table', 'ORDERS'],
    ...['--columns', await folder.file('columns.json', described)],
  ];
  const printed = await run(args);
  expect([printed.code, printed.stderr]).toEqual([0, '']);
  const counts = await folder.file('counts.json', await ask(printed.stdout));
  const judged = await run([...args, '--counts', counts, '--format', 'json']);
  const { rows, rules } = JSON.parse(judged.stdout);
  const failed = rules.flatMap((rule: { status: string; name: string; rows: number | null }) =>
    rule.status === 'failed' ? [[rule.name, rule.rows]] : [],
  );
  expect([judged.code, rows, failed]).toEqual([
    ...[1, 4],
    [
      ...[
        ['$.ID minimum', 1],
        ['$.STATE enum', 2],
        ['nullability.NOTE', 1],
      ],
      ...[
        ['freshness', null],
        ['volume.min_rows', null],
        ['custom.unique.ID', 2],
      ],
    ],
  ]);
});
