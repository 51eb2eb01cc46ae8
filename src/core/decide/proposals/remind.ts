// Reminds the consumers that have not answered: by the producer, or when the last day for answers is over.

import type { EventDraft } from '../../event.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import { dayOf, type Timestamp } from '../../id.ts';
import type { Proposal, ProposalConsumer } from '../../proposal.ts';
import type { JsonObject } from '../../value/json.ts';
import { decideAccess } from '../access.ts';
import type { By, Decided } from '../decided.ts';
import { proposalEvent, teamNames } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { teamIdsOf } from '../publishing/proposing.ts';
import type { Write } from '../write.ts';

/** More reminders would teach people to filter them. */
const reminderPauseMs = 12 * 60 * 60 * 1000;

export function decideReminder(facts: ProposalFacts, by: By): Outcome<Decided<Proposal>> {
  const { asset, proposal } = facts;
  const access = decideAccess(by.actor, 'remind_consumers', asset.ownerTeamId);
  if (!access.ok) return access;
  if (proposal.status !== 'pending') {
    return refuse(
      'PROPOSAL_NOT_PENDING',
      `The proposal is ${proposal.status}, so no answer of a consumer is waited for.`,
      { details: { state: proposal.status } },
    );
  }
  const awaited = awaitedOf(proposal);
  if (awaited.length === 0) {
    return refuse(
      'NOBODY_TO_REMIND',
      'Every consumer that is asked has answered. There is nobody to remind.',
    );
  }
  const next = nextReminder(proposal);
  if (next !== null && next > by.at) {
    return refuse(
      'REMINDED_RECENTLY',
      `The consumers were reminded at ${proposal.remindedAt}. Remind them again after ${next}.`,
      { details: { reminded_at: proposal.remindedAt, next_at: next } },
    );
  }
  return accept({
    writes: [reminderWrite(facts, awaited, by.at)],
    answer: { ...proposal, remindedAt: by.at },
  });
}

function nextReminder({ remindedAt }: Proposal): Timestamp | null {
  if (remindedAt === null) return null;
  return new Date(Date.parse(remindedAt) + reminderPauseMs).toISOString();
}

/**
 * What the asset's setting says of a last day that is over. Null if it says nothing, or if that
 * was done before.
 *
 * @example decideDeadline(factsOfAnsweredProposal, now) // null: nobody is waited for
 */
export function decideDeadline(facts: ProposalFacts, at: Timestamp): readonly Write[] | null {
  const { asset, proposal } = facts;
  const { answerBy } = proposal.request;
  if (answerBy === null || asset.deletedAt !== null || proposal.status !== 'pending') return null;
  if (answerBy >= dayOf(at) || proposal.deadlineDone === answerBy) return null;
  const awaited = awaitedOf(proposal);
  if (awaited.length === 0) return null;
  const { id, round } = proposal;
  switch (asset.onDeadline) {
    case 'nothing':
      return null;
    case 'remind': {
      const { events } = reminderWrite(facts, awaited, at, answerBy);
      const done = { kind: 'note_deadline', id, day: answerBy, escalates: null, events } as const;
      return [done];
    }
    case 'escalate': {
      const more = { answer_by: answerBy, no_answer: teamNames(awaited) };
      const event = awaitingEvent('proposal.deadline_passed', facts, awaited, more);
      const escalates = { at, round };
      return [{ kind: 'note_deadline', id, day: answerBy, escalates, events: [event] }];
    }
    default:
      return asset.onDeadline satisfies never;
  }
}

function awaitedOf({ consumers }: Proposal): readonly ProposalConsumer[] {
  return consumers.filter(({ response }) => response === null);
}

/** An event that changes nothing of the proposal, and tells those who have not answered. */
function awaitingEvent(
  type: 'proposal.reminded' | 'proposal.deadline_passed',
  { asset, proposal }: ProposalFacts,
  awaited: readonly ProposalConsumer[],
  more: JsonObject,
): EventDraft {
  const { status, round } = proposal;
  const told = { teamIds: teamIdsOf(awaited), more: { round, ...more } };
  return proposalEvent(type, asset, proposal, { from: status, to: status }, told);
}

function reminderWrite(
  facts: ProposalFacts,
  awaited: readonly ProposalConsumer[],
  at: Timestamp,
  day: string | null = null,
): Extract<Write, { kind: 'note_reminder' }> {
  const more = { awaiting: teamNames(awaited), ...(day !== null && { deadline: day }) };
  const event = awaitingEvent('proposal.reminded', facts, awaited, more);
  return { kind: 'note_reminder', id: facts.proposal.id, at, events: [event] };
}
