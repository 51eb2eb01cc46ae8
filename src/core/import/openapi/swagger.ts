// Converts Swagger 2.0 to the form of OpenAPI 3.0 that the reader reads. Everything stays in its
// place, definitions too, so that references and the places in messages fit the file.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { findByTokens, methods, pointerTokens } from './openapi-document.ts';

/** @example fromSwagger({ swagger: '2.0', paths: {} }) // { openapi: '3.0.3', paths: {} } */
export function fromSwagger(document: JsonObject): JsonObject {
  const { swagger: _version, ...rest } = document;
  const context: Context = { document, consumes: textList(document, 'consumes') ?? [json] };
  const produces = textList(document, 'produces') ?? [json];
  return {
    ...rest,
    openapi: '3.0.3',
    ...mapped(document, 'paths', (item) => pathItem(item, context, produces)),
    ...mapped(document, 'parameters', parameter),
    ...mapped(document, 'responses', (response) => answer(response, produces)),
    ...mapped(document, 'definitions', (schema) => schemaOf(schema)),
  };
}

const json = 'application/json';

interface Context {
  readonly document: JsonObject;
  readonly consumes: readonly string[];
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

function pathItem(item: Json, context: Context, produces: readonly string[]): Json {
  if (!isJsonObject(item)) return item;
  const shared = splitParameters(item, context);
  const operations = methods.flatMap((method): readonly (readonly [string, Json])[] => {
    const operation = memberOf(item, method);
    if (operation === undefined) return [];
    return [[method, operationOf(operation, shared, context, produces)]];
  });
  return {
    ...item,
    ...(shared.others === undefined ? {} : { parameters: shared.others }),
    ...Object.fromEntries(operations),
  };
}

function operationOf(
  operation: Json,
  shared: Split,
  context: Context,
  produces: readonly string[],
): Json {
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
  const types = textList(operation, 'produces') ?? produces;
  return {
    ...operation,
    ...(own.others === undefined ? {} : { parameters: own.others }),
    ...(requestBody === null ? {} : { requestBody }),
    ...mapped(operation, 'responses', (response) => answer(response, types)),
  };
}

interface Split {
  /** Parameters in a path, a query or a header; undefined if there is no list. */
  readonly others: Json | undefined;
  readonly bodies: readonly JsonObject[];
  readonly fields: readonly JsonObject[];
}

/** A body and the fields of a form are parameters in Swagger. */
function splitParameters(holder: JsonObject, { document }: Context): Split {
  const list = memberOf(holder, 'parameters');
  if (!Array.isArray(list)) return { others: list, bodies: [], fields: [] };
  const bodies: JsonObject[] = [];
  const fields: JsonObject[] = [];
  const others: Json[] = [];
  for (const stated of list) {
    const tokens = pointerTokens(textAt(stated, '$ref') ?? '');
    const target: Json = tokens === null ? stated : (findByTokens(document, tokens) ?? stated);
    const where = textAt(target, 'in');
    if (where === 'body' && isJsonObject(target)) bodies.push(target);
    else if (where === 'formData' && isJsonObject(target)) fields.push(target);
    else others.push(tokens === null ? parameter(stated) : stated);
  }
  return { others, bodies, fields };
}

/** In Swagger, a parameter or a header is its own schema. */
function parameter(stated: Json): Json {
  if (!isJsonObject(stated) || textAt(stated, '$ref') !== undefined) return stated;
  return { ...stated, schema: valueSchema(stated) };
}

/** The members of a parameter that describe it, and not its value. */
const describing = new Set(['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue']);

function valueSchema(stated: JsonObject): Json {
  return schemaOf(
    Object.fromEntries(Object.entries(stated).filter(([key]) => !describing.has(key))),
  );
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

function answer(response: Json, produces: readonly string[]): Json {
  if (!isJsonObject(response)) return response;
  const schema = memberOf(response, 'schema');
  return {
    ...response,
    ...mapped(response, 'headers', parameter),
    ...(schema === undefined ? {} : contentOf(produces, schema, false)),
  };
}

function contentOf(types: readonly string[], schema: Json | undefined, required: boolean) {
  const media = schema === undefined ? {} : { schema: schemaOf(schema) };
  return {
    content: Object.fromEntries(types.map((type) => [type, media] as const)),
    ...(required ? { required } : {}),
  };
}

/** Swagger's spelling of nullable values and of files; the same object if it has none. */
function schemaOf(value: Json): Json {
  if (Array.isArray(value)) {
    const entries = value.map(schemaOf);
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isJsonObject(value)) return value;
  let isChanged = memberOf(value, 'x-nullable') === true || memberOf(value, 'type') === 'file';
  const members = Object.entries(value).map(([key, member]) => {
    const converted =
      key === 'example' || key === 'default' || key === 'enum' ? member : schemaOf(member);
    isChanged ||= converted !== member;
    return [key, converted] as const;
  });
  if (!isChanged) return value;
  return {
    ...Object.fromEntries(members),
    ...(memberOf(value, 'x-nullable') === true ? { nullable: true } : {}),
    ...(memberOf(value, 'type') === 'file' ? { type: 'string', format: 'binary' } : {}),
  };
}
