// Finds the reported changes that explain the declared paths that break by themselves.

import type { ChangeType } from '../comparison.ts';
import type { DeclaredPath, PathFindings } from './places/declared-paths.ts';
import {
  type MetAgain,
  movePath,
  type Path,
  pathBelow,
  pathsAbove,
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
  const firstPath = openFirstPaths(again);
  const withoutBranches = openWithoutBranches();
  const broken = new Map(paths.map(({ path, key }) => [path.text, key]));
  const onPath = new Set<Candidate>();
  const told = new Set<string>();
  for (const each of kept) {
    if (each.kind !== 'schema') continue;
    // What a variant alone has lost stands at the variant.
    const { text } = broken.has(each.path.text)
      ? each.path
      : whereFirst(withoutBranches(each.path), firstPath);
    const key = broken.get(text);
    // A removed property needs a change of the right type. A removed pattern is explained by any
    // change at its path.
    if (key === undefined || (key !== null && each.type !== pathType)) continue;
    onPath.add(each);
    told.add(text);
  }
  const types = kept.filter(({ type }) => type === 'type_changed' || type === 'type_narrowed');
  const typesByPath = Map.groupBy(types, ({ path }) => firstPath(path).text);
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

/** Rewrites a path from the root on. What stands above several paths is rewritten once. */
type Rewrite = (path: Path) => Path;

/** `step` gets the path above as it was rewritten. */
function openRewriting(step: (above: Path, path: Path) => Path): Rewrite {
  const known = new Map<Path, Path>();
  return (path) => {
    const waiting: Path[] = [];
    let at = path;
    for (; at.above !== null && !known.has(at); at = at.above) waiting.push(at);
    let found = known.get(at) ?? at;
    for (const each of waiting.reverse()) {
      found = step(found, each);
      known.set(each, found);
    }
    return found;
  };
}

function belowOther(above: Path, path: Path): Path {
  return path.above === above ? path : pathBelow(above, [path.step]);
}

/**
 * A declared path describes values, so it does not contain the branch of a union that declares it.
 */
function openWithoutBranches(): Rewrite {
  return openRewriting((above, path) => {
    const isOfBranch = typeof path.step === 'number' && /^(?:any|one)Of$/.test(`${above.step}`);
    return isOfBranch ? (above.above ?? above) : belowOther(above, path);
  });
}

/** The maximum number of times that a path may lead from one shared definition into another. */
const maxHops = 64;

/** The path at which the same object was first met, or the path itself. */
function openFirstPaths(again: MetAgain): Rewrite {
  if (again.size === 0) return (path) => path;
  let hops = 0;
  const firstPath = openRewriting((above, path): Path => {
    const below = belowOther(above, path);
    const first = again.get(below.text)?.first;
    if (first === undefined || hops >= maxHops) return below;
    hops++;
    const found = firstPath(first);
    hops--;
    return found;
  });
  return firstPath;
}

/** The place as it is, below the path at which the object that it stands in was first met. */
function whereFirst(path: Path, firstPath: Rewrite): Path {
  return path.above === null ? path : belowOther(firstPath(path.above), path);
}
