// Reduces different spellings for undeclared keys and items to one: `unevaluatedProperties` that
// means `additionalProperties`, and arrays that end where no further item is accepted.

import { type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { KeyedPlaces } from './keyed-places.ts';
import type { DraftView, ObjectRegions, Part, Place, PlaceBook } from './place.types.ts';

/**
 * What is unevaluated depends on which subschemas accept a value. At a place without unions,
 * conditions or dependencies, all subschemas do, so it is the same as what is additional.
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

/** `items: false`, and `false` in a list of items, limit the length of an array. */
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
 * Whether one node has the keyword, and every other node of the place is below it. It sees what
 * these evaluate, but not what is around it.
 */
function seesAll(parts: readonly Part[], keyword: UnevaluatedKeyword): boolean {
  const saying = parts.filter(({ node }) => node.keywords[keyword] !== undefined);
  const first = parts.findIndex(({ node }) => !isWrapper(node));
  return saying.length === 1 && parts[first] === saying[0];
}

/**
 * Whether a node is only one reference, or an `allOf` of one schema, which leads to everything
 * else.
 */
function isWrapper({ keywords }: SchemaNode): boolean {
  for (const name in keywords) if (name !== 'ref' && name !== 'allOf') return false;
  return (keywords.ref === undefined ? 0 : 1) + (keywords.allOf?.length ?? 0) <= 1;
}

function settleKeys(book: PlaceBook, draft: DraftView, place: Place): void {
  const [regions, ...others] = draft.objects;
  if (others.length > 0) return;
  draft.unevaluatedProperties = [];
  // Keys that `additionalProperties` covers are evaluated.
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

/**
 * Checks only what is written here: following references would not end for a schema that contains
 * itself.
 */
function isRefusal(place: Place): boolean {
  return place.nodes.some(({ keywords }) => keywords.isFalse === true);
}
