// How the engine writes sets of JSON values.
//
// A TERM is a set of values of any kind: a schema node, the complement of a term, a conjunction.
// A FORM is what a term says about one kind of value (its strings, say), unfolded one level: a
// formula of atoms in which "not" stands on atoms only. What an atom says about items and properties
// is a term again. So a recursive schema is unfolded as far as somebody looks.
//
// Both are hash-consed per store: equal ones are one object, and compare by identity.

import type { Json } from '../json.ts';
import type { SchemaNode, SchemaResource } from '../schema/schema.ts';
import { contentKey } from './content-key.ts';
import type { Rational } from './rational.ts';
import type { Kind } from './value-key.ts';
import { rationalKey } from './value-key.ts';

export type { Kind };

export const kinds: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

export type Term = {
  readonly id: number;
  /** Filled by `formOf`. */
  readonly forms: Partial<Record<Kind, Form>>;
  negation: Term | undefined;
} & (
  | { readonly tag: 'all' }
  | { readonly tag: 'none' }
  | {
      readonly tag: 'node';
      readonly node: SchemaNode;
      /** The resources entered so far that have dynamic anchors, the outermost first. */
      readonly scope: readonly SchemaResource[];
      /** It evaluates properties, and does not declare its place: what stands under `if`. */
      readonly isWeak: boolean;
    }
  | { readonly tag: 'not'; readonly term: Term }
  | { readonly tag: 'both'; readonly terms: readonly Term[] }
  | { readonly tag: 'either'; readonly terms: readonly Term[] }
  | { readonly tag: 'const'; readonly value: Json }
  /** closed(the conjunction of these nodes), or a set around it: see evaluated.ts. */
  | { readonly tag: 'closed'; readonly terms: readonly Term[] }
);

type TermBody = Term extends infer T
  ? T extends Term
    ? Omit<T, 'id' | 'forms' | 'negation'>
    : never
  : never;

export type NodeTerm = Extract<Term, { tag: 'node' }>;

export type Form = Everything | Nothing | And | Or | AtMostOne | TwoOf | Approximation | Atom;

interface Identified {
  readonly id: number;
  negation: Form | undefined;
}
type Everything = Identified & { readonly tag: 'everything' };
type Nothing = Identified & { readonly tag: 'nothing' };
type And = Identified & { readonly tag: 'and'; readonly parts: readonly Form[] };
export type Or = Identified & { readonly tag: 'or'; readonly parts: readonly Form[] };
/** No two of the parts hold: with `or`, it is oneOf. The pairs are many, so they are not spelt out. */
export type AtMostOne = Identified & {
  readonly tag: 'at_most_one';
  readonly parts: readonly Form[];
};
export type TwoOf = Identified & { readonly tag: 'two_of'; readonly parts: readonly Form[] };
/** A set that is only known to lie between two others. */
type Approximation = Identified & {
  readonly tag: 'approximation';
  readonly over: Form;
  readonly under: Form;
};

export type Atom = Identified & AtomBody;
export type AtomOf<Tag extends AtomBody['tag']> = Extract<Atom, { tag: Tag }>;

