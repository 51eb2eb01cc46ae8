// A quality run: somebody checked the data of an asset against what it guarantees.

import type { AssetId, ContractId, QualityRunId, Timestamp } from './id.ts';
import type { JsonObject } from './value/json.ts';

export const qualityRunStates = ['passed', 'failed'] as const;

export type QualityRunStatus = (typeof qualityRunStates)[number];

const checkStates = ['passed', 'failed', 'warned', 'skipped'] as const;

type CheckStatus = (typeof checkStates)[number];

/** How one guarantee fared. */
export interface CheckedGuarantee {
  readonly name: string;
  readonly status: CheckStatus;
  /** How many rows were at fault. */
  readonly rows?: number | undefined;
  readonly message?: string | undefined;
}

export interface QualityRun {
  readonly id: QualityRunId;
  readonly assetId: AssetId;
  /** What it was checked against, where that was said. */
  readonly contractId: ContractId | null;
  readonly contractVersion: string | null;
  readonly status: QualityRunStatus;
  readonly triggeredBy: string;
  /** Its name where it ran. */
  readonly runId: string | null;
  readonly guarantees: readonly CheckedGuarantee[];
  readonly startedAt: Timestamp | null;
  readonly finishedAt: Timestamp | null;
  /** When it finished, or started, or was recorded: the first of these that is known. */
  readonly occurredAt: Timestamp;
  readonly recordedAt: Timestamp;
  readonly metadata: JsonObject;
}

export const trendWindows = ['24h', '7d', '30d'] as const;

type TrendWindow = (typeof trendWindows)[number];

/** How the runs of a stretch of time went, up to now. */
export interface QualityTrend {
  readonly window: TrendWindow;
  readonly since: Timestamp;
  readonly runs: number;
  readonly failedRuns: number;
  /** Those that failed most often, worst first. */
  readonly worstGuarantees: readonly {
    readonly name: string;
    readonly runs: number;
    readonly failedRuns: number;
  }[];
}

/**
 * A clock that runs ahead does not put a run into the future.
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
