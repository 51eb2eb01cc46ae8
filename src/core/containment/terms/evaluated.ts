// Evaluated properties and items: `unevaluatedProperties`, `unevaluatedItems`, and closed(S).
//
// Which keys are evaluated depends on which branches of anyOf, oneOf and if accept the value. So a
// place is split into cases, one for each choice of branches that may hold together. Each case
// knows the keys that it evaluates. A value is in the set exactly if it is in one of the cases. If
// more branches hold for a value than a case says, the case accepts the value only if its own,
// smaller set of evaluated keys suffices. (For closed(S), a case that declares nothing leaves the
// place open, so it also says that the other branches do not hold.)

import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import { saysSomething } from '../../schema/schema.ts';
import type { Case, Cases } from './cases.types.ts';
import { areDisjointForms } from './disjoint.ts';
import type { Wrap } from './engine.types.ts';
import { branchwiseCases } from './evaluated-branches.ts';
import {
  blankCase,
  exactly,
  formCase,
  looseCases,
  maxCases,
  mayClose,
  multiply,
  noKeys,
  noSettled,
  type Place,
  restForms,
  widestRegion,
} from './evaluated-cases.ts';
import {
  andForm,
  approximation,
  atomForm,
  closedTerm,
  eitherTerm,
  orForm,
  weakTerm,
} from './forms.ts';
import type { Form, Kind, NodeTerm, Store, Term } from './forms.types.ts';
import { notForm } from './not-form.ts';
import { closedChild, isScalar } from './term-scope.ts';

/** The most nested applicators at one place. */
const maxNesting = 100;

export function hasUnevaluated(keywords: Keywords, kind: Kind): boolean {
  if (kind === 'object') return keywords.unevaluatedProperties !== undefined;
  return kind === 'array' && keywords.unevaluatedItems !== undefined;
}

/**
 * The form of a conjunction of nodes at one place, including what they say about unevaluated parts.
 */
export function evaluatedForm(place: Place, terms: readonly Term[]): Form {
  const { store } = place.engine;
  const cases = multiply(
    place,
    terms.map((term) => casesOf(place, term)),
  );
  if (cases === undefined) {
    const parts = terms.flatMap((term) => (term.tag === 'node' ? plainForms(place, term) : []));
    return within(place, terms, andForm(store, parts));
  }
  if (
    place.role === 'producer' &&
    place.kind === 'array' &&
    cases.list.some((one) => one.looksInside)
  ) {
    return within(place, terms, evaluatedForm({ ...place, role: 'loose' }, terms));
  }
  const whole = cases.list.map((one) =>
    andForm(store, [...joinClosed(place, one.forms), closure(place, one)]),
  );
  const over = orForm(store, whole);
  if (!cases.isExact) return within(place, terms, over);
  const alone = cases.list.map(({ alone: apart }, index) =>
    andForm(store, [whole[index] ?? store.nothing, ...apart]),
  );
  return between(place, terms, over, orForm(store, alone));
}

/**
 * Joins what several schemas say about one part of a value, because its producer writes it by all
 * of them together. As a single atom, it also has an exact complement.
 */
function joinClosed({ engine: { store } }: Place, forms: readonly Form[]): readonly Form[] {
  const parts = forms.flatMap((form) => (form.tag === 'and' ? form.parts : [form]));
  const joined = new Map<string, Form>();
  for (const form of parts) {
    const name = closedPartOf(form);
    const known = name === undefined ? undefined : joined.get(name);
    joined.set(name ?? `${form.id}`, known === undefined ? form : joinedPart(store, known, form));
  }
  return joined.size === parts.length ? forms : [...joined.values()];
}

/** Names the part of a value that an atom closes; undefined for other forms. */
function closedPartOf(form: Form): string | undefined {
  switch (form.tag) {
    case 'property':
      return form.term.tag === 'closed' ? `property ${form.key}` : undefined;
    case 'each_item':
      return form.term.tag === 'closed' ? `items ${form.from} ${form.to}` : undefined;
    case 'each_key':
      return form.term.tag === 'closed' ? `keys ${form.region.id}` : undefined;
    default:
      return undefined;
  }
}

