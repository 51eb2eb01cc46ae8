// The audit events of dependencies and quality runs.

import type { Asset } from '../../asset.ts';
import type { Dependency } from '../../dependency.ts';
import type { EventDraft, EventType } from '../../event.ts';
import type { TeamId } from '../../id.ts';
import type { QualityRun } from '../../quality-run.ts';
import type { JsonObject } from '../../value/json.ts';

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

/**
 * @param incident what the event says of the incident that the run begins or ends: only then webhooks tell
 * of a run
 */
export function qualityRunRecorded(
  run: QualityRun,
  asset: Pick<Asset, 'fqn' | 'environment' | 'ownerTeamId'>,
  consumerTeamIds: readonly TeamId[],
  incident: JsonObject | null,
): EventDraft {
  const failed = run.guarantees.filter(({ status }) => status === 'failed');
  const concerned = [...new Set([asset.ownerTeamId, ...consumerTeamIds])];
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
      failed_guarantees_count: failed.length,
      failed_guarantees: failed.slice(0, listedGuaranteesLimit).map(({ name }) => name),
      ...incident,
    },
    assetId: run.assetId,
    teamIds: concerned,
    ...(incident !== null && { notifiedTeamIds: concerned }),
  };
}
