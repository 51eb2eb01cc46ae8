// The laws on schemas of every keyword in every position, judged by a validator that was written apart
// from the engine. ANY_PAIRS asks for more pairs, and ANY_FROM for others.

import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import { checkSchema } from '../../../src/core/schema/check-schema.ts';
import { ajvOf } from './ajv.ts';
import { anyPair } from './any-keyword.ts';
import { dialectUris } from './evaluator.ts';
import { hyperjumpOf } from './hyperjump.ts';
import { breachOfAny, differenceOf, hasExactNumbers, withinWorld, world } from './judge-any.ts';
import { emptyTally, lawSteps } from './laws.ts';

const pairCount = Number(process.env.ANY_PAIRS ?? 1_000);
const first = Number(process.env.ANY_FROM ?? 0);
const timeoutMs = 60_000 + pairCount * 20;
const roundedAlike = world.filter((value) => !hasExactNumbers(value));

test(
  'no value is an exception to a yes, and a witness is one to a no, however validators read it',
  () => {
    const tally = emptyTally();
    for (let number = first; number < first + pairCount; number++) {
      const pair = anyPair(number);
      expect({ pair, breach: breachOfAny(contains, pair, tally) }).toEqual({ pair, breach: null });
      if (number % 6 > 0) continue;
      const exact = withinWorld(pair);
      expect({ exact, breach: breachOfAny(contains, exact, tally) }).toEqual({
        exact,
        breach: null,
      });
    }
    const asked = tally.yes + tally.no + tally.undecided;
    expect(tally.yes / asked).toBeGreaterThan(0.3);
    expect(tally.no / asked).toBeGreaterThan(0.08);
    expect(tally.accepted / tally.tried).toBeGreaterThan(0.2);
  },
  timeoutMs,
);

test(
  'other validators refute no yes, where they are not known to be wrong',
  async () => {
    let asked = 0;
    for (let number = first; number < first + pairCount / 5; number++) {
      const { dialect, a, b } = anyPair(number);
      // Numbers that they would round are kept from them.
      if (hasExactNumbers(a) || hasExactNumbers(b)) continue;
      const answer = contains({ a, b, dialect, formats: false, stepBudget: lawSteps });
      if (answer.verdict !== 'yes') continue;
      for (const validatorOf of [ajvOf, hyperjumpOf]) {
        const [inA, inB] = [await validatorOf(dialect, a), await validatorOf(dialect, b)];
        if (inA === null || inB === null) continue;
        asked++;
        const refuting = roundedAlike.filter(
          (value) => inA(value) === 'accepted' && inB(value) === 'rejected',
        );
        expect({ dialect, a, b, refuting }).toEqual({ dialect, a, b, refuting: [] });
      }
    }
    expect(asked).toBeGreaterThan(pairCount / 100);
  },
  timeoutMs,
);

test(
  'what has one normal form accepts the same values',
  () => {
    const dialects = Object.values(dialectUris);
    let same = 0;
    for (let number = first; number < first + pairCount; number++) {
      const { dialect, a, b } = anyPair(number);
      const other = dialects[number % dialects.length] ?? dialect;
      const old = { dialect, schema: a };
      for (const next of [
        { dialect, schema: b },
        { dialect: other, schema: a },
      ]) {
        const isAllowed = [old, next].every(
          (side) => checkSchema(side.schema, { dialect: side.dialect }).length === 0,
        );
        if (!isAllowed) continue;
        const [was, is] = [old, next].map((side) => canonicalText(side.schema, side.dialect));
        if (was !== is) continue;
        same++;
        const difference = differenceOf(old, next);
        expect({ old, next, difference }).toEqual({ old, next, difference: undefined });
      }
    }
    expect(same).toBeGreaterThan(pairCount / 100);
  },
  timeoutMs,
);
