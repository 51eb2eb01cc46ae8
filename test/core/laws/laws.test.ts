// The laws of containment on schemas that are small but nasty. The pairs are the same in every run of
// `make test`, so that a failure is somebody's doing; LAW_PAIRS asks for more of them, and LAW_SEED for
// others. A pair that broke a law once stands in the table at the end.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContainmentQuestion } from '../../../src/core/containment/containment.types.ts';
import { contains, openComparison } from '../../../src/core/containment/contains.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { ajvOf } from './ajv.ts';
import type { Breach } from './laws.ts';
import {
  breachOfAnswer,
  breachOfDescription,
  breachOfReflexivity,
  breachOfRepetition,
  breachOfRewriting,
  breachOfTransitivity,
  emptyTally,
  lawSteps,
} from './laws.ts';
import { branchPair } from './many-branches.ts';
import { plainPair } from './plain-schemas.ts';
import type { Pair } from './schemas.ts';
import { pair } from './schemas.ts';

const pairCount = Number(process.env.LAW_PAIRS ?? 2_000);
const seed = Number(process.env.LAW_SEED ?? 20_261_121);
/** A pair takes some 3 ms; a million take an hour, and a busy machine three times that. */
const timeoutMs = 60_000 + pairCount * 20;

function holdsFor(share: number, breachOf: (one: Pair) => Breach | null, of = pair): void {
  const numRuns = Math.ceil(pairCount * share);
  fc.assert(
    fc.property(of, (one) => {
      expect(breachOf(one)).toBeNull();
    }),
    { numRuns, seed },
  );
}

describe('what the engine answers is so', () => {
  test.each([
    ['Valid', false],
    ['closed', true],
  ] as const)(
    'for %s: no value is an exception to a yes, and a witness is one to a no',
    (_name, closed) => {
      const tally = emptyTally();
      holdsFor(1, (one) => breachOfAnswer(contains, one, closed, tally));
      // The law looks at something: both answers are frequent, and few questions stay open.
      const asked = tally.yes + tally.no + tally.undecided;
      expect(tally.yes / asked).toBeGreaterThan(0.3);
      expect(tally.no / asked).toBeGreaterThan(0.2);
      expect(tally.undecided / asked).toBeLessThan(0.12);
    },
    timeoutMs,
  );

  test.each([
    ['Valid', false],
    ['closed', true],
  ] as const)(
    'of plain shapes, for %s: no value is an exception to a yes, and a witness is one to a no',
    (_name, closed) => {
      const tally = emptyTally();
      holdsFor(0.25, (one) => breachOfAnswer(contains, one, closed, tally), plainPair);
      const asked = tally.yes + tally.no + tally.undecided;
      expect(tally.yes / asked).toBeGreaterThan(0.3);
      expect(tally.no / asked).toBeGreaterThan(0.2);
      expect(tally.undecided / asked).toBeLessThan(0.05);
    },
    timeoutMs,
  );

  test.each([
    ['Valid', false],
    ['closed', true],
  ] as const)(
    'of many branches, for %s: no value is an exception to a yes, and a witness is one to a no',
    (_name, closed) => {
      const tally = emptyTally();
      holdsFor(0.1, (one) => breachOfAnswer(contains, one, closed, tally), branchPair);
      const asked = tally.yes + tally.no + tally.undecided;
      expect(tally.yes / asked).toBeGreaterThan(0.1);
      expect(tally.no / asked).toBeGreaterThan(0.3);
    },
    timeoutMs,
  );

  test.each([
    ['any', pair],
    ['plain shapes', plainPair],
    ['many branches', branchPair],
  ] as const)(
    'of %s, what is described has no exception, and a witness is one',
    (_name, kind) => holdsFor(0.05, (one) => breachOfDescription(openComparison, one), kind),
    timeoutMs,
  );

  test(
    'ajv confirms the witnesses, where it is not known to be wrong',
    () => {
      let confirmed = 0;
      holdsFor(0.04, ({ dialect, a, b }) => {
        const [inA, inB] = [ajvOf(dialect, a), ajvOf(dialect, b)];
        if (inA === null || inB === null) return null;
        const question = { a, b, dialect, formats: false, stepBudget: lawSteps };
        const answer = contains(question);
        if (answer.verdict !== 'no') return null;
        const opinions = [inA(answer.witness), inB(answer.witness)];
        if (opinions.includes(null)) return null;
        confirmed++;
        return opinions[0] === 'accepted' && opinions[1] === 'rejected'
          ? null
          : { law: 'ajv confirms a witness', answer, value: opinions };
      });
      expect(confirmed).toBeGreaterThan(pairCount * 0.005);
    },
    timeoutMs,
  );
});

describe('containment', () => {
  test('is reflexive', () => holdsFor(0.1, (one) => breachOfReflexivity(contains, one)), timeoutMs);

  test(
    'gives the same answer to the same question',
    () => holdsFor(0.05, (one) => breachOfRepetition(contains, one)),
    timeoutMs,
  );

  test(
    'is transitive where all three are decided',
    () => {
      const other = fc.tuple(pair, pair);
      let chained = 0;
      fc.assert(
        fc.property(other, ([{ dialect, a, b }, { b: more }]) => {
          // In a larger document a reference would lead elsewhere.
          if (JSON.stringify([a, b, more]).includes('ef":"#')) return;
          const wider: Json = { anyOf: [b, more] };
          const narrower: Json = { allOf: [a, more] };
          if (contains({ a, b, dialect, stepBudget: lawSteps }).verdict === 'yes') chained++;
          const one = { dialect, a, b, seed: 0 };
          expect(breachOfTransitivity(contains, one, wider)).toBeNull();
          const down = { dialect, a: narrower, b: a, seed: 0 };
          expect(breachOfTransitivity(contains, down, b)).toBeNull();
        }),
        { numRuns: Math.ceil(pairCount * 0.1), seed },
      );
      expect(chained).toBeGreaterThan(pairCount * 0.02);
    },
    timeoutMs,
  );

  test.each([
    ['Valid', false],
    ['closed', true],
  ] as const)(
    'for %s does not depend on how a schema is spelt',
    (_name, closed) => holdsFor(0.15, (one) => breachOfRewriting(contains, one, closed)),
    timeoutMs,
  );
});

describe('questions that once had no end', () => {
  const looping: Json = { anyOf: [{ $ref: '#' }, true], contains: {} };
  const questions: ContainmentQuestion[] = [
    { a: { if: looping }, b: {}, closed: true },
    {
      a: {
        allOf: [{ if: {}, else: { anyOf: [{}, { $ref: '#' }] } }],
        contains: {},
        unevaluatedProperties: {},
      },
      b: {},
    },
    {
      a: { anyOf: [{ not: {} }, { $ref: '#', contains: {}, minContains: 3 }] },
      b: { not: { required: ['b'] } },
      closed: true,
    },
    {
      a: { contains: {}, anyOf: [{ $ref: '#' }, { type: 'object' }], unevaluatedProperties: true },
      b: { minProperties: 1 },
    },
  ];
  test.each(questions.map((question) => [JSON.stringify(question), question] as const))(
    '%s is answered within its budget',
    (_name, question) => {
      const answer = contains({ ...question, stepBudget: lawSteps });
      expect(answer.steps).toBeLessThanOrEqual(lawSteps + 1);
    },
  );
});
