// How much of its tables Postgres looks at for a statement, which no clock tells as well.

import pg from 'pg';
import { withSettings } from '../../src/store/pool.ts';
import type { Statement } from './postgres-proxy.ts';

export interface PagesRead {
  readonly rows: number;
  readonly pages: number;
}

/** Asked again, for its plan as it ran; `settings` are those that its transaction had. */
export async function pagesRead(
  url: string,
  { text, parameters }: Statement,
  settings: readonly string[] = [],
): Promise<PagesRead> {
  const postgres = new pg.Client(withSettings(url));
  await postgres.connect();
  try {
    for (const setting of settings) await postgres.query(`set ${setting}`);
    const { rows } = await postgres.query({
      text: `explain (analyze, buffers, timing off, format json) ${text}`,
      values: [...parameters],
    });
    const [{ Plan: plan }] = rows[0]?.['QUERY PLAN'] ?? [];
    return {
      rows: plan['Actual Rows'],
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    };
  } finally {
    await postgres.end();
  }
}