/** In pairs: each row's second is the complement of its first. */
export type AtomBody =
  | { readonly tag: 'values'; readonly values: ReadonlyMap<string, Json> }
  | { readonly tag: 'other_values'; readonly values: ReadonlyMap<string, Json> }
  | { readonly tag: 'low'; readonly bound: Rational; readonly isOpen: boolean }
  | { readonly tag: 'high'; readonly bound: Rational; readonly isOpen: boolean }
  | { readonly tag: 'multiple'; readonly of: Rational }
  | { readonly tag: 'no_multiple'; readonly of: Rational }
  | { readonly tag: 'min_length'; readonly count: number }
  | { readonly tag: 'max_length'; readonly count: number }
  | { readonly tag: 'pattern'; readonly source: string }
  | { readonly tag: 'no_pattern'; readonly source: string }
  | { readonly tag: 'format'; readonly name: string }
  | { readonly tag: 'no_format'; readonly name: string }
  | { readonly tag: 'min_items'; readonly count: number }
  | { readonly tag: 'max_items'; readonly count: number }
  /** Every item at an index from `from` up to and without `to` is in the term. */
  | { readonly tag: 'each_item'; readonly from: number; readonly to: number; readonly term: Term }
  | { readonly tag: 'some_item'; readonly from: number; readonly to: number; readonly term: Term }
  /** At least (at most) `count` items are in the term. */
  | { readonly tag: 'min_count'; readonly count: number; readonly term: Term }
  | { readonly tag: 'max_count'; readonly count: number; readonly term: Term }
  | { readonly tag: 'unique' }
  | { readonly tag: 'repeated' }
  | { readonly tag: 'min_keys'; readonly count: number }
  | { readonly tag: 'max_keys'; readonly count: number }
  /** The property is absent or in the term. */
  | { readonly tag: 'property'; readonly key: string; readonly term: Term }
  /** The property is present and in the term. */
  | { readonly tag: 'has'; readonly key: string; readonly term: Term }
  /** Every property whose key is in the region (a form of strings) is in the term. */
  | { readonly tag: 'each_key'; readonly region: Form; readonly term: Term }
  | { readonly tag: 'some_key'; readonly region: Form; readonly term: Term }
  /** A set nobody knows: an external reference, a pattern that cannot be read. */
  | {
      readonly tag: 'unknown';
      readonly name: string;
      readonly place: string;
      readonly reason: string;
    }
  | {
      readonly tag: 'not_unknown';
      readonly name: string;
      readonly place: string;
      readonly reason: string;
    };

/** Holds the terms and forms of one question, or of one session of questions. */
export interface Store {
  nextId: number;
  readonly forms: Map<string, Form>;
  readonly terms: Map<string, Term>;
  readonly nodeTerms: Map<SchemaNode, Term>;
  readonly nodeIds: Map<SchemaNode, number>;
  /** The node of the first document that says the same, if there is one: what did not change is one. */
  readonly twinOf: (node: SchemaNode) => SchemaNode;
  readonly everything: Form;
  readonly nothing: Form;
  readonly all: Term;
  readonly none: Term;
}

export function createStore(twinOf: (node: SchemaNode) => SchemaNode): Store {
  const everything: Form = { id: 0, tag: 'everything', negation: undefined };
  const nothing: Form = { id: 1, tag: 'nothing', negation: everything };
  everything.negation = nothing;
  const all: Term = { id: 0, tag: 'all', forms: {}, negation: undefined };
  const none: Term = { id: 1, tag: 'none', forms: {}, negation: all };
  all.negation = none;
  return {
    nextId: 2,
    forms: new Map(),
    terms: new Map(),
    nodeTerms: new Map(),
    nodeIds: new Map(),
    twinOf,
    everything,
    nothing,
    all,
    none,
  };
}

const noScope: readonly SchemaResource[] = [];

export function nodeTerm(
  store: Store,
  node: SchemaNode,
  scope: readonly SchemaResource[] = noScope,
): Term {
  const { raw } = node;
  if (raw === true) return store.all;
  if (raw === false) return store.none;
  if (scope.length === 0) {
    const known = store.nodeTerms.get(node);
    if (known !== undefined) return known;
    const own = store.twinOf(node);
    const content = contentKey(own, (target) => nodeId(store, store.twinOf(target)));
    const made = consTerm(store, content ?? `n${nodeId(store, own)}`, () => ({
      ...{ tag: 'node', node: own, scope, isWeak: false },
    }));
    store.nodeTerms.set(node, made);
    return made;
  }
  const plain = nodeTerm(store, node);
  const key = `@${plain.id}:${scope.map((resource) => resourceNumber(store, resource)).join()}`;
  return consTerm(store, key, () => ({ tag: 'node', node, scope, isWeak: false }));
}

function nodeId(store: Store, node: SchemaNode): number {
  let id = store.nodeIds.get(node);
  if (id === undefined) {
    id = store.nodeIds.size;
    store.nodeIds.set(node, id);
  }
  return id;
}

