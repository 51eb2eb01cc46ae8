// The audit events of dependencies and quality runs.

import type { Asset } from '../../asset.ts';
import type { Dependency } from '../../dependency.ts';
import type { EventDraft, EventType } from '../../event.ts';
import type { TeamId } from '../../id.ts';
import type { QualityRun } from '../../quality-run.ts';

/** An event lists only some failures; the run has all of them. */
const listedGuaranteesLimit = 50;

export function dependencyEvent(
  type: Extract<EventType, `dependency.${string}`>,
  dependency: Dependency,
  asset: Pick<Asset, 'environment' | 'ownerTeamId'>,
  dependsOnOwnerTeamId: TeamId,
): EventDraft {
  return {
    type,
    entityType: 'dependency',
    entityId: dependency.id,
    metadata: {
      asset_id: dependency.assetId,
      asset_fqn: dependency.assetFqn,
      environment: asset.environment,
      depends_on_asset_id: dependency.dependsOnAssetId,
      depends_on_fqn: dependency.dependsOnFqn,
      type: dependency.type,
      source: dependency.source,
    },
    assetId: dependency.assetId,
    teamIds: [...new Set([asset.ownerTeamId, dependsOnOwnerTeamId])],
  };
}

export function listedFailures({ guarantees }: QualityRun) {
  const failed = guarantees.filter(({ status }) => status === 'failed');
  return {
    failed_guarantees_count: failed.length,
    failed_guarantees: failed.slice(0, listedGuaranteesLimit).map(({ name }) => name),
  };
}

export function qualityRunRecorded(
  run: QualityRun,
  asset: Pick<Asset, 'fqn' | 'environment' | 'ownerTeamId'>,
  consumerTeamIds: readonly TeamId[],
): EventDraft {
  return {
    type: 'audit_run.recorded',
    entityType: 'audit_run',
    entityId: run.id,
    metadata: {
      asset_id: run.assetId,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      contract_id: run.contractId,
      version: run.contractVersion,
      status: run.status,
      triggered_by: run.triggeredBy,
      run_id: run.runId,
      guarantees: run.guarantees.length,
      ...listedFailures(run),
    },
    assetId: run.assetId,
    teamIds: [...new Set([asset.ownerTeamId, ...consumerTeamIds])],
  };
}
