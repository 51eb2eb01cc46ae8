// A variant of a union that forbids what it had takes it from the readers of that variant, even if
// another variant keeps it. So each variant in which something changed is asked for itself, within
// what stands around its union.

import { cutShort, type PathFindings, type PathSides } from '../places/declared-paths.ts';
import { movePath, rootPath } from '../places/path.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import type { Candidate, PlacePair } from '../walk/walk.types.ts';
import { findShutOut, type LosingSides, noLoss } from './lost-paths.ts';

/** The most variants to look at. With more, the comparison is undecided. */
const maxVariants = 1_000;

type Sides = Pick<
  LosingSides,
  'session' | 'fromBook' | 'toBook' | 'toEmptiness' | keyof PathSides
> & {
  readonly candidates: readonly Candidate[];
  /** Whether the old schema is the one that may lose. */
  readonly isOldLosing: boolean;
};

/** The paths that a variant still names, and that no value of it can have any more. */
export function findForbidden(sides: Sides): PathFindings {
  const variants = variantsOf(sides.candidates);
  const found = variants.slice(0, maxVariants).map((pair) => forbiddenIn(sides, pair));
  const undecided = found.find((each) => each.undecided !== null)?.undecided ?? null;
  return {
    ...noLoss,
    paths: found.flatMap(({ paths }) => paths),
    undecided: variants.length > maxVariants ? cutShort : undecided,
  };
}

function forbiddenIn(sides: Sides, pair: PlacePair): PathFindings {
  const { session, from, to, fromBook, toBook, isOldLosing } = sides;
  const around = pair.from?.parent;
  if (around === undefined) return noLoss;
  const fromOf = ({ old, next }: PlacePair) => (isOldLosing ? old : next);
  const toOf = ({ old, next }: PlacePair) => (isOldLosing ? next : old);
  const within = {
    from: bothOf(fromBook, fromOf(around), fromOf(pair)),
    to: bothOf(toBook, toOf(around), toOf(pair)),
  };
  const { paths, undecided } = findShutOut(
    {
      ...sides,
      countsUncovered: true,
      from: { ...from, root: nodeOfPlace(fromBook, fromOf(pair)) },
      to: { ...to, root: nodeOfPlace(toBook, toOf(pair)) },
    },
    within,
  );
  if (paths.length === 0 && undecided === null) return noLoss;
  // A variant that has no values has gone as a whole.
  const nothing = toBook.madeNode(toBook.document.root, { isFalse: true });
  if (session.contains(within.to, nothing).verdict === 'yes') return noLoss;
  const moved = paths.map((each) => ({ ...each, path: movePath(each.path, rootPath, pair.path) }));
  return { ...noLoss, paths: moved, undecided };
}

/** The innermost variants of the places where something changed, each once. */
function variantsOf(candidates: readonly Candidate[]): readonly PlacePair[] {
  const found = new Map<string, PlacePair>();
  for (const { pair, kind } of candidates) {
    if (kind !== 'schema') continue;
    for (let at: PlacePair | undefined = pair; at !== undefined; at = at.from?.parent) {
      if (at.from?.step.kind !== 'branch') continue;
      found.set(`${at.old.id} ${at.next.id}`, at);
      break;
    }
  }
  return [...found.values()];
}

function bothOf(book: PlaceBook, around: Place, variant: Place) {
  const parts = [around, variant].map((place) => nodeOfPlace(book, place));
  return book.madeNode(book.document.root, { allOf: parts });
}
