// Finds an array whose items are in given terms by position, with counts of items in other terms.
//
// Positions up to the last one that an atom names are examined one by one; all later ones are
// alike. What an array still owes (an item in some term, so many items in another) is carried from
// position to position as a small vector of counts.

import type { Json } from '../../value/json.ts';
import { valueKey } from '../../value/value-key.ts';
import type { Engine, Found, Unknown } from '../terms/engine.types.ts';
import { budgetSpent, empty, found, unknown } from '../terms/engine.types.ts';
import { notTerm } from '../terms/forms.ts';
import type { Atom, Term } from '../terms/forms.types.ts';
import type { Debt } from './count-items.ts';
import { countItems, sortsOfItems } from './count-items.ts';
import { findDistinct, findRepeated } from './distinct-items.ts';
import { listedValues, maxWitnessParts, maxWitnessSize, sizeOf } from './many-parts.ts';
import { variedValues } from './varied-values.ts';

/**
 * The most items that are examined one by one. A longer array consists of a few values, each
 * repeated many times.
 */
const maxSteppedItems = 2_000;
/** The limit if the items must differ: each is compared with all before it. */
const maxDependentItems = 100;
/** Arrays with more items are first tried in bulk. */
const maxCheapItems = 20;
/**
 * The most items named one by one, and the most debts at once. Each debt doubles the choices at a
 * position.
 */
const maxPositions = 5_000;
const maxDebts = 5;
/** The most ways to pay the debts that are tried if the items must also differ, or repeat. */
const maxPaths = 400;

interface Range {
  readonly from: number;
  readonly to: number;
  readonly term: Term;
}

interface ArrayDemand {
  readonly min: number;
  readonly max: number;
  readonly each: readonly Range[];
  readonly debts: readonly Debt[];
  /** From this position on, all are alike. */
  readonly tail: number;
  readonly sameness: 'unique' | 'repeated' | undefined;
}

/** The terms of the items, by position. */
type Path = readonly (readonly Term[])[];

export function solveArray(engine: Engine, atoms: readonly Atom[]): Found {
  const demand = demandOf(atoms);
  if (demand === undefined) return unknown('The arrays of the schema are not known.');
  if (demand.min > demand.max) return empty;
  if (demand.debts.length > maxDebts || demand.tail > maxPositions) {
    return unknown('The array has too many parts to be looked at together.');
  }
  if (demand.min > maxCheapItems) {
    const bulk = demand.sameness === 'unique' ? fillDistinct(engine, demand) : fill(engine, demand);
    if (bulk !== undefined) return bulk;
  }
  return demand.sameness === undefined ? payDebts(engine, demand) : searchPaths(engine, demand);
}

function tooLong({ min }: ArrayDemand): Unknown {
  const most = `at most ${maxWitnessParts} items and ${maxWitnessSize} characters are shown`;
  return unknown(`Only an array of ${min} items or more would do; ${most}.`);
}

/**
 * Builds an array with as many items as are demanded, without examining each: after the first few,
 * all are alike. Undefined if this finds no items, which proves nothing.
 */
function fill(engine: Engine, demand: ArrayDemand): Found | undefined {
  const { tail, min, max, debts } = demand;
  const avoided = debts.flatMap((debt) =>
    debt.sense === 'most' ? [notTerm(engine.store, debt.term)] : [],
  );
  const items: Json[] = [];
  for (let index = 0; index < tail; index++) {
    const item = engine.inhabit([...termsAt(demand, index), ...avoided]);
    if (item.tag !== 'value') return undefined;
    items.push(item.value);
  }
  for (const debt of debts) {
    if (debt.sense === 'most') continue;
    if (debt.to < Number.POSITIVE_INFINITY || debt.count > maxWitnessParts) return undefined;
    const item = engine.inhabit([...termsAt(demand, tail), ...avoided, debt.term]);
    if (item.tag !== 'value') return undefined;
    for (let paid = 0; paid < debt.count; paid++) items.push(item.value);
  }
  const length = Math.max(items.length, min);
  // The equal items come after the first few, so there must be at least two of these.
  if (length > max || (demand.sameness === 'repeated' && length < items.length + 2)) {
    return undefined;
  }
  const item = engine.inhabit([...termsAt(demand, tail), ...avoided]);
  if (item.tag !== 'value') return undefined;
  if (length > maxWitnessParts || sizeOf(item.value) * length > maxWitnessSize) {
    return tooLong(demand);
  }
  engine.steps.left -= length / itemsPerStep;
  while (items.length < length) items.push(item.value);
  return sizeOf(items) > maxWitnessSize ? tooLong(demand) : found(items);
}

