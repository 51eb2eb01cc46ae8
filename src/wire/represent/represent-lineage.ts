// Dependencies, lineage and quality runs, as JSON.

import type { z } from 'zod';
import type {
  Dependency as DependencyEntity,
  LineageAsset as LineageAssetEntity,
  LineageEdge as LineageEdgeEntity,
} from '../../core/dependency.ts';
import type {
  Incident as IncidentEntity,
  QualityRun as QualityRunEntity,
  QualityTrend as QualityTrendEntity,
} from '../../core/quality-run.ts';
import type { Dependency, Lineage, LineageAsset } from '../shapes/dependency.ts';
import type { Incident, QualityRun, QualityTrends } from '../shapes/quality-run.ts';

export function representDependency(dependency: DependencyEntity): z.output<typeof Dependency> {
  return {
    id: dependency.id,
    asset_id: dependency.assetId,
    asset_fqn: dependency.assetFqn,
    depends_on_asset_id: dependency.dependsOnAssetId,
    depends_on_fqn: dependency.dependsOnFqn,
    type: dependency.type,
    source: dependency.source,
    created_at: dependency.createdAt,
  };
}

export function representLineageAsset(asset: LineageAssetEntity): z.output<typeof LineageAsset> {
  return {
    asset_id: asset.assetId,
    fqn: asset.fqn,
    environment: asset.environment,
    owner_team_id: asset.ownerTeamId,
    owner_team_name: asset.ownerTeamName,
    depth: asset.depth,
    type: asset.type,
    path: [...asset.path],
    consumers: asset.consumers.map(({ teamId, teamName }) => ({
      team_id: teamId,
      team_name: teamName,
    })),
  };
}

export function representLineageEdge(
  edge: LineageEdgeEntity,
): z.output<typeof Lineage>['edges'][number] {
  return {
    asset_id: edge.assetId,
    depends_on_asset_id: edge.dependsOnAssetId,
    type: edge.type,
  };
}

export function representQualityRun(run: QualityRunEntity): z.output<typeof QualityRun> {
  return {
    id: run.id,
    asset_id: run.assetId,
    contract_id: run.contractId,
    contract_version: run.contractVersion,
    status: run.status,
    triggered_by: run.triggeredBy,
    run_id: run.runId,
    guarantees: run.guarantees.map((guarantee) => ({ ...guarantee })),
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    occurred_at: run.occurredAt,
    recorded_at: run.recordedAt,
    metadata: run.metadata,
  };
}

export function representIncident({
  triggeredBy,
  since,
  runs,
}: IncidentEntity): z.output<typeof Incident> {
  return { triggered_by: triggeredBy, since, runs };
}

type Trend = z.output<typeof QualityTrends>['windows'][number];

export function representTrend(trend: QualityTrendEntity): Trend {
  return {
    window: trend.window,
    since: trend.since,
    runs: trend.runs,
    failed_runs: trend.failedRuns,
    failure_rate: trend.runs === 0 ? null : trend.failedRuns / trend.runs,
    worst_guarantees: trend.worstGuarantees.map(({ name, runs, failedRuns }) => ({
      name,
      runs,
      failed_runs: failedRuns,
      failure_rate: failedRuns / runs,
    })),
  };
}
