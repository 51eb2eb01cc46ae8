// Compares properties that were added or removed, required properties, and the schemas of
// undeclared keys.

import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import { KeyedPlaces } from '../places/keyed-places.ts';
import { type Path, pathBelow } from '../places/path.ts';
import type { ObjectRegions, Place, PlaceBook, View } from '../places/place.types.ts';
import { placesAtKey } from '../places/regions.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import type { Candidate, PlacePair, Walk } from './walk.types.ts';
import { candidate, demandOf } from './walk-scalars.ts';

function noRegions(book: PlaceBook): ObjectRegions {
  return {
    properties: new KeyedPlaces(book),
    patterns: new KeyedPlaces(book),
    additional: null,
    isDeclaring: false,
    isOpen: false,
  };
}

export function compareObjects(walk: Walk, pair: PlacePair, old: View, next: View): void {
  if (old.objects.length > 1 || next.objects.length > 1) {
    compareEntangled(walk, pair);
  } else {
    const before = old.objects[0] ?? noRegions(walk.oldBook);
    const after = next.objects[0] ?? noRegions(walk.nextBook);
    compareProperties(walk, pair, before, after);
    comparePatterns(walk, pair, before, after);
    compareAdditional(walk, pair, before, after);
    compareOpenness(walk, pair, before, after);
  }
  compareRequired(walk, pair, old, next);
  compareUnevaluated(walk, pair, old, next);
}

/**
 * If one node has patterns and another constrains additional keys, only the engine can compare
 * them.
 */
function compareEntangled(walk: Walk, pair: PlacePair): void {
  if (walk.classes.classOf(pair.old) === walk.classes.classOf(pair.next)) return;
  walk.found.push(
    candidate(pair, {
      type: 'schema_changed',
      says: 'the schema of its keys changed',
      newDemand: nodeOfPlace(walk.nextBook, pair.next),
      oldDemand: nodeOfPlace(walk.oldBook, pair.old),
    }),
  );
}

function compareProperties(
  walk: Walk,
  pair: PlacePair,
  before: ObjectRegions,
  after: ObjectRegions,
): void {
  for (const key of before.properties.keys()) {
    const isKept = after.properties.has(key);
    if (isKept && walk.isAlike(before.properties.nodesAt(key), after.properties.nodesAt(key))) {
      continue;
    }
    const was = before.properties.get(key) ?? walk.oldBook.anything;
    const is = after.properties.get(key);
    if (is === undefined || isGone(walk, is, was)) removeProperty(walk, pair, key, was, after);
    else if (isGone(walk, was, is)) addProperty(walk, pair, key, is, before);
    else walk.goOn(was, is, ['properties', key], { kind: 'key', key });
  }
  for (const key of after.properties.keys()) {
    if (before.properties.has(key)) continue;
    const is = after.properties.get(key);
    if (is !== undefined) addProperty(walk, pair, key, is, before);
  }
}

/** A property that no value fits is not declared. */
function isGone(walk: Walk, place: Place, other: Place): boolean {
  return walk.isNever(place) && !walk.isNever(other);
}

function removeProperty(
  walk: Walk,
  pair: PlacePair,
  key: string,
  was: Place,
  after: ObjectRegions,
): void {
  if (walk.isNever(was)) {
    tellRefusedKey(walk, pair, key, 'was');
    return;
  }
  if (walk.isDeclaredInBranch(pair.next, key)) {
    tellMovedKey(walk, pair, key, 'it is now described in branches');
    return;
  }
  const isRequired = pair.old.view.required.has(key);
  walk.found.push(
    candidate(pair, {
      type: 'property_removed',
      path: pathBelow(pair.path, ['properties', key]),
      says: isRequired ? 'a required property was removed' : 'the property was removed',
      newDemand: demandAtKey(walk.nextBook, key, after),
      oldDemand: isRequired ? demandOf(walk.oldBook, { required: [key] }) : null,
      oldFocus: demandOf(walk.oldBook, { required: [key] }),
      mayBeVacuous: false,
      key,
    }),
  );
}

function addProperty(
  walk: Walk,
  pair: PlacePair,
  key: string,
  is: Place,
  before: ObjectRegions,
): void {
  if (walk.isNever(is)) {
    tellRefusedKey(walk, pair, key, 'is');
    return;
  }
  if (walk.isDeclaredInBranch(pair.old, key)) {
    tellMovedKey(walk, pair, key, 'it was described in branches before');
    return;
  }
  walk.found.push(
    candidate(pair, {
      type: 'property_added',
      path: pathBelow(pair.path, ['properties', key]),
      says: 'the property was added',
      newDemand: demandOf(walk.nextBook, {
        properties: new Map([[key, nodeOfPlace(walk.nextBook, is)]]),
      }),
      oldDemand: demandAtKey(walk.oldBook, key, before),
      newFocus: demandOf(walk.nextBook, { required: [key] }),
      mayBeVacuous: false,
      key,
    }),
  );
}