const itemsPerStep = 10;

/** The same for items that differ; `empty` if there are fewer values than items. */
function fillDistinct(engine: Engine, demand: ArrayDemand): Found | undefined {
  const { tail, min, debts } = demand;
  const terms = termsAt(demand, tail);
  const listed = listedValues(engine, terms);
  if (listed !== undefined && listed.size < min - tail) return empty;
  if (debts.length > 0 || tail > maxCheapItems) return undefined;
  if (min > maxWitnessParts) return undefined;
  const first = Array.from({ length: tail }, (_, index) => termsAt(demand, index));
  const start = findDistinct(engine, first);
  if (start.tag !== 'value' || !Array.isArray(start.value)) return undefined;
  const taken = new Set(start.value.map(valueKey));
  const rest = variedValues(engine, terms, min)?.filter((value) => !taken.has(valueKey(value)));
  const items = [...start.value, ...(rest ?? [])].slice(0, min);
  return items.length === min && sizeOf(items) <= maxWitnessSize ? found(items) : undefined;
}

function demandOf(atoms: readonly Atom[]): ArrayDemand | undefined {
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  let tail = 0;
  let sameness: ArrayDemand['sameness'];
  const each: Range[] = [];
  const debts: Debt[] = [];
  const all = { from: 0, to: Number.POSITIVE_INFINITY };
  for (const atom of atoms) {
    switch (atom.tag) {
      case 'min_items':
        min = Math.max(min, atom.count);
        break;
      case 'max_items':
        max = Math.min(max, atom.count);
        break;
      case 'each_item':
        each.push(atom);
        tail = Math.max(tail, atom.to === Number.POSITIVE_INFINITY ? atom.from : atom.to);
        break;
      case 'some_item':
        debts.push({ from: atom.from, to: atom.to, term: atom.term, sense: 'least', count: 1 });
        tail = Math.max(tail, atom.to === Number.POSITIVE_INFINITY ? atom.from : atom.to);
        min = Math.max(min, atom.from + 1);
        break;
      case 'min_count':
        debts.push({ ...all, term: atom.term, sense: 'least', count: atom.count });
        min = Math.max(min, atom.count);
        break;
      case 'max_count':
        debts.push({ ...all, term: atom.term, sense: 'most', count: atom.count });
        break;
      case 'unique':
      case 'repeated':
        sameness = atom.tag;
        break;
      default:
        return undefined;
    }
  }
  if (sameness === 'repeated') min = Math.max(min, 2);
  return { min, max, each, debts, tail, sameness };
}

/** A choice for one position: the terms of its item, and the counts after it. */
interface Choice {
  readonly terms: readonly Term[];
  readonly counts: readonly number[];
}

function termsAt(demand: ArrayDemand, index: number): Term[] {
  return demand.each
    .filter((range) => range.from <= index && index < range.to)
    .map((range) => range.term);
}

