// Sends answers that are kept in git: each is valid for the question that it was written for, and
// is sent once. See docs/decisions/answers-in-git.md.

import type { Actor } from '../../../core/actor.ts';
import { accept, type Outcome } from '../../../core/failure.ts';
import type { TeamId } from '../../../core/id.ts';
import type { AcknowledgementResponse, Proposal } from '../../../core/proposal.ts';
import type { RecordedAnswer } from '../../../registry/ports.ts';
import { namedProposal, questionDigest } from '../../effective.ts';
import { confirmTeam, contextOf, type World } from '../world.ts';

export interface WrittenAnswer {
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  readonly notes?: string | undefined;
  readonly until?: string | undefined;
  readonly digest?: string | undefined;
}

type AnswerResult =
  | { readonly state: 'Applied'; readonly isNew: boolean }
  | { readonly state: 'Stale'; readonly message: string };

interface AskedAnswer {
  /** Where it is written. */
  readonly namespace: string;
  readonly proposal: Proposal;
  readonly teamId: TeamId;
  readonly written: WrittenAnswer;
  /** The team's answers about this asset, newest first. */
  readonly earlier: readonly RecordedAnswer[];
  /** Whether the answer can only have been written for this proposal. */
  readonly isExact: boolean;
  /** How to give the same answer to another proposal with the same change. */
  readonly howToRepeat: string;
}

const responses: Readonly<Record<WrittenAnswer['response'], AcknowledgementResponse>> = {
  Approved: 'approved',
  Migrating: 'migrating',
  Blocked: 'blocked',
};

export function isAnswerable({ status }: Proposal): boolean {
  return status === 'pending' || status === 'rejected';
}

export async function giveAnswer(
  world: World,
  actor: Actor,
  asked: AskedAnswer,
): Promise<Outcome<AnswerResult>> {
  const { proposal, teamId, written } = asked;
  const stale = findStaleness(asked);
  if (stale !== null) return accept({ state: 'Stale', message: stale });
  const answer = answerOf(written);
  const last = lastGiven(asked, actor);
  // The same answer was already given; a later answer through another way stays.
  if (last !== undefined && isSame(last, answer)) return accept({ state: 'Applied', isNew: false });
  const over: AnswerResult = {
    state: 'Stale',
    message: `Proposal ${proposal.id} was decided without this answer. Remove the answer.`,
  };
  if (!isAnswerable(proposal)) return accept(over);
  if (last === undefined) {
    const used = findUsed(asked, actor);
    if (used !== undefined) {
      const message = `This answer was given to proposal ${used.proposal.id}, which asked the same. To answer proposal ${proposal.id} too, ${asked.howToRepeat}.`;
      return accept({ state: 'Stale', message });
    }
  }
  const confirmed = await confirmTeam(world, asked.namespace, actor);
  if (!confirmed.ok) return confirmed;
  const outcome = await world.verbs.acknowledgeProposal(world.ports, contextOf(world, actor), {
    proposalId: proposal.id,
    teamId,
    round: proposal.round,
    ...answer,
  });
  if (outcome.ok) return accept({ state: 'Applied', isNew: true });
  return outcome.failure.code === 'PROPOSAL_NOT_PENDING' ? accept(over) : outcome;
}

function answerOf({ response, notes, until }: WrittenAnswer) {
  return {
    response: responses[response],
    notes,
    until: until === undefined ? undefined : new Date(until).toISOString(),
  };
}

/** Why it does not answer the current question; null if it does. */
function findStaleness({ proposal, written, isExact }: AskedAnswer): string | null {
  const digest = questionDigest(proposal);
  if (written.digest === digest) return null;
  if (written.digest === undefined && proposal.round === 1 && isExact) return null;
  const how = written.digest === undefined ? 'has no digest' : `has the digest ${written.digest}`;
  return `The answer ${written.response} was not sent: it ${how}, but the proposal has the digest ${digest}. Read the proposal, then answer with that digest.`;
}

/**
 * The last answer in this round by an object of this kind; only one object at a time answers for a
 * team.
 */
function lastGiven({ earlier, proposal }: AskedAnswer, actor: Actor): RecordedAnswer | undefined {
  return earlier.find(
    (one) =>
      one.proposal.id === proposal.id && one.round === proposal.round && isOfKind(one, actor),
  );
}

/**
 * A name that a team chose may refer to a newer proposal with the same change, for which the answer
 * was not written.
 */
function findUsed(
  { earlier, isExact, proposal, written }: AskedAnswer,
  actor: Actor,
): RecordedAnswer | undefined {
  const { proposedDigest } = namedProposal(proposal);
  if (isExact) return undefined;
  return earlier.find(
    (one) =>
      one.proposal.id !== proposal.id &&
      one.proposal.proposedDigest === proposedDigest &&
      isOfKind(one, actor) &&
      isSame(one, answerOf(written)),
  );
}

function isOfKind({ actor: { type, name } }: RecordedAnswer, actor: Actor): boolean {
  return type === 'controller' && name.split(' ')[0] === actor.name.split(' ')[0];
}

function isSame(one: RecordedAnswer, answer: ReturnType<typeof answerOf>): boolean {
  return (
    one.response === answer.response &&
    one.notes === (answer.notes ?? null) &&
    one.until === (answer.until ?? null)
  );
}
