// Makes terms and forms (see forms.types.ts). Equal ones are one object, and trivial ones are
// simplified.

import { contentKey } from '../../same/content-key.ts';
import type { SchemaNode, SchemaResource } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { rationalKey } from '../../value/value-key.ts';
import { createKnownShapes } from './apart.ts';
import type { AtomBody, Form, Kind, Store, Term, TermBody } from './forms.types.ts';

export const kinds: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

export function createStore(findTwin: (node: SchemaNode) => SchemaNode): Store {
  const everything: Form = { id: 0, tag: 'everything', negation: undefined };
  const nothing: Form = { id: 1, tag: 'nothing', negation: everything };
  everything.negation = nothing;
  const all: Term = { id: 0, tag: 'all', forms: {}, negation: undefined };
  const none: Term = { id: 1, tag: 'none', forms: {}, negation: all };
  all.negation = none;
  const nodeIds = new Map<SchemaNode, number>();
  const resources = new Map<SchemaResource, number>();
  const twins = new Map<SchemaNode, SchemaNode>();
  // A thousand references may lead to the same place.
  const twinOf = (node: SchemaNode): SchemaNode => {
    const known = twins.get(node);
    if (known !== undefined) return known;
    const twin = findTwin(node);
    twins.set(node, twin);
    return twin;
  };
  return {
    nextId: 2,
    forms: new Map(),
    terms: new Map(),
    nodeTerms: new Map(),
    kinds: new Map(),
    shapes: createKnownShapes(),
    nodeIds,
    resources,
    contentKeys: {
      known: new Map(),
      names: new Map(),
      targetId: (target) => numberIn(nodeIds, twinOf(target)),
      resourceId: (resource) => numberIn(resources, resource),
    },
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
    const key = contentKey(own, store.contentKeys) ?? `n${numberIn(store.nodeIds, own)}`;
    const made = consTerm(store, key, () => ({ tag: 'node', node: own, scope, isWeak: false }));
    store.nodeTerms.set(node, made);
    return made;
  }
  const plain = nodeTerm(store, node);
  const key = `@${plain.id}:${scope.map((resource) => numberIn(store.resources, resource)).join()}`;
  return consTerm(store, key, () => ({ tag: 'node', node, scope, isWeak: false }));
}

/**
 * A node identified by its location instead of its text. This costs nothing, but the same text
 * elsewhere is not recognized as the same.
 */
export function placeTerm(store: Store, node: SchemaNode): Term {
  const known = store.nodeTerms.get(node);
  if (known !== undefined) return known;
  const own = store.twinOf(node);
  const key = `n${numberIn(store.nodeIds, own)}`;
  return consTerm(store, key, () => ({ tag: 'node', node: own, scope: noScope, isWeak: false }));
}

function numberIn<T>(numbers: Map<T, number>, one: T): number {
  let number = numbers.get(one);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(one, number);
  }
  return number;
}

/** The same node where it evaluates without declaring. */
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

export function eitherTerm(store: Store, terms: readonly Term[]): Term {
  const kept = [...new Set(terms)].filter((term) => term !== store.none);
  if (kept.includes(store.all)) return store.all;
  const [only] = kept;
  if (only === undefined) return store.none;
  if (kept.length === 1) return only;
  return consTerm(store, `|${idsOf(kept)}`, () => ({ tag: 'either', terms: kept }));
}

/** The set of exactly one value; `key` is its valueKey. */
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

export function andForm(store: Store, parts: readonly Form[]): Form {
  if (parts.length === 1) return parts[0] ?? store.everything;
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

export function orForm(store: Store, parts: readonly Form[]): Form {
  if (parts.length === 1) return parts[0] ?? store.nothing;
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
  const key = `${tag}${idsOf(isInOrder(parts) ? parts : parts.toSorted((a, b) => a.id - b.id))}`;
  return consForm(store, key, (id) => ({ id, tag, parts, negation: undefined }));
}

function isInOrder(parts: readonly Form[]): boolean {
  let before = -1;
  for (const { id } of parts) {
    if (id < before) return false;
    before = id;
  }
  return true;
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

/** Two sets between the same bounds need not be equal, so each has a name that distinguishes it. */
export function approximation(
  store: Store,
  { name, over, under }: { readonly name: string; readonly over: Form; readonly under: Form },
): Form {
  if (over === under) return over;
  return consForm(store, `~${over.id},${under.id} ${name}`, (id) => ({
    ...{ id, tag: 'approximation', name, over, under, negation: undefined },
  }));
}

/**
 * The form of an atom. One that constrains nothing becomes `everything`, one that admits nothing
 * `nothing`.
 */
export function atomForm(store: Store, body: AtomBody): Form {
  const trivial = trivialForm(store, body);
  if (trivial !== undefined) return trivial;
  return consForm(store, atomKey(body), (id) => ({ ...body, id, negation: undefined }));
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
  return { ...body, id: store.nextId++, forms: {}, negation: undefined };
}

function idsOf(items: readonly { readonly id: number }[]): string {
  let ids = '';
  for (const { id } of items) ids += `${id},`;
  return ids;
}
