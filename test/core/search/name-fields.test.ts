// The names of fields that a search knows.

import { describe, expect, test } from 'vitest';
import { listFields } from '../../../src/core/needs/list-fields.ts';
import { maxNamedFields, nameFields } from '../../../src/core/search/name-fields.ts';
import { rankName } from '../../../src/core/search/rank-name.ts';
import type { Json } from '../../../src/core/value/json.ts';

const address = { type: 'object', properties: { street: {}, 'post code': {} } };

const schemas: Readonly<Record<string, Json>> = {
  nothing: true,
  plain: { properties: { a: {}, b: { properties: { c: {} } } } },
  lists: { properties: { lines: { items: { properties: { sku: {} } } } } },
  parts: {
    allOf: [{ properties: { a: {} } }, { anyOf: [{ properties: { b: address } }] }],
    oneOf: [{ properties: { c: {} } }],
    if: { properties: { d: {} } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { e: {} } },
    else: { properties: { f: {} } },
  },
  references: {
    properties: {
      home: { $ref: '#/definitions/a~1b%20c' },
      work: { $ref: '#/definitions/a~1b c' },
    },
    definitions: { 'a/b c': address },
  },
  itself: {
    properties: { name: {}, parts: { items: { $ref: '#' } } },
  },
};

describe('The names of fields', () => {
  test.each(Object.entries(schemas))('are those that a contract lists: %s', (_, schema) => {
    const listed = listFields({ schema, direction: 'data', dialect: 'draft-07' }, []);
    expect(nameFields(schema).paths.toSorted()).toEqual(
      listed.fields.map(({ path }) => path).sort(),
    );
    expect(nameFields(schema).isCut).toBe(false);
  });

  test('are also those of the items of a tuple', () => {
    const items = [{ properties: { x: {} } }, { properties: { y: {} } }];
    expect(nameFields({ items }).paths).toEqual(['$[*].x', '$[*].y']);
  });

  test('are looked for within a limit, however many places lead to the same names', () => {
    let looks = 0;
    const pad = 'x'.repeat(201);
    const $defs: Record<string, Json> = {};
    for (let level = 0; level < 3; level++) {
      const ref = { $ref: `#/$defs/${level + 1}` };
      const names = Array.from({ length: 30 }, (_, at) => [`${at}${pad}`, ref]);
      const properties = new Proxy(Object.fromEntries(names) as Record<string, Json>, {
        get: (target, name) => {
          looks++;
          return Reflect.get(target, name);
        },
      });
      $defs[level] = { properties };
    }
    const { paths, isCut } = nameFields({ $ref: '#/$defs/0', $defs });
    expect({ paths, isCut }).toEqual({ paths: [], isCut: true });
    expect(looks).toBeLessThan(21_000);
  });

  test('are a thousand of an object that has more properties than are looked at', () => {
    const names = Array.from({ length: 30_000 }, (_, at) => [`field_${at}`, {}]);
    const { paths, isCut } = nameFields({ properties: Object.fromEntries(names) });
    expect({ count: paths.length, isCut }).toEqual({ count: maxNamedFields, isCut: true });
  });

  test('are cut after a thousand, the nearest to the root first', () => {
    const names = Array.from({ length: maxNamedFields }, (_, at) => [`field_${at}`, {}]);
    const properties = Object.fromEntries(names);
    expect(nameFields({ properties }).isCut).toBe(false);
    const { paths, isCut } = nameFields({ properties: { first: { properties }, last: {} } });
    expect([paths.length, isCut]).toEqual([maxNamedFields, true]);
    expect(paths.slice(0, 3)).toEqual(['$.first', '$.last', '$.first.field_0']);
  });

  test('cost a bounded walk, whatever the schema is made of', () => {
    const wide = { $ref: '#/d/0' };
    const d = Array.from({ length: 40 }, (_, at) => ({
      properties: { a: { $ref: `#/d/${at + 1}` }, b: { $ref: `#/d/${at + 1}` } },
      anyOf: Array.from({ length: 50 }, () => ({})),
    }));
    expect(nameFields({ ...wide, d }).isCut).toBe(true);
    const odd = { $ref: '#/%', properties: { '\u0000': {}, '\ud800': {}, '!': {}, ok: {} } };
    expect(nameFields(odd)).toEqual({ paths: ['$.ok'], lexemes: ['ok', '=ok'], isCut: false });
    expect(nameFields({ properties: 5, allOf: 5, items: null, $ref: 5 }).paths).toEqual([]);
  });
});

describe('A name matches', () => {
  test.each([
    ['shop.public.orders', 'orders', 'exact'],
    ['shop.public.orders', 'Public.Orders', 'exact'],
    ['shop.public.order_items', 'order items', 'exact'],
    ['shop.public.orderItems', 'orderitems', 'exact'],
    ['shop.public.orderItems', 'order_items', 'exact'],
    ['shop.public.orders', 'pub', 'prefix'],
    ['shop.public.orders', 'public.ord', 'prefix'],
    ['shop.public.order_items', 'items', 'word'],
    ['shop.public.orders', 'orders shop', 'word'],
    ['shop.public.orders', 'rders', null],
    ['shop.public.orders', 'orders of', null],
    ['shop.public.orders', '.', null],
    ['größe', 'GRÖSSE', null],
    ['Größe', 'grö', 'prefix'],
  ] as const)('%s for "%s": %s', (name, asked, expected) => {
    expect(rankName(name.split('.'), asked)).toBe(expected);
  });
});
