// old' of docs/decisions/forward-demands.md: the old schema without the demands for properties that
// the new one no longer declares. Which demands are removed depends on the spot of the value, so a
// definition that occurs at two spots may be rewritten in two ways.

import type { SchemaNode } from '../../schema/schema.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { itemsOf, openReach, type Reach, type Side, type Spot } from '../places/reach.ts';
import { type Context, contextsBelow, type Rewritten, rewriteSchema } from './rewrite-schema.ts';

/** The old schema without these demands. If there are none, it is the root itself. */
export function withoutRemovedDemands(oldBook: PlaceBook, old: Side, next: Side): Rewritten {
  const [side, other] = [reached(old, 'least'), reached(next, 'most')];
  return withoutDemands(
    oldBook,
    side,
    other,
    ({ side, other, atSide, atOther }) => {
      const kept = other.declaredKeys(atOther);
      const isGone = (name: string) => side.declaredKeys(atSide).has(name) && !kept.has(name);
      return [...side.demandedKeys(atSide)].filter(isGone);
    },
    ofMappedKeys,
  );
}

/**
 * The new schema without the demands for properties that the old one neither declared nor demanded.
 */
export function withoutAddedDemands(nextBook: PlaceBook, next: Side, old: Side): SchemaNode {
  const [side, other] = [reached(next, 'most'), reached(old, 'least')];
  const { plain } = withoutDemands(
    nextBook,
    side,
    other,
    ({ side, other, atSide, atOther }) => {
      const declared = other.declaredKeys(atOther);
      const demanded = other.requiredKeys(atOther);
      const isAdded = (name: string) => !declared.has(name) && !demanded.has(name);
      return [...side.requiredKeys(atSide)].filter(isAdded);
    },
    ({ other, atOther }) => other.atOtherKeys(atOther),
  );
  return plain;
}

/**
 * What the other side says of the keys for which this side has a pattern or a map. It may name some of
 * them, and still declare there what it no longer declares for the others.
 */
function ofMappedKeys({ side, other, atSide, atOther }: SpotPair): Spot {
  const maps = new Set(side.nodesAtOtherKeys(atSide));
  const isMapped = (key: string) => side.nodesAtKey(atSide, key).some((node) => maps.has(node));
  const named = [...other.namedKeys(atOther)].filter(isMapped);
  return other.spotOf([
    ...other.nodesAtOtherKeys(atOther),
    ...named.flatMap((key) => other.nodesAtKey(atOther, key)),
  ]);
}

interface SpotPair {
  readonly side: Reach;
  readonly other: Reach;
  readonly atSide: Spot;
  readonly atOther: Spot;
}

interface Reached {
  readonly root: SchemaNode;
  readonly reach: Reach;
}

function reached({ root, isNever }: Side, extent: 'most' | 'least'): Reached {
  return { root, reach: openReach(isNever, extent) };
}

function withoutDemands(
  book: PlaceBook,
  side: Reached,
  other: Reached,
  namesAt: (at: SpotPair) => readonly string[],
  atOtherKeys: (at: SpotPair) => Spot,
): Rewritten {
  const contexts = new Map<string, Context>();
  const at = (atSide: Spot, atOther: Spot): Context => {
    const key = `${atSide.key}/${atOther.key}`;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const pair = { side: side.reach, other: other.reach, atSide, atOther };
    const made = contextAt(pair, new Set(namesAt(pair)), at, atOtherKeys);
    contexts.set(key, made);
    return made;
  };
  const start = at(side.reach.spotOf([side.root]), other.reach.spotOf([other.root]));
  return rewriteSchema(book, side.root, start);
}

function contextAt(
  pair: SpotPair,
  dropped: ReadonlySet<string>,
  at: (atSide: Spot, atOther: Spot) => Context,
  atOtherKeys: (at: SpotPair) => Spot,
): Context {
  const { side, other, atSide, atOther } = pair;
  const context: Context = {
    dropped,
    atKey: (name) => at(side.atKey(atSide, name), other.atKey(atOther, name)),
    atOtherKeys: () => at(side.atOtherKeys(atSide), atOtherKeys(pair)),
    atItems: () => at(itemsOf(side, atSide), itemsOf(other, atOther)),
    below: () => contextsBelow(context, side, atSide),
  };
  return context;
}
