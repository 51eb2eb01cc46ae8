// Which of the changes that were found tell of a declared path that breaks for itself.

import type { DeclaredPath, PathFindings } from './declared-paths.ts';
import type { ChangeType } from './diff.types.ts';
import type { Candidate } from './walk.types.ts';

export interface MatchedPaths {
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
  const broken = new Set(paths.map(({ path }) => path));
  const onPath = new Set<Candidate>();
  const told = new Set<string>();
  for (const each of kept) {
    if (each.type !== pathType) continue;
    const path = firstPath(withoutBranches(each.path), again, false);
    if (!broken.has(path)) continue;
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
  return { onPath, missing };
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
    const above = [...found.matchAll(/\./g)].map(({ index }) => index);
    const ends = isPlace ? [...above, found.length] : above;
    const end = ends.find((length) => again.has(found.slice(0, length)));
    if (end === undefined) break;
    found = `${again.get(found.slice(0, end))}${found.slice(end)}`;
  }
  return found;
}

function nearestAbove(
  path: string,
  candidates: ReadonlyMap<string, readonly Candidate[]>,
): readonly Candidate[] {
  if (candidates.size === 0) return [];
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const found = candidates.get(path.slice(0, end));
    if (found !== undefined) return found;
  }
  return [];
}
