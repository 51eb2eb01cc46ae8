// The query and result types for the results of a build tool's run.

import type { AssetId, QualityRunId } from '../../core/id.ts';
import type { ImportProblem } from '../../core/import/candidate.ts';
import type { NodeIndex } from '../../core/import/dbt/run-results-index.ts';
import type { QualityRunStatus } from '../../core/quality-run.ts';
import type { Json } from '../../core/value/json.ts';

/** The results of a build tool's run, for the assets that its tests are about. */
export interface RecordRunResults {
  readonly environment: string;
  readonly results: Json;
  /** Made from the manifest that was sent along; without one, from the registry's assets. */
  readonly index: NodeIndex | null;
}

export interface RecordedRuns {
  readonly runs: readonly RecordedRun[];
  readonly problems: readonly ImportProblem[];
}

export interface RecordedRun {
  readonly id: QualityRunId;
  readonly assetId: AssetId;
  readonly assetFqn: string;
  readonly status: QualityRunStatus;
  readonly checked: number;
  readonly failed: number;
  /** The run was recorded before, so nothing was written. */
  readonly isKnown: boolean;
}
