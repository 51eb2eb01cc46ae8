// Every question about patterns and schemas ends. Its work is counted, not timed, so that the same
// question has the same answer on a slow machine.

/**
 * The rest of a step budget. All work is charged to it, and below zero it is exhausted. It also
 * limits memory: a step makes at most 64 bytes that last, and is charged before they are made.
 */
export interface Steps {
  left: number;
}

/** The steps for an array of this many numbers. */
export function stepsOfNumbers(count: number): number {
  return 1 + (count >> 3);
}

/** The answer would exceed the budget, or the limit of states. */
export type TooLarge = 'too_large';
