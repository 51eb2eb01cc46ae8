// Unions, negation, conditions, references, emptiness.

import type { JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const int = { type: 'integer' };
const num = { type: 'number' };
const str = { type: 'string' };
const record = (
  properties: JsonObject,
  required: string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  ...{ type: 'object', properties, required, ...more },
});
const tagged = (kind: string, more: JsonObject = {}): JsonObject =>
  record({ kind: { const: kind }, ...more }, ['kind']);

checkPairs('unions', [
  [{ anyOf: [str, num] }, { type: ['string', 'number'] }, 'yes', 'yes'],
  [{ anyOf: [str, num] }, { oneOf: [num, str] }, 'yes', 'yes'],
  [{ anyOf: [int, num] }, num, 'yes', 'yes'],
  [{ oneOf: [int, num] }, { type: 'number', not: int }, 'yes', 'yes'],
  [{ oneOf: [int, int] }, false, 'yes', 'yes'],
  [{ oneOf: [int] }, int, 'yes', 'yes'],
  [{ anyOf: [str, { type: 'null' }] }, { type: ['string', 'null'] }, 'yes', 'yes'],
  // A tag that two branches share, that is not demanded, or that some branch lacks tells nothing apart.
  [
    { oneOf: [tagged('a'), tagged('a', { x: int })] },
    tagged('a', { x: { not: int } }),
    'yes',
    'no',
  ],
  [
    { oneOf: [tagged('a'), record({ kind: { enum: ['b', 'a'] } }, ['kind'])] },
    tagged('b'),
    ...(['yes', 'yes'] as const),
  ],
  [
    { oneOf: [record({ kind: { const: 'a' } }), record({ kind: { const: 'b' } })] },
    record({}, ['kind']),
    ...(['yes', 'no'] as const),
  ],
  [
    { oneOf: [tagged('a'), record({ other: { const: 'b' } }, ['kind', 'other'])] },
    { anyOf: [tagged('a'), record({ other: { const: 'b' } }, ['kind', 'other'])] },
    ...(['yes', 'no'] as const),
  ],
  [
    { oneOf: [{ $ref: '#/$defs/a' }, tagged('b')], $defs: { a: tagged('a') } },
    { anyOf: [tagged('b'), tagged('a')] },
    ...(['yes', 'yes'] as const),
  ],
  [{ allOf: [str, { minLength: 2 }] }, { type: 'string', minLength: 2 }, 'yes', 'yes'],
  [{ allOf: [str, num] }, false, 'yes', 'yes'],
  [{ allOf: [num, int] }, int, 'yes', 'yes'],
  [{ anyOf: [{ minimum: 5 }, { maximum: 3 }] }, {}, 'yes', 'no'],
  [{ anyOf: [{ minimum: 3 }, { maximum: 5 }] }, {}, 'yes', 'yes'],
  [
    { oneOf: [{ minimum: 3 }, { maximum: 5 }], type: 'number' },
    { not: { minimum: 3, maximum: 5 } },
    'yes',
    'yes',
  ],
  [
    { oneOf: [tagged('a'), tagged('b')] },
    { oneOf: [tagged('b'), tagged('a'), tagged('c')] },
    'yes',
    'no',
  ],
  [
    { oneOf: [tagged('a', { x: int }), tagged('b')] },
    { anyOf: [tagged('a', { x: num }), tagged('b')] },
    'yes',
    'no',
  ],
  [
    { oneOf: [tagged('a', { x: int }), tagged('b')] },
    record({ kind: { enum: ['a', 'b'] } }, ['kind']),
    'yes',
    'no',
  ],
  [
    record({ kind: { enum: ['a', 'b'] } }, ['kind']),
    { anyOf: [tagged('a'), tagged('b')] },
    'yes',
    'yes',
  ],
  [
    record({ kind: { enum: ['a', 'b'] }, x: int }, ['kind']),
    { anyOf: [tagged('a', { x: num }), tagged('b')] },
    'yes',
    'no',
  ],
  [
    record({ a: { type: ['string', 'number'] } }, ['a']),
    { anyOf: [record({ a: str }, ['a']), record({ a: num }, ['a'])] },
    'yes',
    'yes',
  ],
  [
    record({ a: { type: ['string', 'number'] }, b: { type: ['string', 'number'] } }, ['a', 'b']),
    { anyOf: [record({ a: str, b: str }, ['a', 'b']), record({ a: num, b: num }, ['a', 'b'])] },
    'no',
    'yes',
  ],
  [
    record({ a: { type: 'boolean' }, b: { type: 'boolean' } }, ['a', 'b']),
    {
      anyOf: [
        record({ a: { const: true } }),
        record({ b: { const: true } }),
        record({ a: { const: false }, b: { const: false } }),
      ],
    },
    'yes',
    'no',
  ],
  [
    { type: 'array', items: { type: ['string', 'number'] } },
    {
      anyOf: [
        { type: 'array', items: str },
        { type: 'array', items: num },
      ],
    },
    'no',
    'yes',
  ],
  [
    { type: 'array', items: { type: ['string', 'number'] }, maxItems: 1 },
    {
      anyOf: [
        { type: 'array', items: str },
        { type: 'array', items: num },
      ],
    },
    'yes',
    'no',
  ],
  [{ anyOf: [] }, false, 'yes', 'yes'],
]);

