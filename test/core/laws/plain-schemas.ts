// Schemas as most of those asked about are: records, lists, and unions of records told apart by a tag or
// by their keys, with references among them. Now and then one that only looks it.

import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import type { Pair } from './schemas.ts';
import { bothFrom } from './schemas.ts';

const key = fc.constantFrom('a', 'b', 'kind');
const tag = fc.constantFrom<Json>(
  ...[{ const: 'x' }, { const: 'y' }, { enum: ['x', 'z'] }, { type: 'string', const: 'x' }],
);
const leaf = fc.constantFrom<Json>(
  ...[{ type: 'integer' }, { type: 'number' }, { type: 'string' }, { type: ['string', 'null'] }],
  ...[{ type: 'null' }, { type: 'object' }, { type: 'array' }, { type: 'integer', minimum: 0 }],
  ...[true, false, {}, { title: 'any' }, { minItems: 0 }, { not: {} }],
);
const reference = fc.constantFrom<Json>(
  { $ref: '#' },
  { $ref: '#/$defs/d' },
  { $ref: '#/$defs/e' },
);

function present<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

const { schema } = fc.letrec<Record<'schema' | 'record' | 'list' | 'union', Json>>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'plain' },
    { arbitrary: fc.oneof(leaf, tag), weight: 4 },
    { arbitrary: tie('record'), weight: 4 },
    { arbitrary: tie('list'), weight: 1 },
    { arbitrary: tie('union'), weight: 2 },
    { arbitrary: reference, weight: 1 },
  ),
  record: fc
    .record({
      type: fc.constantFrom<Json>('object', 'object', ['object', 'null']),
      properties: present(fc.dictionary(key, tie('schema'), { maxKeys: 3, noNullPrototype: true })),
      required: present(fc.subarray(['a', 'b', 'c', 'kind'])),
      additionalProperties: present(fc.oneof(fc.constant<Json>(false), tie('schema'))),
    })
    .map(withoutAbsent),
  list: fc
    .record({
      type: fc.constantFrom<Json>('array', ['array', 'null']),
      items: present(tie('schema')),
      minItems: present(fc.nat(3)),
      maxItems: present(fc.nat(3)),
    })
    .map(withoutAbsent),
  union: fc
    .tuple(
      fc.constantFrom('anyOf', 'oneOf'),
      fc.array(fc.oneof(tie('record'), tie('record'), tie('schema')), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.boolean(),
    )
    .map(([name, branches, isTagged]) => ({ [name]: isTagged ? branches.map(tagged) : branches })),
}));

/** With a tag that the other branches have not, where the branch is a record. */
function tagged(branch: Json, index: number): Json {
  if (typeof branch !== 'object' || branch === null || !('properties' in branch)) return branch;
  const { properties, required = [] } = branch as Record<'properties' | 'required', JsonObject>;
  const kind = { const: ['x', 'y', 'z'][index] ?? 'x' };
  return {
    ...branch,
    type: 'object',
    properties: { ...properties, kind },
    required: [...new Set([...(required as unknown as string[]), 'kind'])],
  };
}

function withoutAbsent(parts: Readonly<Record<string, Json | undefined>>): Json {
  const entries = Object.entries(parts).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries) as JsonObject;
}

const document = fc.record({ root: schema, d: schema, e: schema }).map(({ root, d, e }): Json => {
  const $defs = { d, e };
  return typeof root === 'boolean' ? { anyOf: [root], $defs } : { ...(root as JsonObject), $defs };
});

/** Branches that may hold together: then a producer writes the keys of both. */
const looseUnion = fc
  .array(
    fc.record({
      type: fc.constant<Json>('object'),
      properties: fc.dictionary(key, fc.oneof(leaf, tag), { minKeys: 1, noNullPrototype: true }),
      required: present(fc.subarray(['a', 'b'], { maxLength: 1 })),
    }),
    { minLength: 2, maxLength: 3 },
  )
  .map((branches) => branches.map(withoutAbsent));

/** Beside the same with each record shut, or all but one: what a producer writes who keeps to a branch. */
const looseAndShut = fc.tuple(looseUnion, fc.nat(1)).map(([branches, left]) => ({
  a: { anyOf: branches },
  b: {
    anyOf: branches
      .slice(left)
      .map((branch) => ({ ...(branch as JsonObject), additionalProperties: false })),
  },
}));

/** As `pair`, of plain shapes. */
export const plainPair: fc.Arbitrary<Pair> = fc
  .tuple(
    fc.oneof(
      { arbitrary: bothFrom(document, schema), weight: 4 },
      { arbitrary: looseAndShut, weight: 1 },
    ),
    fc.nat(0xffffffff),
  )
  .map(([{ a, b }, seed]) => ({ dialect: '2020-12', a, b, seed }));
