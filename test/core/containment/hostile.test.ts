// Schemas that are made to hang or to overflow: an answer within the budget, whatever it is.

import { expect, test } from 'vitest';
import { contains, openComparison } from '../../../src/core/containment/contains.ts';
import type { Json } from '../../../src/core/value/json.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

function nest(depth: number, wrap: (inner: Json) => Json, core: Json): Json {
  let schema = core;
  for (let level = 0; level < depth; level++) schema = wrap(schema);
  return schema;
}

const inProperty = (inner: Json): Json => ({ type: 'object', properties: { a: inner } });
const entries = (count: number, value: (index: number) => Json) =>
  Object.fromEntries(range(count).map((index) => [`key${index}`, value(index)]));

/** 2^n ways to be valid. */
const choices = (count: number, type: string): Json => ({
  type: 'object',
  allOf: range(count).map((index) => ({
    anyOf: [
      { properties: { [`a${index}`]: { type } }, required: [`a${index}`] },
      { properties: { [`b${index}`]: { type } }, required: [`b${index}`] },
    ],
  })),
});

/** Each of so many demands is met by one of two keys, different ones each time. */
const pairsOfKeys = (count: number): Json => ({
  type: 'object',
  allOf: range(count).map((at) => ({
    anyOf: [{ required: [`a${at}`] }, { required: [`b${at}`] }],
  })),
});

const twoSorts = (count: number) => ({
  type: 'array',
  allOf: ['integer', 'string'].map((type) => ({ contains: { type }, minContains: count })),
});

const rows: readonly (readonly [string, Json, Json, string])[] = [
  [
    'a billion items, too many to show',
    { type: 'array', minItems: 1e9 },
    { maxItems: 5 },
    'undecided',
  ],
  ['twenty thousand items', { type: 'array', minItems: 20_000 }, { maxItems: 10 }, 'no'],
  [
    'thirty thousand items, a few of them different',
    { type: 'array', prefixItems: [{ const: 1 }], items: { type: 'string' }, minItems: 30_000 },
    { not: { contains: { type: 'string' }, minContains: 25_000 } },
    'no',
  ],
  [
    'thousands of matches',
    { type: 'array', contains: { const: 7 }, minContains: 5_000 },
    { maxItems: 4_000 },
    'no',
  ],
  ...[
    ['thousands of two sorts, in as many items as it takes', 10_000, 'no'],
    ['thousands of two sorts, in one item less', 9_999, 'yes'],
  ].map(
    ([name, maxItems, verdict]) =>
      [
        String(name),
        { ...twoSorts(5_000), maxItems: Number(maxItems) },
        { type: 'array', maxItems: 9_999 },
        String(verdict),
      ] as const,
  ),
  [
    'a billion of two sorts, in one item less than it takes',
    { ...twoSorts(1e9), maxItems: 2e9 - 1 },
    false,
    'yes',
  ],
  [
    'thousands of two sorts that one item may be',
    {
      type: 'array',
      allOf: [
        { contains: { minimum: 3 }, minContains: 5_000 },
        { contains: { multipleOf: 2 }, minContains: 4_000, maxContains: 4_500 },
      ],
      items: { type: 'integer' },
      maxItems: 5_000,
    },
    { contains: { const: 4 }, minContains: 4_000 },
    'no',
  ],
  [
    'ten thousand items, one twice',
    { type: 'array', minItems: 10_000 },
    { uniqueItems: true },
    'no',
  ],
  [
    'ten thousand different items',
    { type: 'array', minItems: 10_000, uniqueItems: true, items: { type: 'string' } },
    { maxItems: 9_999 },
    'no',
  ],
  [
    'a hundred different items from a hundred',
    { type: 'array', minItems: 100, uniqueItems: true, items: { enum: range(100) } },
    { maxItems: 99 },
    'no',
  ],
  [
    'more different items than there are values',
    { type: 'array', minItems: 101, uniqueItems: true, items: { enum: range(100) } },
    false,
    'yes',
  ],
  [
    'as many different items as there are integers',
    { type: 'array', uniqueItems: true, items: { type: 'integer', minimum: 1, maximum: 300 } },
    { maxItems: 300 },
    'yes',
  ],
  [
    'fewer different items than there are integers',
    { type: 'array', uniqueItems: true, items: { type: 'integer', minimum: 1, maximum: 300 } },
    { maxItems: 299 },
    'no',
  ],
  ['a million characters', { type: 'string', minLength: 1e6 }, { maxLength: 10 }, 'no'],
  [
    'a hundred thousand properties',
    { type: 'object', minProperties: 1e5 },
    { maxProperties: 9 },
    'no',
  ],
  [
    'thousands of properties, with a pattern',
    { type: 'object', minProperties: 3_000, propertyNames: { pattern: '^x-' } },
    { maxProperties: 2_999 },
    'no',
  ],
  [
    'items of items, too much to show',
    { type: 'array', minItems: 1_000, items: { type: 'string', minLength: 100_000 } },
    { maxItems: 10 },
    'undecided',
  ],
  ['twenty demands for one of two keys', pairsOfKeys(20), { minProperties: 20 }, 'yes'],
  [
    'twenty demands for one of two keys, and one key more',
    pairsOfKeys(20),
    { minProperties: 21 },
    'no',
  ],
  [
    'twenty demands for one of two keys, or a third',
    pairsOfKeys(20),
    {
      allOf: range(20).map((at) => ({
        anyOf: [`a${at}`, `b${at}`, `c${at}`].map((key) => ({ required: [key] })),
      })),
    },
    'yes',
  ],
  ['ten thousand enum values', { enum: range(10_000) }, { enum: range(10_001) }, 'yes'],
  ['one enum value less', { enum: range(10_001) }, { enum: range(10_000) }, 'no'],
  [
    'enum values against an enum of texts',
    { enum: range(10_000) },
    { enum: range(10_000).map(String) },
    'no',
  ],
  ['enum values against a type', { enum: range(10_000) }, { type: 'integer' }, 'yes'],
  [
    'fifty thousand properties',
    { type: 'object', properties: entries(50_000, () => ({ type: 'integer' })) },
    { type: 'object', properties: entries(50_000, () => ({ type: 'number' })) },
    'yes',
  ],
  [
    'fifty thousand properties, one changed',
    { type: 'object', properties: entries(50_000, () => ({ type: 'number' })) },
    {
      type: 'object',
      properties: entries(50_000, (at) => ({ type: at === 49_999 ? 'integer' : 'number' })),
    },
    'no',
  ],
  [
    'a billion items',
    { type: 'array', minItems: 1e9 },
    { type: 'array', minItems: 1e9 - 1 },
    'yes',
  ],
  ['a billion items of nothing', { type: 'array', minItems: 1e9, items: false }, false, 'yes'],
  [
    'a billion different booleans',
    { type: 'array', minItems: 1e9, uniqueItems: true, items: { type: 'boolean' } },
    false,
    'yes',
  ],
  [
    'more than a billion items',
    { type: 'array', minItems: 1e9 },
    { type: 'array', minItems: 1e9 + 1 },
    'undecided',
  ],
  [
    'a billion matches',
    { type: 'array', contains: { type: 'string' }, minContains: 1e9 },
    { type: 'array', minItems: 1e9 },
    'yes',
  ],
  [
    'very long strings',
    { type: 'string', maxLength: 1e15 },
    { type: 'string', maxLength: 1e15 + 1 },
    'yes',
  ],
  [
    'strings too long to show',
    { type: 'string', minLength: 1e15 },
    { type: 'string', minLength: 1e15 + 2 },
    'undecided',
  ],
  [
    'a billion properties',
    { type: 'object', minProperties: 1e9 },
    { type: 'object', minProperties: 1e9 - 1 },
    'yes',
  ],
  [
    'a billion properties of few names',
    { type: 'object', minProperties: 1e9, propertyNames: { enum: ['a', 'b'] } },
    false,
    'yes',
  ],
  [
    'numbers past a double',
    { type: 'integer', maximum: 1e300 },
    { type: 'integer', maximum: 1e301 },
    'yes',
  ],
  [
    'the same schema, ten thousand deep',
    nest(10_000, inProperty, { type: 'string' }),
    nest(10_000, inProperty, { type: 'string' }),
    'yes',
  ],
  ['exponential unions, the same', choices(40, 'string'), choices(40, 'string'), 'yes'],
];

