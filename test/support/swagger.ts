// Converts the Swagger 2.0 document of Kubernetes' whole API to OpenAPI 3.0, which imports read.

import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';

/**
 * Covers the parts that Kubernetes uses: bodies, parameters, responses and definitions, all JSON.
 */
export function toOpenApi(swagger: JsonObject): JsonObject {
  const paths = Object.entries(objectOf(swagger.paths)).map(([path, item]) => [
    path,
    convertItem(objectOf(item)),
  ]);
  return {
    openapi: '3.0.0',
    info: objectOf(swagger.info),
    paths: Object.fromEntries(paths),
    components: { schemas: withReferences(objectOf(swagger.definitions)) },
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function convertItem(item: JsonObject): JsonObject {
  const members = Object.entries(item).map(([key, value]) => [
    key,
    key === 'parameters' ? convertParameters(listOf(value)) : convertOperation(objectOf(value)),
  ]);
  return Object.fromEntries(members);
}

function convertOperation(operation: JsonObject): JsonObject {
  const { parameters, responses, consumes, produces, schemes, ...rest } = operation;
  const body = listOf(parameters).find((parameter) => parameter.in === 'body');
  const answers = Object.entries(objectOf(responses)).map(([status, response]) => {
    const { schema, ...more } = objectOf(response);
    return [status, schema === undefined ? more : { ...more, content: contentOf(schema) }];
  });
  return {
    ...rest,
    parameters: convertParameters(listOf(parameters)),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required ?? false,
            content: contentOf(body.schema ?? {}),
          },
        }),
    responses: Object.fromEntries(answers),
  };
}

function convertParameters(parameters: readonly JsonObject[]): readonly Json[] {
  return parameters
    .filter((parameter) => parameter.in !== 'body')
    .map(({ type, uniqueItems, description, ...rest }) => ({
      ...rest,
      schema: { type: type ?? {} },
    }));
}

function contentOf(schema: Json): JsonObject {
  return { 'application/json': { schema: withReferences(schema) } };
}

function withReferences(value: Json): Json {
  const text = JSON.stringify(value).replaceAll('"#/definitions/', '"#/components/schemas/');
  return JSON.parse(text);
}
