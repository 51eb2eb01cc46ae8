// Finds a value in a conjunction of terms, and remembers the result of each conjunction.
//
// JSON values are finite: a value that could only be built from a value of the same set cannot be
// built at all. So a conjunction that is met again inside its own search counts as empty there. A
// conclusion from this is final once the outer search is empty too. Until then it is provisional,
// and it is forgotten if the outer search finds a value. Values never rest on it.

import type { Way } from './plain/plain-pair.ts';
import { plainPairOf, wayOf } from './plain/plain-pair.ts';
import type { Engine, Found, Judge } from './terms/engine.types.ts';
import { budgetSpent, empty, unknown } from './terms/engine.types.ts';
import { closedTerm, kinds } from './terms/forms.ts';
import type { Form, Kind, NodeTerm, Store, Term } from './terms/forms.types.ts';
import { allKinds, kindBits, kindsOf } from './terms/node-kinds.ts';

/** The most stack frames of nested searches. The smallest stack has 7,000 frames. */
const maxSearchFrames = 2_500;
/** The stack frames of one search, and of one plain way. */
const searchFrames = 10;
const wayFrames = 5;

/** Sorting a conjunction costs in proportion to its length. */
const termsPerStep = 4;

interface Remembered {
  readonly result: Found;
  /** The outermost search in progress that the result rests on; infinite if it rests on none. */
  restsOn: number;
}

/**
 * A conjunction of terms. Its key is made of its forms, or of its terms if a plain way may answer
 * it. It is unfolded into forms only if no plain way does.
 */
interface Conjunction {
  readonly key: string;
  readonly way: Way | undefined;
  readonly forms: () => Forms;
}

/** The forms of a conjunction by kind, without the kinds of which it certainly has no values. */
type Forms = readonly (readonly [Kind, readonly Form[]])[];

interface InProgress {
  readonly depth: number;
  readonly level: number;
}

interface Memory {
  /**
   * By the ids of the terms. Conjunctions with the same forms have the same key, and share a
   * result.
   */
  readonly conjunctions: Map<string, Conjunction>;
  readonly results: Map<string, Remembered>;
  readonly inProgress: Map<string, InProgress>;
  /** The depth of the search inside the value of the first question. */
  level: number;
  /** The keys of provisional results, in the order in which they were made. */
  readonly provisional: string[];
  /** For each search in progress, the outermost search that it rests on so far. */
  readonly restsOn: number[];
}

export function createMemory(): Memory {
  return {
    conjunctions: new Map(),
    results: new Map(),
    inProgress: new Map(),
    level: 0,
    provisional: [],
    restsOn: [],
  };
}

/** Keeps only what is proven. Which value is found depends on what was asked before. */
export function forgetValues({ results }: Memory): void {
  for (const [key, { result }] of results) if (result.tag !== 'empty') results.delete(key);
}

export function inhabitTerms(
  engine: Engine,
  memory: Memory,
  terms: readonly Term[],
  judge?: Judge,
): Found {
  engine.steps.left -= terms.length / termsPerStep;
  const parts = simplifyTerms(engine, terms);
  if (parts === 'empty') return empty;
  const conjunction = conjunctionOf(engine, memory, parts);
  if (conjunction === nothing) return empty;
  const { key } = conjunction;
  const known = memory.results.get(key);
  if (known !== undefined) {
    rest(memory, known.restsOn);
    return known.result;
  }
  const outer = memory.inProgress.get(key);
  if (outer !== undefined) {
    // The same value is asked about again: a schema that refers only to itself defines no set.
    if (outer.level === memory.level) return inCircle;
    rest(memory, outer.depth);
    return empty;
  }
  if (engine.nesting.search > maxSearchFrames) return unknown('The values nest too deeply.');
  engine.steps.left--;
  if (engine.steps.left < 0) return budgetSpent;
  const depth = memory.restsOn.length;
  const firstProvisional = memory.provisional.length;
  memory.inProgress.set(key, { depth, level: memory.level });
  memory.restsOn.push(Number.POSITIVE_INFINITY);
  const searched = searchConjunction(engine, memory, conjunction, judge);
  // The steps ran out before the search was complete, so finding nothing proves nothing.
  const result = searched.tag === 'empty' && engine.steps.left < 0 ? budgetSpent : searched;
  const restsOn = memory.restsOn.pop() ?? 0;
  memory.inProgress.delete(key);
  remember(memory, { key, result, depth, restsOn, firstProvisional });
  return result;
}