function joinedPart(store: Store, a: Form, b: Form): Form {
  if (!('term' in a) || !('term' in b)) return andForm(store, [a, b]);
  return atomForm(store, { ...b, term: closedTerm(store, [a.term, b.term]) });
}

/** The set of these terms, if only a larger set is known. */
function within(place: Place, terms: readonly Term[], over: Form): Form {
  return between(place, terms, over, place.engine.store.nothing);
}

function between(
  { engine, kind, role }: Place,
  terms: readonly Term[],
  over: Form,
  under: Form,
): Form {
  const name = `${role} ${kind} ${terms.map((term) => term.id).join()}`;
  return approximation(engine.store, { name, over, under });
}

/** Excludes what a producer does not emit: keys that no schema of this case evaluates. */
function closure({ engine, kind, role }: Place, one: Case): Form {
  const { store } = engine;
  const isOpen = role !== 'producer' || kind !== 'object' || !one.declares || one.closesAllKeys;
  return isOpen ? store.everything : andForm(store, restForms(engine, one, store.none));
}

function plainForms(place: Place, term: NodeTerm): Form[] {
  return [
    ...place.unfolding.ownForms(place.engine, term, place.kind, (child) => child),
    ...place.unfolding.applicatorForms(place.engine, term, place.kind),
  ];
}

function wrapOf({ engine, role }: Place, isWeak: boolean): Wrap {
  if (role !== 'producer') return (child) => child;
  const close = closedChild(engine.store);
  if (!isWeak) return close;
  return (child) => (close(child) === child ? child : close(weakTerm(engine.store, child)));
}

function casesOf(place: Place, term: Term): Cases {
  const { engine, kind, role } = place;
  if (term.tag !== 'node') {
    return exactly([{ ...blankCase(engine), forms: [engine.formOf(term, kind)] }]);
  }
  const { nesting, cases } = engine;
  if (place.open.has(term) || nesting.unfold > maxNesting || engine.steps.left < 0) {
    // What is not examined may evaluate anything.
    nesting.cuts++;
    const reason = 'The schema nests too deeply.';
    return looseCases(place, [place.unfolding.unknownForm(engine, term, reason)]);
  }
  const key = `${role} ${kind} ${term.id}`;
  const known = cases.get(key);
  if (known !== undefined) return known;
  const before = nesting.cuts;
  nesting.unfold++;
  engine.steps.left--;
  const made = makeCases(place, term);
  nesting.unfold--;
  // What was cut short depends on what is around it.
  if (nesting.cuts === before && engine.steps.left >= 0) cases.set(key, made);
  return made;
}

function makeCases(place: Place, term: NodeTerm): Cases {
  const inside = { ...place, open: new Set([...place.open, term]) };
  const isDecided = !isDisputed(term.node.keywords, place.kind);
  const own = { list: [ownCase(place, term)], isExact: isDecided };
  const cases = multiply(place, [own, ...applicatorCases(inside, term)]);
  const isUnread = term.node.keywords.problems !== undefined;
  if (cases === undefined || isUnread) {
    return looseCases(place, plainForms(place, term));
  }
  const { isExact } = cases;
  return { list: cases.list.map((one) => judgeRest(place, term, one, isExact)), isExact };
}

/** Validators disagree about which items `contains` evaluates. */
function isDisputed({ contains }: Keywords, kind: Kind): boolean {
  return kind === 'array' && contains?.evaluates === 'disputed';
}