/** The same node, where it evaluates without declaring. */
export function weakTerm(store: Store, term: Term): Term {
  if (term.tag !== 'node' || term.isWeak) return term;
  const { node, scope } = term;
  return consTerm(store, `w${term.id}`, () => ({ tag: 'node', node, scope, isWeak: true }));
}

export function notTerm(store: Store, term: Term): Term {
  if (term.negation !== undefined) return term.negation;
  if (term.tag === 'not') return term.term;
  const made = makeTerm(store, { tag: 'not', term });
  made.negation = term;
  term.negation = made;
  return made;
}

export function bothTerms(store: Store, terms: readonly Term[]): Term {
  const kept = [...new Set(terms)].filter((term) => term !== store.all);
  if (kept.includes(store.none)) return store.none;
  const [only] = kept;
  if (only === undefined) return store.all;
  if (kept.length === 1) return only;
  return consTerm(store, `&${idsOf(kept)}`, () => ({ tag: 'both', terms: kept }));
}

export function eitherTerm(store: Store, terms: readonly Term[]): Term {
  const kept = [...new Set(terms)].filter((term) => term !== store.none);
  if (kept.includes(store.all)) return store.all;
  const [only] = kept;
  if (only === undefined) return store.none;
  if (kept.length === 1) return only;
  return consTerm(store, `|${idsOf(kept)}`, () => ({ tag: 'either', terms: kept }));
}

/** Exactly one value; `key` is its valueKey. */
export function constTerm(store: Store, key: string, value: Json): Term {
  return consTerm(store, `=${key}`, () => ({ tag: 'const', value }));
}

export function closedTerm(store: Store, terms: readonly Term[]): Term {
  const members = new Set<Term>();
  for (const term of terms) {
    if (term.tag === 'closed') for (const inner of term.terms) members.add(inner);
    else if (term !== store.all) members.add(term);
  }
  if (members.has(store.none)) return store.none;
  if (members.size === 0) return store.all;
  const kept = [...members].sort((a, b) => a.id - b.id);
  return consTerm(store, `c${idsOf(kept)}`, () => ({ tag: 'closed', terms: kept }));
}

export function andForm(store: Store, parts: Iterable<Form>): Form {
  const kept = new Set<Form>();
  for (const part of parts) {
    if (part.tag === 'nothing') return store.nothing;
    if (part.tag === 'and') for (const inner of part.parts) kept.add(inner);
    else if (part.tag !== 'everything') kept.add(part);
  }
  for (const part of kept) {
    if (part.negation !== undefined && kept.has(part.negation)) return store.nothing;
  }
  return joinForms(store, kept, 'and');
}

export function orForm(store: Store, parts: Iterable<Form>): Form {
  const kept = new Set<Form>();
  for (const part of parts) {
    if (part.tag === 'everything') return store.everything;
    if (part.tag === 'or') for (const inner of part.parts) kept.add(inner);
    else if (part.tag !== 'nothing') kept.add(part);
  }
  for (const part of kept) {
    if (part.negation !== undefined && kept.has(part.negation)) return store.everything;
  }
  return joinForms(store, kept, 'or');
}

function joinForms(store: Store, kept: ReadonlySet<Form>, tag: 'and' | 'or'): Form {
  if (kept.size === 0) return tag === 'and' ? store.everything : store.nothing;
  const parts = [...kept];
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const key = `${tag}${idsOf(parts.toSorted((a, b) => a.id - b.id))}`;
  return consForm(store, key, (id) => ({ id, tag, parts, negation: undefined }));
}

export function atMostOneForm(store: Store, parts: readonly Form[]): Form {
  const live = parts.filter((part) => part !== store.nothing);
  if (live.length < 2) return store.everything;
  return consForm(store, `one ${idsOf(live)}`, (id) => ({
    ...{ id, tag: 'at_most_one', parts: live, negation: undefined },
  }));
}

export function twoOfForm(store: Store, parts: readonly Form[]): Form {
  return consForm(store, `two ${idsOf(parts)}`, (id) => ({
    ...{ id, tag: 'two_of', parts, negation: undefined },
  }));
}

export function approximation(store: Store, over: Form, under: Form): Form {
  if (over === under) return over;
  return consForm(store, `~${over.id},${under.id}`, (id) => ({
    ...{ id, tag: 'approximation', over, under, negation: undefined },
  }));
}

