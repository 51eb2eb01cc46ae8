// Converts Swagger 2.0 to the form of OpenAPI 3.0 that the reader reads. Operations stand where they stood, with the
// parameters and responses that they refer to, which depend on the media types of the operation; so do definitions, so
// that references and the places in messages fit the file.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { methods, resolveObject } from './openapi-document.ts';
import { withSchemas } from './schema-places.ts';

/** @example fromSwagger({ swagger: '2.0', paths: {} }) // { openapi: '3.0.3', paths: {} } */
export function fromSwagger(document: JsonObject): JsonObject {
  const { swagger: _version, ...rest } = document;
  const context: Context = {
    document,
    consumes: textList(document, 'consumes') ?? [json],
    produces: textList(document, 'produces') ?? [json],
    values: new Map(),
  };
  const converted = {
    ...rest,
    openapi: '3.0.3',
    ...mapped(document, 'paths', (item) => pathItem(item, context)),
  };
  return withSchemas(converted, 'openapi-3.0', schemaOf);
}

const json = 'application/json';

interface Context {
  readonly document: JsonObject;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** The converted parameters and headers: many operations share them. */
  readonly values: Map<JsonObject, JsonObject>;
}

/** The part itself, or what its reference leads to. If that leads to nothing, the OpenAPI reader reports it. */
function followed(part: Json, { document }: Context): Json {
  const resolved = resolveObject(document, part, '');
  return resolved.ok ? resolved.value : part;
}

function mapped(holder: JsonObject, key: string, map: (value: Json) => Json): JsonObject {
  const value = objectAt(holder, key);
  if (value === undefined) return {};
  return {
    [key]: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)])),
  };
}

function textList(holder: JsonObject, key: string): readonly string[] | undefined {
  const list = arrayAt(holder, key)?.filter((entry) => typeof entry === 'string');
  return list === undefined || list.length === 0 ? undefined : list;
}

function pathItem(stated: Json, context: Context): Json {
  const target = followed(stated, context);
  if (!isJsonObject(stated) || !isJsonObject(target)) return stated;
  const { $ref: _reference, ...own } = stated;
  const isFollowed = target !== stated;
  // Siblings of the $ref of a path item belong to it, too.
  const item: JsonObject = isFollowed ? { ...target, ...own } : stated;
  const shared = splitParameters(item, context);
  const operations = methods.flatMap((method): readonly (readonly [string, Json])[] => {
    const operation = memberOf(item, method);
    if (operation === undefined) return [];
    return [[method, operationOf(followed(operation, context), shared, context)]];
  });
  return {
    ...item,
    ...(shared.others === undefined ? {} : { parameters: shared.others }),
    ...Object.fromEntries(operations),
  };
}

function operationOf(operation: Json, shared: Split, context: Context): Json {
  if (!isJsonObject(operation)) return operation;
  const own = splitParameters(operation, context);
  const consumes = textList(operation, 'consumes') ?? context.consumes;
  const [body = shared.bodies[0]] = own.bodies;
  const named = new Set(own.fields.map((field) => textAt(field, 'name')));
  const inherited = shared.fields.filter((field) => !named.has(textAt(field, 'name')));
  const requestBody =
    body === undefined
      ? formBody([...inherited, ...own.fields], consumes)
      : contentOf(consumes, memberOf(body, 'schema'), memberOf(body, 'required') === true);
  const produces = textList(operation, 'produces') ?? context.produces;
  return {
    ...operation,
    ...(own.others === undefined ? {} : { parameters: own.others }),
    ...(requestBody === null ? {} : { requestBody }),
    ...mapped(operation, 'responses', (response) => answer(response, produces, context)),
  };
}

interface Split {
  /** Parameters in a path, a query or a header; undefined if there is no list. */
  readonly others: Json | undefined;
  readonly bodies: readonly JsonObject[];
  readonly fields: readonly JsonObject[];
}

/** A body and the fields of a form are parameters in Swagger. */
function splitParameters(holder: JsonObject, context: Context): Split {
  const list = memberOf(holder, 'parameters');
  if (!Array.isArray(list)) return { others: list, bodies: [], fields: [] };
  const bodies: JsonObject[] = [];
  const fields: JsonObject[] = [];
  const others: Json[] = [];
  for (const stated of list) {
    const target = followed(stated, context);
    const where = textAt(target, 'in');
    if (where === 'body' && isJsonObject(target)) bodies.push(target);
    else if (where === 'formData' && isJsonObject(target)) fields.push(target);
    else others.push(parameter(target, context));
  }
  return { others, bodies, fields };
}

/** In Swagger, a parameter or a header is its own schema. */
function parameter(stated: Json, { values }: Context): Json {
  if (!isJsonObject(stated) || textAt(stated, '$ref') !== undefined) return stated;
  const known = values.get(stated);
  if (known !== undefined) return known;
  const made = { ...stated, schema: valueSchema(stated) };
  values.set(stated, made);
  return made;
}

/** The members of a parameter that describe it, and not its value. */
const describing = new Set(['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue']);

function valueSchema(stated: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(stated).filter(([key]) => !describing.has(key)));
}

function formBody(fields: readonly JsonObject[], consumes: readonly string[]): Json | null {
  if (fields.length === 0) return null;
  const needed = fields.filter((field) => memberOf(field, 'required') === true);
  const names = (of: readonly JsonObject[]) => of.map((field) => textAt(field, 'name') ?? '');
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [textAt(field, 'name') ?? '', valueSchema(field)] as const),
    ),
    ...(needed.length === 0 ? {} : { required: names(needed) }),
  };
  const types = consumes.filter((type) => /form/.test(type));
  const type = fields.some((field) => textAt(field, 'type') === 'file')
    ? 'multipart/form-data'
    : 'application/x-www-form-urlencoded';
  return contentOf(types.length === 0 ? [type] : types, schema, needed.length > 0);
}

function answer(stated: Json, produces: readonly string[], context: Context): Json {
  const response = followed(stated, context);
  if (!isJsonObject(response)) return response;
  const schema = memberOf(response, 'schema');
  return {
    ...response,
    ...mapped(response, 'headers', (header) => parameter(followed(header, context), context)),
    ...(schema === undefined ? {} : contentOf(produces, schema, false)),
  };
}

function contentOf(types: readonly string[], schema: Json | undefined, required: boolean) {
  const media = schema === undefined ? {} : { schema };
  return {
    content: Object.fromEntries(types.map((type) => [type, media] as const)),
    ...(required ? { required } : {}),
  };
}

/** Swagger's spelling of nullable values and of files. */
function schemaOf(schema: JsonObject): JsonObject {
  const isNullable = memberOf(schema, 'x-nullable') === true;
  const isFile = memberOf(schema, 'type') === 'file';
  if (!isNullable && !isFile) return schema;
  return {
    ...schema,
    ...(isNullable ? { nullable: true } : {}),
    ...(isFile ? { type: 'string', format: 'binary' } : {}),
  };
}
