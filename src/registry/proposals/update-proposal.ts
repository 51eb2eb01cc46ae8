import type { UpdateProposal } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideRequestChange } from '../../core/decide/proposals/request.ts';
import type { Proposal } from '../../core/proposal.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const updateProposal: Verb<UpdateProposal, Proposal> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(command.proposalId);
    if (facts === null) return notFound('PROPOSAL', command.proposalId);
    const decided = decideRequestChange(facts, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