function ownCase(place: Place, term: NodeTerm): Case {
  const { engine, kind } = place;
  const { keywords } = term.node;
  const forms = place.unfolding.ownForms(engine, term, kind, wrapOf(place, term.isWeak));
  const { prefixItems, items, contains, additionalProperties } = keywords;
  const matching = contains?.evaluates === true ? [childTerm(place, term, contains.schema)] : [];
  const hasAllItems = items !== undefined || isDisputed(keywords, kind);
  return {
    forms,
    alone: [],
    region: kind === 'object' ? place.unfolding.namedRegion(engine, term) : engine.store.nothing,
    keysIf: noKeys,
    settled: noSettled,
    hasAllKeys: additionalProperties !== undefined,
    closesAllKeys: saysSomething(additionalProperties),
    declares:
      !term.isWeak &&
      (keywords.properties !== undefined || keywords.patternProperties !== undefined),
    itemCount: hasAllItems ? Number.POSITIVE_INFINITY : (prefixItems?.length ?? 0),
    matching,
    looksInside: contains !== undefined && !isScalar(contains.schema),
  };
}

/** Adds what the node says about the keys and items that this case does not evaluate. */
function judgeRest(place: Place, term: NodeTerm, one: Case, isExact: boolean): Case {
  const { engine, kind } = place;
  const { store } = engine;
  const { unevaluatedProperties, unevaluatedItems } = term.node.keywords;
  const wrap = wrapOf(place, term.isWeak);
  if (kind === 'object' && unevaluatedProperties !== undefined) {
    const rest = wrap(childTerm(place, term, unevaluatedProperties));
    const left = one.hasAllKeys ? [] : restForms(engine, one, rest);
    // If every key is evaluated, even by `additionalProperties: true`, it constrains none.
    const isSpoken = !(isExact && one.hasAllKeys) && saysSomething(unevaluatedProperties);
    return {
      ...one,
      forms: [...one.forms, ...left],
      hasAllKeys: true,
      closesAllKeys: one.closesAllKeys || isSpoken,
    };
  }
  if (kind === 'array' && unevaluatedItems !== undefined) {
    const plain = childTerm(place, term, unevaluatedItems);
    const written = wrap(plain);
    const to = Number.POSITIVE_INFINITY;
    const left = (rest: Term): Form => {
      const choice = eitherTerm(store, [rest, ...one.matching]);
      return atomForm(store, { tag: 'each_item', from: one.itemCount, to, term: choice });
    };
    // Beside items that match, a closed term cannot be joined with what other schemas say of the items.
    const isApart = one.matching.length > 0 && written !== plain;
    return {
      ...one,
      forms: [...one.forms, left(isApart ? plain : written)],
      alone: isApart ? [...one.alone, left(written)] : one.alone,
      itemCount: to,
    };
  }
  return one;
}

function applicatorCases(place: Place, term: NodeTerm): Cases[] {
  const { keywords } = term.node;
  const child = (node: SchemaNode): Term => weakened(place, term, childTerm(place, term, node));
  const factors: Cases[] = [];
  const target = place.unfolding.referenceTerm(place.engine, term);
  if (target !== undefined) factors.push(casesOf(place, weakened(place, term, target)));
  const dynamic = place.unfolding.dynamicTerm(place.engine, term);
  if (dynamic !== undefined) factors.push(casesOf(place, weakened(place, term, dynamic)));
  for (const node of keywords.allOf ?? []) factors.push(casesOf(place, child(node)));
  if (keywords.anyOf !== undefined) factors.push(anyCases(place, keywords.anyOf.map(child)));
  if (keywords.oneOf !== undefined) factors.push(oneCases(place, keywords.oneOf, child));
  if (keywords.not !== undefined) {
    const form = place.engine.formOf(child(keywords.not), place.kind);
    factors.push(formCase(place, notForm(place.engine.store, form)));
  }
  if (keywords.if !== undefined) factors.push(conditionCases(place, term, keywords.if));
  if (place.kind === 'object') {
    for (const [key, node] of keywords.dependentSchemas ?? []) {
      factors.push(dependencyCases(place, key, childTerm(place, term, node)));
    }
  }
  return factors;
}

