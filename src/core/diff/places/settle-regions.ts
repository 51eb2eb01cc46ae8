// Keys and items that nobody named, said in one way: `unevaluatedProperties` where it means
// `additionalProperties`, and an array that ends where no item is accepted any more.

import { type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { KeyedPlaces } from './keyed-places.ts';
import type { DraftView, ObjectRegions, Part, Place, PlaceBook } from './place.types.ts';

/**
 * What is unevaluated depends on which subschemas accept a value. Where a place has no unions,
 * conditions or dependencies, all of them do, and it is the same as what is additional.
 */
export function settleUnevaluated(book: PlaceBook, draft: DraftView, isOneNode: boolean): void {
  const { unevaluatedProperties: keys, unevaluatedItems: items } = draft;
  if (keys.length + items.length === 0) return;
  const sees = (keyword: UnevaluatedKeyword) => isOneNode && seesAll(draft.parts, keyword);
  const seesKeys = sees('unevaluatedProperties');
  const seesItems = sees('unevaluatedItems');
  if ((keys.length > 0 && !seesKeys) || (items.length > 0 && !seesItems)) draft.isOpaque = true;
  if (!everythingApplies(draft)) return;
  const [keyPlace] = keys;
  if (keyPlace !== undefined && seesKeys) {
    settleKeys(book, draft, keyPlace);
  }
  const [itemPlace] = items;
  const isCounted = draft.contains.length === 0 && seesItems;
  if (itemPlace !== undefined && isCounted) {
    const { prefix = [], rest = null } = draft.items ?? {};
    draft.items = { prefix, rest: rest ?? itemPlace };
    draft.unevaluatedItems = [];
  }
}

/** `items: false`, and `false` in a list of items, say how long an array may be. */
export function settleItems(draft: DraftView): void {
  if (draft.items === null) return;
  const { prefix, rest } = draft.items;
  const firstRefused = prefix.findIndex(isRefusal);
  if (firstRefused >= 0) draft.maxItems = Math.min(draft.maxItems, firstRefused);
  if (rest !== null && isRefusal(rest)) draft.maxItems = Math.min(draft.maxItems, prefix.length);
  if (draft.maxItems > prefix.length) return;
  const kept = prefix.slice(0, draft.maxItems);
  draft.items = kept.length === 0 ? null : { prefix: kept, rest: null };
}

type UnevaluatedKeyword = 'unevaluatedProperties' | 'unevaluatedItems';

function everythingApplies(draft: DraftView): boolean {
  const { unions, ifs, dynamic, problems, dependentSchemas } = draft;
  return (
    unions.length + ifs.length + dynamic.length + problems.length + dependentSchemas.size === 0
  );
}

/**
 * Whether one node has the keyword, and every other node of the place stands below it: it sees what
 * they evaluate, and not what stands around it.
 */
function seesAll(parts: readonly Part[], keyword: UnevaluatedKeyword): boolean {
  const saying = parts.filter(({ node }) => node.keywords[keyword] !== undefined);
  const first = parts.findIndex(({ node }) => !isWrapper(node));
  return saying.length === 1 && parts[first] === saying[0];
}

/** A reference, or an `allOf` of one, leads to all there is. */
function isWrapper({ keywords }: SchemaNode): boolean {
  for (const name in keywords) if (name !== 'ref' && name !== 'allOf') return false;
  return (keywords.ref === undefined ? 0 : 1) + (keywords.allOf?.length ?? 0) <= 1;
}

function settleKeys(book: PlaceBook, draft: DraftView, place: Place): void {
  const [regions, ...others] = draft.objects;
  if (others.length > 0) return;
  draft.unevaluatedProperties = [];
  // Additional keys that somebody speaks of are evaluated.
  if (regions !== undefined && (regions.additional !== null || regions.isOpen)) return;
  const speaks = place.nodes.some(saysSomething);
  const settled: ObjectRegions = {
    properties: regions?.properties ?? new KeyedPlaces(book),
    patterns: regions?.patterns ?? new KeyedPlaces(book),
    additional: speaks ? place : null,
    isDeclaring: regions?.isDeclaring ?? false,
    isOpen: !speaks,
  };
  draft.objects = [settled];
}

/** Only what is written: looking further would go in circles with a schema that holds itself. */
function isRefusal(place: Place): boolean {
  return place.nodes.some(({ keywords }) => keywords.isFalse === true);
}
