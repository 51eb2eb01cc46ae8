// What an answer about any pair is judged by: every value of a small world, and every way to read what
// validators read differently.

import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isExactNumber, isJsonObject } from '../../../src/core/value/json.ts';
import type { AnyPair } from './any-keyword.ts';
import { dialectUris, evaluatorOf, hasKeyword, type Readings } from './evaluator.ts';
import type { Breach, Contains, Tally } from './laws.ts';
import { lawSteps } from './laws.ts';

export const world: readonly Json[] = [
  ...[null, true, false, 0, 1, 2, 3, -1, 0.5, '', 'a', 'b', 'ab', 'zz'],
  ...[[], [0], [1], ['a'], [1, 1], [1, 'a'], ['a', 1], [[]], [[1]], [{ a: 1 }], [null, 2, 'a']],
  ...[{}, { a: 1 }, { a: 'a' }, { a: null }, { b: 1 }, { b: 'ab' }, { c: 0 }, { ab: 1 }],
  ...[
    { a: 1, b: 1 },
    { a: 'a', c: 2 },
    { b: true, c: [] },
    { a: 1, b: 'a', c: {} },
  ],
  ...[100, [100], ...['9007199254740992', '9007199254740993', '1e2000'].map(JSON.rawJSON)],
  ...[{ a: {} }, { a: { a: 1 } }, { a: { b: 'a' } }, { a: [] }, { a: [1] }, { b: { a: {} } }],
];

/** Numbers that are kept as their text: other validators would round them. */
export function hasExactNumbers(value: Json): boolean {
  if (isExactNumber(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasExactNumbers);
}

const plain: Readings = {
  writesFractions: false,
  containsEvaluates: 'matching',
  obeysDependencies: false,
};

/** The readings that may differ for a pair. */
function readingsOf({ dialect, a, b }: AnyPair): readonly Readings[] {
  const text = JSON.stringify([a, b]);
  let list: readonly Readings[] = [plain];
  const vary = (others: readonly Partial<Readings>[]): void => {
    list = list.flatMap((one) => [one, ...others.map((other) => ({ ...one, ...other }))]);
  };
  // A part may be in a dialect of its own.
  const parts = Object.entries(dialectUris).filter(([uri]) => text.includes(uri));
  const inPlay = [dialect, ...parts.map(([, own]) => own)];
  if (inPlay.some((own) => !hasKeyword(own, 'const')) && text.includes('"integer"'))
    vary([{ writesFractions: true }]);
  if (
    inPlay.some((own) => hasKeyword(own, 'dependentRequired')) &&
    text.includes('"dependencies"')
  ) {
    vary([{ obeysDependencies: true }]);
  }
  const evaluates = text.includes('"contains"') && text.includes('"unevaluatedItems"');
  if (inPlay.includes('2019-09') && evaluates) {
    vary([{ containsEvaluates: 'none' }, { containsEvaluates: 'all' }]);
  }
  return list;
}

export function breachOfAny(contains: Contains, pair: AnyPair, tally?: Tally): Breach | null {
  const { dialect, a, b } = pair;
  const answer = contains({ a, b, dialect, formats: false, stepBudget: lawSteps });
  if (tally !== undefined) tally[answer.verdict]++;
  if (answer.verdict === 'undecided') return null;
  const [inA, inB] = [evaluatorOf(dialect, a), evaluatorOf(dialect, b)];
  if (answer.verdict === 'no') {
    const { witness } = answer;
    // A witness is written without fractions where it has none.
    for (const readings of readingsOf(pair).filter(({ writesFractions }) => !writesFractions)) {
      if (inA(witness, readings) === false || inB(witness, readings) === true) {
        return { law: 'a witness is in a and not in b', answer, value: witness };
      }
    }
    return null;
  }
  for (const readings of readingsOf(pair)) {
    for (const value of world) {
      if (tally !== undefined) tally.tried++;
      if (inA(value, readings) !== true) continue;
      if (tally !== undefined) tally.accepted++;
      if (inB(value, readings) !== false) continue;
      return { law: 'what is yes has no exception', answer, value };
    }
  }
  return null;
}

/** One text, or two, each in a dialect. */
interface Written {
  readonly dialect: Dialect;
  readonly schema: Json;
}

/** What may be read in several ways on both sides is read in the same way there. */
function isReadTogether(
  one: Readings,
  other: Readings,
  lists: readonly (readonly Readings[])[],
): boolean {
  const keys = ['writesFractions', 'containsEvaluates', 'obeysDependencies'] as const;
  return keys.every((key) => {
    const isOpen = lists.every((list) => list.some((each) => each[key] !== plain[key]));
    return !isOpen || one[key] === other[key];
  });
}

/** A value that only one of the two accepts, of two that are said to be the same. */
export function differenceOf(old: Written, next: Written): Json | undefined {
  const [inOld, inNext] = [
    evaluatorOf(old.dialect, old.schema),
    evaluatorOf(next.dialect, next.schema),
  ];
  const [ofOld, ofNext] = [old, next].map(({ dialect, schema }) =>
    readingsOf({ dialect, a: schema, b: schema }),
  );
  const pairs = ofOld?.flatMap((one) => {
    const others = ofNext?.filter((other) => isReadTogether(one, other, [ofOld, ofNext])) ?? [];
    return others.map((other) => [one, other] as const);
  });
  return world.find((value) =>
    pairs?.some(([one, other]) => {
      const [before, after] = [inOld(value, one), inNext(value, other)];
      return before !== undefined && after !== undefined && before !== after;
    }),
  );
}

/** The same pair among the values of the world alone: then all of them are asked, and truth is exact. */
export function withinWorld(pair: AnyPair): AnyPair {
  return isJsonObject(pair.a) ? { ...pair, a: { ...pair.a, enum: world } as JsonObject } : pair;
}
