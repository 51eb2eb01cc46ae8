// What the verbs about dependencies and quality runs are asked.

import type { Dependency, DependencySource, DependencyType } from '../../core/dependency.ts';
import type { AssetId, ContractId, DependencyId, QualityRunId, Timestamp } from '../../core/id.ts';
import type { ImportProblem } from '../../core/import/candidate.ts';
import type { NodeIndex } from '../../core/import/dbt/run-results-index.ts';
import type { CheckedGuarantee, QualityRunStatus } from '../../core/quality-run.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';

export interface AddDependency {
  readonly assetId: AssetId;
  readonly dependsOnAssetId: AssetId;
  readonly type: DependencyType;
  readonly source?: DependencySource | undefined;
}

export interface DeleteDependency {
  readonly assetId: AssetId;
  readonly dependencyId: DependencyId;
  /** What the caller believes it deletes: another state is 412 PRECONDITION_FAILED. */
  readonly precondition?: ((current: Dependency) => boolean) | undefined;
}

/** The results of a build tool's run, for the assets that its tests are about. */
export interface RecordRunResults {
  readonly environment: string;
  readonly results: Json;
  /** From a manifest that came with them; without one the registry's assets say what is what. */
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
  /** It was recorded before: nothing was written. */
  readonly isKnown: boolean;
}

export interface RecordQualityRun {
  readonly assetId: AssetId;
  readonly contractId?: ContractId | undefined;
  readonly status: QualityRunStatus;
  readonly triggeredBy: string;
  readonly runId?: string | undefined;
  readonly guarantees: readonly CheckedGuarantee[];
  readonly startedAt?: Timestamp | undefined;
  readonly finishedAt?: Timestamp | undefined;
  readonly metadata?: JsonObject | undefined;
}
