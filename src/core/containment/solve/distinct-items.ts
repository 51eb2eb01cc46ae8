// Items that all differ, or that include two equal ones: `uniqueItems` and its complement.

import type { Json } from '../../value/json.ts';
import { valueKey } from '../../value/value-key.ts';
import type { Engine, Found } from '../terms/engine.types.ts';
import { empty, found, unknown } from '../terms/engine.types.ts';
import { constTerm, notTerm } from '../terms/forms.ts';
import type { Term } from '../terms/forms.types.ts';

type Path = readonly (readonly Term[])[];

/**
 * The most positions for a matching: each position has as many candidates as there are positions.
 */
const maxMatched = 40;

/** One value for each position, no two equal; `empty` if it is proved that there are none. */
export function findDistinct(engine: Engine, path: Path): Found {
  const items: Json[] = [];
  for (const terms of path) {
    const item = engine.inhabit([...terms, ...items.map((taken) => differs(engine, taken))]);
    if (item.tag === 'unknown') return item;
    if (item.tag === 'empty') return matchDistinct(engine, path);
    items.push(item.value);
  }
  return found(items);
}

/** One value at two of the positions, and any values at the others. */
export function findRepeated(engine: Engine, path: Path): Found {
  let doubt: Found = empty;
  for (const [second, terms] of path.entries()) {
    for (const [first, others] of path.slice(0, second).entries()) {
      const shared = engine.inhabit([...terms, ...others]);
      if (shared.tag === 'unknown') doubt = shared;
      if (shared.tag !== 'value') continue;
      const items = path.map((own, index) =>
        index === first || index === second ? shared : engine.inhabit(own),
      );
      const values = items.flatMap((item) => (item.tag === 'value' ? [item.value] : []));
      if (values.length === path.length) return found(values);
      doubt = items.find((item) => item.tag === 'unknown') ?? doubt;
    }
  }
  return doubt;
}

function differs(engine: Engine, value: Json): Term {
  return notTerm(engine.store, constTerm(engine.store, valueKey(value), value));
}

/**
 * Matches positions with values. As many candidates as there are positions are enough for each: a
 * position with that many always finds one that the others leave.
 */
function matchDistinct(engine: Engine, path: Path): Found {
  if (path.length > maxMatched) {
    // The positions of a run with equal terms may already need more values than exist.
    const last = path.at(-1);
    const isUniform =
      last !== undefined && path.slice(-maxMatched).every((terms) => isSameList(terms, last));
    if (isUniform && matchDistinct(engine, path.slice(-maxMatched)).tag === 'empty') return empty;
    return unknown('Too many items would have to differ.');
  }
  const candidates: Map<string, Json>[] = [];
  for (const terms of path) {
    const members = membersOf(engine, terms, path.length);
    if (members === undefined) return unknown('The values of an item are not all known.');
    candidates.push(members);
  }
  const takenBy = new Map<string, number>();
  for (const index of path.keys()) {
    if (!claim(candidates, takenBy, index, new Set())) return empty;
  }
  const items: Json[] = path.map(() => null);
  for (const [key, index] of takenBy) items[index] = candidates[index]?.get(key) ?? null;
  return found(items);
}

function isSameList(a: readonly Term[], b: readonly Term[]): boolean {
  return a.length === b.length && a.every((term, index) => term === b[index]);
}

function membersOf(
  engine: Engine,
  terms: readonly Term[],
  limit: number,
): Map<string, Json> | undefined {
  const members = new Map<string, Json>();
  while (members.size < limit) {
    const taken = [...members.values()].map((value) => differs(engine, value));
    const next = engine.inhabit([...terms, ...taken]);
    if (next.tag === 'unknown') return undefined;
    if (next.tag === 'empty') break;
    members.set(valueKey(next.value), next.value);
  }
  return members;
}

/** Finds an augmenting path: a position that holds a value may move on to another value. */
function claim(
  candidates: readonly Map<string, Json>[],
  takenBy: Map<string, number>,
  index: number,
  visited: Set<string>,
): boolean {
  for (const key of candidates[index]?.keys() ?? []) {
    if (visited.has(key)) continue;
    visited.add(key);
    const holder = takenBy.get(key);
    if (holder === undefined || claim(candidates, takenBy, holder, visited)) {
      takenBy.set(key, index);
      return true;
    }
  }
  return false;
}
