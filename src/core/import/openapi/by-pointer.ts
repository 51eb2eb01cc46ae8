// Rewrites references by name (`#pet`, `https://example.org/pet`, `$dynamicRef`) as pointers, so that the contract holds
// what they lead to. It also lets a base with a name become a union of its variants: the name still leads to the base
// alone, and a pointer leads to the union (docs/decisions/openapi.md).

import type { Dialect } from '../../schema/dialects.ts';
import { idKeyword, keywordsOf } from '../../schema/keywords.ts';
import { resourceStart } from '../../schema/places.ts';
import { indexReferences, type Named, type ReferenceIndex } from '../../schema/reference-index.ts';
import { resolveUri, splitFragment } from '../../schema/uri.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { findByTokens, pointerTokens, toPointer } from './openapi-document.ts';
import { namesOtherDialect, type Place, placeBelow, schemaPlaces } from './schema-places.ts';
import { standsAnywhere } from './variants.ts';

/**
 * A schema that has an id loses it once all its references are pointers. What has no target stays as it is, and is
 * reported when it is read. A contract is a schema itself.
 *
 * @example byPointer({ openapi: '3.1.0', components: { schemas: { Pet: { $anchor: 'pet' }, Dog: { $ref: '#pet' } } } })
 * // { openapi: '3.1.0', components: { schemas: { Pet: { $anchor: 'pet' }, Dog: { $ref: '#/components/schemas/Pet' } } } }
 */
export function byPointer(document: JsonObject, dialect: Dialect = 'openapi-3.1'): JsonObject {
  if (!mayHaveNames(document)) return document;
  const isContract = document.openapi === undefined;
  const { roots, targets } = isContract
    ? { roots: [[]], targets: new Map<object, Place>() }
    : schemaPlaces(document, dialect);
  const index = indexReferences(document, dialect, roots);
  const around = { document, index, targets, dialect, base: '', left: { count: 0 } };
  const reading: Reading = { ...around, repeated: repeatedNames(index) };
  const written = rewrite(document, isContract ? 'schema' : 'document', reading);
  return isJsonObject(written) ? written : document;
}

/** Dynamic references to these lead where the way to them says. */
function repeatedNames({ dynamicAnchors }: ReferenceIndex): ReadonlySet<string> {
  const names = [...dynamicAnchors.values()].flatMap((own) => [...own.keys()]);
  const groups = [...Map.groupBy(names, (name) => name)];
  return new Set(groups.flatMap(([name, { length }]) => (length > 1 ? [name] : [])));
}

/** Also of a dialect that OpenAPI allows to name. */
export const hasName = standsAnywhere(({ $id, id, $anchor, $dynamicAnchor }) =>
  [$id, id, $anchor, $dynamicAnchor].some((name) => typeof name === 'string'),
);

/** Most documents have none and need no index. Definitions are asked one by one, because operations share them. */
function mayHaveNames({ $defs, ...rest }: JsonObject): boolean {
  return (
    hasName(rest) ||
    Object.values(isJsonObject($defs ?? null) ? ($defs as JsonObject) : {}).some(hasName)
  );
}

interface Reading {
  readonly document: JsonObject;
  readonly index: ReferenceIndex;
  readonly repeated: ReadonlySet<string>;
  readonly targets: ReadonlyMap<object, Place>;
  readonly dialect: Dialect;
  /** The id around; empty in the document itself. */
  readonly base: string;
  /** The ids, and the references that are no pointers, which had to stay. */
  readonly left: { count: number };
}

function rewrite(value: Json, stated: Place, around: Reading): Json {
  if (typeof value !== 'object' || value === null) return value;
  const place = stated === 'data' ? (around.targets.get(value) ?? 'data') : stated;
  if (Array.isArray(value)) {
    const entries = value.map((each, at) =>
      rewrite(each, placeBelow(place, value, at, around.dialect), around),
    );
    return entries.some((each, at) => each !== value[at]) ? entries : value;
  }
  if (!isJsonObject(value)) return value;
  const own = place === 'schema' ? resourceStart(value, around.dialect) : undefined;
  if (own === undefined) return rewriteMembers(value, place, around);
  const base = resolveUri(around.base, own.id);
  const before = around.left.count;
  const isForeign = namesOtherDialect(value, around.dialect);
  const isKnown = stepsOf(around.index.resources.get(base)) !== undefined;
  if (isKnown && !isForeign) {
    const written = rewriteMembers(value, place, { ...around, base });
    // Below an id, a pointer is one within that schema, so the id stays if anything needs it.
    if (around.left.count === before)
      return without(written, [idKeyword(around.dialect), '$schema']);
  }
  around.left.count = before + 1;
  return value;
}

