// Rules B2 (docs/decisions/kept-fields.md) and F2 (docs/decisions/forward-demands.md). They are
// checked on the declared paths, never on values.

import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { isOpeningCovered, nodesForOpening, type Opening, openingsOf } from './openings.ts';
import { type MetAgain, type Path, pathBelow, rootPath } from './path.ts';
import type { Side } from './reach.ts';
import { isFlat, openReach, type Reach, type Spot } from './reach.ts';

export interface DeclaredPath {
  readonly path: Path;
  /**
   * The name of the property; null for all names that a pattern matches, or that no other keyword
   * covers.
   */
  readonly key: string | null;
  /**
   * A value that both sides accept, and in which only one side describes the path; absent if the
   * path was removed from all values.
   */
  readonly undescribedIn?: Json;
  /** That value does not show it, but it hides whether another one would. */
  readonly isUnsure?: true;
  /**
   * The path is a place that had values with any keys, and where the new schema describes some
   * keys.
   */
  readonly isPlace?: boolean;
  /** The path is still named, but something around it makes it impossible. */
  readonly isShutOut?: true;
}

export interface PathSides {
  readonly from: Side;
  readonly to: Side;
  /** Parts that are written alike on both sides are skipped. */
  readonly isSameSource: (from: SchemaNode, to: SchemaNode) => boolean;
}

export interface PathFindings {
  readonly paths: readonly DeclaredPath[];
  /**
   * The further places of objects that were met before, such as shared definitions. Findings are
   * reported at the first place only.
   */
  readonly again: MetAgain;
  /** The finding is unknown: not everything was compared, or the engine has no answer. */
  readonly undecided: Undecided | null;
}

export interface Undecided {
  readonly place: string;
  readonly reason: string;
}

export const cutShort: Undecided = {
  place: '$',
  reason: 'the schema has more places than the comparison limit.',
};

/** The maximum number of spots to compare. */
const maxSpots = 500_000;

/** The maximum number of further places to keep, because a spot may be met from many others. */
const maxAgain = 50_000;

/**
 * Paths that one side declares or allows by an opening, and the other side neither declares nor
 * allows (B2: from old to new). Openings count as well. Otherwise two steps could remove a property
 * where one may not: the property first becomes a pattern, and then the pattern is removed.
 */
export function findUncovered(sides: PathSides): PathFindings {
  const paths: DeclaredPath[] = [];
  const visit = ({ from, to, fromReach, toReach, path, openings }: Visited) => {
    for (const key of fromReach.declaredKeys(from)) {
      if (toReach.covers(to, key)) continue;
      paths.push({ path: pathBelow(path, ['properties', key]), key });
    }
    for (const { opening, isCovered } of openings) {
      if (!isCovered) paths.push({ path: pathBelow(path, opening.step), key: null });
    }
  };
  return { paths, ...walkSpots({ ...sides, entersUncovered: false }, visit) };
}

/**
 * Properties that one side demands, and that the other side neither declares nor demands (F2:
 * `from` is new, `to` is old). Properties inside an added property are part of that property.
 */
export function findDemanded(sides: PathSides): PathFindings {
  const paths: DeclaredPath[] = [];
  const walked = { ...sides, entersUncovered: true };
  const rest = walkSpots(walked, ({ from, to, fromReach, toReach, path }) => {
    const declared = toReach.declaredKeys(to);
    const demanded = toReach.requiredKeys(to);
    for (const key of fromReach.requiredKeys(from)) {
      if (declared.has(key) || demanded.has(key)) continue;
      const isDeclared = fromReach.declaredKeys(from).has(key);
      paths.push({ path: pathBelow(path, isDeclared ? ['properties', key] : ['required']), key });
    }
  });
  return { paths, ...rest };
}

interface Walked extends PathSides {
  /** Whether to look into an opening that the other side does not cover. */
  readonly entersUncovered: boolean;
}

interface Visit {
  readonly from: Spot;
  readonly to: Spot;
  readonly fromReach: Reach;
  readonly toReach: Reach;
  readonly path: Path;
}

interface Visited extends Visit {
  readonly openings: readonly { readonly opening: Opening; readonly isCovered: boolean }[];
}

type PathStep = readonly (string | number)[];

/** For all openings of two schemas whose names are compared by automata. */
const openingSteps = 2_000_000;

/**
 * Calls back once for each pair of spots that both sides have. Ends early if there are too many.
 */
function walkSpots(
  sides: Walked,
  visit: (at: Visited) => void,
): Pick<PathFindings, 'again' | 'undecided'> {
  const fromReach = openReach(sides.from.isNever, 'most');
  const toReach = openReach(sides.to.isNever, 'least');
  const seen = new Map<string, Path>();
  const again = new Map<string, { readonly at: Path; readonly first: Path }>();
  const waiting: Visit[] = [];
  const steps = { left: openingSteps };
  const push = (from: Spot, to: Spot, path: Path) => {
    if (from.nodes.length === 0) return;
    const key = `${from.key}/${to.key}`;
    const first = seen.get(key);
    if (first !== undefined) {
      if (again.size < maxAgain) again.set(path.text, { at: path, first });
      return;
    }
    seen.set(key, path);
    if (!isWrittenAlike(sides, from.nodes, to.nodes))
      waiting.push({ from, to, fromReach, toReach, path });
  };
  push(fromReach.spotOf([sides.from.root]), toReach.spotOf([sides.to.root]), rootPath);
  for (let index = 0; index < waiting.length; index++) {
    const at = waiting[index];
    if (at === undefined || seen.size > maxSpots) return { again, undecided: cutShort };
    const { from, to, path } = at;
    const openings = openingsOf(from, sides.from.isNever).map((opening) => ({
      opening,
      isCovered: isOpeningCovered(opening, to, { isNever: sides.to.isNever, steps }),
    }));
    visit({ ...at, openings });
    for (const key of fromReach.declaredKeys(from)) {
      const nodes = fromReach.nodesAtKey(from, key);
      if (nodes.every(isFlat) || !toReach.covers(to, key)) continue;
      const others = toReach.nodesAtKey(to, key);
      if (isWrittenAlike(sides, nodes, others)) continue;
      const below = pathBelow(path, ['properties', key]);
      push(fromReach.spotOf(nodes), toReach.spotOf(others), below);
    }
    const goOn = (nodes: readonly SchemaNode[], others: readonly SchemaNode[], step: PathStep) => {
      if (nodes.every(isFlat) || isWrittenAlike(sides, nodes, others)) return;
      push(fromReach.spotOf(nodes), toReach.spotOf(others), pathBelow(path, step));
    };
    for (const { opening, isCovered } of openings) {
      if (isCovered || sides.entersUncovered)
        goOn([opening.child], nodesForOpening(opening, to), opening.step);
    }
    const named = Math.max(fromReach.namedItems(from), toReach.namedItems(to));
    for (let index = 0; index < named; index++) {
      const nodes = fromReach.nodesAtItem(from, index);
      goOn(nodes, toReach.nodesAtItem(to, index), ['prefixItems', index]);
    }
    goOn(fromReach.nodesAtItem(from, null), toReach.nodesAtItem(to, null), ['items']);
  }
  return { again, undecided: null };
}

export function isWrittenAlike(
  sides: PathSides,
  from: readonly SchemaNode[],
  to: readonly SchemaNode[],
): boolean {
  if (from.length !== to.length) return false;
  return from.every((node, index) => {
    const other = to[index];
    return other !== undefined && sides.isSameSource(node, other);
  });
}
