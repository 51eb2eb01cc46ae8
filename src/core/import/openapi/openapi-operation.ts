// Converts one operation to a schema: {type: object, properties: {request, response}}, where the
// request contains its parameters, grouped by location, and its body.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { kindOf, memberOf, placeOf, textAt } from '../read-json.ts';
import type { BundledSchema, Bundler } from './openapi-bundle.ts';
import {
  type Content,
  formContentOf,
  jsonContentOf,
  type ReferenceProblem,
  resolveObject,
} from './openapi-document.ts';

export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly place: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

interface OperationSchema {
  /** Null if the operation has neither parameters nor a JSON body. */
  readonly schema: JsonObject | null;
  readonly problems: readonly PlacedProblem[];
}

interface PlacedProblem extends ReferenceProblem {
  readonly place: string;
}

/** @example toOperationSchema(document, operation, bundler).schema */
export function toOperationSchema(
  document: JsonObject,
  operation: Operation,
  bundler: Bundler,
): OperationSchema {
  const context: Context = { document, bundler, problems: [], parts: [] };
  const request = readRequest(operation, context);
  const response = readResponse(operation, context);
  const { defs, problems } = bundler.collect(context.parts);
  for (const problem of problems) context.problems.push({ ...problem, place: operation.place });
  const hasContract = request !== null || response !== null;
  const schema = {
    type: 'object',
    properties: {
      ...(request === null ? {} : { request }),
      ...(response === null ? {} : { response }),
    },
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  };
  return { schema: hasContract ? schema : null, problems: context.problems };
}

interface Context {
  readonly document: JsonObject;
  readonly bundler: Bundler;
  readonly problems: PlacedProblem[];
  /** All schemas directly in the operation. */
  readonly parts: BundledSchema[];
}

function readSchema(raw: Json, context: Context): Json {
  const bundled = context.bundler.read(raw);
  context.parts.push(bundled);
  return bundled.schema;
}

function readRequest(operation: Operation, context: Context): Json | null {
  const places = readParameters(operation, context);
  const body = readBody(operation, context);
  const members: (readonly [string, Json])[] = [];
  const required: string[] = [];
  for (const [place, parameters] of places) {
    const needed = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    members.push([place, parametersSchema(parameters, needed)]);
    if (needed.length > 0) required.push(place);
  }
  members.push(...body.contents);
  const [only, ...others] = body.contents.map(([place]) => place);
  const isEither = body.isRequired && others.length > 0;
  if (body.isRequired && only !== undefined && !isEither) required.push(only);
  if (members.length === 0) return null;
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(required.length === 0 ? {} : { required }),
    ...(isEither ? { anyOf: body.contents.map(([place]) => ({ required: [place] })) } : {}),
  };
}

interface Parameter {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
}

function parametersSchema(parameters: readonly Parameter[], required: readonly string[]): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema] as const)),
    ...(required.length === 0 ? {} : { required }),
  };
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
    (Array.isArray(stated) ? stated : []).forEach((raw: Json, index) => {
      const place = `${operation.place}.parameters[${index}]`;
      const resolved = resolveObject(context.document, raw, place);
      if (!resolved.ok) {
        context.problems.push({ ...resolved.problem, place });
        return;
      }
      const { value } = resolved;
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
      const isRequired = where === 'path' || required === true;
      const schema = parameterSchema(value, place, context);
      home.set(name, { name, schema: readSchema(schema, context), isRequired });
    });
  }
  return [...byPlace].flatMap(([place, parameters]) =>
    parameters.size === 0 ? [] : [[place, [...parameters.values()].sort(byName)] as const],
  );
}

function byName(a: Parameter, b: Parameter): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** A parameter has a schema, or a media type with a schema, or accepts anything. */
function parameterSchema(parameter: JsonObject, place: string, context: Context): Json {
  shapeAt(parameter, 'content', 'an object', place, context);
  const content = jsonContentOf(parameter);
  const own = shapeAt(parameter, 'schema', 'a schema', place, context);
  return own ?? memberOf(content?.media, 'schema') ?? anything;
}

type Kind = 'an object' | 'an array' | 'a boolean' | 'a schema';