function childTerm(place: Place, term: NodeTerm, node: SchemaNode): Term {
  return place.unfolding.childTerms(place.engine, term, (plain) => plain)(node);
}

function weakened(place: Place, around: NodeTerm, term: Term): Term {
  return around.isWeak ? weakTerm(place.engine.store, term) : term;
}

/** One or more cases for each choice of branches that may hold together. */
function anyCases(place: Place, branches: readonly Term[]): Cases {
  const { engine, kind } = place;
  const live = branches.filter((branch) => engine.formOf(branch, kind) !== engine.store.nothing);
  const choices = jointChoices(place, live);
  const cases = live.map((branch) => casesOf(place, branch));
  if (choices === undefined) {
    const joint = branchwiseCases(place, live, cases);
    return joint === undefined ? looseChoices(place, live, cases) : exactly(joint);
  }
  const list: Case[] = [];
  for (const choice of choices) {
    const joint = multiply(
      place,
      choice.map((index) => cases[index] ?? exactly([])),
    );
    if (joint === undefined) return looseChoices(place, live, cases);
    const others = live.flatMap((term, index) =>
      choice.includes(index) ? [] : [{ term, list: cases[index]?.list ?? [] }],
    );
    for (const one of joint.list) list.push(onlyThese(place, one, others));
    if (list.length > maxCases) return looseChoices(place, live, cases);
  }
  return { list, isExact: cases.every((each) => each.isExact) };
}

interface OtherBranch {
  readonly term: Term;
  readonly list: readonly Case[];
}

/**
 * An open case holds only if no other branch does, because that might declare the place. The same
 * is true for the parts of the value.
 */
function onlyThese(place: Place, one: Case, others: readonly OtherBranch[]): Case {
  if (place.role !== 'producer') return one;
  const { engine, kind } = place;
  const { store } = engine;
  const form = andForm(store, one.forms);
  const formsOf = (some: readonly OtherBranch[]): Form[] =>
    some.map(({ term }) => notForm(store, engine.formOf(term, kind)));
  if (kind === 'object' && !one.declares)
    return { ...one, forms: [...one.forms, ...formsOf(others)] };
  const known = describedParts(one.forms);
  const closing = others.filter(
    ({ term, list }) =>
      list.some(
        (other) => describesMore([...other.forms, ...other.alone], known) || takesMore(other, one),
      ) && !areDisjointForms(engine, form, engine.formOf(term, kind)),
  );
  return { ...one, alone: [...one.alone, ...formsOf(closing)] };
}

/**
 * Whether the other case takes all keys from an outer `unevaluatedProperties`, without saying
 * anything about most of them.
 */
function takesMore(other: Case, one: Case): boolean {
  return other.hasAllKeys && !other.closesAllKeys && !one.hasAllKeys;
}

/** What a producer writes at each part of a value. */
function describedParts(forms: readonly Form[]): ReadonlyMap<string, ReadonlySet<Term>> {
  const parts = new Map<string, Set<Term>>();
  for (const form of forms.flatMap(conjuncts)) {
    const name = closedPartOf(form);
    if (name === undefined || !('term' in form) || form.term.tag !== 'closed') continue;
    parts.set(name, new Set([...(parts.get(name) ?? []), ...form.term.terms]));
  }
  return parts;
}

/** Whether some part is described by a schema that is not among those known to describe it. */
function describesMore(
  forms: readonly Form[],
  known: ReadonlyMap<string, ReadonlySet<Term>>,
): boolean {
  return forms.flatMap(conjuncts).some((form) => {
    const name = closedPartOf(form);
    if (name === undefined) return mayClose(form);
    if (!('term' in form) || form.term.tag !== 'closed') return true;
    return form.term.terms.some((term) => known.get(name)?.has(term) !== true);
  });
}

function conjuncts(form: Form): readonly Form[] {
  return form.tag === 'and' ? form.parts.flatMap(conjuncts) : [form];
}

