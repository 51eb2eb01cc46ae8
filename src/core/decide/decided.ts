// What every decision has in common: who it is made for, and what comes out of it.

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

/** What is to be written, and what the caller is answered once it is. */
export interface Decided<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
}

/**
 * The comparison is outdated: nothing is written, and the decision is made again with newer facts.
 */
export interface StartOver {
  readonly startOver: true;
}

export const startOver: StartOver = { startOver: true };
