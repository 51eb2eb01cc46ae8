// The cases of a place: each is a choice of branches that may hold together, with the keys and
// items that it evaluates. evaluated.ts explains how they are made.

import { valueKey } from '../../value/value-key.ts';
import type { Case, Cases } from './cases.types.ts';
import type { Engine, Unfolding } from './engine.types.ts';
import { approximation, atomForm, orForm } from './forms.ts';
import type { Form, Kind, Term } from './forms.types.ts';
import { notForm } from './not-form.ts';

/**
 * `consumer`: as the keywords say. `producer`: closed(S), see compatibility.md. `loose`: a set
 * around closed(S).
 */
type Role = 'consumer' | 'producer' | 'loose';

export interface Place {
  readonly engine: Engine;
  readonly unfolding: Unfolding;
  readonly kind: Kind;
  readonly role: Role;
  /**
   * The terms that are being split into cases. A term that is met again refers to itself in a
   * circle.
   */
  readonly open: ReadonlySet<Term>;
}

/**
 * The most cases at one place that are told apart, and the most forms in all of them, which take a
 * megabyte. (A single case may have as many forms as the schema has keywords there.)
 */
export const maxCases = 96;
const maxFormsInCases = 100_000;
/** Combining forms costs in proportion to their number. */
const formsPerStep = 10;

/**
 * All combinations of one case from each factor; undefined if there are too many, or if one factor
 * adds to keys that another has settled.
 */
export function multiply(place: Place, factors: readonly Cases[]): Cases | undefined {
  if (factors.some((factor) => addsToSettled(factor, factors))) return undefined;
  let list: Case[] = [blankCase(place.engine)];
  let isExact = true;
  for (const factor of joinRuns(place, factors)) {
    if (list.length * factor.list.length > maxCases) return undefined;
    isExact &&= factor.isExact;
    list = list.flatMap((one) => factor.list.map((other) => joinCases(place, [one, other])));
    const formCount = list.reduce((sum, one) => sum + one.forms.length + one.alone.length, 0);
    place.engine.steps.left -= list.length + formCount / formsPerStep;
    if (list.length > 1 && formCount > maxFormsInCases) return undefined;
  }
  return { list, isExact };
}

/** Whether another factor states what a producer writes at a key that this one has settled. */
function addsToSettled(factor: Cases, factors: readonly Cases[]): boolean {
  const keys = new Set(factor.list.flatMap(({ settled }) => [...settled]));
  if (keys.size === 0) return false;
  return factors.some(
    (other) =>
      other !== factor &&
      other.list.some(
        ({ forms, settled }) =>
          [...settled].some((key) => keys.has(key)) || forms.some((form) => mayCloseAt(form, keys)),
      ),
  );
}

/** Whether a form states what a producer writes in some part of a value. */
export function mayClose(form: Form): boolean {
  const known = knownToClose.get(form);
  if (known !== undefined) return known;
  const closes = partsOf(form)?.some(mayClose) ?? ('term' in form && isOfProducer(form.term));
  knownToClose.set(form, closes);
  return closes;
}

const knownToClose = new WeakMap<Form, boolean>();

/** Whether it may do so at one of the keys. */
function mayCloseAt(form: Form, keys: ReadonlySet<string>): boolean {
  if (!mayClose(form) || (form.tag === 'property' && !keys.has(form.key))) return false;
  return partsOf(form)?.some((part) => mayCloseAt(part, keys)) ?? true;
}

function partsOf(form: Form): readonly Form[] | undefined {
  if (form.tag === 'approximation') return [form.over, form.under];
  return 'parts' in form ? form.parts : undefined;
}

function isOfProducer(term: Term): boolean {
  if (term.tag === 'both' || term.tag === 'either') return term.terms.some(isOfProducer);
  return term.tag === 'closed' || (term.tag === 'not' && isOfProducer(term.term));
}

/**
 * Joins consecutive factors that have one case each into one factor. Joined one by one, each would
 * be combined with everything before it, and an allOf of ten thousand would take gigabytes.
 */