const inCircle = unknown('The schema refers to itself in a circle.');

function searchConjunction(
  engine: Engine,
  memory: Memory,
  conjunction: Conjunction,
  judge: Judge | undefined,
): Found {
  const { nesting } = engine;
  const { way } = conjunction;
  if (way !== undefined) {
    const inside = way.isInPlace ? 0 : 1;
    nesting.search += wayFrames;
    memory.level += inside;
    const result = way.find(judge);
    memory.level -= inside;
    nesting.search -= wayFrames;
    const isRefused = result?.tag === 'value' && judge?.(result.value) === false;
    if (result !== undefined && !isRefused) return result;
  }
  nesting.search += searchFrames;
  memory.level++;
  const result = searchKinds(engine, conjunction.forms(), judge);
  memory.level--;
  nesting.search -= searchFrames;
  return result;
}

const nothing: Conjunction = { key: '', way: undefined, forms: () => [] };

function conjunctionOf(engine: Engine, memory: Memory, parts: readonly Term[]): Conjunction {
  let ids = '';
  for (const { id } of parts) ids += `${id},`;
  const known = memory.conjunctions.get(ids);
  if (known !== undefined) return known;
  const made = makeConjunction(engine, parts, ids);
  memory.conjunctions.set(ids, made);
  return made;
}

function makeConjunction(engine: Engine, parts: readonly Term[], ids: string): Conjunction {
  const pair = plainPairOf(parts);
  const way = pair && wayOf(engine, pair);
  const unfold = (): Forms => (isSameOnBothSides(engine, parts) ? [] : formsOfAll(engine, parts));
  if (way !== undefined) return { key: `plain ${ids}`, way, forms: unfold };
  const forms = unfold();
  return forms.length === 0 ? nothing : { key: nameOf(forms), way, forms: () => forms };
}

function formsOfAll(engine: Engine, parts: readonly Term[]): Forms {
  const forms: (readonly [Kind, readonly Form[]])[] = [];
  const possible = kindsOfAll(engine, parts);
  for (const kind of kinds) {
    if (!(possible & kindBits[kind])) continue;
    const own = formsOf(engine, parts, kind);
    if (own !== undefined) forms.push([kind, own]);
  }
  return forms;
}

/** The kinds of which all nodes among the parts may have values, as bits. */
function kindsOfAll({ store }: Engine, parts: readonly Term[]): number {
  let possible = allKinds;
  for (const part of parts) {
    for (const term of part.tag === 'closed' ? part.terms : [part]) {
      if (term.tag === 'node') possible &= kindsOf(store.kinds, term.node);
    }
  }
  return possible;
}

function nameOf(forms: Forms): string {
  let name = '';
  for (const [kind, own] of forms) {
    const ids = [...new Set(own)].map((form) => form.id);
    name += `${kind} ${(ids.length > 1 ? ids.sort((a, b) => a - b) : ids).join()};`;
  }
  return name;
}

/** Undefined if one of the terms has no value of the kind, or if two of them exclude each other. */
function formsOf(engine: Engine, parts: readonly Term[], kind: Kind): Form[] | undefined {
  const forms: Form[] = [];
  for (const term of parts) {
    const form = engine.formOf(term, kind);
    if (form === engine.store.nothing) return undefined;
    if (form === engine.store.everything) continue;
    if (form.negation !== undefined && forms.includes(form.negation)) return undefined;
    forms.push(form);
  }
  return forms;
}

function rest(memory: Memory, on: number): void {
  const top = memory.restsOn.length - 1;
  const known = memory.restsOn[top];
  if (known !== undefined && on < known) memory.restsOn[top] = on;
}

interface Outcome {
  readonly key: string;
  readonly result: Found;
  readonly depth: number;
  readonly restsOn: number;
  readonly firstProvisional: number;
}

