// Changes that say the same at many places, for reports that show each of them once.

import { sentenceOf } from './change-text.ts';

/** A change of the engine, or as the API represents it. */
interface AnyChange {
  readonly type: string;
  readonly path: string;
  readonly description: string;
  readonly breaking: boolean;
  readonly warning?: string | undefined;
  readonly old?: unknown;
  readonly new?: unknown;
  readonly witness?: unknown;
}

/** Changes that differ only in their place and example. */
export type AlikeChanges<C> = readonly [C, ...C[]];

/** Of which changes a reader wants the examples: `first` as in `withFirstExamples`. */
export type Examples = 'all' | 'first';

/** Fewer alike changes than this stand alone, each with its example. */
const groupFrom = 3;

/**
 * Puts changes together that differ only in place and example.
 *
 * @example groupAlike(changes).map((group) => group.length) // [400, 1, 1]
 */
export function groupAlike<C extends AnyChange>(changes: readonly C[]): readonly AlikeChanges<C>[] {
  const groups = new Map<string, [C, ...C[]]>();
  for (const change of changes) {
    const { type, breaking, warning, old, new: next } = change;
    const key = JSON.stringify([type, breaking, warning, old, next, sentenceOf(change)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return [...groups.values()].flatMap((group): readonly AlikeChanges<C>[] =>
    group.length < groupFrom ? group.map((change): AlikeChanges<C> => [change]) : [group],
  );
}

/**
 * Drops the examples of all but the first of alike changes. In a wide table each of them is a whole
 * row.
 *
 * @example withFirstExamples(changes) // 400 changes, of which the first one has a witness
 */
export function withFirstExamples<C extends AnyChange>(
  changes: readonly C[],
): readonly Omit<C, 'witness'>[] {
  const repeated = new Set(groupAlike(changes).flatMap(([, ...rest]) => rest));
  return changes.map((change) => {
    if (!repeated.has(change)) return change;
    const { witness, ...rest } = change;
    return rest;
  });
}
