import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { anyPair } from '../laws/any-keyword.ts';
import { breachOfAny } from '../laws/judge-any.ts';
import { breachOfAnswer, breachOfDescription } from '../laws/laws.ts';
import { branchPair } from '../laws/many-branches.ts';
import { plainPair } from '../laws/plain-schemas.ts';
import type { Pair } from '../laws/schemas.ts';
import { pair } from '../laws/schemas.ts';
import { breachOfTexts } from '../laws/texts.ts';
import { breachOfSizes, breachOfWideNumbers, sizePair, widePair } from '../laws/wide-numbers.ts';
import { breachOfDiff, dropsDefault } from './breach-of-diff.ts';
import foundBy from './found-by.json' with { type: 'json' };
import { digestMutant, keptFieldMutants } from './kept-field-mutants.ts';
import { loadCanonicalText, loadComparison, loadEngine } from './load-engine.ts';
import { mutants } from './mutants.ts';

/** The laws find every mutant within as many pairs as `make soak` looks at, most within a hundred. */
const maxPairs = 20_000;
/** Only a mutant that nothing else finds needs more than the first pairs of any keyword. */
const maxAnyPairs = 50_000;
const chunk = 50;

type Engine = Awaited<ReturnType<typeof loadEngine>>;

const sizes = sampleOnce(sizePair);
const wides = sampleOnce(widePair);

/** Whether a case of a law finds out that an engine is broken. */
const laws = {
  sizes: ({ contains }: Engine, at: number) => breachOfSizes(contains, nth(sizes(), at)) !== null,
  wide: ({ contains }: Engine, at: number) =>
    breachOfWideNumbers(contains, nth(wides(), at)) !== null,
  texts: ({ contains }: Engine, at: number) => breachOfTexts(contains, at) !== null,
  any: ({ contains }: Engine, at: number) => breachOfAny(contains, anyPair(at)) !== null,
  pairs: ({ contains, openComparison }: Engine, at: number) =>
    pairsOf(at).some(
      (one) =>
        [false, true].some((closed) => breachOfAnswer(contains, one, closed) !== null) ||
        breachOfDescription(openComparison, one) !== null,
    ),
};

type Law = keyof typeof laws;

/** A few cases of each law in turn: which law finds a mutant soonest differs. */
const turns: readonly { readonly law: Law; readonly cases: number; readonly inTurn: number }[] = [
  { law: 'sizes', cases: 1_000, inTurn: 20 },
  { law: 'wide', cases: 1_000, inTurn: 20 },
  { law: 'texts', cases: 6_000, inTurn: 20 },
  { law: 'any', cases: maxAnyPairs, inTurn: 50 },
  { law: 'pairs', cases: maxPairs / chunk, inTurn: 1 },
];

/** One chunk of pairs. */
function pairsOf(at: number): readonly Pair[] {
  const seed = 1_000 + at * chunk;
  return [
    ...fc.sample(pair, { numRuns: chunk, seed }),
    ...fc.sample(plainPair, { numRuns: chunk / 4, seed }),
    ...fc.sample(branchPair, { numRuns: chunk / 10, seed }),
  ];
}

function sampleOnce<T>(arbitrary: fc.Arbitrary<T>): () => readonly T[] {
  let sample: readonly T[] | undefined;
  return () => {
    sample ??= fc.sample(arbitrary, { numRuns: 1_000, seed: 1 });
    return sample;
  };
}

function nth<T>(list: readonly T[], at: number): T {
  const one = list[at];
  if (one === undefined) throw new Error(`There is no case ${at}.`);
  return one;
}

/** The law and its case that found each mutant last: it is asked first, and the search stops there. */
const lastFound: Readonly<Record<string, string>> = foundBy;

/** A case of a law that finds out a broken engine. */
function findOut(engine: Engine, hint: string | undefined): string | null {
  const [name = '', at = ''] = hint?.split(' ') ?? [];
  if (name in laws && laws[name as Law](engine, Number(at))) return `${name} ${at}`;
  for (let turn = 0; turns.some(({ cases, inTurn }) => turn * inTurn < cases); turn++) {
    for (const { law, cases, inTurn } of turns) {
      for (let number = turn * inTurn; number < Math.min(cases, (turn + 1) * inTurn); number++) {
        if (laws[law](engine, number)) return `${law} ${number}`;
      }
    }
  }
  return null;
}

/** `make mutants` searches from the start, and writes what it found. */
const isSearch = process.env.MUTANTS_SEARCH === 'true';
const found: Record<string, string> = { ...lastFound };

afterEach(async () => {
  if (!isSearch) return;
  const file = join(import.meta.dirname, 'found-by.json');
  await writeFile(file, `${JSON.stringify(found, null, 2)}\n`);
});

test('at least ten families of keywords have a mutant', () => {
  expect(new Set(mutants.map(({ family }) => family)).size).toBeGreaterThanOrEqual(10);
});

/** Some minutes of both processors: `make mutants` and `make verify` run it. */
const isAsked = process.env.LARGE_TESTS === 'true';

test.runIf(isAsked).each(mutants.map((mutant) => [mutant.family, mutant] as const))(
  'the laws find the mutant %s',
  async (_family, mutant) => {
    const hint = isSearch ? undefined : lastFound[mutant.family];
    const place = findOut(await loadEngine(mutant), hint);
    expect(place).not.toBeNull();
    found[mutant.family] = place ?? '';
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
    for (const one of Array.from({ length: 15 }, (_, at) => at).flatMap((at) => pairsOf(at))) {
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
