// `volume.max_row_delta_pct`: how much the number of rows may differ from that of an earlier run.

import { memberOf, objectAt } from '../import/read-json.ts';
import type { JsonObject } from '../value/json.ts';

export const rowChangeRule = 'volume.max_row_delta_pct';

/** What was counted before; the time is absent if only the number is known. */
export interface RowsBefore {
  readonly rows: number;
  readonly at?: string;
}

interface RowChange {
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly message: string;
}

/** @example limitOfRowChange({ volume: { max_row_delta_pct: 20 } }) // 20 */
export function limitOfRowChange(guarantees: JsonObject | null): number | null {
  const limit = memberOf(objectAt(guarantees ?? {}, 'volume'), 'max_row_delta_pct');
  return typeof limit === 'number' ? limit : null;
}

/** @example judgeRowChange(20, 100, { rows: 70 }).status // 'failed' */
export function judgeRowChange(limit: number, rows: number, before: RowsBefore): RowChange {
  if (before.rows === 0 && rows > 0) {
    return { status: 'skipped', message: 'is not checked, because there were no rows before' };
  }
  const isWithin = 100 * Math.abs(rows - before.rows) <= limit * before.rows;
  const when = before.at === undefined ? 'before' : `on ${before.at}`;
  const message = `must change the number of rows by at most ${limit} %: there were ${before.rows} ${when}, now there are ${rows}`;
  if (isWithin) return { status: 'passed', message };
  return {
    status: 'failed',
    message: `${message}. If that is right, check once with --rows-before ${rows}`,
  };
}
