import type { OpenComparison } from '../../containment/contains.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import type { PlacePair } from '../walk/walk.types.ts';

/** Two spellings are nearly always told apart at the place above: `items: {not: {}}`, `maxItems: 0`. */
const maxClimb = 3;

/** Each may cost what a verdict costs. */
const maxQuestions = 60;

/**
 * Tells whether a difference is none for what stands around it: both sides accept the same values
 * there. Asked of places above the pair; the pair's own demands have been asked about already.
 */
export function openSameValues(
  session: OpenComparison,
  oldBook: PlaceBook,
  nextBook: PlaceBook,
): (pair: PlacePair) => boolean {
  const known = new Map<PlacePair, boolean>();
  let left = maxQuestions;
  const accepts = (pair: PlacePair): boolean => {
    const answer = known.get(pair);
    if (answer !== undefined) return answer;
    if (left <= 0 || session.steps.left <= 0) return false;
    left--;
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
    // What a named property may hold is seen around it: only items, branches and other keys hide.
    for (let count = 0; count < maxClimb && from !== null && from.step.kind !== 'key'; count++) {
      if (accepts(from.parent)) return true;
      from = from.parent.from;
    }
    return false;
  };
}
