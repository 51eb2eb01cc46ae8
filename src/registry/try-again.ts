import type { StartOver } from '../core/decide/decided.ts';
import { type Outcome, refuse } from '../core/failure.ts';

/**
 * Losing a race means that another write succeeded. So this many losses in a row take as many
 * processes that write to the same object.
 */
const attemptLimit = 100;

/**
 * Runs a verb that reads and compares before it locks. If a change in between outdates the
 * comparison, the verb starts over, as long as other writers cause it.
 */
export async function tryAgain<T>(
  attempt: (hasLost: boolean) => Promise<Outcome<T> | StartOver>,
): Promise<Outcome<T>> {
  for (let lost = 0; lost < attemptLimit; lost++) {
    const outcome = await attempt(lost > 0);
    if (!('startOver' in outcome)) return outcome;
  }
  return refuse(
    'REGISTRY_UNAVAILABLE',
    `Others changed the same objects at the same time, ${attemptLimit} times in a row. Try again in a moment.`,
  );
}