/** All choices for a position: its item pays each debt or does not. */
function choicesAt(
  engine: Engine,
  demand: ArrayDemand,
  index: number,
  counts: readonly number[],
): Choice[] {
  let choices: Choice[] = [{ terms: termsAt(demand, index), counts }];
  for (const [at, debt] of demand.debts.entries()) {
    if (index < debt.from || index >= debt.to) continue;
    const count = counts[at] ?? 0;
    choices = choices.flatMap(({ terms, counts: soFar }) => {
      const more = soFar.map((value, position) => (position === at ? value + 1 : value));
      if (debt.sense === 'least') {
        const unpaid = { terms, counts: soFar };
        return count >= debt.count
          ? [unpaid]
          : [unpaid, { terms: [...terms, debt.term], counts: more }];
      }
      const avoided = { terms: [...terms, notTerm(engine.store, debt.term)], counts: soFar };
      return count >= debt.count ? [avoided] : [avoided, { terms, counts: more }];
    });
  }
  return choices;
}

function isPaid(demand: ArrayDemand, counts: readonly number[]): boolean {
  return demand.debts.every((debt, at) => debt.sense === 'most' || (counts[at] ?? 0) >= debt.count);
}

interface Step {
  readonly counts: readonly number[];
  readonly value: Json;
  readonly before: Step | undefined;
}

/** Goes position by position, and keeps one way to reach each vector of counts. */
function payDebts(engine: Engine, demand: ArrayDemand): Found {
  const start: Step = { counts: demand.debts.map(() => 0), value: null, before: undefined };
  let layer = new Map<string, Step>([[start.counts.join(), start]]);
  let doubt: Unknown | undefined;
  for (let length = 0; ; length++) {
    const paid = [...layer.values()].find((step) => isPaid(demand, step.counts));
    if (length >= demand.min && paid !== undefined) return found(itemsOf(paid));
    if (length >= demand.max) return doubt ?? empty;
    if (length === demand.tail && isLong(demand)) {
      const rest = payInBulk(engine, demand, [...layer.values()]);
      if (rest !== undefined) return rest.tag === 'empty' ? (doubt ?? empty) : rest;
    }
    const next = new Map<string, Step>();
    for (const step of layer.values()) {
      for (const choice of choicesAt(engine, demand, length, step.counts)) {
        const key = choice.counts.join();
        if (next.has(key)) continue;
        const item = engine.inhabit(choice.terms);
        if (item.tag === 'unknown') doubt = item;
        if (item.tag !== 'value') continue;
        next.set(key, { counts: choice.counts, value: item.value, before: step });
      }
    }
    if (next.size === 0) return doubt ?? empty;
    engine.steps.left -= next.size * stepsPerWay;
    if (engine.steps.left < 0) return budgetSpent;
    const isSettled = length >= demand.tail && haveSameKeys(layer, next);
    if (isSettled) {
      // From here on no new vectors appear, however long the array gets.
      const isReachable = [...next.values()].some((step) => isPaid(demand, step.counts));
      if (!isReachable) return doubt ?? empty;
      if (demand.min > maxSteppedItems) return tooLong(demand);
    } else if (length > maxSteppedItems) return tooLong(demand);
    layer = next;
  }
}

/** Whether the items after the first few are counted instead of examined one by one. */
function isLong({ min, tail, debts }: ArrayDemand): boolean {
  const owed = debts.map(({ sense, count }) => (sense === 'least' ? count : 0));
  return Math.max(min - tail, ...owed) > maxCheapItems;
}