test('twenty thousand properties, closed, and a property more: yes, in as many steps', () => {
  const a = { type: 'object', properties: entries(20_000, () => ({ type: 'string' })) };
  const b = { type: 'object', properties: { ...a.properties, zz: { type: 'number' } } };
  expect(contains({ a, b, closed: true }).verdict).toBe('yes');
  expect(contains({ a: b, b: { ...a, additionalProperties: false }, closed: true })).toMatchObject({
    verdict: 'no',
    witness: { zz: 0 },
  });
});

for (const [name, a, b, verdict] of rows) {
  test(`${name}: ${verdict}`, () => {
    expect(contains({ a, b }).verdict).toBe(verdict);
  });
}

test('a producer whose schema refers to itself in a circle: ends, with little memory', () => {
  const a = { anyOf: [{}, {}, { $ref: '#', items: { unevaluatedItems: {} } }], contains: {} };
  expect(contains({ a, b: { type: 'boolean' }, closed: true }).steps).toBeLessThan(1_000);
});

const inDemandedProperty = (inner: Json): Json => ({
  ...{ type: 'object', properties: { a: inner }, required: ['a'] },
});

const named = { $id: 'https://example.com/chain' };

/** Thousands of schemas, each of which leads to the next: none is nested in the text. */
function chain(type: Json, wrap: (next: Json) => Json = (next) => next, more: object = {}): Json {
  const length = 9_900;
  return {
    ...more,
    $ref: '#/$defs/key0',
    $defs: {
      ...entries(length, (at) => wrap({ $ref: `#/$defs/key${at + 1}` })),
      [`key${length}`]: { type: 'object', properties: { x: type } },
    },
  };
}