/** The one form of an atom; what constrains nothing, or admits nothing, is said so at once. */
export function atomForm(store: Store, body: AtomBody): Form {
  const trivial = trivialForm(store, body);
  if (trivial !== undefined) return trivial;
  return consForm(store, atomKey(body), (id) => ({ id, negation: undefined, ...body }));
}

function trivialForm(store: Store, body: AtomBody): Form | undefined {
  switch (body.tag) {
    case 'values':
      return body.values.size === 0 ? store.nothing : undefined;
    case 'other_values':
      return body.values.size === 0 ? store.everything : undefined;
    case 'min_length':
    case 'min_items':
    case 'min_keys':
      return body.count <= 0 ? store.everything : undefined;
    case 'max_length':
    case 'max_items':
    case 'max_keys':
      return body.count < 0 ? store.nothing : undefined;
    case 'each_item':
      return body.term === store.all || body.from >= body.to ? store.everything : undefined;
    case 'some_item':
      return body.term === store.none || body.from >= body.to ? store.nothing : undefined;
    case 'min_count':
      if (body.count <= 0) return store.everything;
      return body.term === store.none ? store.nothing : undefined;
    case 'max_count':
      if (body.count < 0) return store.nothing;
      return body.term === store.none ? store.everything : undefined;
    case 'property':
      return body.term === store.all ? store.everything : undefined;
    case 'has':
      return body.term === store.none ? store.nothing : undefined;
    case 'each_key':
      if (body.term === store.all || body.region === store.nothing) return store.everything;
      return undefined;
    case 'some_key':
      if (body.term === store.none || body.region === store.nothing) return store.nothing;
      return undefined;
    default:
      return undefined;
  }
}

function atomKey(body: AtomBody): string {
  switch (body.tag) {
    case 'values':
    case 'other_values':
      return `${body.tag} ${[...body.values.keys()].sort().join('\n')}`;
    case 'low':
    case 'high':
      return `${body.tag} ${rationalKey(body.bound)} ${body.isOpen}`;
    case 'multiple':
    case 'no_multiple':
      return `${body.tag} ${rationalKey(body.of)}`;
    case 'pattern':
    case 'no_pattern':
      return `${body.tag} ${body.source}`;
    case 'format':
    case 'no_format':
    case 'unknown':
    case 'not_unknown':
      return `${body.tag} ${body.name}`;
    case 'each_item':
    case 'some_item':
      return `${body.tag} ${body.from} ${body.to} ${body.term.id}`;
    case 'min_count':
    case 'max_count':
      return `${body.tag} ${body.count} ${body.term.id}`;
    case 'unique':
    case 'repeated':
      return body.tag;
    case 'property':
    case 'has':
      return `${body.tag} ${body.term.id} ${body.key}`;
    case 'each_key':
    case 'some_key':
      return `${body.tag} ${body.region.id} ${body.term.id}`;
    default:
      return `${body.tag} ${body.count}`;
  }
}

function consForm(store: Store, key: string, make: (id: number) => Form): Form {
  const known = store.forms.get(key);
  if (known !== undefined) return known;
  const made = make(store.nextId++);
  store.forms.set(key, made);
  return made;
}

function consTerm(store: Store, key: string, body: () => TermBody): Term {
  const known = store.terms.get(key);
  if (known !== undefined) return known;
  const made = makeTerm(store, body());
  store.terms.set(key, made);
  return made;
}

function makeTerm(store: Store, body: TermBody): Term {
  return { id: store.nextId++, forms: {}, negation: undefined, ...body };
}

function idsOf(items: readonly { readonly id: number }[]): string {
  return items.map((item) => item.id).join();
}

const resourceNumbers = new WeakMap<Store, Map<SchemaResource, number>>();

function resourceNumber(store: Store, resource: SchemaResource): number {
  const numbers = resourceNumbers.get(store) ?? new Map<SchemaResource, number>();
  resourceNumbers.set(store, numbers);
  const number = numbers.get(resource) ?? numbers.size;
  numbers.set(resource, number);
  return number;
}
