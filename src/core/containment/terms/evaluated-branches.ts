// For branches of anyOf that may hold together in too many ways to make each way a case: what they
// evaluate is stated key by key.

import type { Case, Cases } from './cases.types.ts';
import type { Engine } from './engine.types.ts';
import { blankCase, type Place } from './evaluated-cases.ts';
import { andForm, atomForm, closedTerm, orForm } from './forms.ts';
import type { Form, Store, Term } from './forms.types.ts';
import { notForm } from './not-form.ts';

/**
 * The most branches that describe one key differently and of which any may hold: each doubles the
 * ways. And the most ways of all keys.
 */
const maxDescriptions = 6;
const maxWays = 400;

/** A branch that has exactly one case. */
interface Branch {
  readonly one: Case;
  readonly names: readonly string[];
  /** True if the branch accepts the object. */
  readonly holds: Form;
}

/**
 * Makes one case for each kind of branch: either one of the branches that evaluate every key holds,
 * or each key is evaluated if one of the other branches that name it holds. This is complete if the
 * others only name keys. What a producer writes under a key is stated for each set of branches that
 * describe it together.
 */
export function branchwiseCases(
  place: Place,
  terms: readonly Term[],
  cases: readonly Cases[],
): readonly Case[] | undefined {
  const { engine, role } = place;
  if (place.kind !== 'object') return undefined;
  const branches: Branch[] = [];
  for (const [index, term] of terms.entries()) {
    const branch = branchOf(place, term, cases[index]);
    if (branch === undefined) return undefined;
    branches.push(branch);
  }
  const isProducer = role === 'producer';
  const inside = isProducer ? insideForms(place, branches) : nothingInside;
  if (inside === undefined) return undefined;
  if (inside.keys.size > 0 && !engine.overlaps.areToldApart) {
    engine.overlaps.wereMet = true;
    return undefined;
  }
  const isClosing = ({ one }: Branch): boolean => (isProducer ? one.closesAllKeys : one.hasAllKeys);
  const closing = branches.filter(isClosing);
  const naming = branches.filter((branch) => !isClosing(branch));
  const keysIf = keysNamedBy(place, naming);
  engine.steps.left -= keysIf.size + branches.length + inside.forms.length;
  const made = (some: readonly Branch[], more: Partial<Case>): Case[] => {
    if (some.length === 0) return [];
    const one = anyOfCases(engine, some);
    return [{ ...one, ...more, forms: [...one.forms, ...inside.forms], settled: inside.keys }];
  };
  const taking = naming.filter(({ one }) => one.hasAllKeys);
  return [
    ...made(closing, { hasAllKeys: true, closesAllKeys: true }),
    ...made(taking, { hasAllKeys: true, keysIf }),
    ...made(
      naming.filter((branch) => !taking.includes(branch)),
      // A branch that leaves no key to an outer `unevaluatedProperties` would not describe what
      // that does.
      { keysIf, alone: taking.map(({ holds }) => notForm(engine.store, holds)) },
    ),
  ];
}

function branchOf({ engine, kind, role }: Place, term: Term, cases?: Cases): Branch | undefined {
  const [one, ...others] = cases?.list ?? [];
  if (one === undefined || others.length > 0 || cases?.isExact !== true) return undefined;
  if (one.settled.size + one.keysIf.size + one.alone.length > 0) return undefined;
  const isProducer = role === 'producer';
  const closesAll = isProducer ? one.closesAllKeys : one.hasAllKeys;
  const names = namesOf(one.region);
  if (names === undefined && !closesAll) return undefined;
  if (isProducer && !closesAll && !one.declares) return undefined;
  if (isProducer && !one.forms.every((form) => describesNames(form, true))) return undefined;
  const isPlain = !isProducer || one.forms.every((form) => describesNames(form, false));
  const holds = isPlain ? andForm(engine.store, one.forms) : engine.formOf(term, kind);
  return { one, names: names ?? [], holds };
}

