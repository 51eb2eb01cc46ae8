// Whether two nodes of two documents say the same by their texts, annotations apart: the quick answer
// for all that a new version leaves as it was. References are followed in pairs; a pair that is met
// again is the same if nothing else differs. "No" only means that the texts differ.

import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { idKeyword, ignoresRefSiblings, keywordsOf } from '../schema/dialects.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { valueKey } from './value-key.ts';

interface Pair {
  readonly a: SchemaNode;
  readonly b: SchemaNode;
  /** Pairs that are the same only if this one is. */
  readonly dependents: Pair[];
  state: 'open' | 'same' | 'different';
}

export function createSameness(steps: { left: number }): (a: SchemaNode, b: SchemaNode) => boolean {
  const pairs = new Map<SchemaNode, Map<SchemaNode, Pair>>();
  const pairOf = (a: SchemaNode, b: SchemaNode): Pair => {
    const row = pairs.get(a) ?? new Map<SchemaNode, Pair>();
    pairs.set(a, row);
    const known = row.get(b);
    if (known !== undefined) return known;
    const made: Pair = { a, b, dependents: [], state: 'open' };
    row.set(b, made);
    return made;
  };
  return (a, b) => {
    const start = pairOf(a, b);
    if (start.state === 'open') settle(start, pairOf, steps);
    return start.state === 'same';
  };
}

/** Compares the pair and all that it refers to; what no difference reaches is the same. */
function settle(
  start: Pair,
  pairOf: (a: SchemaNode, b: SchemaNode) => Pair,
  steps: { left: number },
): void {
  const visited = new Set([start]);
  const pending = [start];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const references = steps.left < 0 ? undefined : compareTexts(pair, steps);
    if (references === undefined) {
      markDifferent(pair);
      // Nothing else was asked: what is still open may be settled when it is.
      if (start.state === 'different') return;
      continue;
    }
    for (const [a, b] of references) {
      const target = pairOf(a, b);
      if (target.state === 'same') continue;
      if (target.state === 'different') {
        markDifferent(pair);
        break;
      }
      target.dependents.push(pair);
      if (visited.has(target)) continue;
      visited.add(target);
      pending.push(target);
    }
    if (start.state === 'different') return;
  }
  for (const pair of visited) if (pair.state === 'open') pair.state = 'same';
}

function markDifferent(pair: Pair): void {
  const pending = [pair];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.state === 'different') continue;
    next.state = 'different';
    pending.push(...next.dependents);
  }
}

const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies']);
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const singleSchemas = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains'],
  ...['additionalItems', 'unevaluatedItems', 'not', 'if', 'then', 'else'],
]);
/** They name other schemas in ways that the texts alone do not tell. */
const scopeKeywords = ['$dynamicRef', '$recursiveRef', '$schema'];

/** The pairs that two equal texts refer to; undefined where the texts differ. */
function compareTexts(
  { a, b }: Pair,
  steps: { left: number },
): (readonly [SchemaNode, SchemaNode])[] | undefined {
  if (a.dialect !== b.dialect) return undefined;
  const references: (readonly [SchemaNode, SchemaNode])[] = [];
  const pending: (readonly [Json, Json])[] = [[a.raw, b.raw]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [x, y] = next;
    if (x === y && typeof x !== 'object') continue;
    if (Array.isArray(x) && Array.isArray(y)) {
      // The array form of `items`.
      if (x.length !== y.length) return undefined;
      for (const [index, item] of x.entries()) pending.push([item, y[index] ?? null]);
      continue;
    }
    if (!isJsonObject(x) || !isJsonObject(y)) return undefined;
    if ((x !== a.raw || y !== b.raw) && startsScope(x, y, a)) return undefined;
    steps.left -= 0.1;
    if (!compareObjects({ a, b, x, y }, references, pending)) return undefined;
  }
  return references;
}

interface Objects {
  readonly a: SchemaNode;
  readonly b: SchemaNode;
  readonly x: JsonObject;
  readonly y: JsonObject;
}

function compareObjects(
  { a, b, x, y }: Objects,
  references: (readonly [SchemaNode, SchemaNode])[],
  pending: (readonly [Json, Json])[],
): boolean {
  if (x.$ref !== y.$ref) return false;
  if (typeof x.$ref === 'string') {
    const first = a.document.resolve(a, x.$ref);
    const second = b.document.resolve(b, x.$ref);
    if ('code' in first || 'code' in second) {
      const isSameUri = 'code' in first && 'code' in second && first.uri === second.uri;
      if (!isSameUri || first.uri === undefined) return false;
    } else references.push([first, second]);
    if (ignoresRefSiblings(a.dialect)) return true;
  }
  const known = keywordsOf(a.dialect);
  for (const key of scopeKeywords) {
    if (key !== '$schema' && (x[key] !== undefined || y[key] !== undefined)) return false;
  }
  for (const key of Object.keys(y)) {
    if (known.has(key) && !Object.hasOwn(x, key)) return false;
  }
  for (const key of Object.keys(x)) {
    if (key === '$ref' || !known.has(key)) continue;
    if (!Object.hasOwn(y, key)) return false;
    if (!compareKeyword(key, x[key] ?? null, y[key] ?? null, pending)) return false;
  }
  return true;
}

function compareKeyword(
  key: string,
  x: Json,
  y: Json,
  pending: (readonly [Json, Json])[],
): boolean {
  if (singleSchemas.has(key)) {
    pending.push([x, y]);
    return true;
  }
  if (schemaLists.has(key) && Array.isArray(x) && Array.isArray(y)) {
    pending.push([x, y]);
    return true;
  }
  if (schemaMaps.has(key) && isJsonObject(x) && isJsonObject(y)) {
    const names = Object.keys(x);
    if (names.length !== Object.keys(y).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(y, name)) return false;
      const first = x[name] ?? null;
      const second = y[name] ?? null;
      if (Array.isArray(first)) {
        if (valueKey(first) !== valueKey(second)) return false;
      } else pending.push([first, second]);
    }
    return true;
  }
  return x === y || valueKey(x) === valueKey(y);
}

/** A base or dialect of its own inside: references there would have to be resolved from there. */
function startsScope(x: JsonObject, y: JsonObject, around: SchemaNode): boolean {
  const id = idKeyword(around.dialect) ?? '$id';
  return [x, y].some((raw) => typeof raw[id] === 'string' || typeof raw.$schema === 'string');
}
