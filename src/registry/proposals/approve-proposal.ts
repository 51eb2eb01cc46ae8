import type { ApproveProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideApproval } from '../../core/decide/proposals/conclude.ts';
import type { Proposal } from '../../core/proposal.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Approves without publishing. A consumer who registers before the publish is asked first. */
export const approveProposal: Verb<ApproveProposal, Proposal> = (ports, context, { proposalId }) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(proposalId);
    if (facts === null) return notFound('PROPOSAL', proposalId);
    return applyDecided(transaction, decideApproval(facts, byOf(context, transaction)));
  });