function joinRuns(place: Place, factors: readonly Cases[]): readonly Cases[] {
  const joined: Cases[] = [];
  let run: Cases[] = [];
  const endRun = (): void => {
    const isExact = run.every((factor) => factor.isExact);
    const list = run.flatMap((factor) => factor.list);
    if (list.length > 0) joined.push({ list: [joinCases(place, list)], isExact });
    run = [];
  };
  for (const factor of factors) {
    if (factor.list.length === 1) run.push(factor);
    else {
      endRun();
      joined.push(factor);
    }
  }
  endRun();
  return joined;
}

function joinCases({ engine }: Place, cases: readonly Case[]): Case {
  return {
    forms: cases.flatMap(({ forms }) => forms),
    alone: cases.flatMap(({ alone }) => alone),
    region: orForm(
      engine.store,
      cases.map(({ region }) => region),
    ),
    keysIf: cases.reduce((all, { keysIf }) => joinKeys(engine, all, keysIf), noKeys),
    settled: cases.reduce((all, { settled }) => joinSets(all, settled), noSettled),
    hasAllKeys: cases.some(({ hasAllKeys }) => hasAllKeys),
    closesAllKeys: cases.some(({ closesAllKeys }) => closesAllKeys),
    declares: cases.some(({ declares }) => declares),
    itemCount: cases.reduce((most, { itemCount }) => Math.max(most, itemCount), 0),
    matching: cases.flatMap(({ matching }) => matching),
    looksInside: cases.some(({ looksInside }) => looksInside),
  };
}

function joinSets(a: Case['settled'], b: Case['settled']): Case['settled'] {
  return a.size === 0 || b.size === 0 ? (a.size === 0 ? b : a) : new Set([...a, ...b]);
}

function joinKeys(engine: Engine, a: Case['keysIf'], b: Case['keysIf']): Case['keysIf'] {
  if (a.size === 0 || b.size === 0) return a.size === 0 ? b : a;
  const joined = new Map(a);
  for (const [key, when] of b) {
    joined.set(key, orForm(engine.store, [when, joined.get(key) ?? engine.store.nothing]));
  }
  return joined;
}

/** The keys that may be evaluated in this case, as a form of strings. */
export function widestRegion(engine: Engine, { region, keysIf }: Case): Form {
  if (keysIf.size === 0) return region;
  const values = new Map([...keysIf.keys()].map((key) => [valueKey(key), key]));
  return orForm(engine.store, [region, atomForm(engine.store, { tag: 'values', values })]);
}

/** What this case does not evaluate is in the term, or absent if the term is `none`. */
export function restForms(engine: Engine, one: Case, rest: Term): readonly Form[] {
  const { store } = engine;
  const region = notForm(store, widestRegion(engine, one));
  const perKey = [...one.keysIf].flatMap(([key, when]) => {
    const isEvaluated = engine.holdsForm(one.region, key);
    if (isEvaluated === true) return [];
    const under = orForm(store, [atomForm(store, { tag: 'property', key, term: rest }), when]);
    if (isEvaluated === false) return [under];
    // A pattern that cannot be read may evaluate the key as well.
    const name = `unless ${one.region.id} holds ${key}`;
    return [approximation(store, { name, over: store.everything, under })];
  });
  return [atomForm(store, { tag: 'each_key', region, term: rest }), ...perKey];
}

export function blankCase(engine: Engine): Case {
  return {
    forms: [],
    alone: [],
    region: engine.store.nothing,
    keysIf: noKeys,
    settled: noSettled,
    hasAllKeys: false,
    closesAllKeys: false,
    declares: false,
    itemCount: 0,
    matching: [],
    looksInside: false,
  };
}

export const noKeys: Case['keysIf'] = new Map();
export const noSettled: Case['settled'] = new Set();

/** A case with these forms in which everything is evaluated. */
export function looseCases({ engine }: Place, forms: readonly Form[]): Cases {
  const loose = { ...blankCase(engine), forms, region: engine.store.everything, hasAllKeys: true };
  const itemCount = Number.POSITIVE_INFINITY;
  return { list: [{ ...loose, closesAllKeys: true, itemCount }], isExact: false };
}

export function exactly(list: readonly Case[]): Cases {
  return { list, isExact: true };
}

export function formCase(place: Place, form: Form): Cases {
  return exactly([{ ...blankCase(place.engine), forms: [form] }]);
}
