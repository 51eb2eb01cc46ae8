// The law of checks: for every schema and every table, what the source counts is what the validator and
// ajv say of the same rows.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFiles } from '../../../../src/cli/check/duckdb-source.ts';
import { openPostgres } from '../../../../src/cli/check/postgres-source.ts';
import { planCheck } from '../../../../src/core/checks/sql/plan-check.ts';
import { randomFrom } from '../../../core/laws/values.ts';
import { openDatabase, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { hostileTable, postgresTypes, relatedTable, type Table, tableSql } from './columns.ts';
import { csvTable, openCsv } from './csv.ts';
import { holdRows, holdTable, holdUnique } from './law.ts';
import { openParquet, writeParquet } from './parquet.ts';

/** 10,080 rows for each engine and for CSV, or as many as asked for: a million of 1,400 tables. */
const tables = Number(process.env.CHECKED_TABLES ?? 14);
/** Of three tables in four. The fourth has few, so the average is 720. */
const rowsOfTable = 960;
const rowsExpected = 720 * tables;

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await openDatabase();
  for (const sql of postgresTypes) await database.query(sql);
  folder = await mkdtemp(join(tmpdir(), 'concordat-law-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** So few that of many tables no row is refused: of values that are read one by one, rows are not counted. */
const fewRows = 2;
const tablesRelated = 3 * tables;

async function openTable(table: Table) {
  await database.query('DROP TABLE IF EXISTS hostile');
  for (const sql of tableSql(table, 'postgres')) await database.query(sql);
  return openPostgres({ url: database.url, table: 'public.hostile', timeoutMs: 600_000 });
}

const engines = [
  ['Postgres', openTable],
  ['DuckDB', (table: Table, seed: number) => openParquet(table, join(folder, `${seed}.parquet`))],
] as const;

test.each(engines)('%s counts the rows that the validator and ajv refuse', async (_name, open) => {
  let compiled = 0;
  let streamed = 0;
  let rows = 0;
  for (let seed = 0; seed < tables; seed++) {
    const rowCount = seed % 4 === 3 ? fewRows : rowsOfTable;
    const table = hostileTable(randomFrom(seed * 7919 + 1), rowCount, seed % 2 === 1);
    const source = await open(table, seed);
    const held = await holdTable(planCheck, table, source);
    await source.close();
    expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
    compiled += held.compiled;
    streamed += held.streamed;
    rows += rowCount;
  }
  expect(compiled).toBeGreaterThan(streamed);
  expect(rows).toBeGreaterThanOrEqual(rowsExpected);
});

test('A file of CSV has the rows that RFC 4180 says, and counts those that the validator and ajv refuse', async () => {
  let compiled = 0;
  let rows = 0;
  for (let seed = 0; seed < tables; seed++) {
    const csv = csvTable(randomFrom(seed * 7919 + 3), seed % 4 === 3 ? fewRows : rowsOfTable);
    const source = await openCsv(csv, join(folder, `${seed}.csv`));
    const held = await holdTable(planCheck, csv.table, source);
    await source.close();
    expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
    compiled += held.compiled;
    rows += csv.table.rows.length;
  }
  expect(compiled).toBeGreaterThan(tables);
  expect(rows).toBeGreaterThanOrEqual(rowsExpected);
});

test('Of several files of Parquet, rows of those that lack columns are held against the others', async () => {
  for (let seed = 0; seed < tables; seed++) {
    const random = randomFrom(seed * 7919 + 6);
    const whole = hostileTable(random, seed % 2 === 1 ? fewRows : rowsOfTable, seed % 4 > 1);
    const kept = 1 + Math.floor(random() * (whole.types.length - 1));
    const half = Math.ceil(whole.rows.length / 2);
    const short = {
      ...{ schema: whole.schema, types: whole.types.slice(0, kept) },
      rows: whole.rows.slice(half).map((row) => row.slice(0, kept)),
    };
    const paths = ['whole', 'short'].map((name) => join(folder, `${seed}-${name}.parquet`));
    await writeParquet({ ...whole, rows: whole.rows.slice(0, half) }, paths[0] ?? '');
    await writeParquet(short, paths[1] ?? '');
    const source = await openFiles({ paths, format: 'parquet', takesText: () => true });
    const table = { ...whole, rows: [...whole.rows.slice(0, half), ...short.rows] };
    const held = await holdTable(planCheck, table, source);
    await source.close();
    expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
  }
});

test.each(engines)(
  '%s gives whole rows to the validator as ajv reads them',
  async (_name, open) => {
    const seen = { refused: 0, accepted: 0, read: 0 };
    for (let seed = 0; seed < tablesRelated; seed++) {
      const table = relatedTable(randomFrom(seed * 7919 + 2), fewRows, seed % 2 === 1);
      const source = await open(table, seed);
      const held = await holdRows(table, source);
      await source.close();
      expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
      seen[held.isRefused ? 'refused' : 'accepted']++;
      if (held.wereRead) seen.read++;
    }
    expect(Math.min(seen.refused, seen.accepted)).toBeGreaterThan(tablesRelated / 8);
    expect(seen.read).toBeGreaterThan(tablesRelated / 2);
  },
);

/** So few that some values stand once, and others several times. */
const someRows = 9;

const opened = [
  ...engines.map(
    ([name, open]) =>
      [
        name,
        async (seed: number) => {
          const table = hostileTable(randomFrom(seed * 7919 + 4), someRows, seed % 2 === 1);
          return { table, source: await open(table, seed) };
        },
      ] as const,
  ),
  [
    'CSV',
    async (seed: number) => {
      const csv = csvTable(randomFrom(seed * 7919 + 5), someRows);
      return { table: csv.table, source: await openCsv(csv, join(folder, `unique-${seed}.csv`)) };
    },
  ],
] as const;

test.each(opened)('%s calls those values the same that JSON calls the same', async (_, open) => {
  const statuses = new Set<string>();
  for (let seed = 0; seed < tablesRelated; seed++) {
    const { table, source } = await open(seed);
    const held = await holdUnique(table, source);
    await source.close();
    expect({ seed, breach: held.breach }).toEqual({ seed, breach: null });
    for (const status of held.statuses) statuses.add(status);
  }
  expect(statuses).toContain('failed');
  expect(statuses).toContain('passed');
});
