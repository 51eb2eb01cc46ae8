// One promise in two forms, which have to be one before they are compared. A GraphQL type is a
// `response` until one of its fields takes arguments, and an `operation` from then on. An OpenAPI
// request of a form takes no JSON, which only shows beside one that does.

import type { ContractTerms, Direction } from '../diff/diff.types.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { memberOf, objectAt } from './read-json.ts';

/** What aligning looks at and may change. */
type Aligned = Pick<ContractTerms, 'schema' | 'direction'>;

/**
 * Both terms as operations where one is an operation and the other a response; a form that refuses
 * JSON, where the other one takes it; else as they are.
 *
 * @example alignTerms(active, next) // [{ ...active, direction: 'operation', ... }, next]
 */
export function alignTerms<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  if (old.direction === 'response' && next.direction === 'operation') {
    return [toOperation(old), next];
  }
  if (old.direction === 'operation' && next.direction === 'response') {
    return [old, toOperation(next)];
  }
  if (old.direction !== 'operation' || next.direction !== 'operation') return [old, next];
  return [refusingJson(old, next), refusingJson(next, old)];
}

/**
 * The direction that the schema of a GraphQL type has by its form, where the contract is one of the
 * two: the name that every type has stands at the root of a response, and one step below that of
 * an operation.
 *
 * @example directionOfForm({ type: 'object', properties: { response: {} } }, 'response') // 'operation'
 */
export function directionOfForm(schema: Json, known: Direction): Direction {
  if (known !== 'response' && known !== 'operation') return known;
  const properties = objectAt(schema, 'properties');
  if (memberOf(properties, '__typename') !== undefined) return 'response';
  const response = objectAt(objectAt(properties, 'response'), 'properties');
  return memberOf(response, '__typename') === undefined ? known : 'operation';
}

/** JSON is what is described where an operation takes both: one with a form alone takes none. */
function refusingJson<Terms extends Aligned>(terms: Terms, other: Aligned): Terms {
  const { schema } = terms;
  const parts = objectAt(schema, 'properties');
  const request = objectAt(parts, 'request');
  const places = objectAt(request, 'properties');
  if (memberOf(places, 'form') === undefined || memberOf(places, 'body') !== undefined)
    return terms;
  const otherRequest = objectAt(objectAt(other.schema, 'properties'), 'request');
  if (memberOf(objectAt(otherRequest, 'properties'), 'body') === undefined) return terms;
  // Of a GraphQL type these are fields.
  if (directionOfForm(schema, 'response') === 'operation' || !isJsonObject(schema)) return terms;
  const refused = { ...request, properties: { ...places, body: { not: {} } } };
  return { ...terms, schema: { ...schema, properties: { ...parts, request: refused } } };
}

function toOperation<Terms extends Aligned>(terms: Terms): Terms {
  return { ...terms, direction: 'operation', schema: wrap(terms.schema) };
}

/** What a field without arguments takes. */
const noArguments: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** GraphQL keeps names of two underscores for itself: they are no fields. */
function requestOf(response: JsonObject): JsonObject {
  const names = Object.keys(objectAt(response, 'properties') ?? {});
  const fields = names.filter((name) => !name.startsWith('__'));
  const properties = Object.fromEntries(fields.map((name) => [name, noArguments]));
  return { type: 'object', properties };
}

/** Definitions stay at the root, where references look for them. */
function wrap(schema: Aligned['schema']): JsonObject {
  if (!isJsonObject(schema)) return { type: 'object', properties: { response: schema } };
  const { $defs, title, description, ...response } = schema;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    type: 'object',
    properties: { request: requestOf(response), response },
    ...($defs === undefined ? {} : { $defs }),
  };
}
