import type { OpenComparison } from '../../containment/contains.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import type { PlacePair } from '../walk/walk.types.ts';

/**
 * The places above that are checked. Two spellings of one constraint nearly always agree one place
 * above, like `items: {not: {}}` and `maxItems: 0`.
 */
const maxClimb = 3;

/** Each may cost as much as a verdict. */
export const maxSameValues = 60;

/**
 * Tells whether a difference has no effect at a place around it: both sides accept the same values
 * there. Only places above the pair are checked, because its own demands have already been.
 */
export function openSameValues(
  session: OpenComparison,
  oldBook: PlaceBook,
  nextBook: PlaceBook,
  questions: { left: number },
): (pair: PlacePair) => boolean {
  const known = new Map<PlacePair, boolean>();
  const accepts = (pair: PlacePair): boolean => {
    const answer = known.get(pair);
    if (answer !== undefined) return answer;
    if (questions.left <= 0 || session.steps.left <= 0) return false;
    questions.left--;
    const old = nodeOfPlace(oldBook, pair.old);
    const next = nodeOfPlace(nextBook, pair.next);
    const isSame =
      session.contains(old, next).verdict === 'yes' &&
      session.contains(next, old).verdict === 'yes';
    known.set(pair, isSame);
    return isSame;
  };
  return (pair) => {
    let from = pair.from;
    // A difference at a named property is always visible around it. Only items, branches and other
    // keys can hide one.
    for (let count = 0; count < maxClimb && from !== null && from.step.kind !== 'key'; count++) {
      if (accepts(from.parent)) return true;
      from = from.parent.from;
    }
    return false;
  };
}