/**
 * The sets of branches (by index) in which no two exclude each other; undefined if there are too
 * many.
 */
function jointChoices(place: Place, branches: readonly Term[]): number[][] | undefined {
  const { engine, kind } = place;
  if (branches.length > maxCases) return undefined;
  const forms = branches.map((branch) => engine.formOf(branch, kind));
  const choices: number[][] = [];
  for (const [index, form] of forms.entries()) {
    const extended = choices.filter((choice) =>
      choice.every((other) => {
        engine.steps.left--;
        const otherForm = forms[other];
        return otherForm !== undefined && !areDisjointForms(engine, form, otherForm);
      }),
    );
    choices.push([index], ...extended.map((choice) => [...choice, index]));
    if (choices.length > maxCases) return undefined;
  }
  return choices;
}

/**
 * One case for each branch, in which everything is evaluated that any of the branches evaluates.
 */
function looseChoices(place: Place, branches: readonly Term[], cases: readonly Cases[]): Cases {
  const { engine, kind } = place;
  const every = cases.flatMap((each) => each.list);
  const region = orForm(
    engine.store,
    every.map((one) => widestRegion(engine, one)),
  );
  const loose = {
    alone: [],
    region,
    keysIf: noKeys,
    settled: noSettled,
    hasAllKeys: every.some((one) => one.hasAllKeys),
    closesAllKeys: every.some((one) => one.closesAllKeys),
    itemCount: Math.max(0, ...every.map((one) => one.itemCount)),
    matching: every.flatMap((one) => one.matching),
    looksInside: every.some((one) => one.looksInside),
  };
  const list = branches.map((branch, index) => ({
    ...loose,
    forms: [engine.formOf(branch, kind)],
    declares: cases[index]?.list.every((one) => one.declares) ?? false,
  }));
  return { list, isExact: false };
}

function oneCases(
  place: Place,
  nodes: readonly SchemaNode[],
  child: (node: SchemaNode) => Term,
): Cases {
  const { engine, kind, unfolding } = place;
  const branches = nodes.map(child);
  const forms = branches.map((branch) => engine.formOf(branch, kind));
  const apart = unfolding.onlyOneForm(engine, kind, nodes, forms);
  const live = branches.filter((_, index) => forms[index] !== engine.store.nothing);
  const cases = live.map((branch) => casesOf(place, branch));
  const list = cases.flatMap((each) =>
    each.list.map((one) => ({ ...one, forms: [...one.forms, apart] })),
  );
  return { list, isExact: cases.every((each) => each.isExact) };
}

function conditionCases(place: Place, term: NodeTerm, condition: SchemaNode): Cases {
  const { engine, kind } = place;
  const { store } = engine;
  const own = childTerm(place, term, condition);
  const otherwise = formCase(place, notForm(store, engine.formOf(own, kind)));
  const branch = (node: SchemaNode | undefined): Cases[] =>
    node === undefined ? [] : [casesOf(place, weakened(place, term, childTerm(place, term, node)))];
  const holds = multiply(place, [
    casesOf(place, weakTerm(store, own)),
    ...branch(term.node.keywords.then),
  ]);
  const fails = multiply(place, [otherwise, ...branch(term.node.keywords.else)]);
  if (holds === undefined || fails === undefined) return looseCases(place, []);
  return { list: [...holds.list, ...fails.list], isExact: holds.isExact && fails.isExact };
}

function dependencyCases(place: Place, key: string, schema: Term): Cases {
  const { store } = place.engine;
  const absent = formCase(place, atomForm(store, { tag: 'property', key, term: store.none }));
  const present = formCase(place, atomForm(store, { tag: 'has', key, term: store.all }));
  const holds = multiply(place, [present, casesOf(place, weakTerm(store, schema))]);
  if (holds === undefined) return looseCases(place, []);
  return { list: [...absent.list, ...holds.list], isExact: holds.isExact };
}