/**
 * Reports a key that one side names only to refuse it. The other side may refuse it in other words.
 */
function tellRefusedKey(walk: Walk, pair: PlacePair, key: string, refused: 'was' | 'is'): void {
  const demand = (book: PlaceBook) =>
    demandOf(book, { properties: new Map([[key, demandOf(book, { isFalse: true })]]) });
  const told: Pick<Candidate, 'type' | 'says'> & Partial<Candidate> =
    refused === 'was'
      ? {
          type: 'schema_widened',
          says: 'the property was refused and is allowed now',
          oldDemand: demand(walk.oldBook),
        }
      : {
          type: 'schema_narrowed',
          says: 'the property is refused now',
          newDemand: demand(walk.nextBook),
        };
  walk.found.push(candidate(pair, { ...told, path: pathBelow(pair.path, ['properties', key]) }));
}

/**
 * Reports a key that one side declares directly and the other in branches: it was neither added nor
 * removed.
 */
function tellMovedKey(walk: Walk, pair: PlacePair, key: string, says: string): void {
  const focus = { required: [key] };
  walk.found.push(
    candidate(pair, {
      type: 'schema_changed',
      path: pathBelow(pair.path, ['properties', key]),
      says,
      newDemand: nodeOfPlace(walk.nextBook, pair.next),
      oldDemand: nodeOfPlace(walk.oldBook, pair.old),
      oldFocus: demandOf(walk.oldBook, focus),
      newFocus: demandOf(walk.nextBook, focus),
    }),
  );
}

/**
 * The demand on a key of a side that does not name it: by its patterns, or as an additional key.
 */
function demandAtKey(book: PlaceBook, key: string, regions: ObjectRegions): SchemaNode | null {
  const places = placesAtKey(regions, key);
  if (places.length === 0) return null;
  const node = nodeOfPlace(book, book.placeOf(places.flatMap((place) => place.nodes)));
  return demandOf(book, { properties: new Map([[key, node]]) });
}

function comparePatterns(
  walk: Walk,
  pair: PlacePair,
  before: ObjectRegions,
  after: ObjectRegions,
): void {
  if (before.patterns.size === 0 && after.patterns.size === 0) return;
  const known = new Set([...before.properties.keys(), ...after.properties.keys()]);
  for (const [pattern, was] of before.patterns) {
    const is = after.patterns.get(pattern) ?? null;
    const steps = ['patternProperties', pattern];
    if (is !== null) walk.goOn(was, is, steps, { kind: 'other_key', pattern, known });
    else tellPattern(walk, pair, pattern, was, null);
  }
  for (const [pattern, is] of after.patterns) {
    if (!before.patterns.has(pattern)) tellPattern(walk, pair, pattern, null, is);
  }
}

function tellPattern(
  walk: Walk,
  pair: PlacePair,
  pattern: string,
  was: Place | null,
  is: Place | null,
): void {
  const keywords = (book: PlaceBook, place: Place): Keywords => ({
    patternProperties: new Map([[pattern, nodeOfPlace(book, place)]]),
  });
  walk.found.push(
    candidate(pair, {
      type: is === null ? 'constraint_relaxed' : 'constraint_tightened',
      path: pathBelow(pair.path, ['patternProperties', pattern]),
      says: `keys that match ${pattern} ${is === null ? 'are no longer described' : 'are described now'}`,
      newDemand: is && demandOf(walk.nextBook, keywords(walk.nextBook, is)),
      oldDemand: was && demandOf(walk.oldBook, keywords(walk.oldBook, was)),
      mayBeVacuous: false,
    }),
  );
}

function compareAdditional(
  walk: Walk,
  pair: PlacePair,
  before: ObjectRegions,
  after: ObjectRegions,
): void {
  const was = before.additional;
  const is = after.additional;
  if (was === null && is === null) return;
  const steps = [othersKeyword(is ?? was)];
  const known = new Set([...before.properties.keys(), ...after.properties.keys()]);
  const demand = (book: PlaceBook, place: Place, regions: ObjectRegions) => {
    const named = [...known].map((key) => [key, nodeOfPlace(book, book.anything)] as const);
    const patterned = [...regions.patterns.keys()].map(
      (pattern) => [pattern, nodeOfPlace(book, book.anything)] as const,
    );
    return demandOf(book, {
      properties: new Map(named),
      patternProperties: new Map(patterned),
      additionalProperties: nodeOfPlace(book, place),
    });
  };
  tellOthers(walk, pair, was, is, steps, known, {
    newDemand: is && demand(walk.nextBook, is, after),
    oldDemand: was && demand(walk.oldBook, was, before),
  });
}

/** As it was written: `unevaluatedProperties` may mean the same as `additionalProperties`. */
function othersKeyword(place: Place | null): string {
  const keyword = place?.nodes[0]?.steps[0];
  return keyword === 'unevaluatedProperties' ? keyword : 'additionalProperties';
}

