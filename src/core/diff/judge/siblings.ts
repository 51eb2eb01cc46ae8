// The other branches of a union, beside the one in which a change is. What another old branch accepts
// is refused only because that branch changed, too, so it shows nothing about this change.

import { validate } from '../../containment/validate/validator.ts';
import type { Json } from '../../value/json.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { partAt } from '../walk/value-parts.ts';
import type { PlacePair } from '../walk/walk.types.ts';

/** The pairs on the way that are branches of a union, the deepest first. */
export function* branchesAbove(pair: PlacePair): Iterable<PlacePair> {
  for (let at = pair; at.from !== null; at = at.from.parent) {
    if (at.from.step.kind === 'branch') yield at;
  }
}

/** The other branches of an `anyOf`, if the old side writes the values. */
export function siblingsOf(emits: 'old' | 'new', pair: PlacePair): readonly Place[] {
  if (emits === 'new' || pair.from === null) return [];
  const { identity } = pair.old;
  const isMember = (member: Place) => member.identity === identity;
  const { unions } = pair.from.parent.old.view;
  const union = unions.find(({ kind, members }) => kind === 'anyOf' && members.some(isMember));
  return union?.members.filter((member) => !isMember(member)) ?? [];
}

/** Whether the other branches of the unions on the way refused the value before, too. */
export function isApart(
  book: PlaceBook,
  emits: 'old' | 'new',
  pair: PlacePair,
  whole: Json,
): boolean {
  for (const at of branchesAbove(pair)) {
    const part = partAt(at, whole);
    if (part === null) continue;
    const accepts = (place: Place) => validate(nodeOfPlace(book, place), part.value) === 'accepted';
    if (siblingsOf(emits, at).some(accepts)) return false;
  }
  return true;
}
