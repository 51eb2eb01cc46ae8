// What changes inside a schema with an id of its own is told like any other change: `#/...` means a
// place in it, though the document around it may have one of the same name that did not change.

import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { between, told } from './support/terms.ts';

const dialects: readonly (readonly [Dialect, idName: string, kept: string])[] = [
  ['draft-04', 'id', 'definitions'],
  ['draft-06', '$id', 'definitions'],
  ['draft-07', '$id', 'definitions'],
  ['2019-09', '$id', '$defs'],
  ['2020-12', '$id', '$defs'],
  ['openapi-3.1', '$id', '$defs'],
];

const held = { type: 'object', properties: { x: {} } };

const changes: readonly (readonly [string, Json, readonly string[]])[] = [
  ['a property that goes', { ...held, properties: {} }, ['! property_removed .properties.x']],
  ['another type', { type: 'array' }, ['! type_changed ']],
  ['a description', { ...held, description: 'a' }, ['annotation_changed ']],
];

describe.each(dialects)('in %s', (dialect, idName, kept) => {
  const inner = (t: Json): JsonObject => ({
    [idName]: 'http://x.test/r',
    [kept]: { t },
    properties: { q: { $ref: `#/${kept}/t` } },
  });
  const around = { [kept]: { t: held } };
  const places: readonly (readonly [string, string, (t: Json) => Json])[] = [
    ['where it stands', '.q', (t) => ({ ...around, properties: { p: inner(t) } })],
    [
      'where a reference leads into it',
      '',
      (t) => ({
        [kept]: { ...around[kept], r: inner(t) },
        properties: { p: { $ref: `#/${kept}/r/properties/q` } },
      }),
    ],
  ];

  describe.each(places)('%s', (_where, step, documentOf) => {
    test.each(changes)('%s is told', (_name, next, expected) => {
      const comparison = between(documentOf(held), documentOf(next), { dialect });
      const path = `$.properties.p${step.replace('.', '.properties.')}`;
      expect(told(comparison)).toEqual(
        expected.map((each) => each.replace(/ ([^ ]*)$/, ` ${path}$1`)),
      );
    });

    test('nothing is told where nothing changed', () => {
      const reordered: Json = {
        ...(documentOf({ properties: { x: {} }, type: 'object' }) as JsonObject),
      };
      expect(told(between(documentOf(held), reordered, { dialect }))).toEqual([]);
    });
  });
});

test('a part of a metaschema is not the part of a document that is written like it', () => {
  const documentOf = (p: Json): Json => ({
    definitions: { simpleTypes: { type: 'object' } },
    properties: { p },
  });
  const item = { $ref: '#/definitions/simpleTypes' };
  const list = { type: 'array', items: item, minItems: 1, uniqueItems: true };
  const comparison = between(
    documentOf({ $ref: 'http://json-schema.org/draft-07/schema#/properties/type' }),
    documentOf({ anyOf: [item, list] }),
    { dialect: 'draft-07' },
  );
  expect(told(comparison)).toContain('! type_changed $.properties.p.anyOf[1].items');
});
