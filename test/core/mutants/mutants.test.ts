import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/value/json.ts';
import { type AnyPair, anyPair } from '../laws/any-keyword.ts';
import { breachOfAny } from '../laws/judge-any.ts';
import { breachOfAnswer, breachOfDescription } from '../laws/laws.ts';
import { branchPair } from '../laws/many-branches.ts';
import { plainPair } from '../laws/plain-schemas.ts';
import type { Pair } from '../laws/schemas.ts';
import { pair } from '../laws/schemas.ts';
import { breachOfTexts, type TextPair, textPair } from '../laws/texts.ts';
import {
  breachOfSizes,
  breachOfWideNumbers,
  type SizePair,
  sizePair,
  widePair,
} from '../laws/wide-numbers.ts';
import { breachOfDiff, dropsDefault } from './breach-of-diff.ts';
import { digestMutant, keptFieldMutants } from './kept-field-mutants.ts';
import { loadCanonicalText, loadComparison, loadEngine } from './load-engine.ts';
import { mutants } from './mutants.ts';

/** The laws find every mutant within as many pairs as continuous integration looks at. */
const maxPairs = 20_000;
/** Of any keyword it looks at 100,000. Only a mutant that nothing else finds needs more than the first. */
const maxAnyPairs = 50_000;
const chunk = 200;
const maxTextPairs = 6_000;

function* pairs(): Generator<Pair> {
  for (let at = 0; at < maxPairs; at += chunk) {
    yield* fc.sample(pair, { numRuns: chunk, seed: 1_000 + at });
    yield* fc.sample(plainPair, { numRuns: chunk / 4, seed: 1_000 + at });
    yield* fc.sample(branchPair, { numRuns: chunk / 10, seed: 1_000 + at });
  }
}

function* anyPairs(from: number, to: number): Generator<AnyPair> {
  for (let number = from; number < to; number++) yield anyPair(number);
}

type Found = Pair | AnyPair | TextPair | SizePair | readonly Json[];

type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** The pair with which a broken engine was found out. */
function findOut({ contains, openComparison }: Engine): Found | null {
  for (const one of fc.sample(sizePair, { numRuns: 1_000, seed: 1 })) {
    if (breachOfSizes(contains, one) !== null) return one;
  }
  for (const one of fc.sample(widePair, { numRuns: 1_000, seed: 1 })) {
    if (breachOfWideNumbers(contains, one) !== null) return one;
  }
  for (let seed = 0; seed < maxTextPairs; seed++) {
    if (breachOfTexts(contains, seed) !== null) return textPair(seed);
  }
  const ofAny = anyPairs(0, maxPairs).find((one) => breachOfAny(contains, one) !== null);
  if (ofAny !== undefined) return ofAny;
  for (const one of pairs()) {
    for (const closed of [false, true]) {
      if (breachOfAnswer(contains, one, closed) !== null) return one;
    }
    if (breachOfDescription(openComparison, one) !== null) return one;
  }
  const rest = anyPairs(maxPairs, maxAnyPairs);
  return rest.find((one) => breachOfAny(contains, one) !== null) ?? null;
}

test('at least ten families of keywords have a mutant', () => {
  expect(new Set(mutants.map(({ family }) => family)).size).toBeGreaterThanOrEqual(10);
});

/** Some minutes of both processors: `make mutants` and `make verify` run it. */
const isAsked = process.env.LARGE_TESTS === 'true';

test.runIf(isAsked).each(mutants.map((mutant) => [mutant.family, mutant] as const))(
  'the laws find the mutant %s',
  async (_family, mutant) => {
    expect(findOut(await loadEngine(mutant))).not.toBeNull();
  },
  // A mutant that only one pair in thousands finds takes minutes on a busy machine.
  1_200_000,
);

test.runIf(isAsked)(
  'the bundled engine without a change breaks no law on the same pairs',
  async () => {
    const text = 'const defaultStepBudget';
    const { contains } = await loadEngine({
      file: 'containment/contains.ts',
      from: text,
      to: text,
    });
    let count = 0;
    for (const one of pairs()) {
      if (++count > 1_000) break;
      for (const closed of [false, true]) expect(breachOfAnswer(contains, one, closed)).toBeNull();
    }
  },
);

test.each(keptFieldMutants.map((mutant) => [mutant.family, mutant] as const))(
  'the rows of lost fields find the mutant %s',
  async (_family, mutant) => {
    expect(breachOfDiff(await loadComparison(mutant))).not.toBeNull();
  },
  60_000,
);

test(`the digest of three defaults finds the mutant ${digestMutant.family}`, async () => {
  expect(dropsDefault(await loadCanonicalText(digestMutant))).toBe(true);
});

test('the comparison without a change breaks none of the rows', async () => {
  const text = 'const maxDoubts';
  const file = 'diff/kept/described.ts';
  expect(breachOfDiff(await loadComparison({ file, from: text, to: text }))).toBeNull();
});
