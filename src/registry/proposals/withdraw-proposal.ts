import type { WithdrawProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideWithdrawal } from '../../core/decide/proposals/withdraw.ts';
import { checkReason } from '../../core/decide/reason.ts';
import type { Proposal } from '../../core/proposal.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const withdrawProposal: Verb<WithdrawProposal, Proposal> = async (
  ports,
  context,
  command,
) => {
  const reason = checkReason(command.reason);
  if (!reason.ok) return reason;
  return ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(command.proposalId);
    if (facts === null) return notFound('PROPOSAL', command.proposalId);
    const said = { ...command, reason: reason.value };
    return applyDecided(transaction, decideWithdrawal(facts, said, byOf(context, transaction)));
  });
};