/** No verdict is promised here, only an end. */
const endless: readonly (readonly [string, Json, Json])[] = [
  ['exponential unions', choices(40, 'integer'), choices(40, 'string')],
  ['exponential unions, wider', choices(30, 'integer'), choices(30, 'number')],
  [
    'ten thousand deep',
    nest(10_000, inProperty, { type: 'integer' }),
    nest(10_000, inProperty, { type: 'string' }),
  ],
  [
    'not, ten thousand times',
    nest(10_001, (not) => ({ not }), { type: 'string' }),
    { type: 'string' },
  ],
  [
    'allOf, ten thousand deep',
    nest(10_000, (inner) => ({ allOf: [inner] }), { type: 'integer' }),
    { type: 'number' },
  ],
  [
    'a chain of references',
    {
      $ref: '#/$defs/key0',
      $defs: {
        ...entries(10_000, (at) => ({ $ref: `#/$defs/key${at + 1}` })),
        key10000: { type: 'string' },
      },
    },
    { type: 'integer' },
  ],
  ['a long chain of references to objects', chain({ type: 'string' }), chain({ type: 'integer' })],
  [
    'a long chain of references to what may stand under other names',
    { properties: { k: {} }, additionalProperties: chain({ type: 'string' }, undefined, named) },
    { properties: { k: {} }, additionalProperties: chain({ type: 'integer' }, undefined, named) },
  ],
  [
    'an object in objects, thousands deep',
    chain({ type: 'string' }, inDemandedProperty),
    chain({ type: 'integer' }, inDemandedProperty),
  ],
  [
    'a pattern that explodes',
    { type: 'string', pattern: '(a|b)*a(a|b){60}' },
    { type: 'string', pattern: '(a|b)*b(a|b){60}' },
  ],
  [
    'a pattern that backtracks',
    { type: 'string', pattern: '^(a+)+$' },
    { type: 'string', pattern: '^(a|aa)+$' },
  ],
  [
    'a pattern that looks ahead five thousand times',
    { type: 'string', pattern: `${'(?=a)'.repeat(5_000)}a` },
    { type: 'string', pattern: '^(a|aa)+$' },
  ],
  [
    'a pattern of nine million repeats',
    { type: 'string', pattern: '^((a{1000}){1000}){9}$' },
    { type: 'string', maxLength: 9_000_000 },
  ],
  [
    'many patterns of keys',
    {
      type: 'object',
      patternProperties: Object.fromEntries(
        range(40).map((at) => [
          `${String.fromCharCode(97 + (at % 26))}.*${at}`,
          { type: 'integer' },
        ]),
      ),
    },
    { type: 'object', patternProperties: { '^z': { type: 'string' } } },
  ],
  [
    'many ways to unevaluate',
    {
      anyOf: range(20).map((at) => ({ properties: { [`p${at}`]: { type: 'string' } } })),
      unevaluatedProperties: false,
    },
    { type: 'object', maxProperties: 3 },
  ],
  [
    'oneOf of a thousand',
    { oneOf: range(1_000).map((at) => ({ required: [`p${at}`] })) },
    { oneOf: range(1_000).map((at) => ({ required: [`q${at}`] })) },
  ],
  [
    'many items to count',
    {
      type: 'array',
      contains: { type: 'string' },
      minContains: 900,
      maxContains: 1_000,
      uniqueItems: true,
    },
    { type: 'array', contains: { type: 'integer' }, minItems: 950 },
  ],
  [
    'multiples that never meet',
    { type: 'integer', multipleOf: 1_000_003, not: { multipleOf: 7 }, minimum: 1 },
    { type: 'integer', multipleOf: 999_983 },
  ],
];

for (const [name, a, b] of endless) {
  test(`${name}: ends, the same way each time`, () => {
    const first = contains({ a, b });
    expect(contains({ a, b })).toEqual(first);
    expect(first.steps).toBeLessThanOrEqual(500_000);
    expect(contains({ a, b, closed: true }).steps).toBeLessThanOrEqual(500_000);
  });
}

test('a small budget is kept, and shared by the questions of a session', () => {
  const comparison = openComparison(choices(20, 'integer'), choices(20, 'string'), {
    stepBudget: 50,
  });
  const answer = comparison.contains(comparison.old.root, comparison.next.root);
  expect(answer.verdict).toBe('undecided');
  expect(comparison.contains(comparison.old.root, comparison.next.root).verdict).toBe('undecided');
});

test('oneOf in oneOf, two hundred deep: there are more ways to look than steps', () => {
  const nested = (core: Json): Json =>
    nest(200, (inner) => ({ oneOf: [inner, { const: 1 }] }), core);
  for (const closed of [false, true]) {
    const answer = contains({ a: nested({ type: 'string' }), b: nested({ type: 'null' }), closed });
    expect(answer.steps).toBeLessThanOrEqual(500_001);
  }
});
