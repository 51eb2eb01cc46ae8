// Under forward, a demand for a new property asks the consumers, whatever keyword makes it and however few
// values it holds for. Which values lack it is judged by a validator that was written apart from the engine: a
// value of old that new refuses, and accepts with the property. DEMAND_PAIRS asks for more pairs, and
// DEMAND_SEED for others.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { between, object } from '../../diff/support/terms.ts';
import { evaluatorOf, type Readings } from '../evaluator.ts';

const pairCount = Number(process.env.DEMAND_PAIRS ?? 80);
const seed = Number(process.env.DEMAND_SEED ?? 20_261_128);

const readings: Readings = {
  ...{ writesFractions: false, containsEvaluates: 'none', obeysDependencies: false },
};

const written = (key: string, values: readonly Json[]) => [
  {},
  ...values.map((value) => ({ [key]: value })),
];
const before: readonly JsonObject[] = written('a', ['x', 'y']).flatMap((a) =>
  written('n', [1, 2, 3]).map((n) => ({ ...a, ...n })),
);
const added: readonly JsonObject[] = ['z', 'w'].flatMap((key) => written(key, ['x', 'y']).slice(1));

const ofOld: readonly JsonObject[] = [
  ...['a', 'n'].map((key) => ({ required: [key] })),
  ...[{ properties: { n: { minimum: 2 } } }, { properties: { a: { const: 'x' } } }],
  ...[{ minProperties: 1 }, { maxProperties: 1 }, { const: { a: 'x' } }],
  ...[{ dependentRequired: { a: ['n'] } }, { enum: [{ n: 1 }, { a: 'x', n: 2 }] }],
];
const ofNew: readonly JsonObject[] = [
  ...['z', 'w'].flatMap((key) => [{ required: [key] }, { properties: { [key]: false } }]),
  ...[
    { properties: { z: { const: 'x' } } },
    { properties: { w: { const: 'y' } }, required: ['a'] },
  ],
  ...[{ minProperties: 2 }, { minProperties: 3 }, { maxProperties: 2 }],
  ...[{ dependentRequired: { a: ['z'] } }, { dependentRequired: { z: ['w'] } }],
  ...[{ propertyNames: { enum: ['a', 'n'] } }, { propertyNames: { minLength: 2 } }],
  ...[{ properties: { a: {}, n: {} }, additionalProperties: false }],
  ...[{ patternProperties: { '^[zw]$': { const: 'x' } } }, { patternProperties: { '^z': false } }],
  ...[{ const: { a: 'x', z: 'x' } }, { enum: [{ z: 'x' }, { n: 1 }, { n: 2, w: 'y' }] }],
  ...[{ dependentSchemas: { a: { required: ['z'] }, z: { required: ['n'] } } }],
];

function combined(leaf: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const { node } = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      tie('node').map((not): Json => ({ not })),
      ...(['allOf', 'anyOf', 'oneOf'] as const).map((keyword) =>
        fc.tuple(tie('node'), tie('node')).map((parts): Json => ({ [keyword]: parts })),
      ),
      tie('node').map((part): Json => ({ dependentSchemas: { a: part } })),
      tie('node').map((part): Json => ({ properties: { n: { minimum: 2 } }, allOf: [part] })),
      fc.tuple(tie('node'), tie('node'), tie('node')).map((parts): Json => {
        return Object.fromEntries(
          ['if', 'then', 'else'].map((key, at) => [key, parts[at] ?? true]),
        );
      }),
    ),
  }));
  return node;
}

const known: JsonObject = { a: { enum: ['x', 'y'] }, n: { enum: [1, 2, 3] } };
const described: JsonObject = { z: { enum: ['x', 'y'] }, w: { enum: ['x', 'y'] } };

const leafOfOld = fc.constantFrom(...ofOld);
const leafOfNew = fc.constantFrom(...ofOld, ...ofNew, ...ofNew);

const pair = fc
  .record({
    more: fc.option(combined(leafOfOld), { nil: null }),
    demand: combined(leafOfNew),
    wrap: fc.constantFrom<(schema: Json) => Json>(
      (schema) => schema,
      (items) => ({ type: 'array', items, minItems: 1 }),
    ),
  })
  .map(({ more, demand, wrap }) => {
    const kept = more === null ? [] : [more];
    return {
      wrap,
      old: object(known as never, [], { allOf: kept }),
      next: object({ ...known, ...described } as never, [], { allOf: [...kept, demand] }),
    };
  });

/** A value of old that new refuses for what it lacks; undefined if there is none, null if disputed. */
function lacking(old: Json, next: Json): JsonObject | undefined | null {
  const [was, is] = [evaluatorOf('2020-12', old), evaluatorOf('2020-12', next)];
  for (const value of before) {
    const answers = [was(value, readings), is(value, readings)];
    if (answers.includes(undefined)) return null;
    if (!answers[0] || answers[1]) continue;
    if (added.some((more) => is({ ...value, ...more }, readings) === true)) return value;
  }
  return undefined;
}

test(
  'a new property that some value of old lacks, and needs now, breaks under forward',
  () => {
    const tally = { lacking: 0, fine: 0, asked: 0 };
    fc.assert(
      fc.property(pair, ({ old, next, wrap }) => {
        const value = lacking(old, next);
        if (value === null) return;
        const { isBreaking } = between(wrap(old), wrap(next), { mode: 'forward' });
        tally[value === undefined ? 'fine' : 'lacking']++;
        if (value === undefined && isBreaking) tally.asked++;
        if (value !== undefined) expect({ value, isBreaking }).toEqual({ value, isBreaking: true });
      }),
      { numRuns: pairCount, seed, endOnFailure: false },
    );
    if (process.env.DEMAND_PAIRS !== undefined) console.log(tally);
    expect(tally.lacking).toBeGreaterThan(pairCount / 20);
    // What nothing lacks is mostly not asked about.
    expect(tally.fine - tally.asked).toBeGreaterThan(pairCount / 20);
  },
  60_000 + pairCount * 100,
);