function keysNamedBy({ engine: { store } }: Place, naming: readonly Branch[]): Case['keysIf'] {
  const keysIf = new Map<string, Form>();
  for (const { names, holds } of naming) {
    for (const key of names) {
      keysIf.set(key, orForm(store, [holds, keysIf.get(key) ?? store.nothing]));
    }
  }
  return keysIf;
}

/** One of the branches holds. Nothing is stated about the keys yet. */
function anyOfCases(engine: Engine, branches: readonly Branch[]): Case {
  const forms = branches.map(({ holds }) => holds);
  const declares = branches.every(({ one }) => one.declares);
  return { ...blankCase(engine), forms: [orForm(engine.store, forms)], declares };
}

function namesOf(region: Form): readonly string[] | undefined {
  if (region.tag === 'nothing') return [];
  if (region.tag !== 'values') return undefined;
  return [...region.values.values()].filter((key) => typeof key === 'string');
}

/**
 * Whether a form states what a producer writes only for keys by name, or without `mayDescribe` not
 * at all.
 */
function describesNames(form: Form, mayDescribe: boolean): boolean {
  switch (form.tag) {
    case 'and':
      return mayDescribe && form.parts.every((part) => describesNames(part, true));
    case 'property':
      return mayDescribe || form.term.tag !== 'closed';
    case 'has':
    case 'each_key':
      return form.term.tag !== 'closed';
    case 'everything':
    case 'min_keys':
    case 'max_keys':
      return true;
    default:
      return false;
  }
}

interface Inside {
  readonly forms: readonly Form[];
  readonly keys: ReadonlySet<string>;
}

const nothingInside: Inside = { forms: [], keys: new Set() };

/**
 * A description of the value under a key, and the form that holds if a branch describes it this
 * way.
 */
interface Description {
  readonly term: Term;
  readonly holds: Form;
}

/**
 * What a producer writes under each key whose value has keys of its own, for each set of
 * descriptions: if these hold and the others do not, all of them together write the value.
 */
function insideForms({ engine }: Place, branches: readonly Branch[]): Inside | undefined {
  const { store } = engine;
  const byKey = new Map<string, Map<Term, Form>>();
  for (const { one, holds } of branches) {
    for (const [key, term] of descriptionsIn(store, one.forms)) {
      const known = byKey.get(key) ?? new Map<Term, Form>();
      byKey.set(key, known);
      known.set(term, orForm(store, [holds, known.get(term) ?? store.nothing]));
    }
  }
  const forms: Form[] = [];
  for (const [key, known] of byKey) {
    const descriptions = [...known].map(([term, holds]): Description => ({ term, holds }));
    if (descriptions.length > maxDescriptions) return undefined;
    for (let set = 1; set < 2 ** descriptions.length; set++) {
      const isIn = (_: Description, at: number): boolean => (set & (1 << at)) !== 0;
      const terms = descriptions.filter(isIn).map(({ term }) => term);
      const isOtherSet = descriptions.map((each, at) =>
        isIn(each, at) ? notForm(store, each.holds) : each.holds,
      );
      const written = atomForm(store, { tag: 'property', key, term: closedTerm(store, terms) });
      forms.push(orForm(store, [written, ...isOtherSet]));
    }
    if (forms.length > maxWays) return undefined;
  }
  return { forms, keys: new Set(byKey.keys()) };
}

/** The descriptions by key. A value without keys of its own needs no description. */
function descriptionsIn(store: Store, forms: readonly Form[]): ReadonlyMap<string, Term> {
  const found = new Map<string, Term>();
  const add = (form: Form): void => {
    if (form.tag === 'and') form.parts.forEach(add);
    if (form.tag !== 'property' || form.term.tag !== 'closed') return;
    const known = found.get(form.key);
    found.set(form.key, known === undefined ? form.term : closedTerm(store, [known, form.term]));
  };
  forms.forEach(add);
  return found;
}
