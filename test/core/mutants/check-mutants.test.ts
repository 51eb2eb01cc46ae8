import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '../../../src/cli/check/source.ts';
import { hostileTable, type Table } from '../../cli/registry/check/columns.ts';
import { holdTable } from '../../cli/registry/check/law.ts';
import { openParquet } from '../../cli/registry/check/parquet.ts';
import { randomFrom } from '../laws/values.ts';
import { checkMutants } from './check-mutants.ts';
import { loadCheck } from './load-engine.ts';

/** `make mutants` and `make verify` run it. */
const isAsked = process.env.LARGE_TESTS === 'true';

describe.runIf(isAsked)('The law of checks', () => {
  let folder: string;
  const opened: { readonly table: Table; readonly source: Source }[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'concordat-mutants-'));
    for (let seed = 0; seed < 60; seed++) {
      const table = hostileTable(randomFrom(seed * 7919 + 1), 60);
      opened.push({ table, source: await openParquet(table, join(folder, `${seed}.parquet`)) });
    }
  });
  afterAll(async () => {
    for (const { source } of opened) await source.close();
    await rm(folder, { recursive: true });
  });

  async function breachOf(mutant: Parameters<typeof loadCheck>[0]): Promise<object | null> {
    const { planCheck, duckdbDialect } = await loadCheck(mutant);
    for (const { table, source } of opened) {
      const { breach } = await holdTable(planCheck, table, { ...source, dialect: duckdbDialect });
      if (breach !== null) return breach;
    }
    return null;
  }

  test.each(checkMutants.map((mutant) => [mutant.family, mutant] as const))(
    'finds the mutant %s',
    async (_family, mutant) => {
      expect(await breachOf(mutant)).not.toBeNull();
    },
  );

  test('the bundled compiler without a change breaks no law', async () => {
    const text = "return '$';";
    expect(
      await breachOf({ file: 'checks/sql/portable-pattern.ts', from: text, to: text }),
    ).toBeNull();
  });
});
