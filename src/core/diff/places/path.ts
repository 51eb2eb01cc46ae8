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

/** A class, because a walk makes one for each place, and few of them are written out. */
class PathBelow implements Path {
  readonly above: Path;
  readonly step: Step;
  private written: string | undefined;

  constructor(above: Path, step: Step) {
    this.above = above;
    this.step = step;
  }

  get text(): string {
    if (this.written !== undefined) return this.written;
    const steps: string[] = [];
    let at: Path = this;
    while (at instanceof PathBelow && at.written === undefined) {
      steps.push(stepText(at.step));
      at = at.above;
    }
    this.written = at.text + steps.reverse().join('');
    return this.written;
  }
}

/** @example pathBelow(rootPath, ['properties', 'a b']).text // '$.properties["a b"]' */
export function pathBelow(path: Path, steps: readonly Step[]): Path {
  let at = path;
  for (const step of steps) at = new PathBelow(at, step);
  return at;
}

/** In a set of at most so many paths, a path is compared with each of them. In a larger one, it is found by its text. */
const maxFew = 8;

/** Returns whether a path was not there yet. Most sets are small, and write out no path. */
export function openPathSet(): (path: Path) => boolean {
  const few: Path[] = [];
  let texts: Set<string> | null = null;
  return (path) => {
    if (texts === null) {
      if (few.some((each) => isSamePath(each, path))) return false;
      few.push(path);
      if (few.length > maxFew) texts = new Set(few.splice(0).map(({ text }) => text));
      return true;
    }
    const before = texts.size;
    return texts.add(path.text).size > before;
  };
}

/** Whether two paths have the same text. */
function isSamePath(one: Path, other: Path): boolean {
  let [a, b]: [Path | null, Path | null] = [one, other];
  while (a !== b) {
    if (a === null || b === null || a.step !== b.step) return false;
    [a, b] = [a.above, b.above];
  }
  return true;
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