/**
 * Reports that `properties: {}` was added or removed. The accepted values stay the same, but a
 * producer that declares its properties sends no others.
 */
function compareOpenness(
  walk: Walk,
  pair: PlacePair,
  before: ObjectRegions,
  after: ObjectRegions,
): void {
  if (before.isDeclaring === after.isDeclaring) return;
  const sides = [before, after];
  if (sides.some(({ properties, patterns }) => properties.size + patterns.size > 0)) return;
  if (sides.some(({ additional }) => additional !== null)) return;
  walk.found.push(
    candidate(pair, {
      type: 'annotation_changed',
      path: pathBelow(pair.path, ['properties']),
      says: after.isDeclaring
        ? 'an empty list of properties was added: the producer is now expected to send no properties'
        : 'the empty list of properties was removed: the producer may now send any properties',
      mayBeVacuous: false,
      kind: 'annotation',
    }),
  );
}

function compareUnevaluated(walk: Walk, pair: PlacePair, old: View, next: View): void {
  const was = joined(walk.oldBook, old.unevaluatedProperties);
  const is = joined(walk.nextBook, next.unevaluatedProperties);
  // What is unevaluated depends on the whole place, so the whole place is the demand.
  tellOthers(walk, pair, was, is, ['unevaluatedProperties'], new Set(), {
    newDemand: is && nodeOfPlace(walk.nextBook, pair.next),
    oldDemand: was && nodeOfPlace(walk.oldBook, pair.old),
  });
}

function joined(book: PlaceBook, places: readonly Place[]): Place | null {
  return places.length === 0 ? null : book.placeOf(places.flatMap((place) => place.nodes));
}

/** Reports undeclared keys that were closed, opened or given another schema. */
function tellOthers(
  walk: Walk,
  pair: PlacePair,
  was: Place | null,
  is: Place | null,
  steps: readonly string[],
  known: ReadonlySet<string>,
  demands: { readonly newDemand: SchemaNode | null; readonly oldDemand: SchemaNode | null },
): void {
  if (was === null && is === null) return;
  const wasClosed = was?.view.isNever === true;
  const isClosed = is?.view.isNever === true;
  if (wasClosed && isClosed) return;
  if (was !== null && is !== null && wasClosed === isClosed) {
    walk.goOn(was, is, steps, { kind: 'other_key', pattern: null, known });
    return;
  }
  const isClosing = was === null || isClosed;
  const others = 'undeclared keys';
  const says = isClosed
    ? `${others} are no longer accepted`
    : isClosing
      ? `${others} must match a schema now`
      : is === null
        ? `${others} may have any value now`
        : `${others} are accepted now`;
  walk.found.push(
    candidate(pair, {
      type: isClosing ? 'additional_properties_closed' : 'additional_properties_opened',
      path: pathBelow(pair.path, steps),
      says,
      newDemand: isClosing ? demands.newDemand : null,
      oldDemand: isClosing ? null : demands.oldDemand,
    }),
  );
}

function compareRequired(walk: Walk, pair: PlacePair, old: View, next: View): void {
  for (const key of next.required) {
    if (old.required.has(key)) continue;
    const isNew = !declares(walk, pair.old, key);
    const name = requiredName(walk, pair, key);
    walk.found.push(
      candidate(pair, {
        type: 'required_added',
        path: requiredPath(walk, pair, key),
        says:
          isNew && declares(walk, pair.next, key)
            ? 'the new property is required'
            : `${name} is required now`,
        newDemand: demandOf(walk.nextBook, { required: [key] }),
        key,
      }),
    );
  }
  for (const key of old.required) {
    if (next.required.has(key)) continue;
    // A required property that was removed is already reported as removed.
    if (declares(walk, pair.old, key) && !declares(walk, pair.next, key)) continue;
    walk.found.push(
      candidate(pair, {
        type: 'required_removed',
        path: requiredPath(walk, pair, key),
        says: `${requiredName(walk, pair, key)} is no longer required`,
        oldDemand: demandOf(walk.oldBook, { required: [key] }),
        key,
      }),
    );
  }
}

function declares(walk: Walk, place: Place, key: string): boolean {
  const isNamed = place.view.objects.some((regions) => {
    const named = regions.properties.get(key);
    return named !== undefined && !walk.isNever(named);
  });
  return isNamed || walk.isDeclaredInBranch(place, key);
}

/** A path that ends with the property already names it. */
function requiredName(walk: Walk, pair: PlacePair, key: string): string {
  return declares(walk, pair.old, key) || declares(walk, pair.next, key)
    ? 'it'
    : JSON.stringify(key);
}

function requiredPath(walk: Walk, pair: PlacePair, key: string): Path {
  const isDeclared = declares(walk, pair.old, key) || declares(walk, pair.next, key);
  return isDeclared
    ? pathBelow(pair.path, ['properties', key])
    : pathBelow(pair.path, ['required']);
}
