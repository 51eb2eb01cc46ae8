import type { ContractSummary } from '../../contract.ts';
import { accept, type Outcome } from '../../failure.ts';
import { occurredAt, type QualityRun, type RunStreak } from '../../quality-run.ts';
import { decideAccess } from '../access.ts';
import type { By, Decided } from '../decided.ts';
import type { AnsweredTeam, AssetFacts } from '../facts.ts';
import { checkMetadata } from '../metadata.ts';
import { notFound } from '../not-found.ts';
import type { RecordQualityRun } from './commands.ts';
import { qualityRunRecorded } from './events.ts';
import { incidentOf } from './incident.ts';

interface RunFacts extends Pick<AssetFacts, 'asset' | 'consumers'> {
  /** The version that was checked, if the run names one. */
  readonly contract: ContractSummary | null;
  readonly before: RunStreak | null;
  readonly answers: readonly AnsweredTeam[];
}

export function decideQualityRun(
  { asset, consumers, contract, before, answers }: RunFacts,
  command: RecordQualityRun,
  { actor, at, newId }: By,
): Outcome<Decided<QualityRun>> {
  const { assetId, contractId, startedAt = null, finishedAt = null } = command;
  if (asset.deletedAt !== null) return notFound('ASSET', assetId);
  const access = decideAccess(actor, 'record_quality_run', asset.ownerTeamId);
  if (!access.ok) return access;
  if (contractId !== undefined && contract?.assetId !== assetId) {
    return notFound('CONTRACT', contractId, 'contract_id');
  }
  const metadata = checkMetadata(command.metadata ?? {});
  if (!metadata.ok) return metadata;
  const run: QualityRun = {
    id: newId(),
    assetId,
    contractId: contract?.id ?? null,
    contractVersion: contract?.version ?? null,
    status: command.status,
    triggeredBy: command.triggeredBy,
    runId: command.runId ?? null,
    guarantees: command.guarantees,
    startedAt,
    finishedAt,
    occurredAt: occurredAt(startedAt, finishedAt, at),
    recordedAt: at,
    metadata: metadata.value,
  };
  const told = consumers.map(({ teamId }) => teamId);
  const incident = incidentOf(run, { before, contract, answers });
  const event = qualityRunRecorded(run, asset, told, incident);
  return accept({ writes: [{ kind: 'insert_quality_run', run, events: [event] }], answer: run });
}
