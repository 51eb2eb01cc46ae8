// The commands about dependencies and single quality runs.

import type { Dependency, DependencySource, DependencyType } from '../../dependency.ts';
import type { AssetId, ContractId, DependencyId, Timestamp } from '../../id.ts';
import type { CheckedGuarantee, QualityRunStatus } from '../../quality-run.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Guarded } from '../commands.ts';

export interface AddDependency {
  readonly assetId: AssetId;
  readonly dependsOnAssetId: AssetId;
  readonly type: DependencyType;
  readonly source?: DependencySource | undefined;
}

export interface DeleteDependency extends Guarded<Dependency> {
  readonly assetId: AssetId;
  readonly dependencyId: DependencyId;
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
