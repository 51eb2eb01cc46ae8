// The same text with another meaning, and other texts that look the same: the meaning of a schema
// is compared, not its spelling.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { createAsset, publishOk, register, type World } from '../../support/client/client-world.ts';
import type { Way } from './way.ts';

type Body = Parameters<World['admin']['publishContract']>[0]['body'];

const object = (properties: Readonly<Record<string, Json>>, more: Record<string, Json> = {}) => ({
  type: 'object',
  properties: { id: {}, ...properties },
  ...more,
});

const text = { type: 'string' };

/** Only later drafts read siblings of a reference. */
const besideReference = {
  definitions: { any: {} },
  properties: { note: { $ref: '#/definitions/any', type: 'string' } },
};

/** As JSON text, because an object literal would set the prototype. */
const named: JsonObject = JSON.parse('{"type":"object","properties":{"id":{},"__proto__":{}}}');

const ofTypes = (fields: JsonObject): JsonObject =>
  object(
    { by: { $ref: '#/$defs/Customer' } },
    {
      'x-type': 'Order',
      $defs: { Customer: { 'x-type': 'Customer', type: 'object', properties: fields } },
    },
  );

const inCircle = (fields: JsonObject): JsonObject =>
  object(
    { tree: { $dynamicRef: '#node' } },
    { $defs: { node: { $dynamicAnchor: 'node', ...object(fields) } } },
  );

const pairs: Readonly<Record<string, readonly [Body, Body, string?]>> = {
  'remove a property called __proto__': [{ schema: named }, { schema: object({}) }],
  'remove a property called constructor': [
    { schema: object({ constructor: text }) },
    { schema: object({}) },
  ],
  'write a name with another accent that looks the same': [
    { schema: object({ 'caf\u00e9': text }) },
    { schema: object({ 'cafe\u0301': text }) },
  ],
  'publish the same text under a draft that reads more of it': [
    { schema: besideReference, dialect: 'draft-07' },
    { schema: besideReference, dialect: '2020-12' },
  ],
  'name a draft in the schema that reads more of the same text': [
    { schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...besideReference } },
    { schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...besideReference } },
  ],
  'publish the same text under a dialect that does not know its null': [
    { schema: object({ note: { ...text, nullable: true } }), dialect: 'openapi-3.0' },
    { schema: object({ note: { ...text, nullable: true } }), dialect: '2020-12' },
  ],
  'declare that a schema has no vocabulary': [
    { schema: object({ note: text }) },
    { schema: object({}, { $vocabulary: {} }) },
  ],
  'write names of GraphQL types by hand, to be compared by name': [
    { schema: ofTypes({ name: text, mail: text }) },
    { schema: ofTypes({ name: text }) },
  ],
  'remove a property behind a dynamic reference': [
    { schema: inCircle({ name: text, mail: text }) },
    { schema: inCircle({ name: text }) },
  ],
  'remove a property that only comes with another one': [
    { schema: object({}, { dependentSchemas: { id: object({ note: text }) } }) },
    { schema: object({}) },
  ],
  'remove a property whose schema says nothing': [
    { schema: object({ note: {} }) },
    { schema: object({}) },
  ],
  'drop a position of a list with what it declares': [
    { schema: object({ list: { prefixItems: [object({ a: text }), object({ b: text })] } }) },
    { schema: object({ list: { prefixItems: [object({ a: text })] } }) },
  ],
  'name a lower version': [
    { schema: object({ note: text }), version: '1.0.0' },
    { schema: object({}), version: '0.9.0' },
    '409 VERSION_CONFLICT',
  ],
  'tighten the mode to full, to loosen it to none': [
    { schema: object({ note: text }), compatibility_mode: 'full' },
    { schema: object({ note: text }), compatibility_mode: 'none' },
  ],
};

export const spellings: readonly Way[] = Object.entries(pairs).map(
  ([way, [first, second, refusedBy = 'asks the consumers']]) => ({
    way,
    refusedBy,
    attempt: async ({ producer, consumer }) => {
      const { id } = await createAsset(producer);
      await register(consumer, await publishOk(producer.client, id, first));
      return producer.client.publishContract({ params: { asset_id: id }, body: second });
    },
  }),
);
