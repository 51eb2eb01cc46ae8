import type { ExpireProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideExpiry } from '../../core/decide/proposals/expire.ts';
import type { Proposal } from '../../core/proposal.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const expireProposal: Verb<ExpireProposal, Proposal> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(command.proposalId);
    if (facts === null) return notFound('PROPOSAL', command.proposalId);
    return applyDecided(transaction, decideExpiry(facts, command, byOf(context, transaction)));
  });
