// The classes of characters that an expression distinguishes: characters in the same of its sets
// are one class. \p{L} has 600 ranges, but splits the characters into only two classes.

import type { CharSet } from './char-set.ts';
import { lastCodePoint, rangesOf } from './char-set.ts';
import type { Steps, TooLarge } from './steps.ts';

export interface CharClasses {
  readonly count: number;
  /**
   * The class of every code point: [low, high, class, low, high, class, ...], in order, without
   * gaps.
   */
  readonly intervals: readonly number[];
  classesOf(set: CharSet): readonly number[];
}

/** Splits the characters by these sets. */
export function splitChars(sets: Iterable<CharSet>, steps: Steps): CharClasses | TooLarge {
  const ids = new Map<string, number>();
  const idOfSet = new Map<CharSet, number>();
  const edges: { readonly at: number; readonly id: number; readonly isStart: boolean }[] = [];
  for (const set of sets) {
    if (idOfSet.has(set)) continue;
    const key = set.join();
    const known = ids.get(key);
    const id = known ?? ids.size;
    idOfSet.set(set, id);
    if (known !== undefined) continue;
    ids.set(key, id);
    steps.left -= set.length;
    if (steps.left < 0) return 'too_large';
    for (const [low, high] of rangesOf(set)) {
      edges.push({ at: low, id, isStart: true }, { at: high + 1, id, isStart: false });
    }
  }
  edges.sort((a, b) => a.at - b.at);
  const classIds = new Map<string, number>();
  const members: number[][] = Array.from({ length: ids.size }, () => []);
  const intervals: number[] = [];
  const active = new Set<number>();
  let next = 0;
  for (let low = 0; low <= lastCodePoint; ) {
    for (let edge = edges[next]; edge !== undefined && edge.at <= low; edge = edges[++next]) {
      if (edge.isStart) active.add(edge.id);
      else active.delete(edge.id);
    }
    // Each active set records the class, and is part of its key.
    steps.left -= 1 + (active.size >> 1);
    if (steps.left < 0) return 'too_large';
    const high = (edges[next]?.at ?? lastCodePoint + 1) - 1;
    intervals.push(low, high, classOf(active, classIds, members));
    low = high + 1;
  }
  return {
    count: classIds.size,
    intervals,
    classesOf: (set) => members[idOfSet.get(set) ?? -1] ?? [],
  };
}

function classOf(
  active: ReadonlySet<number>,
  classIds: Map<string, number>,
  members: readonly number[][],
): number {
  const sorted = [...active].sort((a, b) => a - b);
  const key = sorted.join();
  const known = classIds.get(key);
  if (known !== undefined) return known;
  const id = classIds.size;
  classIds.set(key, id);
  for (const set of sorted) members[set]?.push(id);
  return id;
}
