// Finds the reported changes that explain the declared paths that break by themselves.

import type { ChangeType } from '../comparison.ts';
import type { DeclaredPath, PathFindings } from './places/declared-paths.ts';
import {
  type MetAgain,
  movePath,
  type Path,
  pathBelow,
  pathsAbove,
  rootPath,
  stepsBetween,
} from './places/path.ts';
import type { Candidate } from './walk/walk.types.ts';

interface MatchedPaths {
  /** The candidates that explain a broken path. */
  readonly onPath: ReadonlySet<Candidate>;
  /** The paths that no candidate explains. */
  readonly missing: readonly DeclaredPath[];
}

export const noPaths: MatchedPaths = { onPath: new Set(), missing: [] };

/** A path is explained by its own changes, or by a change of type at a place above it. */
export function matchPaths(
  { paths, again }: PathFindings,
  pathType: ChangeType,
  kept: readonly Candidate[],
): MatchedPaths {
  if (paths.length === 0) return noPaths;
  const broken = new Map(paths.map(({ path, key }) => [path.text, key]));
  const onPath = new Set<Candidate>();
  const told = new Set<string>();
  for (const each of kept) {
    if (each.kind !== 'schema') continue;
    // What a variant alone has lost stands at the variant.
    const { text } = broken.has(each.path.text)
      ? each.path
      : firstPath(withoutBranches(each.path), again, pathsAbove);
    const key = broken.get(text);
    // A removed property needs a change of the right type. A removed pattern is explained by any
    // change at its path.
    if (key === undefined || (key !== null && each.type !== pathType)) continue;
    onPath.add(each);
    told.add(text);
  }
  const types = kept.filter(({ type }) => type === 'type_changed' || type === 'type_narrowed');
  const typesByPath = Map.groupBy(types, ({ path }) => firstPath(path, again, pathsUpTo).text);
  const missing = paths.filter(({ path }) => {
    if (told.has(path.text)) return false;
    const above = pathsAbove(path).findLast(({ text }) => typesByPath.has(text));
    const around = typesByPath.get(above?.text ?? '') ?? [];
    for (const each of around) onPath.add(each);
    return around.length === 0;
  });
  return { onPath, missing: [...missing, ...standingAgain(missing, again)] };
}

/**
 * The maximum number of further places that are reported for a path: enough to show that its
 * definition is shared.
 */
const maxFurther = 3;

/** The other places of paths that no change explains. No change explains them there either. */
function standingAgain(paths: readonly DeclaredPath[], again: MetAgain): readonly DeclaredPath[] {
  if (paths.length === 0 || again.size === 0) return [];
  // A place that recurs inside itself is part of a circle, and its further places are not reported.
  const apart = [...again.values()].filter(({ at, first }) => stepsBetween(first, at) === null);
  const placesOf = Map.groupBy(apart, ({ first }) => first.text);
  return paths.flatMap(({ path, key }) =>
    pathsAbove(path)
      .flatMap((above) => {
        const places = placesOf.get(above.text) ?? [];
        return places.slice(0, maxFurther).map(({ at }) => movePath(path, above, at));
      })
      .slice(0, maxFurther)
      .map((other) => ({ path: other, key })),
  );
}

/**
 * A declared path describes values, so it does not contain the branch of a union that declares it.
 */
function withoutBranches(path: Path): Path {
  const steps = stepsBetween(rootPath, path) ?? [];
  const isOfBranch = (index: number): boolean =>
    (steps[index] === 'anyOf' || steps[index] === 'oneOf') && typeof steps[index + 1] === 'number';
  if (!steps.some((_, index) => isOfBranch(index))) return path;
  const kept = steps.filter((_, index) => !isOfBranch(index) && !isOfBranch(index - 1));
  return pathBelow(rootPath, kept);
}

/** The maximum number of times that a path may lead from one shared definition into another. */
const maxHops = 64;

/**
 * The path at which the same object was first met, or the path itself. `starts` lists the prefixes
 * that may have been met before.
 */
function firstPath(path: Path, again: MetAgain, starts: (path: Path) => readonly Path[]): Path {
  if (again.size === 0) return path;
  let found = path;
  for (let hop = 0; hop < maxHops; hop++) {
    const start = starts(found).find(({ text }) => again.has(text));
    const first = start && again.get(start.text)?.first;
    if (start === undefined || first === undefined) break;
    found = movePath(found, start, first);
  }
  return found;
}

function pathsUpTo(path: Path): readonly Path[] {
  return [...pathsAbove(path), path];
}
