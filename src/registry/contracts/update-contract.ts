import type { UpdateContract, UpdateContractResult } from '../../core/decide/commands.ts';
import { decideRetirement } from '../../core/decide/contracts/retire.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { withOpen } from '../proposals/lock-for-asking.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';

export const updateContract: Verb<UpdateContract, UpdateContractResult> = async (
  ports,
  context,
  command,
) => {
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockContract(command.contractId);
    if (facts === null) return notFound('CONTRACT', command.contractId);
    const asking = await withOpen(transaction, facts);
    const decided = decideRetirement(asking, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
  if (outcome.ok) await settleProposal(ports, context, assetIdOf(outcome.value));
  return outcome;
};

function assetIdOf(result: UpdateContractResult): string {
  return result.action === 'updated' ? result.contract.assetId : result.proposal.assetId;
}
