// Compares two schemas place by place and collects every difference as a candidate, at the deepest
// place that explains it. Whether it breaks is decided later (judge.ts).

import type { SameSource } from '../../same/same-source.ts';
import type { Emptiness } from '../places/emptiness.ts';
import { openPathSet, pathBelow, rootPath } from '../places/path.ts';
import type { Place, PlaceBook, View } from '../places/place.types.ts';
import type { PlaceClasses } from '../places/place-classes.ts';
import { openReach, type Reach } from '../places/reach.ts';
import { typeBit } from '../places/type-set.ts';
import { openFurtherPlaces } from './further-places.ts';
import type { MetPairs } from './met-pairs.ts';
import type { Annotated, Below, Candidate, PlacePair, Walk } from './walk.types.ts';
import { compareAnnotations } from './walk-annotations.ts';
import { compareAsUnion, compareLogic } from './walk-logic.ts';
import { compareObjects } from './walk-objects.ts';
import { compareScalars, compareTypes } from './walk-scalars.ts';

/**
 * A pair that several references lead to is reported where it is first met, and this many times
 * more, as if the definition were written out there. Further places are only named, so that a
 * shared definition does not multiply the report.
 */
const maxVisits = 3;

/**
 * The maximum number of pairs to compare. This takes some seconds, for documents of hundreds of
 * megabytes.
 */
const maxPairs = 1_000_000;

interface Walked {
  readonly candidates: readonly Candidate[];
  readonly annotated: Annotated;
  readonly steps: number;
  /** Not everything was compared, because there are more differences than anyone reads. */
  readonly isCutShort: boolean;
}

interface WalkTools {
  readonly classes: PlaceClasses;
  readonly likeness: PlaceClasses;
  readonly isSameSource: SameSource;
  readonly met: MetPairs;
  readonly emptiness: { readonly old: Emptiness; readonly next: Emptiness };
}

export function walkPlaces(oldRoot: Place, nextRoot: Place, tools: WalkTools): Walked {
  const { classes, likeness, isSameSource, emptiness, met } = tools;
  const oldBook = oldRoot.book;
  const nextBook = nextRoot.book;
  const found: Candidate[] = [];
  const annotated: Annotated = { compared: new Set(), told: [], said: new Set() };
  const emptinessOf = ({ book }: Place) => (book === oldBook ? emptiness.old : emptiness.next);
  const reaches = new Map<PlaceBook, Reach>();
  const reachOf = (place: Place) => {
    const reach = reaches.get(place.book) ?? openReach(emptinessOf(place).ofNode, 'most');
    reaches.set(place.book, reach);
    return reach;
  };
  const visits = new Map<
    string,
    { count: number; readonly isNew: ReturnType<typeof openPathSet> }
  >();
  const further = openFurtherPlaces();
  const waiting: PlacePair[] = [{ old: oldRoot, next: nextRoot, path: rootPath, from: null }];
  let below: Below[] = [];
  let steps = 0;
  const walk: Walk = {
    oldBook,
    nextBook,
    classes,
    likeness,
    isNever: (place) => emptinessOf(place).ofPlace(place),
    isDeclaredInBranch(place, key) {
      const { unions, ifs, dynamic, dependentSchemas } = place.view;
      if (unions.length + ifs.length + dynamic.length + dependentSchemas.size === 0) return false;
      const reach = reachOf(place);
      return reach.declaredKeys(reach.spotOf(place.nodes)).has(key);
    },
    found,
    annotated,
    isAlike: (old, next) =>
      old.length === next.length &&
      old.every((node, index) => {
        const other = next[index];
        return other !== undefined && isSameSource(node, other);
      }),
    goOn(old, next, steps, step) {
      if (old === null && next === null) return;
      if (old !== null && next !== null && walk.isAlike(old.nodes, next.nodes)) return;
      below.push({
        old: old ?? oldBook.anything,
        next: next ?? nextBook.anything,
        steps,
        step,
      });
    },
  };
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    steps++;
    if (steps > maxPairs)
      return { candidates: further.named(found), annotated, steps, isCutShort: true };
    const here = met.of(pair.old, pair.next);
    const { path } = pair;
    const visited = visits.get(here.key) ?? { count: 0, isNew: openPathSet() };
    visits.set(here.key, visited);
    // A branch that occurs twice in a union, once directly and once in a nested union.
    if (!visited.isNew(path)) continue;
    if (visited.count > 0 && isInCircle(pair)) continue;
    if (visited.count > maxVisits) {
      further.skip(here.key, path);
      continue;
    }
    if (visited.count === maxVisits) further.tell(here.key, pair);
    visited.count++;
    if (here.isAnnotated) annotated.compared.add(here);
    if (here.quiet === null) {
      below = [];
      const before = found.length + annotated.told.length;
      comparePair(walk, pair);
      if (found.length + annotated.told.length === before) here.quiet = below;
    }
    for (const { old, next, steps, step } of (here.quiet ?? below).toReversed()) {
      waiting.push({ old, next, path: pathBelow(path, steps), from: { parent: pair, step } });
    }
  }
  return { candidates: further.named(found), annotated, steps, isCutShort: false };
}

/** Whether the pair is met again inside itself. */
function isInCircle(pair: PlacePair): boolean {
  for (let at = pair.from; at !== null; at = at.parent.from) {
    const { old, next } = at.parent;
    if (old.identity === pair.old.identity && next.identity === pair.next.identity) return true;
  }
  return false;
}

function comparePair(walk: Walk, pair: PlacePair): void {
  const old = pair.old.view;
  const next = pair.next.view;
  compareAnnotations(walk, pair);
  if (compareAsUnion(walk, pair, old, next)) return;
  const common = compareTypes(walk, pair, old, next);
  if (common === 0) return;
  compareScalars(walk, pair, old, next, common);
  // If one side accepts no arrays, the change of type already reports it.
  if ((common & typeBit.array) !== 0) compareItems(walk, old, next);
  compareObjects(walk, pair, old, next);
  compareLogic(walk, pair, old, next);
}

/** Compares items by position as far as either side names positions, then the rest. */
function compareItems(walk: Walk, old: View, next: View): void {
  const before = old.items;
  const after = next.items;
  // If one side refuses an item, the change of length already reports it.
  const longest = Math.min(old.maxItems, next.maxItems);
  const named = Math.max(before?.prefix.length ?? 0, after?.prefix.length ?? 0);
  const length = Math.min(named, longest);
  for (let index = 0; index < length; index++) {
    const was = before?.prefix[index] ?? before?.rest ?? null;
    const is = after?.prefix[index] ?? after?.rest ?? null;
    const place = after?.prefix[index] ?? before?.prefix[index] ?? null;
    walk.goOn(was, is, [positionKeyword(place), index], { kind: 'index', index });
  }
  if (longest <= named) return;
  const was = before?.rest ?? null;
  const is = after?.rest ?? null;
  walk.goOn(was, is, [restKeyword(is ?? was)], { kind: 'index', index: length });
}

/** Up to 2019-09, the list form of `items` is what `prefixItems` is now. */
function positionKeyword(place: Place | null): string {
  const keyword = place?.nodes[0]?.steps[0];
  return keyword === 'items' ? 'items' : 'prefixItems';
}

function restKeyword(place: Place | null): string {
  const keyword = place?.nodes[0]?.steps[0];
  return keyword === 'additionalItems' ? 'additionalItems' : 'items';
}
