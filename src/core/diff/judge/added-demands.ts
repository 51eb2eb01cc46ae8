// Rule F2 (docs/decisions/forward-demands.md) is about properties that are "added as required". The
// keyword `required` alone does not decide this: the old schema may make the same demand in other
// words, and the new one may make a demand that has no effect, for example in an `else` that is
// never reached.

import type { OpenComparison } from '../../containment/contains.ts';
import type { DeclaredPath, PathFindings } from '../places/declared-paths.ts';
import type { PlaceBook } from '../places/place.types.ts';
import type { Side } from '../places/reach.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { withBranchesTogether } from '../rewrite/rewrite-schema.ts';
import { withoutAddedDemands } from '../rewrite/without-demands.ts';
import type { Candidate, PlacePair } from '../walk/walk.types.ts';
import { isVacuous } from './judge.ts';

interface Asked {
  readonly session: OpenComparison;
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
}

interface Compared {
  readonly old: Side;
  readonly next: Side;
  readonly candidates: readonly Candidate[];
}

/**
 * The demands that refuse something. A demand that requires nothing more of any value than the old
 * schema did was not added.
 */
export function withoutIdleDemands(
  asked: Asked,
  compared: Compared,
  findings: PathFindings,
): PathFindings {
  const left = findings.paths.filter((path) => !isDemandedByOld(asked, compared.candidates, path));
  if (left.length === 0) return { ...findings, paths: left };
  return asksNothing(asked, compared) ? { ...findings, paths: [] } : { ...findings, paths: left };
}

/**
 * Whether the old schema already makes the demand at every place where the walk found it in the new
 * one.
 */
function isDemandedByOld(
  { session, oldBook }: Asked,
  candidates: readonly Candidate[],
  { path, key }: DeclaredPath,
): boolean {
  const same = candidates.filter(
    (each) => each.type === 'required_added' && each.path.text === path.text && each.key === key,
  );
  // A branch applies to some values of its place, and other branches may make the same demand.
  if (same.length === 0 || same.some(({ pair }) => isWithinBranch(pair))) return false;
  return same.every(
    ({ pair, newDemand }) =>
      newDemand !== null &&
      isVacuous(session, nodeOfPlace(oldBook, pair.old), undefined, newDemand, oldBook),
  );
}

export function isWithinBranch(pair: PlacePair): boolean {
  for (let at = pair.from; at !== null; at = at.parent.from) {
    if (at.step.kind === 'branch') return true;
  }
  return false;
}

/**
 * Whether the new schema refuses nothing that the old one accepted, or nothing because of these
 * demands.
 */
function asksNothing({ session, nextBook }: Asked, { old, next }: Compared): boolean {
  if (session.contains(old.root, next.root).verdict === 'yes') return true;
  const freed = withoutAddedDemands(nextBook, next, old);
  if (freed === next.root) return false;
  // Without its demand, a branch of a `oneOf` may exclude what another one accepts.
  const together = withBranchesTogether(nextBook, freed);
  return session.contains(together, next.root).verdict === 'yes';
}
