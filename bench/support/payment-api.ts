// Two versions of an API in the manner of payment APIs: objects that expand into each other, a field being an
// id or the object, and a list of operations that answer with one of them or with a list. Made, not copied.

import type { Json, JsonObject } from '../../src/core/value/json.ts';

interface PaymentApi {
  readonly old: JsonObject;
  readonly next: JsonObject;
}

interface Size {
  readonly objects: number;
  readonly operations: number;
  /** Fields of an object beside its id, each third of which leads to another object. */
  readonly fields: number;
}

/** @example paymentApi({ objects: 30, operations: 40, fields: 9 }) // an operation alone takes seconds */
export function paymentApi({ objects, operations, fields }: Size): PaymentApi {
  const names = Array.from({ length: objects }, (_, index) => `object_${index}`);
  const nameAt = (index: number) => names[index % objects] ?? 'object_0';
  const made = (isNext: boolean): JsonObject => {
    const schemas = names.map((name, index): readonly [string, Json] => [
      name,
      objectOf({ name, index, fields, isNext, nameAt }),
    ]);
    const paths = Array.from({ length: operations }, (_, index): readonly [string, Json] => [
      `/v1/resource_${index}`,
      { [index % 2 === 0 ? 'get' : 'post']: operationOf(nameAt(index), index) },
    ]);
    return {
      openapi: '3.0.3',
      info: { title: 'Pay', version: isNext ? '2' : '1' },
      paths: Object.fromEntries(paths),
      components: { schemas: { ...Object.fromEntries(schemas), error: errorOf(nameAt) } },
    };
  };
  return { old: made(false), next: made(true) };
}

interface Made {
  readonly name: string;
  readonly index: number;
  readonly fields: number;
  readonly isNext: boolean;
  readonly nameAt: (index: number) => string;
}

const words =
  'Whose value follows from the state of the object that it belongs to, as the guide says.';

/** Every fifth object changes: a value more, and a field that is no longer required. */
function objectOf({ name, index, fields, isNext, nameAt }: Made): JsonObject {
  const isChanged = isNext && index % 5 === 0;
  const status = ['open', 'paid', 'void', ...(isChanged ? ['failed'] : [])];
  const others = Array.from({ length: fields }, (_, at): readonly [string, JsonObject] => {
    const target = reference(nameAt(index * 7 + at * 11 + 1));
    const description = `${name}, field ${at}. ${words}`;
    if (at % 3 !== 0) return [`field_${at}`, { description, maxLength: 5000, type: 'string' }];
    if (at % 9 === 0) return [`list_${at}`, { description, ...listOf(target) }];
    return [`link_${at}`, { anyOf: [{ type: 'string' }, target], description }];
  });
  return {
    type: 'object',
    properties: {
      id: { type: 'string', maxLength: 5000 },
      object: { type: 'string', enum: [name] },
      status: { type: 'string', enum: status },
      ...Object.fromEntries(others),
    },
    required: ['id', 'object', 'status', ...(isChanged ? [] : ['field_1'])],
  };
}

function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function listOf(items: JsonObject): JsonObject {
  const properties = { data: { type: 'array', items }, has_more: { type: 'boolean' } };
  return { type: 'object', properties, required: ['data', 'has_more'] };
}

function errorOf(nameAt: (index: number) => string): JsonObject {
  const properties = {
    message: { type: 'string' },
    source: { anyOf: [{ type: 'string' }, reference(nameAt(3))] },
  };
  return { type: 'object', properties, required: ['message'] };
}

function operationOf(name: string, index: number): JsonObject {
  const json = (schema: JsonObject) => ({ 'application/json': { schema } });
  const target = reference(name);
  const expand = { type: 'array', items: { type: 'string' } };
  return {
    operationId: `operation_${index}`,
    parameters: [{ name: 'expand', in: 'query', schema: expand }],
    responses: {
      200: { description: 'The object.', content: json(index % 3 === 0 ? listOf(target) : target) },
      default: { description: 'An error.', content: json(reference('error')) },
    },
  };
}
