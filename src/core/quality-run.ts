// A quality run: a check of an asset's data against its guarantees.

import type { AssetId, ContractId, QualityRunId, Timestamp } from './id.ts';
import type { JsonObject } from './value/json.ts';

export const qualityRunStates = ['passed', 'failed'] as const;

export type QualityRunStatus = (typeof qualityRunStates)[number];

const checkStates = ['passed', 'failed', 'warned', 'skipped'] as const;

type CheckStatus = (typeof checkStates)[number];

/** The result for one guarantee. */
export interface CheckedGuarantee {
  readonly name: string;
  readonly status: CheckStatus;
  /** The number of rows that failed. */
  readonly rows?: number | undefined;
  readonly message?: string | undefined;
}

export interface QualityRun {
  readonly id: QualityRunId;
  readonly assetId: AssetId;
  /** The contract that the data was checked against, if it was given. */
  readonly contractId: ContractId | null;
  readonly contractVersion: string | null;
  readonly status: QualityRunStatus;
  readonly triggeredBy: string;
  /** Its id in the system that ran it. */
  readonly runId: string | null;
  readonly guarantees: readonly CheckedGuarantee[];
  readonly startedAt: Timestamp | null;
  readonly finishedAt: Timestamp | null;
  /** The time at which it finished, or started, or was recorded: the first that is known. */
  readonly occurredAt: Timestamp;
  readonly recordedAt: Timestamp;
  readonly metadata: JsonObject;
}

/** The newest run of a trigger. */
export interface RunStreak {
  readonly occurredAt: Timestamp;
  /** The first run that failed after the last one that passed; null if the newest passed. */
  readonly failingSince: Timestamp | null;
}

/** A trigger whose runs fail. */
export interface Incident {
  readonly triggeredBy: string;
  readonly since: Timestamp;
  /** How many runs have failed since. */
  readonly runs: number;
}

export const trendWindows = ['24h', '7d', '30d'] as const;

type TrendWindow = (typeof trendWindows)[number];

/** Statistics of the runs in a period that ends now. */
export interface QualityTrend {
  readonly window: TrendWindow;
  readonly since: Timestamp;
  readonly runs: number;
  readonly failedRuns: number;
  /** The guarantees that failed most often, worst first. */
  readonly worstGuarantees: readonly {
    readonly name: string;
    readonly runs: number;
    readonly failedRuns: number;
  }[];
}

/**
 * Limits the time to now, so that a fast clock does not put a run into the future.
 *
 * @example occurredAt(null, '2026-03-14T09:00:00.000Z', now) // '2026-03-14T09:00:00.000Z'
 */
export function occurredAt(
  startedAt: Timestamp | null,
  finishedAt: Timestamp | null,
  now: Timestamp,
): Timestamp {
  const said = finishedAt ?? startedAt ?? now;
  return said > now ? now : said;
}
