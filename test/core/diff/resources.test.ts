// What changes inside a schema with an id of its own is told like any other change: `#/...` means a
// place in it, though the document around it may have one of the same name that did not change.

import { describe, expect, test } from 'vitest';
import type { Direction } from '../../../src/core/comparison.ts';
import { type Dialect, dialectOfUri } from '../../../src/core/schema/dialects.ts';
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

/** In other dialects, with an id, the schema is known to mean the same. */
const uris = ['http://json-schema.org/draft-04/schema#', 'https://example.com/unknown'];

/** The places of a schema that is read by itself, because a part or a reference leads to it. */
const standings: readonly (readonly [
  where: string,
  documentOf: (t: Json, kept: string) => Json,
  direction: Direction,
])[] = [
  ['a property', (t) => ({ properties: { p: t } }), 'data'],
  [
    'a definition',
    (t, kept) => ({ properties: { p: { $ref: `#/${kept}/t` } }, [kept]: { t } }),
    'data',
  ],
  ['an item', (t) => ({ items: t }), 'data'],
  ['the response of an operation', (t) => ({ properties: { response: t } }), 'operation'],
  [
    'a callback of an operation',
    (t) => ({ properties: { responses: {}, callbacks: { properties: { c: t } } } }),
    'operation',
  ],
];

describe.each(dialects)(
  'in %s, a schema that begins to name another dialect',
  (dialect, id, kept) => {
    test.each(standings)(
      'is told as %s, with an id and without',
      (_where, documentOf, direction) => {
        for (const $schema of uris.filter((uri) => dialectOfUri(uri) !== dialect)) {
          for (const named of [{ $schema }, { [id]: 'http://x.test/own', $schema }]) {
            const next = documentOf({ ...held, ...named }, kept);
            const setting = { dialect, ...(direction !== undefined && { direction }) };
            const comparison = between(documentOf(held, kept), next, setting);
            expect([named, comparison.isBreaking]).toEqual([named, true]);
          }
        }
      },
    );
  },
);
