import { decideAccess } from '../../core/decide/access.ts';
import { qualityRunRecorded } from '../../core/decide/lineage-events.ts';
import { checkMetadata } from '../../core/decide/metadata.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import { occurredAt, type QualityRun } from '../../core/quality-run.ts';
import type { Verb } from '../commands.ts';
import type { RecordQualityRun } from './lineage-commands.ts';

/** Under the asset's lock: subscribers hear of its runs in the order of everything else. */
export const recordQualityRun: Verb<RecordQualityRun, QualityRun> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const { assetId, contractId } = command;
    const facts = await transaction.lockAsset(assetId);
    if (facts === null || facts.asset.deletedAt !== null) return notFound('ASSET', assetId);
    const { asset, consumers } = facts;
    const access = decideAccess(context.actor, 'record_quality_run', asset.ownerTeamId);
    if (!access.ok) return access;
    const contract = contractId === undefined ? null : await transaction.findContract(contractId);
    if (contractId !== undefined && contract?.assetId !== assetId) {
      return notFound('CONTRACT', contractId, 'contract_id');
    }
    const metadata = checkMetadata(command.metadata ?? {});
    if (!metadata.ok) return metadata;
    const recordedAt = transaction.now();
    const startedAt = command.startedAt ?? null;
    const finishedAt = command.finishedAt ?? null;
    const run: QualityRun = {
      id: context.newId(),
      assetId,
      contractId: contract?.id ?? null,
      contractVersion: contract?.version ?? null,
      status: command.status,
      triggeredBy: command.triggeredBy,
      runId: command.runId ?? null,
      guarantees: command.guarantees,
      startedAt,
      finishedAt,
      occurredAt: occurredAt(startedAt, finishedAt, recordedAt),
      recordedAt,
      metadata: metadata.value,
    };
    const event = qualityRunRecorded(
      run,
      asset,
      consumers.map(({ teamId }) => teamId),
    );
    await transaction.apply([{ kind: 'insert_quality_run', run, events: [event] }]);
    return accept(run);
  });
