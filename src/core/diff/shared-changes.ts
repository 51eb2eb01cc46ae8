// Changes of shared definitions in a report about many contracts: each is reported once, with the
// contracts that reach it.

import type { Change } from '../comparison.ts';

export interface SharedChange<Each extends Change> {
  /** As the first contract has it. */
  readonly change: Each;
  readonly definition: string;
  /** The first place in each contract. */
  readonly places: readonly { readonly name: string; readonly path: string }[];
  /** How many places there are in all contracts together. */
  readonly placeCount: number;
}

interface Item<Each extends Change> {
  readonly name: string;
  /** Definitions of one file are shared; another file may have its own of the same name. */
  readonly origin: { readonly file: string };
  readonly changes: readonly Each[];
}

interface SplitChanges<Each extends Change, Of extends Item<Each>> {
  readonly shared: readonly SharedChange<Each>[];
  /** The changes of each item that are only its own. */
  readonly own: ReadonlyMap<Of, readonly Each[]>;
}

/**
 * @example splitChanges(items).shared[0]
 * // { definition: '$.$defs.Money.properties.amount', places: [{ name: 'GET /orders', ... }, ...], ... }
 */
export function splitChanges<Each extends Change, Of extends Item<Each>>(
  items: readonly Of[],
): SplitChanges<Each, Of> {
  const groups = new Map<string, Map<Of, Each[]>>();
  const keys = new Map<Each, string>();
  for (const item of items) {
    for (const change of item.changes) {
      const key = keyOf(item.origin.file, change);
      if (key === null) continue;
      keys.set(change, key);
      const group = groups.get(key) ?? new Map<Of, Each[]>();
      groups.set(key, group);
      const inItem = group.get(item) ?? [];
      group.set(item, inItem);
      inItem.push(change);
    }
  }
  const shared: SharedChange<Each>[] = [];
  const sharedKeys = new Set<string>();
  for (const [key, group] of groups) {
    const all = [...group.values()].flat();
    const [change] = all;
    if (change?.definition === undefined || group.size < 2) continue;
    sharedKeys.add(key);
    const places = [...group].map(([{ name }, [first]]) => ({ name, path: first?.path ?? '$' }));
    shared.push({ change, definition: change.definition, places, placeCount: all.length });
  }
  const isOwn = (change: Each) => !sharedKeys.has(keys.get(change) ?? '');
  return { shared, own: new Map(items.map((item) => [item, item.changes.filter(isOwn)])) };
}

/** Changes with the same key are one change of a definition. */
function keyOf(file: string, change: Change): string | null {
  const { definition, type, breaking, old, new: next, warning } = change;
  if (definition === undefined) return null;
  const accepted: unknown = 'accepted' in change ? change.accepted : null;
  return JSON.stringify([file, definition, type, breaking, old, next, warning, accepted]);
}
