// What the verbs about dependencies and quality runs are asked.

import type { Dependency, DependencySource, DependencyType } from '../core/dependency.ts';
import type { AssetId, ContractId, DependencyId, Timestamp } from '../core/id.ts';
import type { JsonObject } from '../core/json.ts';
import type { CheckedGuarantee, QualityRunStatus } from '../core/quality-run.ts';

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