function without(written: JsonObject, names: readonly unknown[]): JsonObject {
  return Object.fromEntries(Object.entries(written).filter(([key]) => !names.includes(key)));
}

function rewriteMembers(value: JsonObject, place: Place, reading: Reading): JsonObject {
  const { dialect } = reading;
  const keywords = place === 'schema' ? keywordsOf(dialect) : undefined;
  if (keywords !== undefined && isFoundDynamically(value, keywords, reading)) reading.left.count++;
  const members = Object.entries(value).map(([key, member]): readonly [string, Json] => {
    const isDynamic = key !== '$ref';
    const refers = keywords?.get(key)?.use === 'refers' && !(isDynamic && is30(reading.document));
    if (refers && typeof member === 'string') {
      const isPlain = !isDynamic || (value.$ref === undefined && isFixed(key, member, reading));
      const pointer = isPlain ? pointerOf(member, reading) : undefined;
      if (pointer !== undefined) return ['$ref', pointer];
      reading.left.count++;
      return [key, member];
    }
    if (key === 'discriminator' && place === 'schema')
      return [key, rewriteMapping(member, reading)];
    return [key, rewrite(member, placeBelow(place, value, key, dialect), reading)];
  });
  const isChanged = members.some(([key, member]) => value[key] !== member);
  return isChanged ? Object.fromEntries(members) : value;
}

/** Whether it is OpenAPI 3.0, which has no dynamic references, even where schemas are referred to by name. */
function is30({ openapi }: JsonObject): boolean {
  return typeof openapi === 'string' && openapi.startsWith('3.0');
}

/** A mapping may also say the name of a schema, which leads to no place as a reference. */
function rewriteMapping(value: Json, reading: Reading): Json {
  if (!isJsonObject(value)) return value;
  const lead = (target: Json) =>
    typeof target === 'string' ? (pointerOf(target, reading) ?? target) : target;
  const { mapping = null, defaultMapping } = value;
  return {
    ...value,
    ...(isJsonObject(mapping) && {
      mapping: Object.fromEntries(Object.entries(mapping).map(([tag, to]) => [tag, lead(to)])),
    }),
    ...(defaultMapping !== undefined && { defaultMapping: lead(defaultMapping) }),
  };
}

/** A dynamic reference that leads to the same place from everywhere. */
function isFixed(keyword: string, reference: string, reading: Reading): boolean {
  return keyword === '$dynamicRef' && !reading.repeated.has(splitFragment(reference)[1]);
}

/** Whether dynamic references find a schema by the id around it, which has to stay. */
function isFoundDynamically(
  value: JsonObject,
  keywords: ReadonlyMap<string, unknown>,
  reading: Reading,
): boolean {
  const { $dynamicAnchor: name, $recursiveAnchor: isRecursive } = value;
  if (keywords.has('$dynamicAnchor') && typeof name === 'string' && reading.repeated.has(name)) {
    return true;
  }
  return reading.dialect === '2019-09' && isRecursive === true;
}

/** Undefined if it has no target. */
function pointerOf(reference: string, { document, index, base }: Reading): string | undefined {
  const [stated, fragment] = splitFragment(reference);
  const uri = resolveUri(base, stated);
  const start = uri === '' ? [] : stepsOf(index.resources.get(uri));
  if (start === undefined) return undefined;
  const tokens = pointerTokens(`#${fragment}`);
  if (tokens !== null) {
    // Below an id, many generators mean the document all the same.
    const places = [[...start, ...tokens], ...(stated === '' ? [tokens] : [])];
    const found = places.find((steps) => findByTokens(document, steps) !== undefined);
    return found === undefined ? undefined : toPointer(found);
  }
  const resource = findByTokens(document, start);
  const anchors =
    typeof resource === 'object' && resource !== null ? index.anchors.get(resource) : undefined;
  const steps = stepsOf(anchors?.get(fragment));
  return steps === undefined ? undefined : toPointer(steps);
}

function stepsOf(named: Named | undefined): readonly string[] | undefined {
  if (named === undefined || named === 'repeated') return undefined;
  return named.steps.map(String);
}
