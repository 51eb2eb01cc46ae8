// Each broken dialect is found by the law, on its own engine or what stands in for it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../../src/cli/check/postgres-source.ts';
import { randomFrom } from '../../../core/laws/values.ts';
import { dialectMutants } from '../../../core/mutants/dialect-mutants.ts';
import { loadCheck } from '../../../core/mutants/load-engine.ts';
import { openDatabase, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { hostileTable, tableSql } from './columns.ts';
import { holdCounts, holdTable } from './law.ts';
import { columnsOf, openStandIn, openTranspiler, type Transpiler } from './stand-in.ts';

const tables = Array.from({ length: 40 }, (_, seed) =>
  hostileTable(randomFrom(seed * 7919 + 1), 60),
);

let database: TestDatabase;
let transpiler: Transpiler;
beforeAll(async () => {
  database = await openDatabase();
  transpiler = openTranspiler();
  for (const [index, table] of tables.entries()) {
    await database.query(`CREATE SCHEMA t${index}`);
    for (const sql of tableSql(table, 'postgres')) {
      await database.query(sql.replace(' hostile ', ` t${index}.hostile `));
    }
  }
});
afterAll(async () => {
  transpiler.close();
  await database.drop();
});

type Mutant = Omit<(typeof dialectMutants)[number], 'family' | 'engine'>;

async function breachOf(
  engine: (typeof dialectMutants)[number]['engine'],
  mutant: Mutant,
): Promise<object | null> {
  const { planCheck: plan, postgresDialectOf, warehouses } = await loadCheck(mutant);
  for (const [index, table] of tables.entries()) {
    if (engine === 'postgres') {
      const address = { url: database.url, table: `t${index}.hostile`, timeoutMs: 600_000 };
      const source = await openPostgres(address);
      const dialect = postgresDialectOf('UTF8');
      const { breach } = await holdTable(plan, table, { ...source, dialect });
      await source.close();
      if (breach !== null) return breach;
      continue;
    }
    const { dialect, column } = warehouses[engine];
    const columns = columnsOf(table, engine, column);
    const standIn = await openStandIn(table, (sql) => transpiler.toDuckdb(engine, sql));
    const { breach } = await holdCounts(table, { columns, dialect, ask: standIn.ask, plan });
    standIn.close();
    if (breach !== null) return breach;
  }
  return null;
}

test.each(dialectMutants.map((mutant) => [mutant.family, mutant] as const))(
  'the law of checks finds the mutant %s',
  async (_family, { engine, ...mutant }) => {
    expect(await breachOf(engine, mutant)).not.toBeNull();
  },
);

test.each(['postgres', 'snowflake', 'bigquery', 'trino'] as const)(
  'the dialect of %s without a change breaks no law',
  async (engine) => {
    const text = "return '$';";
    const unchanged = { file: 'checks/sql/portable-pattern.ts', from: text, to: text };
    expect(await breachOf(engine, unchanged)).toBeNull();
  },
);