const isOfKind: Readonly<Record<Kind, (value: Json) => boolean>> = {
  'an object': isJsonObject,
  'an array': Array.isArray,
  'a boolean': (value) => typeof value === 'boolean',
  'a schema': (value) => isJsonObject(value) || typeof value === 'boolean',
};

/**
 * A member of the expected type. A member of another type is reported and treated as absent. So is
 * null, but without a report, because YAML makes it from a key without a value.
 */
function shapeAt(
  holder: JsonObject,
  key: string,
  kind: Kind,
  place: string,
  { problems }: Context,
): Json | undefined {
  const value = memberOf(holder, key) ?? undefined;
  if (value === undefined || isOfKind[kind](value)) return value;
  const message = `"${key}" must be ${kind}, and is ${kindOf(value)}.`;
  problems.push({ code: 'UNREADABLE_ITEM', message, place: placeOf(place, key) });
  return undefined;
}

/** One object, so that it is rewritten only once. */
const anything: JsonObject = {};

interface RequestBody {
  /** The contents by kind, `body` for JSON and `form`: a caller of one cannot use the other. */
  readonly contents: readonly (readonly ['body' | 'form', Json])[];
  readonly isRequired: boolean;
}

const noBody: RequestBody = { contents: [], isRequired: false };

function readBody({ operation, place }: Operation, context: Context): RequestBody {
  const raw = memberOf(operation, 'requestBody');
  if (raw === undefined || raw === null) return noBody;
  const bodyPlace = `${place}.requestBody`;
  const resolved = resolveObject(context.document, raw, bodyPlace);
  if (!resolved.ok) {
    context.problems.push({ ...resolved.problem, place: bodyPlace });
    return noBody;
  }
  shapeAt(resolved.value, 'content', 'an object', bodyPlace, context);
  const required = shapeAt(resolved.value, 'required', 'a boolean', bodyPlace, context);
  const found = [
    ['body', jsonContentOf(resolved.value)],
    ['form', formContentOf(resolved.value)],
  ] as const;
  const contents = found.flatMap(([where, content]) => {
    const schema = contentSchema(content, bodyPlace, context);
    return schema === null ? [] : [[where, schema] as const];
  });
  return { contents, isRequired: required === true };
}

/** The statuses with a response body, in order of preference. */
const successStatuses: readonly string[] = ['200', '201', '2XX', '2xx'];

function readResponse({ operation, place }: Operation, context: Context): Json | null {
  const responses = shapeAt(operation, 'responses', 'an object', place, context) ?? {};
  if (!isJsonObject(responses)) return null;
  const stated = successStatuses.filter((status) => Object.hasOwn(responses, status));
  for (const status of stated.length > 0 ? stated : ['default']) {
    const raw = memberOf(responses, status);
    if (raw === undefined) continue;
    const responsePlace = placeOf(`${place}.responses`, status);
    const resolved = resolveObject(context.document, raw, responsePlace);
    if (!resolved.ok) {
      context.problems.push({ ...resolved.problem, place: responsePlace });
      continue;
    }
    shapeAt(resolved.value, 'content', 'an object', responsePlace, context);
    const schema = contentSchema(jsonContentOf(resolved.value), responsePlace, context);
    if (schema !== null) return schema;
  }
  return null;
}

function contentSchema(content: Content | null, place: string, context: Context): Json | null {
  if (content === null) return null;
  const media = resolveObject(context.document, content.media, place);
  if (!media.ok) {
    context.problems.push({ ...media.problem, place: placeOf(`${place}.content`, content.type) });
    return null;
  }
  const at = placeOf(`${place}.content`, content.type);
  const schema =
    shapeAt(media.value, 'schema', 'a schema', at, context) ?? itemsOf(media.value, at, context);
  return schema === undefined ? null : readSchema(schema, context);
}

/** OpenAPI 3.2 describes streams of JSON by the schema of one item. */
function itemsOf(media: JsonObject, place: string, context: Context): Json | undefined {
  const items = shapeAt(media, 'itemSchema', 'a schema', place, context);
  return items === undefined ? undefined : { type: 'array', items };
}
