import type { StartOver } from '../core/decide/decided.ts';
import { type Outcome, refuse } from '../core/failure.ts';

/**
 * Each time another writer came first, somebody's write was done: this many losses in a row take as many
 * processes that write to the same object.
 */
const attemptLimit = 100;

/**
 * A verb reads and compares, then locks; what changed in between outdates the comparison. It starts over
 * then, as long as that is another writer's doing.
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
