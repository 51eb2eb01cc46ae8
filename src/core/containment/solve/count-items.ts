// Counts very many items that all have the same choices: how many of each sort an array needs.
//
// A sort is the set of debts that one item pays. Only the best sorts count: a sort is dropped if
// another pays at least as much and uses up no more. For two sorts the numbers follow from the
// bounds at once. For a third, each number is tried.

import type { Json } from '../../value/json.ts';
import type { Engine } from '../terms/engine.types.ts';
import { notTerm } from '../terms/forms.ts';
import type { Term } from '../terms/forms.types.ts';

export interface Debt {
  readonly from: number;
  readonly to: number;
  readonly term: Term;
  /** `least`: at least so many items must be in the term. `most`: at most so many may be. */
  readonly sense: 'least' | 'most';
  readonly count: number;
}

/** What the remaining items still owe. */
interface AlikeDemand {
  readonly terms: readonly Term[];
  readonly debts: readonly Debt[];
  /** How much of each debt has been paid, or used up, so far. */
  readonly counts: readonly number[];
  readonly min: number;
  readonly max: number;
}

interface Portion {
  readonly value: Json;
  readonly count: number;
}

interface Sort {
  readonly value: Json;
  /** Whether an item of this sort counts for each of the debts. */
  readonly counted: readonly boolean[];
}

const maxSorts = 3;
/** The most numbers tried for the third sort. */
const maxTries = 20_000;
/** Larger numbers do not add up exactly. */
const maxCount = 2 ** 50;

/**
 * The best sorts of items; undefined if there are too many, or if a question about one is
 * undecided.
 */
export function sortsOfItems(
  engine: Engine,
  terms: readonly Term[],
  debts: readonly Debt[],
): readonly Sort[] | undefined {
  const sorts: Sort[] = [];
  for (let mask = 0; mask < 2 ** debts.length; mask++) {
    const counted = debts.map((_, at) => (mask & (1 << at)) !== 0);
    const own = debts.flatMap(({ sense, term }, at) => {
      if (sense === 'least') return counted[at] ? [term] : [];
      return counted[at] ? [] : [notTerm(engine.store, term)];
    });
    const item = engine.inhabit([...terms, ...own]);
    if (item.tag === 'unknown') return undefined;
    if (item.tag === 'value') sorts.push({ value: item.value, counted });
  }
  const isBetter = (one: Sort, other: Sort): boolean =>
    debts.every(({ sense }, at) => {
      if (one.counted[at] === other.counted[at]) return true;
      return one.counted[at] === (sense === 'least');
    });
  const best = sorts.filter((sort) => !sorts.some((one) => one !== sort && isBetter(one, sort)));
  return best.length > maxSorts ? undefined : best;
}

/** How many items of each sort; `none` if no numbers work, undefined if that is not known. */
export function countItems(
  engine: Engine,
  demand: AlikeDemand,
  sorts: readonly Sort[],
): readonly Portion[] | 'none' | undefined {
  const sums = sumsOf(demand);
  if (sums.some(({ low, high }) => low > maxCount || (high > maxCount && high < Infinity))) {
    return undefined;
  }
  const [first, second, third] = sorts;
  if (third === undefined) return portionsOf(sums, first, second, []) ?? 'none';
  const most = Math.max(0, ...sums.map(({ low }) => low));
  if (most > maxTries) return undefined;
  for (let count = 0; count <= most; count++) {
    engine.steps.left--;
    if (engine.steps.left < 0) return undefined;
    const found = portionsOf(sums, first, second, [{ sort: third, count }]);
    if (found !== undefined) return found;
  }
  return 'none';
}

/** Bounds for how many items are of the sorts that count for it. */
interface Sum {
  readonly low: number;
  readonly high: number;
  readonly counts: (sort: Sort) => boolean;
}

function sumsOf({ debts, counts, min, max }: AlikeDemand): readonly Sum[] {
  const sums = debts.map((debt, at): Sum => {
    const left = debt.count - (counts[at] ?? 0);
    const isCounted = (sort: Sort): boolean => sort.counted[at] === true;
    return debt.sense === 'least'
      ? { low: left, high: Infinity, counts: isCounted }
      : { low: 0, high: left, counts: isCounted };
  });
  return [...sums, { low: min, high: max, counts: () => true }];
}

/** Finds two numbers within bounds for each of them and for their sum. */
function portionsOf(
  sums: readonly Sum[],
  first: Sort | undefined,
  second: Sort | undefined,
  given: readonly { readonly sort: Sort; readonly count: number }[],
): readonly Portion[] | undefined {
  const bounds = { first: [0, Infinity], second: [0, Infinity], both: [0, Infinity] };
  for (const sum of sums) {
    const taken = given.reduce((all, { sort, count }) => all + (sum.counts(sort) ? count : 0), 0);
    const [low, high] = [sum.low - taken, sum.high - taken];
    const isFirst = first !== undefined && sum.counts(first);
    const isSecond = second !== undefined && sum.counts(second);
    if (!isFirst && !isSecond) {
      if (low > 0 || high < 0) return undefined;
      continue;
    }
    const name = isFirst && isSecond ? 'both' : isFirst ? 'first' : 'second';
    const [least = 0, most = Infinity] = bounds[name];
    bounds[name] = [Math.max(least, low), Math.min(most, high)];
  }
  const [lowFirst = 0, highFirst = 0] = bounds.first;
  const [lowSecond = 0, highSecond = 0] = second === undefined ? [0, 0] : bounds.second;
  const [lowBoth = 0, highBoth = 0] = bounds.both;
  if (lowFirst > highFirst || lowSecond > highSecond) return undefined;
  const firstCount = Math.max(lowFirst, Math.min(highFirst, lowBoth - lowSecond));
  const secondCount = Math.max(lowSecond, Math.min(highSecond, lowBoth - firstCount));
  const sum = firstCount + secondCount;
  if (sum < lowBoth || sum > highBoth) return undefined;
  const of = (sort: Sort | undefined, count: number): Portion[] =>
    sort === undefined || count === 0 ? [] : [{ value: sort.value, count }];
  return [
    ...given.flatMap(({ sort, count }) => of(sort, count)),
    ...of(first, firstCount),
    ...of(second, secondCount),
  ];
}
