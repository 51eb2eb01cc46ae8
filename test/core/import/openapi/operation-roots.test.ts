// What an operation says beside its members does not make a demand of a member unseen.

import { describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../../../src/core/comparison.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import type { JsonObject } from '../../../../src/core/value/json.ts';

const text = { type: 'string' };
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
});
const both = object({ a: text, b: text });
const less = object({ a: text });

const roots: Readonly<Record<string, JsonObject>> = {
  anyOf: { anyOf: [{}] },
  oneOf: { oneOf: [{}] },
  not: { not: { required: ['none'] } },
  if: { if: {} },
  propertyNames: { propertyNames: { minLength: 1 } },
  patternProperties: { patternProperties: { '^none$': {} } },
  additionalProperties: { additionalProperties: text },
  unevaluatedProperties: { unevaluatedProperties: true },
  dependentSchemas: { dependentSchemas: { none: {} } },
  allOf: { allOf: [{}] },
};

const json = (schema: JsonObject) => object({ 'application/json': schema });
const statuses = (more: JsonObject) => object({ default: json(both), ...more });
const key = object({ 'apiKey in header key': {} }, ['apiKey in header key']);

/** The members before and after. */
const changes: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'a required parameter': [
    { response: both },
    { response: both, request: object({ query: object({ z: text }, ['z']) }, ['query']) },
  ],
  'a required body': [
    { response: both },
    { response: both, request: object({ body: both }, ['body']) },
  ],
  'a key': [
    { response: both, responses: statuses({}), security: object({}) },
    { response: both, responses: statuses({}), security: key },
  ],
  'a response where there was none': [{ request: both }, { request: both, response: both }],
  'a status with less than the default': [
    { responses: statuses({}) },
    { responses: statuses({ 404: json(less) }) },
  ],
};

const operation = (members: JsonObject, more: JsonObject): ContractTerms => ({
  schema: { ...object(members), ...more },
  guarantees: null,
  compatibilityMode: 'backward',
  direction: 'operation',
});

describe.each(Object.entries(roots))('an operation with %s beside its members', (_name, root) => {
  test.each(Object.entries(changes))('breaks by %s', (_what, [before, after]) => {
    const next = operation(after, root);
    for (const old of [operation(before, {}), operation(before, root)]) {
      expect(compare(old, next).isBreaking).toBe(true);
    }
  });

  test('does not break by a field that is added to the response', () => {
    const members = [less, both].map((response) => operation({ request: less, response }, root));
    const [old, next] = members as [ContractTerms, ContractTerms];
    expect(compare(old, next).isBreaking).toBe(false);
  });
});
