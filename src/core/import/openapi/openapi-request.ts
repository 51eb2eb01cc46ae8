// The request of an operation: its parameters, grouped by location, and its body by media type.

import type { Json, JsonObject } from '../../value/json.ts';
import { memberOf, objectAt, textAt } from '../read-json.ts';
import {
  bothOf,
  objectOf,
  parameterSchema,
  readContents,
  schemaOfType,
} from './openapi-content.ts';
import { type Content, formContentOf, jsonContentOf } from './openapi-document.ts';
import { type Context, type Operation, resolvePart, shapeAt } from './openapi-reading.ts';

interface RequestSchema {
  /** Null if the operation is sent nothing. */
  readonly request: JsonObject | null;
  /** The media types of `body` and `form`. */
  readonly types: readonly (readonly [string, Json])[];
}

export function readRequest(operation: Operation, context: Context): RequestSchema {
  const places = readParameters(operation, context);
  const body = readBody(operation, context);
  const members: (readonly [string, Json])[] = [];
  const required: string[] = [];
  for (const [place, parameters] of places) {
    const needed = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const schemas = parameters.map(({ name, schema }) => [name, schema] as const);
    members.push([place, objectOf(schemas, needed)]);
    if (needed.length > 0) required.push(place);
  }
  members.push(...body.contents);
  const [only, ...others] = body.ways;
  const isEither = body.isRequired && others.length > 0;
  if (body.isRequired && only !== undefined && !isEither) required.push(only);
  const { types } = body;
  if (members.length === 0) return { request: null, types };
  const request = {
    ...objectOf(members, required),
    ...(isEither ? { anyOf: body.ways.map((way) => ({ required: [way] })) } : {}),
  };
  return { request, types };
}

/**
 * What the API sends by itself: a request with the names of its media types. Whoever receives it cannot
 * ask for another one, so a type that is added breaks, and these are values.
 */
export function readSent(operation: Operation, context: Context): JsonObject | null {
  const { request, types } = readRequest(operation, context);
  if (request === null || types.length === 0) return request;
  const names = types.map(([member, each]) => {
    const listed = Object.keys(objectAt(each, 'properties') ?? {});
    return [member, { enum: listed }] as const;
  });
  const properties = { ...objectAt(request, 'properties'), media_types: objectOf(names) };
  return { ...request, properties };
}

interface Parameter {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
}

export const parameterPlaces: readonly string[] = [
  'path',
  'query',
  'querystring',
  'header',
  'cookie',
];

/** OpenAPI ignores these as parameters, because security and media types cover them. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * The parameters of the path item apply to each operation, which may override them by location and
 * name.
 */
function readParameters(
  operation: Operation,
  context: Context,
): readonly (readonly [string, readonly Parameter[]])[] {
  const byPlace = new Map(
    parameterPlaces.map((place) => [place, new Map<string, Parameter>()] as const),
  );
  const lists = [operation.item, operation.operation];
  for (const holder of lists) {
    const stated = shapeAt(holder, 'parameters', 'an array', operation.place, context);
    const own = new Map<string, Parameter>();
    (Array.isArray(stated) ? stated : []).forEach((raw: Json, index) => {
      const place = `${operation.place}.parameters[${index}]`;
      const value = resolvePart(raw, place, context);
      if (value === null) return;
      const where = textAt(value, 'in') ?? '';
      const called = textAt(value, 'name');
      const home = byPlace.get(where);
      if (home === undefined || called === undefined) {
        const message = 'A parameter needs a name and an "in" of path, query, header or cookie.';
        context.problems.push({ code: 'UNREADABLE_ITEM', message, place });
        return;
      }
      // Header names are case-insensitive.
      const name = where === 'header' ? called.toLowerCase() : called;
      if (where === 'header' && ignoredHeaders.has(name)) return;
      const required = shapeAt(value, 'required', 'a boolean', place, context);
      const known = own.get(`${where} ${name}`);
      const isRequired = where === 'path' || required === true || known?.isRequired === true;
      const schema = bothOf(known?.schema, parameterSchema(value, place, context));
      own.set(`${where} ${name}`, { name, schema, isRequired });
      home.set(name, { name, schema, isRequired });
    });
  }
  return [...byPlace].flatMap(([place, parameters]) =>
    parameters.size === 0 ? [] : [[place, [...parameters.values()].sort(byName)] as const],
  );
}

function byName(a: Parameter, b: Parameter): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

interface RequestBody {
  /** JSON as `body` and a form as `form`; every other media type under its name. */
  readonly contents: readonly (readonly [string, Json])[];
  /** The members of `contents` of which one is sent. */
  readonly ways: readonly string[];
  readonly types: readonly (readonly [string, Json])[];
  readonly isRequired: boolean;
}

const noBody: RequestBody = { contents: [], ways: [], types: [], isRequired: false };

function readBody({ operation, place }: Operation, context: Context): RequestBody {
  const raw = memberOf(operation, 'requestBody');
  if (raw === undefined || raw === null) return noBody;
  const bodyPlace = `${place}.requestBody`;
  const body = resolvePart(raw, bodyPlace, context);
  if (body === null) return noBody;
  shapeAt(body, 'content', 'an object', bodyPlace, context);
  const required = shapeAt(body, 'required', 'a boolean', bodyPlace, context);
  const described = new Map<string, Content>();
  const main: (readonly [string, Json])[] = [];
  for (const [where, content] of [
    ['body', jsonContentOf(body)],
    ['form', formContentOf(body)],
  ] as const) {
    if (content === null) continue;
    const schema = schemaOfType(body, content.type, bodyPlace, context, 'sent');
    if (schema === null) continue;
    described.set(where, content);
    main.push([where, schema]);
  }
  const { types, others } = readContents(body, bodyPlace, context, described, 'sent');
  const contents = [...main, ...others];
  const ways = contents.map(([way]) => way);
  return { contents, ways, types, isRequired: required === true };
}
