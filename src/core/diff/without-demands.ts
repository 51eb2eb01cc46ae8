// old' of docs/compatibility.md: the old schema without the demand for properties that new no longer
// declares. Which demands go depends on the spot of the value, so a definition that stands at two
// spots may be read in two ways.

import type { SchemaNode } from '../schema/schema.ts';
import type { PlaceBook } from './place.ts';
import { itemsOf, openReach, type Reach, type Spot } from './reach.ts';
import { type Context, rewriteSchema } from './rewrite-schema.ts';

/** The old root without those demands; the root itself where there are none. */
export function withoutRemovedDemands(
  oldBook: PlaceBook,
  oldRoot: SchemaNode,
  nextBook: PlaceBook,
  nextRoot: SchemaNode,
): SchemaNode {
  const oldReach = openReach((node) => oldBook.placeOf([node]).view.isNever);
  const nextReach = openReach((node) => nextBook.placeOf([node]).view.isNever);
  const contexts = new Map<string, Context>();
  const at = (old: Spot, next: Spot): Context => {
    const key = `${old.key}/${next.key}`;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const made = contextAt({ oldReach, nextReach, old, next, at });
    contexts.set(key, made);
    return made;
  };
  const start = at(oldReach.spotOf([oldRoot]), nextReach.spotOf([nextRoot]));
  return rewriteSchema(oldBook, oldRoot, start);
}

interface Spots {
  readonly oldReach: Reach;
  readonly nextReach: Reach;
  readonly old: Spot;
  readonly next: Spot;
  readonly at: (old: Spot, next: Spot) => Context;
}

function contextAt({ oldReach, nextReach, old, next, at }: Spots): Context {
  const declared = oldReach.declaredKeys(old);
  const kept = nextReach.declaredKeys(next);
  const context: Context = {
    dropped: new Set([...declared].filter((name) => !kept.has(name))),
    dropsProperties: false,
    atKey: (name) => at(oldReach.atKey(old, name), nextReach.atKey(next, name)),
    atOtherKeys: () => at(oldReach.atOtherKeys(old), nextReach.atOtherKeys(next)),
    atItems: () => at(itemsOf(oldReach, old), itemsOf(nextReach, next)),
    below: () =>
      old.nodes.length === 0
        ? []
        : [...[...declared].map(context.atKey), context.atOtherKeys(), context.atItems()],
  };
  return context;
}
