// Where the schemas of an OpenAPI document stand: at the places that OpenAPI has for them, and where references from
// these lead, also in other files. Everything else is data, and what looks like a name or a reference in it is none.

import { type Dialect, dialectOfUri } from '../../schema/dialects.ts';
import { keywordsOf } from '../../schema/keywords.ts';
import { bearsName, type Standing, standingBelow } from '../../schema/places.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { objectAt, textAt } from '../read-json.ts';
import { findByTokens, methods, pointerTokens } from './openapi-document.ts';

/** What a place of an OpenAPI document is. A `part` may hold schemas itself: a body, a response, a parameter or a media type. */
type Part = 'document' | 'components' | 'item' | 'operation' | 'callback' | 'part';
export type Place = Part | `each ${Part}` | Standing;

const parts: ReadonlyMap<Place, Readonly<Record<string, Place>>> = new Map<
  Place,
  Readonly<Record<string, Place>>
>([
  [
    'document',
    {
      paths: 'each item',
      webhooks: 'each item',
      components: 'components',
      // Swagger 2.0.
      definitions: 'schema_map',
    },
  ],
  [
    'components',
    {
      schemas: 'schema_map',
      responses: 'each part',
      parameters: 'each part',
      headers: 'each part',
      requestBodies: 'each part',
      mediaTypes: 'each part',
      callbacks: 'each callback',
      pathItems: 'each item',
    },
  ],
  [
    'item',
    {
      ...Object.fromEntries(methods.map((method) => [method, 'operation'])),
      additionalOperations: 'each operation',
      parameters: 'each part',
    },
  ],
  [
    'operation',
    {
      parameters: 'each part',
      requestBody: 'part',
      responses: 'each part',
      callbacks: 'each callback',
    },
  ],
  [
    'part',
    {
      schema: 'schema',
      itemSchema: 'schema',
      content: 'each part',
      headers: 'each part',
      encoding: 'each part',
      prefixEncoding: 'each part',
      itemEncoding: 'part',
    },
  ],
]);

/** @example placeBelow('part', response, 'content', dialect) // 'each part' */
export function placeBelow(
  place: Place,
  raw: Json,
  step: string | number,
  dialect: Dialect,
): Place {
  if (place === 'callback') return 'item';
  if (place.startsWith('each ')) return place.slice('each '.length) as Part;
  // `components` is a standing as well, but only at the root of a schema.
  const held = parts.get(place);
  if (held !== undefined) return Object.hasOwn(held, step) ? (held[step] ?? 'data') : 'data';
  return standingBelow(place as Standing, raw, step, { dialect, isRoot: false });
}

interface Found {
  readonly raw: Json;
  readonly steps: readonly string[];
  readonly place: Place;
  /** Whether another schema is around it. */
  readonly isWithin: boolean;
}

interface SchemaPlaces {
  /** The schemas that stand in no other one, by their steps from the document. */
  readonly roots: readonly (readonly string[])[];
  /** What references lead to, also where OpenAPI has no place for it. */
  readonly targets: ReadonlyMap<object, Place>;
}

/**
 * @example schemaPlaces({ components: { schemas: { Pet: {} } } }, 'openapi-3.1').roots
 * // [['components', 'schemas', 'Pet']]
 */
export function schemaPlaces(document: JsonObject, dialect: Dialect): SchemaPlaces {
  const roots = new Map<object, readonly string[]>();
  const targets = new Map<object, Place>();
  const inner = new Set<object>();
  const seen = new Set<object>();
  const pending: Found[] = [{ raw: document, steps: [], place: 'document', isWithin: false }];
  // A file that has a name is a schema, even if only a part of it is referred to.
  for (const [file, raw] of Object.entries(objectAt(document, 'x-files') ?? {})) {
    if (!isJsonObject(raw) || !bearsName(raw, dialect)) continue;
    targets.set(raw, 'schema');
    pending.push({ raw, steps: ['x-files', file], place: 'schema', isWithin: false });
  }
  for (let found = pending.pop(); found !== undefined; found = pending.pop()) {
    const { raw, steps, place } = found;
    if (typeof raw !== 'object' || raw === null || place === 'data') continue;
    if (place === 'schema' && found.isWithin) inner.add(raw);
    else if (place === 'schema') roots.set(raw, steps);
    if (seen.has(raw)) continue;
    seen.add(raw);
    const isWithin = found.isWithin || place === 'schema';
    for (const [key, member] of Object.entries(raw)) {
      const below = placeBelow(place, raw, Array.isArray(raw) ? Number(key) : key, dialect);
      pending.push({ raw: member, steps: [...steps, key], place: below, isWithin });
    }
    const tokens = pointerTokens(textAt(raw, '$ref') ?? '');
    const target = tokens === null ? undefined : findByTokens(document, tokens);
    if (tokens === null || typeof target !== 'object' || target === null) continue;
    if (targets.has(target)) continue;
    targets.set(target, place);
    pending.push({ raw: target, steps: tokens, place, isWithin: false });
  }
  return { roots: [...roots].flatMap(([raw, steps]) => (inner.has(raw) ? [] : [steps])), targets };
}

/**
 * Changes every schema of a document, from the inside out. The same object stays the same, and so does one in which
 * nothing changes.
 */
export function withSchemas(
  document: JsonObject,
  dialect: Dialect,
  change: (schema: JsonObject) => JsonObject,
): JsonObject {
  const { targets } = schemaPlaces(document, dialect);
  const made = new Map<object, Json>();
  const visit = (value: Json, stated: Place): Json => {
    if (typeof value !== 'object' || value === null) return value;
    const place = stated === 'data' ? (targets.get(value) ?? 'data') : stated;
    const known = place === 'schema' ? made.get(value) : undefined;
    if (known !== undefined) return known;
    const below = (key: string | number, member: Json) =>
      visit(member, placeBelow(place, value, key, dialect));
    if (Array.isArray(value)) {
      const entries = value.map((each, at) => below(at, each));
      return entries.some((each, at) => each !== value[at]) ? entries : value;
    }
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(
      ([key, member]) => [key, below(key, member)] as const,
    );
    const isChanged = members.some(([key, member]) => value[key] !== member);
    const inner = isChanged ? Object.fromEntries(members) : value;
    const written = place === 'schema' ? change(inner) : inner;
    if (place === 'schema') made.set(value, written);
    return written;
  };
  return visit(document, 'document') as JsonObject;
}

/** Below the root of a schema without an id, `$schema` has no effect. */
export function namesOtherDialect(raw: JsonObject, dialect: Dialect): boolean {
  const uri = textAt(raw, '$schema');
  const isNamed = keywordsOf(dialect).get('$schema')?.shape === 'dialect';
  if (uri === undefined || !isNamed) return false;
  // OpenAPI 3.1 and 3.2 add annotations to 2020-12, and no constraints.
  const isOfOpenApi = /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//.test(uri);
  const [own, around] = [isOfOpenApi ? 'openapi-3.1' : dialectOfUri(uri), dialect].map((each) =>
    each === 'openapi-3.1' ? '2020-12' : each,
  );
  return own !== around;
}
