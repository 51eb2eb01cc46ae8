import { decideAccess } from '../../core/decide/access.ts';
import type { ApproveProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { Proposal } from '../../core/proposal.ts';
import type { Verb } from '../commands.ts';
import { parkProposal } from './conclude-proposal.ts';

/** Parks the decision; publish still follows. Whoever registers meanwhile is asked first. */
export const approveProposal: Verb<ApproveProposal, Proposal> = (ports, context, { proposalId }) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(proposalId);
    if (facts === null) return notFound('PROPOSAL', proposalId);
    const access = decideAccess(context.actor, 'approve_proposal', facts.asset.ownerTeamId);
    return access.ok ? parkProposal(transaction, facts) : access;
  });
