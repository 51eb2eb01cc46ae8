// Unions whose branches are told apart by their keys and values, and those that only look it.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const int = { type: 'integer' };
const num = { type: 'number' };
const record = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const closed = (properties: JsonObject, required: string[] = []): JsonObject => ({
  ...record(properties, required),
  additionalProperties: false,
});
const tagged = (kind: Json, more: JsonObject = {}): JsonObject =>
  record({ kind: { const: kind }, ...more }, ['kind']);
const oneOf = (...branches: Json[]): JsonObject => ({ oneOf: branches });
const anyOf = (...branches: Json[]): JsonObject => ({ anyOf: branches });

checkPairs('oneOf whose branches share nothing is anyOf', [
  // One demands a key that the other forbids.
  [
    oneOf(record({ x: int }, ['x']), closed({ y: int })),
    anyOf(record({ x: int }, ['x']), closed({ y: int })),
    ...(['yes', 'yes'] as const),
  ],
  // Unions within unions, references and allOf.
  [
    oneOf(oneOf(tagged('a'), tagged('b')), oneOf(tagged('c'), tagged('d'))),
    anyOf(tagged('a'), tagged('b'), tagged('c'), tagged('d')),
    ...(['yes', 'yes'] as const),
  ],
  [
    {
      ...oneOf(
        { allOf: [{ type: 'object', required: ['kind'] }, record({ kind: { const: 'a' } })] },
        { allOf: [{ $ref: '#/$defs/b' }, record({ x: int })] },
      ),
      $defs: { b: tagged('b') },
    },
    anyOf(tagged('a'), tagged('b', { x: int })),
    ...(['yes', 'yes'] as const),
  ],
  // One of the two demands the tag, which is enough: without it the other alone remains.
  [
    oneOf(tagged('a'), record({ kind: { const: 'b' } })),
    anyOf(tagged('a'), record({ kind: { const: 'b' } })),
    ...(['yes', 'yes'] as const),
  ],
  [oneOf(int, tagged('a'), closed({})), anyOf(closed({}), tagged('a'), int), 'yes', 'yes'],
]);

checkPairs('oneOf whose branches only look apart', [
  // Neither demands the tag: what lacks it is in both.
  [
    record({}, []),
    oneOf(record({ kind: { const: 'a' } }), record({ kind: { const: 'b' } })),
    ...(['no', 'yes'] as const),
  ],
  [
    closed({}),
    oneOf(record({ kind: { const: 'a' } }), record({ kind: { const: 'b' } })),
    ...(['no', 'no'] as const),
  ],
  // A pattern lets in the key that is demanded.
  [
    closed({ x1: int }, ['x1']),
    oneOf(record({ x1: int }, ['x1']), {
      type: 'object',
      patternProperties: { '^x': int },
      additionalProperties: false,
    }),
    ...(['no', 'no'] as const),
  ],
  // A schema for the rest is no ban.
  [
    closed({ x: int }, ['x']),
    oneOf(record({ x: int }, ['x']), { type: 'object', additionalProperties: num }),
    ...(['no', 'no'] as const),
  ],
  // The same value in another spelling, and one in both of two inner unions.
  [tagged(1), oneOf(tagged(1), record({ kind: { enum: [1.0, 2] } }, ['kind'])), 'no', 'no'],
  [
    tagged('b'),
    oneOf(oneOf(tagged('a'), tagged('b')), oneOf(tagged('c'), tagged('b'))),
    ...(['no', 'no'] as const),
  ],
  // Two of three overlap, and the third stands apart.
  [
    tagged('a', { x: int }),
    oneOf(tagged('a'), tagged('b'), record({ x: num }, ['kind'])),
    ...(['no', 'no'] as const),
  ],
  // What a condition or a negation says tells nothing apart here.
  [
    record({ kind: { const: 'a' } }, ['kind']),
    oneOf({ type: 'object', not: tagged('b') }, { type: 'object', if: false, else: tagged('a') }),
    ...(['no', 'no'] as const),
  ],
]);

const kinds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const eight = (of: (kind: string) => JsonObject): JsonObject => oneOf(...kinds.map(of));
const anyOfEight = (of: (kind: string, index: number) => Json): JsonObject =>
  anyOf(...kinds.map(of));

checkPairs('a branch beside its counterpart among many', [
  [
    eight((kind) => tagged(kind, { x: int })),
    eight((kind) => tagged(kind, { x: num })),
    'yes',
    'no',
  ],
  [
    eight((kind) => tagged(kind, { x: num })),
    eight((kind) => tagged(kind, { x: kind === 'e' ? int : num })),
    ...(['no', 'yes'] as const),
  ],
  // No branch alone has it all; together they do.
  [
    anyOfEight((_, index) => record({ k: { enum: [index, index + 1] } }, ['k'])),
    anyOfEight((_, index) => record({ k: index < 7 ? { const: index } : { enum: [7, 8] } }, ['k'])),
    ...(['yes', 'yes'] as const),
  ],
  [
    anyOfEight((_, index) => record({ k: { enum: [index, index + 1] } }, ['k'])),
    anyOfEight((_, index) => record({ k: { const: index } }, ['k'])),
    ...(['no', 'yes'] as const),
  ],
]);

checkPairs(
  'unions told apart, as their producer',
  [
    [
      oneOf(record({ x: int }, ['x']), closed({ y: int })),
      anyOf(closed({ x: int }), closed({ y: int })),
      ...(['yes', 'yes'] as const),
    ],
    [
      eight((kind) => tagged(kind, { x: int })),
      eight((kind) => closed({ kind: { const: kind }, x: int })),
      ...(['yes', 'yes'] as const),
    ],
  ],
  { closed: true },
);
