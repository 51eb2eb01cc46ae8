// Where the ids and anchors of a document are. Made once, and only for a document that refers by
// name: a pointer (`#/$defs/a`) needs no index.

import type { Dialect } from '../containment/containment.types.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { dialectOfUri, idKeyword, ignoresRefSiblings, isOpenApi } from './dialects.ts';
import { resolveUri, splitFragment } from './uri.ts';

export interface Place {
  readonly raw: JsonObject;
  /** From the root of the document. */
  readonly steps: readonly (string | number)[];
}

export interface ReferenceIndex {
  /** By absolute URI without fragment. */
  readonly resources: ReadonlyMap<string, Place>;
  /** By the raw root of the resource, then by name. */
  readonly anchors: ReadonlyMap<object, ReadonlyMap<string, Place>>;
  /** Likewise; the empty name stands for `$recursiveAnchor: true`. */
  readonly dynamicAnchors: ReadonlyMap<object, ReadonlyMap<string, Place>>;
}

/** What a keyword holds. Under others stand values: what looks like an id in them names nothing. */
type Holding = 'schema' | 'schemas' | 'schema_map';

const holdings: ReadonlyMap<string, Holding> = new Map([
  ...list('schema', ['additionalItems', 'unevaluatedItems', 'contains', 'propertyNames']),
  ...list('schema', ['additionalProperties', 'unevaluatedProperties', 'contentSchema']),
  ...list('schema', ['not', 'if', 'then', 'else', 'items']),
  ...list('schemas', ['prefixItems', 'allOf', 'anyOf', 'oneOf']),
  ...list('schema_map', ['properties', 'patternProperties', 'dependentSchemas', 'dependencies']),
  ...list('schema_map', ['$defs', 'definitions']),
]);

function list(holding: Holding, keywords: readonly string[]): [string, Holding][] {
  return keywords.map((keyword) => [keyword, holding]);
}

/** In an OpenAPI document schemas stand in many places; these hold values there too. */
const valueKeywords = new Set(['enum', 'const', 'default', 'example', 'examples']);

interface Visit {
  readonly raw: Json;
  readonly trail: Trail | undefined;
  readonly resource: JsonObject;
  readonly base: string;
  readonly dialect: Dialect;
}

interface Trail {
  readonly before: Trail | undefined;
  readonly step: string | number;
}

export function indexReferences(json: Json, dialect: Dialect): ReferenceIndex {
  const resources = new Map<string, Place>();
  const anchors = new Map<object, Map<string, Place>>();
  const dynamicAnchors = new Map<object, Map<string, Place>>();
  const root = isJsonObject(json) ? json : {};
  const pending: Visit[] = [{ raw: json, trail: undefined, resource: root, base: '', dialect }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    if (Array.isArray(visit.raw)) {
      visit.raw.forEach((raw: Json, step: number) => {
        pending.push(below(visit, step, raw));
      });
    } else if (isJsonObject(visit.raw)) {
      const at = enter(visit, visit.raw, resources);
      addAnchors(at, visit.raw, anchors, dynamicAnchors);
      for (const key of Object.keys(visit.raw)) pending.push(...schemasUnder(at, key, visit.raw));
    }
  }
  return { resources, anchors, dynamicAnchors };
}

/** A quick look, for the many documents that have none: the index need not be made for them. */
export function mentionsDynamicAnchors(json: Json): boolean {
  const pending: Json[] = [json];
  for (let raw = pending.pop(); raw !== undefined; raw = pending.pop()) {
    if (typeof raw !== 'object' || raw === null) continue;
    if (Array.isArray(raw)) {
      for (const item of raw) if (typeof item === 'object') pending.push(item);
      continue;
    }
    if (!isJsonObject(raw)) continue;
    for (const key in raw) {
      if (key === '$dynamicAnchor' || key === '$recursiveAnchor') return true;
      const member = raw[key];
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return false;
}

/** What is to be visited under a keyword: schemas, and lists of them. */
function schemasUnder(at: Visit, key: string, around: JsonObject): Visit[] {
  const raw = around[key];
  if (typeof raw !== 'object' || raw === null) return [];
  const holding = holdings.get(key);
  const under = below(at, key, raw);
  if (holding === 'schema_map') return mapUnder(under);
  if (holding !== undefined) return [under];
  if (key === 'components' && isJsonObject(raw) && isJsonObject(raw.schemas ?? null)) {
    return mapUnder(below(under, 'schemas', raw.schemas ?? null));
  }
  return isOpenApi(at.dialect) && !valueKeywords.has(key) ? [under] : [];
}

function mapUnder(map: Visit): Visit[] {
  return isJsonObject(map.raw)
    ? Object.entries(map.raw).map(([name, raw]) => below(map, name, raw))
    : [];
}

function below(visit: Visit, step: string | number, raw: Json): Visit {
  return { ...visit, raw, trail: { before: visit.trail, step } };
}

/** Takes up the dialect and the id of a schema; the first of two equal ids counts. */
function enter(visit: Visit, raw: JsonObject, resources: Map<string, Place>): Visit {
  const schema = raw.$schema;
  const dialect = (typeof schema === 'string' ? dialectOfUri(schema) : undefined) ?? visit.dialect;
  const keyword = idKeyword(dialect);
  const id = keyword && raw[keyword];
  if (typeof id !== 'string' || id.startsWith('#')) return { ...visit, dialect };
  if (ignoresRefSiblings(dialect) && typeof raw.$ref === 'string') return { ...visit, dialect };
  const base = resolveUri(visit.base, splitFragment(id)[0]);
  if (!resources.has(base)) resources.set(base, { raw, steps: stepsOf(visit.trail) });
  return { ...visit, dialect, base, resource: raw };
}

function addAnchors(
  at: Visit,
  raw: JsonObject,
  anchors: Map<object, Map<string, Place>>,
  dynamicAnchors: Map<object, Map<string, Place>>,
): void {
  const place = (): Place => ({ raw, steps: stepsOf(at.trail) });
  const keyword = idKeyword(at.dialect);
  const id = keyword && raw[keyword];
  if (typeof id === 'string' && id.includes('#') && !id.endsWith('#')) {
    addTo(anchors, at.resource, splitFragment(id)[1], place());
  }
  if (typeof raw.$anchor === 'string') addTo(anchors, at.resource, raw.$anchor, place());
  const dynamic = raw.$dynamicAnchor;
  if (typeof dynamic === 'string') {
    addTo(anchors, at.resource, dynamic, place());
    addTo(dynamicAnchors, at.resource, dynamic, place());
  }
  if (raw.$recursiveAnchor === true && at.dialect === '2019-09') {
    addTo(dynamicAnchors, at.resource, '', place());
  }
}

function addTo(
  index: Map<object, Map<string, Place>>,
  resource: object,
  name: string,
  place: Place,
): void {
  const known = index.get(resource);
  if (known === undefined) index.set(resource, new Map([[name, place]]));
  else if (!known.has(name)) known.set(name, place);
}

function stepsOf(trail: Trail | undefined): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at = trail; at !== undefined; at = at.before) steps.push(at.step);
  return steps.reverse();
}