function remember(memory: Memory, outcome: Outcome): void {
  const { key, result, depth, restsOn, firstProvisional } = outcome;
  const { results, provisional } = memory;
  if (result.tag !== 'empty') {
    for (const dependent of provisional.splice(firstProvisional)) results.delete(dependent);
    results.set(key, { result, restsOn: Number.POSITIVE_INFINITY });
    return;
  }
  if (restsOn < depth) {
    results.set(key, { result, restsOn });
    provisional.push(key);
    rest(memory, restsOn);
    return;
  }
  for (const settled of provisional.splice(firstProvisional)) {
    const entry = results.get(settled);
    if (entry !== undefined) entry.restsOn = Number.POSITIVE_INFINITY;
  }
  results.set(key, { result, restsOn: Number.POSITIVE_INFINITY });
}

/** The conjunction sorted and without duplicates; `empty` if two parts exclude each other. */
function simplifyTerms(engine: Engine, terms: readonly Term[]): readonly Term[] | 'empty' {
  const { store } = engine;
  const [first, second] = terms;
  if (terms.length === 2 && first !== undefined && second !== undefined) {
    if (isPlain(first) && isPlain(second)) return simplifyPair(store, first, second);
  }
  const parts = new Set<Term>();
  const closed: Term[] = [];
  for (const term of terms) collect(store, term, parts, closed);
  if (closed.length > 0) parts.add(closedTerm(store, closed));
  if (parts.has(store.none)) return 'empty';
  for (const part of parts) {
    if (part.negation !== undefined && parts.has(part.negation)) return 'empty';
    if (part.tag !== 'closed') continue;
    for (const inner of part.terms) {
      if (inner.negation !== undefined && parts.has(inner.negation)) return 'empty';
    }
  }
  return [...parts].sort((a, b) => a.id - b.id);
}

function isPlain(term: Term): boolean {
  return term.tag !== 'both' && term.tag !== 'closed';
}

/** The most frequent conjunction by far: a schema, and the complement of another. */
function simplifyPair(store: Store, first: Term, second: Term): readonly Term[] | 'empty' {
  if (first === store.none || second === store.none || first.negation === second) return 'empty';
  if (first === store.all) return second === store.all ? [] : [second];
  if (second === store.all || first === second) return [first];
  return first.id < second.id ? [first, second] : [second, first];
}

function collect(store: Store, term: Term, parts: Set<Term>, closed: Term[]): void {
  if (term.tag === 'both') for (const part of term.terms) collect(store, part, parts, closed);
  else if (term.tag === 'closed') closed.push(term);
  else if (term !== store.all) parts.add(term);
}

/**
 * Whether the terms demand a node of one document and exclude the same node of the other. Then they
 * have no value. The complement of a closed node excludes only a closed one.
 */
function isSameOnBothSides(engine: Engine, parts: readonly Term[]): boolean {
  for (const negative of parts) {
    if (negative.tag !== 'not') continue;
    const isOfProducer = negative.term.tag === 'closed';
    const refused = soleNode(negative.term);
    if (refused === undefined) continue;
    for (const positive of parts) {
      const sole = soleNode(positive);
      const members = positive.tag === 'closed' && !isOfProducer ? positive.terms : [sole];
      if (isOfProducer && positive.tag !== 'closed') continue;
      for (const member of members) {
        const own = member && soleNode(member);
        if (own === undefined || own.node.document === refused.node.document) continue;
        if (isOfProducer && own.isWeak !== refused.isWeak) continue;
        if (engine.isSame(own.node, refused.node)) return true;
      }
    }
  }
  return false;
}

/** The only node of a term, closed or not; undefined if the node has a dynamic scope. */
function soleNode(term: Term): NodeTerm | undefined {
  const [only, ...others] = term.tag === 'closed' ? term.terms : [term];
  if (only?.tag !== 'node' || others.length > 0) return undefined;
  return only.scope.length > 0 ? undefined : only;
}

function searchKinds(engine: Engine, forms: Forms, judge: Judge | undefined): Found {
  let doubt: Found | undefined;
  for (const [kind, own] of forms) {
    const result = engine.inhabitForms(kind, own, judge);
    if (result.tag === 'value') return result;
    if (result.tag === 'unknown') doubt ??= result;
  }
  return doubt ?? empty;
}
