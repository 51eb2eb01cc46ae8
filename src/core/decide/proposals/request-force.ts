// With FOUR_EYES: records the force that one administrator requests, and another one carries out.

import { actorReference } from '../../actor.ts';
import { accept, type Outcome } from '../../failure.ts';
import type { UserId } from '../../id.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import type { PublishedProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { circumstancesOf, teamIdsOf, updatedProposal, updateOf } from '../publishing/proposing.ts';
import type { ProposalUpdate } from '../write.ts';
import { notAgreedOf } from './four-eyes.ts';

export function requestForce(
  facts: ProposalFacts,
  request: { readonly userId: UserId; readonly reason: string },
  by: By,
): Outcome<Decided<PublishedProposal>> {
  const { asset, proposal } = facts;
  const step = decideProposalStep(proposal.status, 'request_force', circumstancesOf(facts));
  if (!step.ok) return step;
  const notAgreed = notAgreedOf(proposal);
  const set: ProposalUpdate = {
    ...updateOf(proposal),
    forceRequested: {
      by: actorReference(by.actor),
      userId: request.userId,
      reason: request.reason,
      requestedAt: by.at,
      round: proposal.round,
      overrides: notAgreed.map(({ teamId }) => teamId),
    },
  };
  const event = proposalEvent(
    step.value.event,
    asset,
    proposal,
    { from: proposal.status, to: step.value.to },
    {
      teamIds: teamIdsOf(proposal.consumers),
      more: {
        round: proposal.round,
        not_agreed: notAgreed.map(({ teamName }) => teamName),
        reason: request.reason,
      },
    },
  );
  return accept({
    writes: [{ kind: 'update_proposal', id: proposal.id, set, events: [event] }],
    answer: { proposal: updatedProposal(proposal, set), contract: null },
  });
}
