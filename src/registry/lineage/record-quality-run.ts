import type { RecordQualityRun } from '../../core/decide/lineage/commands.ts';
import { decideQualityRun } from '../../core/decide/lineage/quality-run.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { QualityRun } from '../../core/quality-run.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Records a run under the asset's lock, so subscribers receive runs in order with other events. */
export const recordQualityRun: Verb<RecordQualityRun, QualityRun> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const { assetId, contractId } = command;
    const facts = await transaction.lockAsset(assetId);
    if (facts === null) return notFound('ASSET', assetId);
    const contract = contractId === undefined ? null : await transaction.findContract(contractId);
    const before = await transaction.findStreak(assetId, command.triggeredBy);
    const begins = command.status === 'failed' && before?.failingSince == null;
    const answers = begins && contract !== null ? await transaction.listAnswers(contract.id) : [];
    const found = { ...facts, contract, before, answers };
    const decided = decideQualityRun(found, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