/** Undefined if no counts of items are found, which proves nothing. */
function payInBulk(
  engine: Engine,
  demand: ArrayDemand,
  starts: readonly Step[],
): Found | undefined {
  const { debts, tail, min, max } = demand;
  const terms = termsAt(demand, tail);
  const isOpen = debts.map((debt) => debt.to > tail);
  const open = debts.filter((_, at) => isOpen[at]);
  const sorts = sortsOfItems(engine, terms, open);
  if (sorts === undefined) return undefined;
  let isSure = true;
  for (const { counts, ...start } of starts) {
    const isOver = debts.some(
      ({ sense, count }, at) => !isOpen[at] && sense === 'least' && (counts[at] ?? 0) < count,
    );
    if (isOver) continue;
    const left = counts.filter((_, at) => isOpen[at]);
    const rest = { terms, debts: open, counts: left, min: min - tail, max: max - tail };
    const portions = countItems(engine, rest, sorts);
    if (portions === undefined) isSure = false;
    if (portions === undefined || portions === 'none') continue;
    const length = portions.reduce((sum, { count }) => sum + count, tail);
    const size = portions.reduce((sum, { value, count }) => sum + sizeOf(value) * count, 0);
    if (length > maxWitnessParts || size > maxWitnessSize)
      return tooLong({ ...demand, min: length });
    engine.steps.left -= length / itemsPerStep;
    const more = portions.flatMap(({ value, count }) => Array<Json>(count).fill(value));
    return found([...itemsOf({ counts, ...start }), ...more]);
  }
  return isSure ? empty : undefined;
}

/** Each vector of counts is examined with all choices for the next item. */
const stepsPerWay = 10;

function haveSameKeys(a: ReadonlyMap<string, Step>, b: ReadonlyMap<string, Step>): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}

function itemsOf(last: Step): Json[] {
  const items: Json[] = [];
  for (let step = last; step.before !== undefined; step = step.before) items.push(step.value);
  return items.reverse();
}

/**
 * Tries whole paths, because items that must differ or repeat depend on each other. An array longer
 * than `longest` has items that pay for nothing, so it could be shortened.
 */
function searchPaths(engine: Engine, demand: ArrayDemand): Found {
  const owed = demand.debts.reduce(
    (sum, debt) => sum + (debt.sense === 'least' ? debt.count : 0),
    0,
  );
  const pair = demand.sameness === 'repeated' ? 2 : 0;
  const longest = Math.min(demand.max, Math.max(demand.min, demand.tail) + owed + pair);
  if (demand.min > maxDependentItems) return judgeLong(engine, demand);
  let doubt: Unknown | undefined;
  let tried = 0;
  for (let length = demand.min; length <= longest; length++) {
    const isPlain = demand.debts.length === 0 && demand.sameness === 'unique';
    for (const path of pathsOf(engine, demand, length)) {
      if (++tried > maxPaths) return unknown('There are too many ways to fill the array.');
      const items =
        demand.sameness === 'unique' ? findDistinct(engine, path) : findRepeated(engine, path);
      if (items.tag === 'value') return items;
      if (items.tag === 'unknown') doubt = items;
    }
    // If the shortest array does not exist, no longer one does: fewer items are easier to keep
    // different.
    if (isPlain) return doubt ?? empty;
  }
  return doubt ?? empty;
}

/** Answers for very many different items: there are none if a position has no value, or too few. */
function judgeLong(engine: Engine, demand: ArrayDemand): Found {
  for (let index = 0; index <= demand.tail && index < demand.min; index++) {
    if (engine.inhabit(termsAt(demand, index)).tag === 'empty') return empty;
  }
  const probe = searchPaths(engine, { ...demand, min: 20, debts: [] });
  return probe.tag === 'empty' ? empty : tooLong(demand);
}

function* pathsOf(engine: Engine, demand: ArrayDemand, length: number): Generator<Path> {
  const start = demand.debts.map(() => 0);
  yield* extend(engine, demand, { length, path: [], counts: start });
}

interface Extension {
  readonly length: number;
  readonly path: Path;
  readonly counts: readonly number[];
}

function* extend(engine: Engine, demand: ArrayDemand, so: Extension): Generator<Path> {
  if (so.path.length === so.length) {
    if (isPaid(demand, so.counts)) yield so.path;
    return;
  }
  engine.steps.left--;
  for (const choice of choicesAt(engine, demand, so.path.length, so.counts)) {
    if (engine.inhabit(choice.terms).tag === 'empty') continue;
    yield* extend(engine, demand, {
      ...{ length: so.length, path: [...so.path, choice.terms], counts: choice.counts },
    });
  }
}
