import type { RemindConsumers } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideReminder } from '../../core/decide/proposals/remind.ts';
import type { Proposal } from '../../core/proposal.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const remindConsumers: Verb<RemindConsumers, Proposal> = (ports, context, { proposalId }) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(proposalId);
    if (facts === null) return notFound('PROPOSAL', proposalId);
    return applyDecided(transaction, decideReminder(facts, byOf(context, transaction)));
  });
