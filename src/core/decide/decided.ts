// The common parts of every decision: whom it is made for, and its result.

import type { Actor } from '../actor.ts';
import type { Timestamp } from '../id.ts';
import type { Write } from './write.ts';

/** The actor, the time, and the source of new ids. */
export interface By {
  readonly actor: Actor;
  readonly at: Timestamp;
  /** A UUIDv7. */
  readonly newId: () => string;
}

/** The writes of a decision, and the result for the caller after they are applied. */
export interface Decided<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
}

/**
 * The comparison is outdated: nothing is written, and the decision is made again with current
 * facts.
 */
export interface StartOver {
  readonly startOver: true;
}

export const startOver: StartOver = { startOver: true };
