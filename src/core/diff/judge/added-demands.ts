// F2 of docs/compatibility.md asks for properties that are "added as required". `required` is a
// spelling: old may have made the same demand in other words, and new may write one that no value
// meets or misses, in an `else` that is never reached.

import type { OpenComparison } from '../../containment/contains.ts';
import type { DeclaredPath, PathFindings } from '../places/declared-paths.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { type Side, withoutAddedDemands } from '../places/without-demands.ts';
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

/** The demands that take something: one that asks no value for more than old did was not added. */
export function withoutIdleDemands(
  asked: Asked,
  compared: Compared,
  findings: PathFindings,
): PathFindings {
  const left = findings.paths.filter((path) => !isDemandedByOld(asked, compared.candidates, path));
  if (left.length === 0) return { ...findings, paths: left };
  return asksNothing(asked, compared) ? { ...findings, paths: [] } : { ...findings, paths: left };
}

/** Whether old has the demand, wherever the walk has met it as one of new. */
function isDemandedByOld(
  { session, oldBook }: Asked,
  candidates: readonly Candidate[],
  { path, key }: DeclaredPath,
): boolean {
  const same = candidates.filter(
    (each) => each.type === 'required_added' && each.path.text === path.text && each.key === key,
  );
  // A branch speaks of some values at its place, and other branches may make the demand too.
  if (same.length === 0 || same.some(({ pair }) => isWithinBranch(pair))) return false;
  return same.every(
    ({ pair, newDemand }) =>
      newDemand !== null &&
      isVacuous(session, nodeOfPlace(oldBook, pair.old), undefined, newDemand, oldBook),
  );
}

function isWithinBranch(pair: PlacePair): boolean {
  for (let at = pair.from; at !== null; at = at.parent.from) {
    if (at.step.kind === 'branch') return true;
  }
  return false;
}

/** Whether new refuses nothing that old accepted, or nothing by these demands. */
function asksNothing({ session, nextBook }: Asked, { old, next }: Compared): boolean {
  if (session.contains(old.root, next.root).verdict === 'yes') return true;
  const freed = withoutAddedDemands(nextBook, next, old);
  return freed !== next.root && session.contains(freed, next.root).verdict === 'yes';
}
