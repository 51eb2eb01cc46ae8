// An open proposal whose consumers have said what they read since it was made.

import type { Verdicts } from '../../need.ts';
import type { Asks } from '../../proposal.ts';
import { digestsOf, isAsked } from '../asking.ts';
import { proposalEvent, teamNames } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { teamIdsOf, unanswered, updateOf } from '../publishing/proposing.ts';
import type { WriteOf } from '../write.ts';

/** A team that has answered stays on the list. */
export function reassessWrite(
  { asset, consumers, proposal }: ProposalFacts,
  next: { readonly asks: Asks; readonly verdicts: Verdicts },
): WriteOf<'update_proposal'> {
  const answered = new Set(
    proposal.consumers.filter(({ response }) => response !== null).map(({ teamId }) => teamId),
  );
  const isOneAsked = (each: (typeof consumers)[number]) =>
    answered.has(each.teamId) || isAsked(each, next);
  const before = new Set(teamIdsOf(proposal.consumers));
  const asked = consumers.filter(isOneAsked);
  const added = asked.filter(({ teamId }) => !before.has(teamId));
  const event = proposalEvent(
    'proposal.reassessed',
    asset,
    { ...proposal, consumers: added.map((each) => unanswered(each, next.verdicts)) },
    { from: proposal.status, to: proposal.status },
    {
      teamIds: teamIdsOf(added),
      more: {
        consumers: teamNames(asked),
        excused: teamNames(consumers.filter((each) => !isOneAsked(each))),
      },
    },
  );
  const set = { ...updateOf(proposal), ...next };
  return { kind: 'update_proposal', id: proposal.id, set, events: [event] };
}

/** The verdicts hold for the contract and the round that they were found for. */
export function decideReassessment(
  facts: ProposalFacts,
  found: Pick<ProposalFacts['proposal'], 'baseContractId' | 'round' | 'verdicts'>,
): WriteOf<'update_proposal'> | null {
  const { proposal } = facts;
  const isStillTrue =
    (proposal.status === 'pending' || proposal.status === 'approved') &&
    proposal.asks !== 'all' &&
    proposal.baseContractId === found.baseContractId &&
    proposal.round === found.round;
  // Another process may have been faster.
  const isKnown = (digest: string) => Object.hasOwn(proposal.verdicts, digest);
  if (!isStillTrue || Object.keys(found.verdicts).every(isKnown)) return null;
  const asked = new Set(facts.consumers.flatMap(digestsOf));
  const known = Object.entries({ ...proposal.verdicts, ...found.verdicts });
  return reassessWrite(facts, {
    asks: proposal.asks,
    verdicts: Object.fromEntries(known.filter(([digest]) => asked.has(digest))),
  });
}