checkPairs('negation', [
  [{ not: { not: str } }, str, 'yes', 'yes'],
  [{ not: { anyOf: [str, num] } }, { allOf: [{ not: str }, { not: num }] }, 'yes', 'yes'],
  [
    { not: { allOf: [{ minimum: 3 }, { maximum: 5 }] } },
    { anyOf: [{ not: { minimum: 3 } }, { not: { maximum: 5 } }] },
    'yes',
    'yes',
  ],
  [{ type: 'number', not: { minimum: 3 } }, { type: 'number', exclusiveMaximum: 3 }, 'yes', 'yes'],
  [{ type: 'string', not: { minLength: 3 } }, { type: 'string', maxLength: 2 }, 'yes', 'yes'],
  [{ not: str }, { not: { type: 'string', minLength: 1 } }, 'yes', 'no'],
  [{ not: { required: ['a'] } }, { not: { required: ['a', 'b'] } }, 'yes', 'no'],
  [{ not: true }, false, 'yes', 'yes'],
  [{ not: false }, true, 'yes', 'yes'],
  [
    { type: 'object', not: { properties: { a: str }, required: ['a'] } },
    { not: record({ a: { const: 'x' } }, ['a']) },
    'yes',
    'no',
  ],
]);

checkPairs('exactly one within what is not exactly one', [
  [{ oneOf: [{}, { not: { oneOf: [{}, true] } }] }, { maxLength: 2 }, 'yes', 'no'],
  [
    record({ a: { oneOf: [{}, { propertyNames: { enum: [1] } }] } }),
    record({ a: { oneOf: [{}, {}] } }),
    'no',
    'yes',
  ],
  [record({ a: str }, ['a']), { oneOf: [record({ a: str }), record({ a: str })] }, 'no', 'yes'],
  [{ oneOf: [{}, { not: { oneOf: [{ const: '' }, true] } }] }, { const: '' }, 'no', 'no'],
  [{ oneOf: [{}, { not: { oneOf: [{ const: '' }, str] } }] }, str, 'yes', 'no'],
]);

checkPairs('conditions', [
  // biome-ignore-start lint/suspicious/noThenProperty: a keyword of the schemas under test.
  [
    { if: str, then: { minLength: 3 } },
    { anyOf: [{ not: str }, { type: 'string', minLength: 3 }] },
    'yes',
    'yes',
  ],
  [
    { if: str, then: { minLength: 3 }, else: num },
    { anyOf: [{ type: 'string', minLength: 2 }, num] },
    'yes',
    'no',
  ],
  [{ if: str, else: false }, str, 'yes', 'yes'],
  [{ if: true, then: int }, int, 'yes', 'yes'],
  [{ if: false, then: int }, {}, 'yes', 'yes'],
  [{ if: str }, {}, 'yes', 'yes'],
  [{ then: str }, {}, 'yes', 'yes'],
  [
    record({}, [], { if: record({ a: { const: 1 } }, ['a']), then: { required: ['b'] } }),
    record({}, [], { if: record({ a: { enum: [1, 2] } }, ['a']), then: { required: ['b'] } }),
    'no',
    'yes',
  ],
  [
    record({ a: { const: 1 } }, ['a'], {
      if: { properties: { a: { const: 1 } } },
      then: { required: ['b'] },
    }),
    { required: ['b'] },
    'yes',
    'no',
  ],
  // biome-ignore-end lint/suspicious/noThenProperty: a keyword of the schemas under test.
]);

