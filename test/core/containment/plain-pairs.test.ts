// Records, lists and tagged unions beside each other, which are answered by their parts: each rule with
// a pair that it settles and one that it must not.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const int = { type: 'integer' };
const num = { type: 'number' };
const text = { type: 'string' };
const record = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const list = (items: Json, more: JsonObject = {}): JsonObject => ({
  type: 'array',
  items,
  ...more,
});
const self = { $ref: '#' };

checkPairs('records', [
  [record({ a: int }, ['a']), record({ a: num }), 'yes', 'no'],
  // A key that only one side names is in what the other says of the rest.
  [record({ a: int }), { type: 'object', additionalProperties: num }, 'no', 'no'],
  [
    { ...record({ a: int }), additionalProperties: int },
    { type: 'object', additionalProperties: num },
    ...(['yes', 'no'] as const),
  ],
  [
    { ...record({ a: int }, ['b']), additionalProperties: text },
    { ...record({ b: text }), additionalProperties: int },
    ...(['no', 'no'] as const),
  ],
  // What is demanded and may not be there: the left has no object at all.
  [
    { ...record({ a: int }, ['b']), additionalProperties: false },
    record({ a: text }, ['c']),
    ...(['yes', 'no'] as const),
  ],
  [{ ...record({ a: int }), type: ['object', 'null'] }, record({ a: int }), 'no', 'yes'],
  [
    { ...record({ a: int }, ['b']), type: ['object', 'null'], additionalProperties: false },
    { type: ['null', 'string'] },
    ...(['yes', 'no'] as const),
  ],
  // Every short key is taken.
  [
    record(Object.fromEntries([...'abcxyz', 'extra', 'other', 'another'].map((key) => [key, int]))),
    { type: 'object', additionalProperties: int },
    ...(['no', 'yes'] as const),
  ],
]);

checkPairs(
  'records, as their producer',
  [
    [record({ a: int }), { ...record({ a: num }), additionalProperties: false }, 'yes', 'no'],
    [{ ...record({ a: int }), additionalProperties: {} }, record({ b: text }), 'yes', 'yes'],
    [
      { ...record({ a: int }), additionalProperties: { minItems: 0 } },
      record({ b: text }),
      ...(['no', 'yes'] as const),
    ],
    // Demanded and not declared: a producer writes no such object.
    [record({ a: int }, ['b']), record({ a: text }), 'yes', 'no'],
    [{ type: 'object', required: ['b'] }, record({ b: text }), 'no', 'no'],
    [record({ a: record({ x: int }) }), record({ a: record({ y: int }) }), 'yes', 'yes'],
    // Two branches at once: what both evaluate may be there.
    [
      { anyOf: [record({ a: int }), record({ b: int })] },
      { anyOf: [{ not: { required: ['a'] } }, { not: { required: ['b'] } }] },
      ...(['no', 'yes'] as const),
    ],
  ],
  { closed: true },
);

checkPairs('lists', [
  [list(int), list(num), 'yes', 'no'],
  [list(int, { minItems: 1 }), list(int), 'yes', 'no'],
  [list(int, { maxItems: 3 }), list(int, { maxItems: 2 }), 'no', 'yes'],
  [list(int, { maxItems: 0 }), list(text), 'yes', 'no'],
  [list(int, { minItems: 3, maxItems: 2 }), list(text, { minItems: 4 }), 'yes', 'no'],
  [list(false), list(text, { minItems: 1 }), 'no', 'no'],
  [list(false, { minItems: 1 }), list(text, { maxItems: 0 }), 'yes', 'no'],
  [list(int, { minItems: 40 }), list(int, { minItems: 41 }), 'no', 'yes'],
  [{ ...list(int), type: ['array', 'null'] }, list(num), 'no', 'no'],
]);

const tagged = (kind: Json, more: JsonObject): JsonObject =>
  record({ kind: { const: kind }, ...more }, ['kind']);

checkPairs('unions', [
  [
    { anyOf: [tagged('a', { x: int }), tagged('b', { x: text })] },
    { anyOf: [tagged('b', { x: text }), tagged('a', { x: num })] },
    ...(['yes', 'no'] as const),
  ],
  // The tag is there, and not demanded: another branch may hold.
  [
    record({ kind: { const: 'a' }, x: int }),
    { anyOf: [tagged('a', { x: text }), record({ kind: { const: 'b' } })] },
    ...(['no', 'no'] as const),
  ],
  // Two branches share what is asked for; neither alone has it all.
  [
    record({ x: { enum: [1, 2] } }, ['x']),
    { anyOf: [record({ x: { const: 1 } }), record({ x: { const: 2 } })] },
    ...(['yes', 'no'] as const),
  ],
  [
    { anyOf: [record({ x: int }), { type: 'null' }] },
    { oneOf: [{ type: ['null', 'string'] }, record({ x: num }), record({ x: int }, ['y'])] },
    ...(['no', 'no'] as const),
  ],
  [{ anyOf: [text, { type: 'null' }] }, { anyOf: [int, list(int)] }, 'no', 'no'],
]);

checkPairs('values within values', [
  [record({ next: self }, ['next']), int, 'yes', 'no'],
  [record({ v: int, next: self }, ['v']), record({ v: num, next: self }, ['v']), 'yes', 'no'],
]);

// What refers to itself at one place defines no set, and no round of questions may say otherwise. (Other
// validators overflow their stack on it: with the dialect said, none is asked.)
checkPairs(
  'circles',
  [
    [text, { anyOf: [self, int] }, 'undecided', 'no'],
    [
      record({ a: text }, ['a']),
      { anyOf: [{ $ref: '#/$defs/c' }, record({ a: int })], $defs: { c: { anyOf: [self] } } },
      ...(['undecided', 'no'] as const),
    ],
  ],
  { skipsAjv: true, dialect: '2020-12' },
);
