// An incident begins with the first failed run of a trigger and ends with its next run that passes. It is
// told once at its beginning and once at its end, not at every run.

import type { ContractSummary } from '../../contract.ts';
import type { QualityRun, RunStreak } from '../../quality-run.ts';
import type { JsonObject } from '../../value/json.ts';
import type { AnsweredTeam } from '../facts.ts';

interface IncidentFacts {
  /** The runs of the same trigger so far; null if there are none. */
  readonly before: RunStreak | null;
  /** The version that was checked, and what its consumers answered before it was published. */
  readonly contract: ContractSummary | null;
  readonly answers: readonly AnsweredTeam[];
}

/** What the event of a run says of the incident that it begins or ends; null if it does neither. */
export function incidentOf(
  run: QualityRun,
  { before, contract, answers }: IncidentFacts,
): JsonObject | null {
  const move = moveOf(run, before);
  if (move === null) return null;
  if (move === 'closed') return { incident: move, since: before?.failingSince ?? null };
  return {
    ...{ incident: move, since: run.occurredAt, samples: run.metadata.samples ?? null },
    published_by: contract?.publishedByActor.name ?? null,
    published_by_team: contract?.publishedBy ?? null,
    published_at: contract?.publishedAt ?? null,
    answers: answers.map(({ teamName, response }) => ({ team: teamName, response })),
  };
}

/** A run that happened before the newest one says nothing about now. */
function moveOf(
  { status, occurredAt }: QualityRun,
  before: RunStreak | null,
): 'opened' | 'closed' | null {
  if (before !== null && occurredAt < before.occurredAt) return null;
  const hasFailed = before !== null && before.failingSince !== null;
  if (status === 'failed') return hasFailed ? null : 'opened';
  return hasFailed ? 'closed' : null;
}
