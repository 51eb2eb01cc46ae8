// The contents of a body by media type. JSON has one schema, and so has a form; every other media
// type has its own.

import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { memberOf, objectAt, placeOf } from '../read-json.ts';
import { type Content, jsonContentOf, mediaTypeOf } from './openapi-document.ts';
import { type Context, readSchema, resolvePart, shapeAt } from './openapi-reading.ts';

/** One object, so that it is rewritten only once. */
const anything: JsonObject = {};

/** The schema of a media type; null if it has none. */
function contentSchema(type: string, media: Json, place: string, context: Context): Json | null {
  const at = placeOf(`${place}.content`, type);
  const value = resolvePart(media, at, context);
  if (value === null) return null;
  const schema = shapeAt(value, 'schema', 'a schema', at, context);
  const items = itemsOf(value, at, context);
  const own = schema === undefined ? undefined : readSchema(schema, context);
  return own !== undefined && items !== undefined
    ? { allOf: [own, items] }
    : (own ?? items ?? null);
}

/**
 * The schema of a media type of a body or a response; null if it has none. Types that differ in nothing but the
 * charset are one type. A value that is received has the schema of any of them; one that is sent has to fit them all,
 * because a caller may name any charset.
 */
export function schemaOfType(
  holder: JsonObject,
  stated: string,
  place: string,
  context: Context,
  use: 'received' | 'sent' = 'received',
): Json | null {
  const schemas = differentOf(charsetsOf(holder, stated, place, context));
  const [only = null, ...others] = schemas;
  if (others.length === 0) return only;
  const all = schemas.map((each) => each ?? anything);
  return use === 'sent' ? { allOf: all } : { anyOf: all };
}

type Charset = readonly [name: string, schema: Json | null];

/** The schemas of a media type, by its names in the document. */
function charsetsOf(
  holder: JsonObject,
  stated: string,
  place: string,
  context: Context,
): readonly Charset[] {
  const type = mediaTypeOf(stated);
  return Object.entries(objectAt(holder, 'content') ?? {})
    .filter(([each]) => mediaTypeOf(each) === type)
    .map(([each, media]) => [each, contentSchema(each, media, place, context)]);
}

function differentOf(charsets: readonly Charset[]): readonly (Json | null)[] {
  const schemas: (Json | null)[] = [];
  for (const [, schema] of charsets) {
    if (!schemas.some((known) => isSameJson(known, schema))) schemas.push(schema);
  }
  return schemas;
}

/** OpenAPI 3.2 describes streams of JSON by the schema of one item. */
function itemsOf(media: JsonObject, place: string, context: Context): Json | undefined {
  const items = shapeAt(media, 'itemSchema', 'a schema', place, context);
  return items === undefined ? undefined : { type: 'array', items: readSchema(items, context) };
}

/**
 * The schema of a parameter or a header: its own, or that of its content. What is no JSON stands under its
 * media type, because another type is another text; it accepts anything if neither is stated.
 */
export function parameterSchema(holder: JsonObject, place: string, context: Context): Json {
  const schema = schemaOfValue(holder, place, context);
  if (memberOf(holder, 'deprecated') !== true) return schema;
  // In OpenAPI 3.0 nothing may stand beside a reference.
  return isJsonObject(schema) && schema.$ref === undefined
    ? { ...schema, deprecated: true }
    : { allOf: [schema], deprecated: true };
}

/** What is described twice, such as a header by names in other letters, is what both say. */
export function bothOf(known: Json | undefined, schema: Json): Json {
  return known === undefined || isSameJson(known, schema) ? schema : { allOf: [known, schema] };
}

function schemaOfValue(holder: JsonObject, place: string, context: Context): Json {
  const own = shapeAt(holder, 'schema', 'a schema', place, context);
  if (own !== undefined) return readSchema(own, context);
  const content = shapeAt(holder, 'content', 'an object', place, context);
  if (content === undefined || !isJsonObject(content)) return anything;
  const json = jsonContentOf(holder);
  if (json !== null) return schemaOfType(holder, json.type, place, context) ?? anything;
  const { others } = readContents(holder, place, context, new Map());
  return others.length === 0
    ? anything
    : objectOf(
        others,
        others.map(([type]) => type),
      );
}

/** What stands in the contract already, by the member that holds its schema. */
export type Described = ReadonlyMap<string, Content>;

interface Contents {
  /** The media types of each described member: further types with its schema are the same. */
  readonly types: readonly (readonly [string, Json])[];
  /** Every other media type with its schema. */
  readonly others: readonly (readonly [string, Json])[];
}

/**
 * @example readContents(response, place, context, new Map([['response', json]]))
 * // { types: [['response', { ... 'application/json' ... }]], others: [['text/csv', { ... }]] }
 */
export function readContents(
  holder: JsonObject,
  place: string,
  context: Context,
  described: Described,
  use: 'received' | 'sent' = 'received',
): Contents {
  const content = memberOf(holder, 'content');
  if (content === undefined || !isJsonObject(content)) return { types: [], others: [] };
  const named = new Map([...described.keys()].map((key) => [key, new Map<string, Json>()]));
  const others = new Map<string, Json>();
  const held = [...described];
  const byType = Map.groupBy(Object.keys(content), mediaTypeOf);
  const hasSchemaOf = (media: Json) => (stated: string) =>
    isSameSchema(media, content[stated] ?? null);
  for (const [type, names] of byType) {
    const holding =
      held.find(([, each]) => mediaTypeOf(each.type) === type) ??
      held.find(([, { type: main, media }]) =>
        [...names, ...(byType.get(mediaTypeOf(main)) ?? [])].every(hasSchemaOf(media)),
      );
    const [stated = type] = names;
    if (holding !== undefined) named.get(holding[0])?.set(type, anything);
    else others.set(type, schemaOfType(holder, stated, place, context, use) ?? anything);
    if (use === 'received') continue;
    // No value may fit them all, so each charset is described apart as well.
    const charsets = charsetsOf(holder, stated, place, context);
    for (const [each, schema] of differentOf(charsets).length > 1 ? charsets : []) {
      const name = each.toLowerCase().replaceAll(/\s/g, '');
      others.set(name === type ? `${type};charset=unstated` : name, schema ?? anything);
    }
  }
  return {
    types: [...named].map(([key, types]) => [key, objectOf(sorted(types))] as const),
    others: sorted(others),
  };
}

function isSameSchema(a: Json, b: Json): boolean {
  const [one, other] = [memberOf(a, 'schema'), memberOf(b, 'schema')];
  const items = [a, b].map((each) => memberOf(each, 'itemSchema') ?? null);
  const areSameItems = isSameJson(items[0] ?? null, items[1] ?? null);
  return one !== undefined && other !== undefined && isSameJson(one, other) && areSameItems;
}

function sorted(members: ReadonlyMap<string, Json>): readonly (readonly [string, Json])[] {
  return [...members].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** @example objectOf([['id', { type: 'string' }]], ['id']) */
export function objectOf(
  members: readonly (readonly [string, Json])[],
  required: readonly string[] = [],
): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(required.length === 0 ? {} : { required }),
  };
}
