// Which of the changes that were found tell of a declared path that breaks for itself.

import type { ChangeType } from '../comparison.ts';
import type { DeclaredPath, PathFindings } from './places/declared-paths.ts';
import type { Candidate } from './walk/walk.types.ts';

interface MatchedPaths {
  /** The candidates that explain a path that breaks for itself. */
  readonly onPath: ReadonlySet<Candidate>;
  /** The paths that none explains. */
  readonly missing: readonly DeclaredPath[];
}

export const noPaths: MatchedPaths = { onPath: new Set(), missing: [] };

/** A path is explained by its own changes, or by the type that changed around it. */
export function matchPaths(
  { paths, again }: PathFindings,
  pathType: ChangeType,
  kept: readonly Candidate[],
): MatchedPaths {
  if (paths.length === 0) return noPaths;
  const broken = new Map(paths.map(({ path, key }) => [path, key]));
  const onPath = new Set<Candidate>();
  const told = new Set<string>();
  for (const each of kept) {
    if (each.kind !== 'schema') continue;
    const path = firstPath(withoutBranches(each.path), again, false);
    const key = broken.get(path);
    // Whatever is told of a pattern that is gone tells of its going.
    if (key === undefined || (key !== null && each.type !== pathType)) continue;
    onPath.add(each);
    told.add(path);
  }
  const types = kept.filter(({ type }) => type === 'type_changed' || type === 'type_narrowed');
  const typesByPath = Map.groupBy(types, ({ path }) => firstPath(path, again, true));
  const missing = paths.filter(({ path }) => {
    if (told.has(path)) return false;
    const around = nearestAbove(path, typesByPath);
    for (const each of around) onPath.add(each);
    return around.length === 0;
  });
  return { onPath, missing: [...missing, ...standingAgain(missing, again)] };
}

/** As many further places are told of one path; who reads them knows that it is a shared definition. */
const maxFurther = 3;

/** Where paths stand once more: what explains none of them explains none there either. */
function standingAgain(
  paths: readonly DeclaredPath[],
  again: ReadonlyMap<string, string>,
): readonly DeclaredPath[] {
  if (paths.length === 0 || again.size === 0) return [];
  // What stands again inside itself is a circle, which nobody wants to be led through.
  const apart = [...again].filter(([place, first]) => !place.startsWith(`${first}.`));
  const placesOf = Map.groupBy(apart, ([, first]) => first);
  return paths.flatMap(({ path, key }) =>
    endsAbove(path)
      .flatMap((end) => {
        const places = placesOf.get(path.slice(0, end)) ?? [];
        return places.slice(0, maxFurther).map(([place]) => place + path.slice(end));
      })
      .slice(0, maxFurther)
      .map((other) => ({ path: other, key })),
  );
}

/** A declared path is one of values: it does not say which branch of a union declares it. */
function withoutBranches(path: string): string {
  return path.replaceAll(/\.(?:anyOf|oneOf)\[\d+\]/g, '');
}

/** As often as a path leads from one shared definition into another. */
const maxHops = 64;

/** The path at which the same was met first, or the path itself. Of a place it may be all of the path. */
function firstPath(path: string, again: ReadonlyMap<string, string>, isPlace: boolean): string {
  if (again.size === 0) return path;
  let found = path;
  for (let hop = 0; hop < maxHops; hop++) {
    const ends = isPlace ? [...endsAbove(found), found.length] : endsAbove(found);
    const end = ends.find((length) => again.has(found.slice(0, length)));
    if (end === undefined) break;
    found = `${again.get(found.slice(0, end))}${found.slice(end)}`;
  }
  return found;
}

/** The lengths of what stands above a path, the shortest first. */
function endsAbove(path: string): readonly number[] {
  return [...path.matchAll(/\./g)].map(({ index }) => index);
}

function nearestAbove(
  path: string,
  candidates: ReadonlyMap<string, readonly Candidate[]>,
): readonly Candidate[] {
  if (candidates.size === 0) return [];
  const end = endsAbove(path).findLast((length) => candidates.has(path.slice(0, length)));
  return end === undefined ? [] : (candidates.get(path.slice(0, end)) ?? []);
}
