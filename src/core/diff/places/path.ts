// Where something stands in a schema: the steps that lead there. The text is what is shown, and what
// a path is known by.

import { stepText } from '../../value/json-path.ts';

type Step = string | number;

export interface Path {
  /** `null` at the root. */
  readonly above: Path | null;
  readonly step: Step;
  /** `$.properties["a b"]`; no two paths have the same one. */
  readonly text: string;
}

export const rootPath: Path = { above: null, step: '$', text: '$' };

/** @example pathBelow(rootPath, ['properties', 'a b']).text // '$.properties["a b"]' */
export function pathBelow(path: Path, steps: readonly Step[]): Path {
  let at = path;
  for (const step of steps) at = { above: at, step, text: at.text + stepText(step) };
  return at;
}

/** What stands above a path, the root first. */
export function pathsAbove(path: Path): readonly Path[] {
  const found: Path[] = [];
  for (let at = path.above; at !== null; at = at.above) found.push(at);
  return found.reverse();
}

/** The steps from one path down to another; null where the other stands elsewhere. */
export function stepsBetween(above: Path, path: Path): readonly Step[] | null {
  const steps: Step[] = [];
  for (let at: Path | null = path; at !== null; at = at.above) {
    if (at.text === above.text) return steps.reverse();
    steps.push(at.step);
  }
  return null;
}

/** The path that leads from `to` as `path` leads from `from`, which is it or stands above it. */
export function movePath(path: Path, from: Path, to: Path): Path {
  return pathBelow(to, stepsBetween(from, path) ?? []);
}

/** Each path of an object that was met before, with the one at which it was met first. */
export type MetAgain = ReadonlyMap<string, { readonly at: Path; readonly first: Path }>;