const tree = (value: JsonObject): JsonObject => ({
  $ref: '#/$defs/tree',
  $defs: {
    tree: record({ value, children: { type: 'array', items: { $ref: '#/$defs/tree' } } }, [
      'value',
    ]),
  },
});

checkPairs('references', [
  [tree(int), tree(num), 'yes', 'no'],
  [{ $ref: '#/$defs/a', $defs: { a: str } }, str, 'yes', 'yes'],
  [
    { $ref: '#/$defs/a', minLength: 2, $defs: { a: str } },
    { type: 'string', minLength: 2 },
    'yes',
    'yes',
  ],
  [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: int } }, num, 'yes', 'no'],
  [{ $ref: '#a', $defs: { x: { $anchor: 'a', type: 'string' } } }, str, 'yes', 'yes'],
  [{ $ref: 'item.json', $defs: { x: { $id: 'item.json', type: 'string' } } }, str, 'yes', 'yes'],
  [
    {
      $id: 'https://x.test/a/root.json',
      $ref: 'b.json#n',
      $defs: { x: { $id: 'b.json', $defs: { n: { $anchor: 'n', ...int } } } },
    },
    int,
    'yes',
    'yes',
  ],
  [
    { properties: { 'a/b': str }, $ref: '#/properties/a~1b' },
    { properties: { 'a/b': str }, type: 'string' },
    'yes',
    'yes',
  ],
  [
    record({ next: { $ref: '#' }, v: int }),
    record({ next: record({ next: { $ref: '#' }, v: num }), v: num }),
    'yes',
    'no',
  ],
  [record({ next: { $ref: '#' } }, ['next']), false, 'yes', 'yes'],
  [
    record({ next: { anyOf: [{ type: 'null' }, { $ref: '#' }] } }, ['next']),
    { type: 'object', minProperties: 1 },
    'yes',
    'no',
  ],
  [{ type: 'array', items: { $ref: '#' }, minItems: 1 }, false, 'yes', 'yes'],
  [{ type: 'array', items: { $ref: '#' } }, { type: 'array' }, 'yes', 'no'],
  [
    { type: 'array', items: { $ref: '#' }, maxItems: 1 },
    { type: 'array', items: { type: 'array' } },
    'yes',
    'no',
  ],
  [
    { anyOf: [{ type: 'null' }, record({ t: { $ref: '#' } })] },
    { anyOf: [{ type: ['null', 'string'] }, record({ t: { $ref: '#' } })] },
    'yes',
    'no',
  ],
  [
    record({ a: { $ref: '#/$defs/x' } }, ['a'], {
      $defs: {
        x: record({ b: { $ref: '#/$defs/y' } }, ['b']),
        y: record({ a: { $ref: '#/$defs/x' } }, ['a']),
      },
    }),
    false,
    'yes',
    'yes',
  ],
  [{ $defs: { x: str } }, {}, 'yes', 'yes'],
]);

// An extensible tree: the outer schema gives the dynamic anchor another meaning.
const strictTree = (extra: JsonObject): JsonObject => ({
  $id: 'https://x.test/strict-tree',
  $dynamicAnchor: 'node',
  $ref: 'tree',
  ...extra,
  $defs: {
    tree: {
      $id: 'tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    },
  },
});

checkPairs('dynamic references', [
  [strictTree({ required: ['data'] }), strictTree({}), 'yes', 'no'],
  [
    strictTree({ unevaluatedProperties: false }),
    record(
      {
        data: true,
        children: {
          type: 'array',
          items: record({ data: true, children: true }, [], { additionalProperties: false }),
        },
      },
      [],
      { additionalProperties: false },
    ),
    'yes',
    'no',
  ],
]);
