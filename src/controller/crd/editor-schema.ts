// The kinds as one JSON Schema for editors: completion, descriptions, and misspelt fields at once.

import type { JsonObject } from '../../core/value/json.ts';
import { apiVersion, type Kind, kinds } from './kinds.ts';
import type { Schema } from './schema.ts';

/** @example editorSchema().definitions.DataContract // the kind as a JSON Schema of draft-07 */
export function editorSchema(): JsonObject {
  return {
    // The newest that the common editors know whole.
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A manifest of Concordat',
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { enum: kinds.map(({ kind }) => kind) },
    },
    allOf: kinds.map(({ kind }) => ({
      if: { properties: { kind: { const: kind } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { $ref: `#/definitions/${kind}` },
    })),
    definitions: Object.fromEntries(kinds.map((kind) => [kind.kind, manifestOf(kind)])),
  };
}

function manifestOf({ kind, description, spec }: Kind): JsonObject {
  return {
    description,
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: { type: 'object', description: 'Name, namespace, labels and annotations.' },
      spec: editable(spec),
      status: { type: 'object', description: 'Written by the controller.' },
    },
    additionalProperties: false,
  };
}

/** Fields that nobody knows are wrong. */
function editable(schema: Schema): JsonObject {
  const { properties, items, additionalProperties, ...words } = schema;
  // What the API server keeps beside named fields, such as a misspelt guarantee, the controller refuses.
  const isClosed = properties !== undefined && additionalProperties === undefined;
  return {
    ...Object.fromEntries(
      Object.entries(words).filter(
        ([name, value]) => !name.startsWith('x-') && typeof value !== 'function',
      ),
    ),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, editable(each)]),
      ),
    }),
    ...(items !== undefined && { items: editable(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: editable(additionalProperties),
    }),
    ...(isClosed && { additionalProperties: false }),
  };
}
