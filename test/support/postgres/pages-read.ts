// Counts the pages that Postgres reads for a statement, which is more reliable than its time.

import pg from 'pg';
import { withSettings } from '../../../src/store/postgres/pool.ts';
import type { Statement } from './postgres-proxy.ts';

interface PagesRead {
  readonly rows: number;
  readonly pages: number;
  /** Pairs of rows that were compared and did not match. */
  readonly mismatches: number;
}

/** Forces the generic plan of a prepared statement. */
export const withoutValues = 'plan_cache_mode = force_generic_plan';

/** Executes the statement again and reads its plan; `settings` are those of its transaction. */
export async function pagesRead(
  url: string,
  { text, parameters }: Statement,
  settings: readonly string[] = [],
): Promise<PagesRead> {
  const postgres = new pg.Client(withSettings(url));
  await postgres.connect();
  try {
    for (const setting of settings) await postgres.query(`set ${setting}`);
    await postgres.query(`prepare asked as ${text}`);
    const values = parameters.map((each) => (each === null ? 'null' : pg.escapeLiteral(each)));
    const given = values.length === 0 ? '' : `(${values.join(', ')})`;
    const { rows } = await postgres.query(
      `explain (analyze, buffers, timing off, format json) execute asked ${given}`,
    );
    const [{ Plan: plan }] = rows[0]?.['QUERY PLAN'] ?? [];
    return {
      rows: plan['Actual Rows'],
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      mismatches: mismatchesOf(plan),
    };
  } finally {
    await postgres.end();
  }
}

interface PlanNode {
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

function mismatchesOf(node: PlanNode): number {
  const own = (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, each) => sum + mismatchesOf(each), own);
}
