import { expect, test } from 'vitest';
import { definitionText } from '../../../../src/core/diff/change-text.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { splitChanges } from '../../../../src/core/diff/shared-changes.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';

const origin = { file: 'shop.json' };
const integer = { type: 'integer' };
const string = { type: 'string' };

function money(amount: Json): JsonObject {
  return { type: 'object', properties: { amount } };
}

function changesOf(holder: JsonObject, was: JsonObject, is: JsonObject) {
  const terms = (definition: JsonObject) => ({
    schema: { ...holder, $defs: { Money: definition } },
    compatibilityMode: 'backward' as const,
    guarantees: null,
    direction: 'response' as const,
  });
  return compare(terms(was), terms(is)).changes;
}

const reference = { $ref: '#/$defs/Money' };
const direct = { type: 'object', properties: { price: reference } };
const listed = { type: 'object', properties: { prices: { type: 'array', items: reference } } };
const both = { allOf: [direct, listed] };

test('a change within a definition says where the definition has it', () => {
  const [change] = changesOf(direct, money(integer), money(string));
  expect(change).toMatchObject({
    path: '$.properties.price.properties.amount',
    definition: '$.$defs.Money.properties.amount',
  });
});

test('a definition that changes as a whole, or loses a property, is named', () => {
  const definitions = [
    changesOf(direct, money(integer), integer),
    changesOf(direct, money(integer), { type: 'object', properties: {} }),
  ].map(([change]) => change?.definition);
  expect(definitions).toEqual(['$.$defs.Money', '$.$defs.Money.properties.amount']);
});

test('a change outside of definitions has none', () => {
  const next = { ...direct, properties: { price: reference, other: string } };
  const terms = (schema: JsonObject) => ({
    schema: { ...schema, $defs: { Money: money(integer) } },
    compatibilityMode: 'backward' as const,
    guarantees: null,
    direction: 'response' as const,
  });
  const [change] = compare(terms(direct), terms(next)).changes;
  expect(change).not.toHaveProperty('definition');
});

test('what several contracts reach is told once, and the rest stays with its contract', () => {
  const changesIn = (holder: JsonObject) => changesOf(holder, money(integer), money(string));
  const items = [
    { name: 'a', origin, changes: changesIn(direct) },
    { name: 'b', origin, changes: changesIn(both) },
    {
      name: 'c',
      origin,
      changes: changesOf(direct, money(integer), { type: 'object', properties: {} }),
    },
  ];
  const { shared, own } = splitChanges(items);
  expect(shared).toMatchObject([
    {
      definition: '$.$defs.Money.properties.amount',
      change: { type: 'type_changed', breaking: true },
      places: [
        { name: 'a', path: '$.properties.price.properties.amount' },
        { name: 'b', path: '$.properties.price.properties.amount' },
      ],
      placeCount: 3,
    },
  ]);
  expect(items.map((item) => own.get(item)?.map(({ type }) => type))).toEqual([
    [],
    [],
    ['property_removed'],
  ]);
});

test('a change that breaks in one contract only is two changes', () => {
  const [change] = changesOf(direct, money(integer), money(string));
  if (change === undefined) throw new Error('There is a change.');
  const items = [
    { name: 'a', origin, changes: [change] },
    { name: 'b', origin, changes: [{ ...change, breaking: false }] },
  ];
  expect(splitChanges(items).shared).toEqual([]);
});

test('definitions of two files are not the same, whatever their names', () => {
  const changes = changesOf(direct, money(integer), money(string));
  const other = { file: 'other.json' };
  const items = [
    { name: 'a', origin, changes },
    { name: 'b', origin: other, changes },
  ];
  expect(splitChanges(items).shared).toEqual([]);
});

test.each([
  ['$.$defs.Money', 'Money'],
  ['$.$defs.Money.properties.amount', 'Money.amount'],
  ['$.$defs.Money.items.properties.amount', 'Money[].amount'],
  ['$.$defs.Money.anyOf[1].properties.amount', 'Money (variant 2).amount'],
  ['$.$defs["/components/headers/A"]', '/components/headers/A'],
])('%s is written as %s', (definition, text) => {
  expect(definitionText(definition)).toBe(text);
});
