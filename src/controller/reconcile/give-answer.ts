// Answers that stand in git: each holds for the question that it was given to, and is given once.

import type { Actor } from '../../core/actor.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { TeamId } from '../../core/id.ts';
import type { AcknowledgementResponse, Proposal } from '../../core/proposal.ts';
import type { RecordedAnswer } from '../../registry/ports.ts';
import { questionDigest } from '../effective.ts';
import { contextOf, type World } from './world.ts';

interface WrittenAnswer {
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  readonly notes?: string;
  readonly until?: string;
  readonly digest?: string;
}

const responses: Readonly<Record<WrittenAnswer['response'], AcknowledgementResponse>> = {
  Approved: 'approved',
  Migrating: 'migrating',
  Blocked: 'blocked',
};

/** Null where it was given, now or before; else why not, for the status. */
export async function giveAnswer(
  world: World,
  actor: Actor,
  asked: {
    readonly proposal: Proposal;
    readonly teamId: TeamId;
    readonly written: WrittenAnswer;
    /** Whether it can have been written for another proposal than this one. */
    readonly isAmbiguous: (earlier: readonly RecordedAnswer[]) => boolean;
  },
): Promise<Outcome<string | null>> {
  const { proposal, teamId, written } = asked;
  const { ports, verbs } = world;
  if (proposal.status !== 'pending' && proposal.status !== 'rejected') return accept(null);
  const earlier = await ports.reads.listAnswers(proposal.assetId, teamId);
  const digest = questionDigest(proposal);
  const isStale =
    written.digest === undefined
      ? proposal.round > 1 || asked.isAmbiguous(earlier)
      : written.digest !== digest;
  if (isStale) {
    const how = written.digest === undefined ? 'has no digest' : `has the digest ${written.digest}`;
    return accept(
      `The answer ${written.response} was not sent: it ${how}, but the proposal now has the digest ${digest}. Read the proposal, then answer with that digest.`,
    );
  }
  const answer = {
    response: responses[written.response],
    notes: written.notes,
    until: written.until === undefined ? undefined : new Date(written.until).toISOString(),
  };
  const isGiven = earlier.some(
    (one) =>
      one.actorType === 'controller' &&
      one.proposalId === proposal.id &&
      one.round === proposal.round &&
      one.response === answer.response &&
      one.notes === (answer.notes ?? null) &&
      one.until === (answer.until ?? null),
  );
  // What was answered elsewhere since then stays.
  if (isGiven) return accept(null);
  const outcome = await verbs.acknowledgeProposal(ports, contextOf(world, actor), {
    proposalId: proposal.id,
    teamId,
    round: proposal.round,
    ...answer,
  });
  const isOver = !outcome.ok && outcome.failure.code === 'PROPOSAL_NOT_PENDING';
  return outcome.ok || isOver ? accept(null) : outcome;
}
