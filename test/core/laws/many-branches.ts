// Branches of anyOf that may hold together in more ways than the engine tells apart: which keys are
// evaluated hangs on which of them hold.

import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import type { Pair } from './schemas.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const key = fc.constantFrom(...names);
const leaf = fc.constantFrom<Json>(
  ...[{ type: 'integer' }, { type: 'string' }, { type: ['string', 'null'] }, { const: 'a' }],
  ...[{ enum: ['a', 1] }, { minimum: 1 }, true, { type: 'object', properties: { a: {} } }],
  ...[{ type: 'object', properties: { b: { type: 'integer' } } }, { type: 'object' }],
);
const rest = fc.constantFrom<Json | undefined>(
  ...[undefined, undefined, undefined, false, false, true, { type: 'integer' }],
);

const branch = fc
  .record({
    properties: fc.dictionary(key, leaf, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    required: fc.subarray(['a', 'b'], { maxLength: 1 }),
    additionalProperties: rest,
  })
  .map(
    ({ properties, required, additionalProperties }): JsonObject => ({
      ...{ type: 'object', properties, required },
      ...(additionalProperties !== undefined && { additionalProperties }),
    }),
  );

/** Most have nothing beside them: what the branches say of a key, others may say as well. */
const union = fc
  .record({
    anyOf: fc.array(branch, { minLength: 7, maxLength: 10 }),
    unevaluatedProperties: fc.constantFrom<Json | undefined>(
      ...[undefined, undefined, undefined, false, false, false],
      ...[{ type: 'integer' }, { type: 'object', properties: { b: { type: 'integer' } } }],
    ),
    properties: fc.option(fc.dictionary(key, leaf, { maxKeys: 2, noNullPrototype: true }), {
      ...{ nil: undefined, freq: 3 },
    }),
  })
  .map(({ anyOf, ...others }): JsonObject => {
    const said = Object.entries(others).filter(([, value]) => value !== undefined);
    return { type: 'object', anyOf, ...Object.fromEntries(said) } as JsonObject;
  });

/** Beside one record with all of the keys, beside itself with another branch, or without one. */
const beside = fc.tuple(union, fc.array(leaf, { minLength: 5, maxLength: 5 }), branch, fc.nat(9));

export const branchPair: fc.Arbitrary<Pair> = fc
  .tuple(beside, fc.nat(2), fc.nat(0xffffffff))
  .map(([[a, leaves, other, at], how, seed]): Pair => {
    const branches = a.anyOf as readonly Json[];
    const place = at % branches.length;
    const one: Json = {
      properties: Object.fromEntries(names.map((name, index) => [name, leaves[index] ?? true])),
      additionalProperties: false,
    };
    const b = [
      one,
      { ...a, anyOf: branches.with(place, other) },
      { ...a, anyOf: branches.toSpliced(place, 1) },
    ][how];
    return { dialect: '2020-12', a, b: b ?? true, seed };
  });
