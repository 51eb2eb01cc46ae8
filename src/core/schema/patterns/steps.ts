// Every question about patterns and schemas ends: what it does is counted, not timed, so that the
// same question has the same answer on a slow machine.

/**
 * What is left of a step budget; it is spent by whoever works, and below zero it is exhausted. It
 * bounds the memory as well: a step makes at most 64 bytes that last, and is spent before they are
 * made.
 */
export interface Steps {
  left: number;
}

/** The steps that an array of this many numbers costs. */
export function stepsOfNumbers(count: number): number {
  return 1 + (count >> 3);
}

/** The answer would have cost more than the budget, or more states than may be held. */
export type TooLarge = 'too_large';
