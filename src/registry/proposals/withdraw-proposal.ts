import { decideAccess, decideManagement } from '../../core/decide/access.ts';
import type { WithdrawProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { checkReason } from '../../core/decide/reason.ts';
import { accept } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import { decideProposalStep } from '../../core/proposal-machine.ts';
import type { Verb } from '../commands.ts';
import { circumstancesOf, closeWrite, updatedProposal } from './proposing.ts';

export const withdrawProposal: Verb<WithdrawProposal, Proposal> = async (
  ports,
  context,
  { proposalId, reason, override },
) => {
  const checked = checkReason(reason);
  if (!checked.ok) return checked;
  return ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(proposalId);
    if (facts === null) return notFound('PROPOSAL', proposalId);
    const access = decideAccess(context.actor, 'withdraw_proposal', facts.asset.ownerTeamId);
    if (!access.ok) return access;
    const managed = decideManagement(context.actor, facts.asset, { override, reason });
    if (!managed.ok) return managed;
    const step = decideProposalStep(facts.proposal.status, 'withdraw', circumstancesOf(facts));
    if (!step.ok) return step;
    const write = closeWrite(facts, facts.proposal, {
      reason: checked.value,
      at: transaction.now(),
    });
    await transaction.apply([write]);
    return accept(updatedProposal(facts.proposal, write.set));
  });
};
