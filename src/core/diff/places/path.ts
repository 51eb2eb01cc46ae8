// The location of something in a schema, as the steps that lead to it. The text is shown to people,
// and it identifies the path.

import { stepText } from '../../value/json-path.ts';

type Step = string | number;

export interface Path {
  /** `null` at the root. */
  readonly above: Path | null;
  readonly step: Step;
  /** For example `$.properties["a b"]`. Different paths have different texts. */
  readonly text: string;
}

export const rootPath: Path = { above: null, step: '$', text: '$' };

/** @example pathBelow(rootPath, ['properties', 'a b']).text // '$.properties["a b"]' */
export function pathBelow(path: Path, steps: readonly Step[]): Path {
  let at = path;
  for (const step of steps) at = { above: at, step, text: at.text + stepText(step) };
  return at;
}

/** The paths above a path, the root first. */
export function pathsAbove(path: Path): readonly Path[] {
  const found: Path[] = [];
  for (let at = path.above; at !== null; at = at.above) found.push(at);
  return found.reverse();
}

/** The steps from one path down to another, or null if the other path is not below it. */
export function stepsBetween(above: Path, path: Path): readonly Step[] | null {
  const steps: Step[] = [];
  for (let at: Path | null = path; at !== null; at = at.above) {
    if (at.text === above.text) return steps.reverse();
    steps.push(at.step);
  }
  return null;
}

/** Moves a path from below `from` to below `to`. `from` is the path itself or a path above it. */
export function movePath(path: Path, from: Path, to: Path): Path {
  return pathBelow(to, stepsBetween(from, path) ?? []);
}

/**
 * For each path of an object that had been met before: the path, and the one where the object was
 * first met.
 */
export type MetAgain = ReadonlyMap<string, { readonly at: Path; readonly first: Path }>;
