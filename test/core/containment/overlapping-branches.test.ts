// Branches of anyOf that may hold together in more ways than are told apart: which keys are evaluated
// hangs on which of them hold.

import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const at = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Each branch names one key of its own. */
const branches = (count: number, of: Json, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  anyOf: at(count).map((index) => ({ properties: { [`k${index}`]: of } })),
  ...more,
});
const named = (count: number, of: Json): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(at(count).map((index) => [`k${index}`, of])),
  additionalProperties: false,
});
const closing = { unevaluatedProperties: false };
const int = { type: 'integer' };
const num = { type: 'number' };
const text = { type: 'string' };

checkPairs(
  'many open branches, as their producer',
  [
    [branches(8, int), branches(8, num), 'yes', 'no'],
    [branches(8, int), named(8, num), 'yes', 'no'],
    [branches(15, int), named(15, num), 'yes', 'no'],
    [branches(15, int), named(14, num), 'no', 'yes'],
    [branches(9, int), { type: 'object', additionalProperties: { enum: [1] } }, 'no', 'yes'],
    // Two branches name one key: it is enough that one of them holds.
    [
      branches(8, int, {
        anyOf: at(10).map((index) => ({
          properties: { [`k${index % 8}`]: [int, num][index % 2] },
        })),
      } as JsonObject),
      named(8, num),
      ...(['yes', 'yes'] as const),
    ],
    // Beside them stands what names a key whatever holds.
    [
      branches(8, int, { properties: { k0: { type: 'string' }, other: true } }),
      { ...named(0, num), properties: { k0: { type: 'string' }, other: true } },
      ...(['no', 'yes'] as const),
    ],
  ],
  { closed: true },
);

const either = { type: ['integer', 'string'] };

checkPairs(
  'many branches of which one is closed, as their producer',
  [
    [shutting(false), named(8, either), 'yes', 'no'],
    [shutting(false), named(8, int), 'no', 'yes'],
    [shutting({ type: 'null' }), named(8, either), 'no', 'no'],
    [
      shutting({ const: null }),
      { additionalProperties: { type: [...either.type, 'null'] } },
      'yes',
      'no',
    ],
    // It says nothing of the others, so a producer does not send them for it.
    [shutting(true), named(8, either), 'yes', 'yes'],
    [branches(8, { enum: [1, 2] }), named(8, int), 'yes', 'no'],
    [branches(8, { enum: [1, { b: 2 }] }), named(8, int), 'no', 'no'],
  ],
  { closed: true },
);

const inner = (key: string, schema: Json = int): JsonObject => ({
  ...{ type: 'object', properties: { [key]: schema } },
});
/** Eight branches, and one that says more of what is under the first key. */
const describing = (...more: readonly Json[]): JsonObject => ({
  ...{ type: 'object' },
  anyOf: [
    ...(branches(8, inner('a')).anyOf as Json[]),
    ...more.map((k0): Json => ({ properties: { k0 } })),
  ],
});
const taking = (k0: Json): Json => ({ properties: { k0 } });

checkPairs(
  'many branches with keys of their own under a key, as their producer',
  [
    [describing(), taking({ properties: { b: false } }), 'yes', 'no'],
    [describing(inner('b')), taking({ properties: { c: false } }), 'yes', 'no'],
    // Two branches describe it together, and each alone.
    [describing(inner('b')), taking({ not: { required: ['a', 'b'] } }), 'no', 'no'],
    [describing(inner('b', false)), taking({ properties: { b: false } }), 'yes', 'no'],
    [describing(inner('a', text)), taking({ properties: { b: false } }), 'yes', 'no'],
    [describing({}), taking({ properties: { b: false } }), 'no', 'no'],
    [
      describing({ type: 'array', items: inner('b') }),
      taking({ items: { maxProperties: 1 } }),
      'yes',
      'no',
    ],
  ],
  { closed: true },
);

checkPairs('many branches of which one is closed, under unevaluatedProperties', [
  [{ ...shutting(false), ...closing }, named(8, either), 'yes', 'no'],
  [{ ...shutting(false), ...closing }, named(8, int), 'no', 'yes'],
  [{ ...shutting(true), ...closing }, { not: { required: ['other'] } }, 'no', 'no'],
  [{ ...shutting(true), ...closing }, { properties: { k0: either } }, 'yes', 'no'],
]);

checkPairs('many open branches under unevaluatedProperties', [
  [branches(8, int, closing), named(8, num), 'yes', 'no'],
  [branches(8, int, closing), named(8, int), 'yes', 'yes'],
  [branches(8, int, closing), branches(8, num, closing), 'yes', 'no'],
  [branches(8, int, { unevaluatedProperties: num }), { additionalProperties: num }, 'yes', 'no'],
  // Of these only sets around them are known. The sets around are one, and they are two.
  [
    { ...lettingIn([1, 2]), ...closing },
    { ...lettingIn([2]), ...closing },
    ...(['undecided', 'undecided'] as const),
  ],
  [{ ...lettingIn([1, 2]), ...closing }, { ...lettingIn([1, 2]), ...closing }, 'yes', 'yes'],
]);

/** The first branch evaluates keys by a pattern, and holds where `k` is one of the values. */
function lettingIn(values: number[]): JsonObject {
  const first: Json = { properties: { k: { enum: values } }, patternProperties: { '^k': {} } };
  return { type: 'object', anyOf: [first, ...(branches(8, {}).anyOf as Json[]), {}] };
}

/** The last branch lets in nothing but a text, or whatever fits a schema. */
function shutting(rest: Json): JsonObject {
  const last: Json = { properties: { k0: { type: 'string' } }, additionalProperties: rest };
  return { type: 'object', anyOf: [...(branches(8, int).anyOf as Json[]), last] };
}

test('a pattern that nobody can read may evaluate a key of many branches as well', () => {
  const patterned = { patternProperties: { '(': {} }, required: ['k0'] };
  const a = branches(8, int, { ...patterned, unevaluatedProperties: int });
  expect(contains({ a, b: { properties: { k0: int } } }).verdict).toBe('undecided');
});
