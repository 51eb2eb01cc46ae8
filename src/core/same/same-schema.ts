// Whether two nodes of two documents have the same text, apart from annotations: the quick answer
// for everything that a new version leaves unchanged. References are followed in pairs. A pair that
// is met again is the same if nothing else differs. "No" only means that the texts differ.

import { constraintsOf, holdingOf, idKeyword } from '../schema/keywords.ts';
import { isBareReference } from '../schema/places.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { valueKey } from '../value/value-key.ts';

interface Pair {
  readonly a: SchemaNode;
  readonly b: SchemaNode;
  /** Pairs that are the same only if this one is. */
  readonly dependents: Pair[];
  state: 'open' | 'same' | 'different';
}

export function createSameness(steps: { left: number }): (a: SchemaNode, b: SchemaNode) => boolean {
  const pairs = new Map<SchemaNode, Map<SchemaNode, Pair>>();
  const differing: Differing = new Map();
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
    if (start.state === 'open') settle(start, { pairOf, steps, differing });
    return start.state === 'same';
  };
}

/**
 * Objects that differ, with the objects that they were compared with. A difference deep inside is
 * recorded for every object around it: these are compared next, and need not be read again.
 */
type Differing = Map<object, object>;

interface Work {
  readonly pairOf: (a: SchemaNode, b: SchemaNode) => Pair;
  readonly steps: { left: number };
  readonly differing: Differing;
}

/**
 * Compares the pair and everything that it refers to. Pairs that no difference reaches are the
 * same.
 */
function settle(start: Pair, work: Work): void {
  const { pairOf, steps } = work;
  const visited = new Set([start]);
  const pending = [start];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const references = steps.left < 0 ? undefined : compareTexts(pair, work);
    if (references === undefined) {
      markDifferent(pair);
      // Only this pair was asked about. Pairs that are still open are settled when they are asked
      // about.
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

/** They refer to other schemas in ways that the texts alone do not show. */
const scopeKeywords = ['$dynamicRef', '$recursiveRef'];

interface Visit {
  readonly x: Json;
  readonly y: Json;
  readonly around: Visit | undefined;
}

/** Returns the pairs that two equal texts refer to, or undefined if the texts differ. */
function compareTexts(
  pair: Pair,
  { steps, differing }: Work,
): (readonly [SchemaNode, SchemaNode])[] | undefined {
  const { a, b } = pair;
  if (a.dialect !== b.dialect || a.resource.foreignIn !== b.resource.foreignIn) return undefined;
  if (namedDialect(a) !== namedDialect(b)) return undefined;
  const references: (readonly [SchemaNode, SchemaNode])[] = [];
  const pending: Visit[] = [{ x: a.raw, y: b.raw, around: undefined }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { x, y } = visit;
    if (x === y && typeof x !== 'object') continue;
    steps.left -= stepsPerObject;
    if (isJsonObject(x) && differing.get(x) === y) return noteDifference(visit, differing);
    if (!compareValues(pair, visit, references, pending)) return noteDifference(visit, differing);
  }
  return references;
}

/** The dialect that the schema names, if it is not read in it. */
function namedDialect({ raw, keywords }: SchemaNode): Json | undefined {
  const isUnread = keywords.problems?.some(({ keyword }) => keyword === '$schema') === true;
  return isUnread && isJsonObject(raw) ? raw.$schema : undefined;
}

/** Reading an object takes a fifth of the time of a step. */
const stepsPerObject = 0.2;

function noteDifference(visit: Visit, differing: Differing): undefined {
  for (let at: Visit | undefined = visit; at !== undefined; at = at.around) {
    if (isJsonObject(at.x) && isJsonObject(at.y)) differing.set(at.x, at.y);
  }
}

type References = (readonly [SchemaNode, SchemaNode])[];

function compareValues(
  pair: Pair,
  visit: Visit,
  references: References,
  pending: Visit[],
): boolean {
  const { x, y } = visit;
  if (Array.isArray(x) && Array.isArray(y)) {
    if (x.length !== y.length) return false;
    for (const [index, item] of x.entries()) {
      pending.push({ x: item, y: y[index] ?? null, around: visit });
    }
    return true;
  }
  if (!isJsonObject(x) || !isJsonObject(y)) return false;
  if ((x !== pair.a.raw || y !== pair.b.raw) && startsScope(x, y, pair.a)) return false;
  return (
    compareReferences(pair, x, y, references) &&
    (isBareReference(x, pair.a.dialect) || compareKeywords(pair.a, visit, x, y, pending))
  );
}

function compareReferences(
  { a, b }: Pair,
  x: JsonObject,
  y: JsonObject,
  references: References,
): boolean {
  if (x.$ref !== y.$ref) return false;
  for (const key of scopeKeywords) if (x[key] !== undefined || y[key] !== undefined) return false;
  if (typeof x.$ref !== 'string') return true;
  const first = a.document.resolve(a, x.$ref);
  const second = b.document.resolve(b, x.$ref);
  if ('code' in first || 'code' in second) {
    return (
      'code' in first && 'code' in second && first.uri !== undefined && first.uri === second.uri
    );
  }
  references.push([first, second]);
  return true;
}

function compareKeywords(
  node: SchemaNode,
  around: Visit,
  x: JsonObject,
  y: JsonObject,
  pending: Visit[],
): boolean {
  const known = constraintsOf(node.dialect);
  for (const key in y) if (known.has(key) && !Object.hasOwn(x, key)) return false;
  for (const key in x) {
    if (key === '$ref' || !known.has(key)) continue;
    if (!Object.hasOwn(y, key)) return false;
    const next = { x: x[key] ?? null, y: y[key] ?? null, around };
    if (!compareKeyword(node, key, next, pending)) return false;
  }
  return true;
}

function compareKeyword(node: SchemaNode, key: string, visit: Visit, pending: Visit[]): boolean {
  const { x, y, around } = visit;
  const holding = holdingOf(node.dialect, key, Array.isArray(x));
  if (holding === 'schema' || (holding === 'schemas' && Array.isArray(x) && Array.isArray(y))) {
    pending.push(visit);
    return true;
  }
  if (holding === 'schema_map' && isJsonObject(x) && isJsonObject(y)) {
    const names = Object.keys(x);
    if (names.length !== Object.keys(y).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(y, name)) return false;
      const first = x[name] ?? null;
      const second = y[name] ?? null;
      if (Array.isArray(first)) {
        if (valueKey(first) !== valueKey(second)) return false;
      } else pending.push({ x: first, y: second, around });
    }
    return true;
  }
  return x === y || valueKey(x) === valueKey(y);
}

/**
 * Whether one of the objects has its own base URI or dialect: references in it would have to be
 * resolved from there.
 */
function startsScope(x: JsonObject, y: JsonObject, around: SchemaNode): boolean {
  const id = idKeyword(around.dialect) ?? '$id';
  return [x, y].some((raw) => typeof raw[id] === 'string' || typeof raw.$schema === 'string');
}
