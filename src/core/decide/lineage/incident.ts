// An incident begins with the first failed run of a trigger and ends with its next run that passes. It is
// told once at its beginning and once at its end, not at every run.

import type { Asset } from '../../asset.ts';
import type { ContractSummary } from '../../contract.ts';
import type { EventDraft } from '../../event.ts';
import type { TeamId } from '../../id.ts';
import type { QualityRun, RunStreak } from '../../quality-run.ts';
import type { AnsweredTeam } from '../facts.ts';
import { listedFailures } from './events.ts';

interface IncidentFacts {
  /** The runs of the same trigger so far; null if there are none. */
  readonly before: RunStreak | null;
  readonly asset: Pick<Asset, 'fqn' | 'environment' | 'ownerTeamId'>;
  readonly consumerTeamIds: readonly TeamId[];
  /** The version that was checked, and what its consumers answered before it was published. */
  readonly contract: ContractSummary | null;
  readonly answers: readonly AnsweredTeam[];
}

/**
 * Whether a run begins an incident, or ends one. A run that happened before the newest one says nothing
 * about now.
 *
 * @example moveOf({ status: 'failed', occurredAt: '...' }, null) // 'incident.opened'
 */
function moveOf(
  { status, occurredAt }: Pick<QualityRun, 'status' | 'occurredAt'>,
  before: RunStreak | null,
): 'incident.opened' | 'incident.closed' | null {
  if (before !== null && occurredAt < before.occurredAt) return null;
  const hasFailed = before !== null && before.failingSince !== null;
  if (status === 'failed') return hasFailed ? null : 'incident.opened';
  return hasFailed ? 'incident.closed' : null;
}

export function incidentEvents(
  run: QualityRun,
  { before, asset, consumerTeamIds, contract, answers }: IncidentFacts,
): readonly EventDraft[] {
  const type = moveOf(run, before);
  if (type === null) return [];
  const concerned = [...new Set([asset.ownerTeamId, ...consumerTeamIds])];
  return [
    {
      type,
      entityType: 'audit_run',
      entityId: run.id,
      metadata: {
        asset_id: run.assetId,
        asset_fqn: asset.fqn,
        environment: asset.environment,
        contract_id: run.contractId,
        version: run.contractVersion,
        triggered_by: run.triggeredBy,
        since: type === 'incident.opened' ? run.occurredAt : (before?.failingSince ?? null),
        ...(type === 'incident.opened' && {
          ...listedFailures(run),
          samples: run.metadata.samples ?? null,
          published_by: contract?.publishedByActor.name ?? null,
          published_by_team: contract?.publishedBy ?? null,
          published_at: contract?.publishedAt ?? null,
          answers: answers.map(({ teamName, response }) => ({ team: teamName, response })),
        }),
      },
      assetId: run.assetId,
      teamIds: concerned,
      notifiedTeamIds: concerned,
    },
  ];
}
