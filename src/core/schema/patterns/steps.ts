// Every question about patterns and schemas ends: what it does is counted, not timed, so that the
// same question has the same answer on a slow machine.

/** What is left of a step budget; it is spent by whoever works, and below zero it is exhausted. */
export interface Steps {
  left: number;
}

/** The answer would have cost more than the budget, or more states than may be held. */
export type TooLarge = 'too_large';
