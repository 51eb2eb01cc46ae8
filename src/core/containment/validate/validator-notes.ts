// What a schema that accepts a value says about its parts. `unevaluatedProperties` and
// `unevaluatedItems` need this, and so does closed(S), which is defined on values:
//
//   A value of S is in closed(S) if, at every object in it where some schema that applies there has
//   `properties` or `patternProperties`, every key is evaluated by one of these, or by a schema for
//   the rest that says something (saysSomething in ../../schema/schema.ts).
//
// Schemas under `if`, `dependentSchemas` or `contains` evaluate keys, but do not by themselves make
// a free-form place a closed one: see ../../../../docs/decisions/closed.md.

import type { SchemaNode } from '../../schema/schema.ts';
import { saysSomething } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';

export interface Notes {
  /** The keys that are evaluated for `unevaluatedProperties`. */
  readonly keys: ReadonlySet<string>;
  /** The number of evaluated items from the first on, and the indexes of other evaluated items. */
  readonly itemCount: number;
  readonly items: ReadonlySet<number>;
  /** The keys that are evaluated by a schema that says something. */
  readonly saidKeys: ReadonlySet<string>;
  readonly declares: boolean;
  readonly parts: ReadonlyMap<string | number, Notes>;
  /** Whether a branch was undecided, which might have evaluated more. */
  readonly isUncertain: boolean;
  /** Whether validators disagree about which items are evaluated. */
  readonly hasDisputedItems: boolean;
}

const noKeys: ReadonlySet<string> = new Set();
const noItems: ReadonlySet<number> = new Set();
const noParts: ReadonlyMap<string | number, Notes> = new Map();

export const blankNotes: Notes = {
  keys: noKeys,
  itemCount: 0,
  items: noItems,
  saidKeys: noKeys,
  declares: false,
  parts: noParts,
  isUncertain: false,
  hasDisputedItems: false,
};

export const uncertainNotes: Notes = { ...blankNotes, isUncertain: true };

export function joinNotes(a: Notes, b: Notes): Notes {
  if (a === blankNotes || a === b) return b;
  if (b === blankNotes) return a;
  return {
    keys: joinSets(a.keys, b.keys),
    itemCount: Math.max(a.itemCount, b.itemCount),
    items: joinSets(a.items, b.items),
    saidKeys: joinSets(a.saidKeys, b.saidKeys),
    declares: a.declares || b.declares,
    parts: joinParts(a.parts, b.parts),
    isUncertain: a.isUncertain || b.isUncertain,
    hasDisputedItems: a.hasDisputedItems || b.hasDisputedItems,
  };
}

/**
 * Whether the keys of every object in the value are evaluated as closed(S) requires; undefined if
 * that is not known.
 */
export function isClosed(value: Json, notes: Notes | undefined): boolean | undefined {
  if (notes === undefined) return true;
  if (typeof value !== 'object' || value === null) return true;
  const isList = Array.isArray(value);
  let isSure = true;
  if (!isList && isJsonObject(value)) {
    const isRejected = notes.declares && Object.keys(value).some((key) => !notes.saidKeys.has(key));
    if (isRejected && !notes.isUncertain) return false;
    // An undecided branch might say something about the rest, or declare a place that looks open.
    if (notes.isUncertain) isSure = false;
  }
  for (const [key, part] of notes.parts) {
    const inside = isList ? value[Number(key)] : isJsonObject(value) ? value[key] : undefined;
    const truth = inside === undefined ? true : isClosed(inside, part);
    if (truth === false && !notes.isUncertain) return false;
    if (truth !== true) isSure = false;
  }
  return isSure ? true : undefined;
}

function joinSets<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> {
  if (a.size === 0) return b;
  return b.size === 0 ? a : new Set([...a, ...b]);
}

function joinParts(a: Notes['parts'], b: Notes['parts']): Notes['parts'] {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const joined = new Map(a);
  for (const [key, notes] of b) {
    const known = joined.get(key);
    joined.set(key, known === undefined ? notes : joinNotes(known, notes));
  }
  return joined;
}

/**
 * Notes about the members of one object. They are collected in place, because there may be 50,000.
 */
export interface Said {
  isSure: boolean;
  readonly keys: Set<string>;
  readonly saidKeys: Set<string>;
  readonly parts: Map<string, Notes>;
}

export function nothingSaid(): Said {
  return { isSure: true, keys: new Set(), saidKeys: new Set(), parts: new Map() };
}

export function sayKey(said: Said, key: string, inside: Notes, by: SaidBy): void {
  said.keys.add(key);
  if (by === 'something') said.saidKeys.add(key);
  if (inside !== blankNotes) said.parts.set(key, inside);
}

/**
 * Whether the schema that evaluated a key says something about it, in the sense of `saysSomething`.
 */
type SaidBy = 'something' | 'anything';

export function saidBy(schema: SchemaNode | undefined): SaidBy {
  return saysSomething(schema) ? 'something' : 'anything';
}

export function notesOf({ keys, saidKeys, parts }: Said): Notes {
  return { ...blankNotes, keys, saidKeys, parts };
}
