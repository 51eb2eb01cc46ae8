// A comment on a proposal. It is never changed or removed.

import type { ActorReference } from './actor.ts';
import type { CommentId, ProposalId, TeamId, Timestamp } from './id.ts';

export interface Comment {
  readonly id: CommentId;
  readonly proposalId: ProposalId;
  readonly replyTo: CommentId | null;
  /** The round of the proposal when it was written. */
  readonly round: number;
  /** The team that it is written for; null for an administrator without one. */
  readonly teamId: TeamId | null;
  readonly teamName: string | null;
  readonly text: string;
  readonly writtenAt: Timestamp;
  readonly writtenBy: ActorReference;
}

/** Of one proposal. More is no talk, but a program that writes. */
export const commentLimit = 1_000;
