// With FOUR_EYES: the force that one administrator requests, and another one carries out.

import { actorReference } from '../../core/actor.ts';
import type { PublishedProposal } from '../../core/decide/commands.ts';
import { proposalEvent } from '../../core/decide/events.ts';
import type { ProposalFacts } from '../../core/decide/facts.ts';
import type { ProposalUpdate } from '../../core/decide/write.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { UserId } from '../../core/id.ts';
import type { Proposal } from '../../core/proposal.ts';
import { decideProposalStep } from '../../core/proposal-machine.ts';
import type { Context } from '../ports.ts';
import type { Transaction } from '../transaction.ts';
import { circumstancesOf, updatedProposal, updateOf } from './proposing.ts';

/** Held until the end of the transaction: a demotion is before the force, or after it. */
export async function isRequesterAdmin(
  transaction: Transaction,
  { forceRequested }: Pick<Proposal, 'forceRequested'>,
): Promise<boolean> {
  if (forceRequested === null) return false;
  const user = await transaction.holdUser(forceRequested.userId);
  return user?.role === 'admin';
}

export async function requestForce(
  transaction: Transaction,
  context: Context<PublishedProposal>,
  facts: ProposalFacts,
  request: { readonly userId: UserId; readonly reason: string },
): Promise<Outcome<PublishedProposal>> {
  const { asset, proposal } = facts;
  const step = decideProposalStep(proposal.status, 'request_force', circumstancesOf(facts));
  if (!step.ok) return step;
  const set: ProposalUpdate = {
    ...updateOf(proposal),
    forceRequested: {
      by: actorReference(context.actor),
      userId: request.userId,
      reason: request.reason,
      requestedAt: transaction.now(),
      round: proposal.round,
    },
  };
  const notAgreed = proposal.consumers.filter(({ acknowledged }) => !acknowledged);
  const event = proposalEvent(
    step.value.event,
    asset,
    proposal,
    { from: proposal.status, to: step.value.to },
    {
      teamIds: proposal.consumers.map(({ teamId }) => teamId),
      more: {
        round: proposal.round,
        not_agreed: notAgreed.map(({ teamName }) => teamName),
        reason: request.reason,
      },
    },
  );
  await transaction.apply([{ kind: 'update_proposal', id: proposal.id, set, events: [event] }]);
  return accept({ proposal: updatedProposal(proposal, set), contract: null });
}
