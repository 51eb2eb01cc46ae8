// The least number of properties that the disjunctions alone demand of an object: if each of twenty
// asks for one of two keys, and no two share a key, the object has at least twenty.

import type { Atom, Form, Or, TwoOf } from '../terms/forms.types.ts';

/** Whether the atoms and disjunctions demand more keys than the atoms allow. */
export function needsTooManyKeys(
  atoms: readonly Atom[],
  clauses: readonly (Or | TwoOf)[],
): boolean {
  let max = Number.POSITIVE_INFINITY;
  const used = new Set<string>();
  for (const atom of atoms) {
    if (atom.tag === 'max_keys') max = Math.min(max, atom.count);
    if (atom.tag === 'has') used.add(atom.key);
  }
  if (max === Number.POSITIVE_INFINITY) return false;
  let count = used.size;
  for (const clause of clauses) {
    const keys = clause.tag === 'or' ? keysOfAny(clause.parts) : undefined;
    if (keys === undefined || keys.some((key) => used.has(key))) continue;
    count++;
    for (const key of keys) used.add(key);
    if (count > max) return true;
  }
  return count > max;
}

/** Keys of which at least one is present whichever part holds; undefined if a part demands none. */
function keysOfAny(parts: readonly Form[]): string[] | undefined {
  const keys: string[] = [];
  for (const part of parts) {
    const before = keys.length;
    for (const inner of part.tag === 'and' ? part.parts : [part]) {
      if (inner.tag === 'has') keys.push(inner.key);
    }
    if (keys.length === before) return undefined;
  }
  return keys;
}
