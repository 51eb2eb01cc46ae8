// A value in a conjunction of terms, remembered per conjunction.
//
// JSON values are finite: a value that could only be built out of a value of the same set cannot be
// built at all. So a conjunction that is met again while it is being searched counts as empty there.
// What is concluded from that holds once the outer search has come out empty too; until then it is
// provisional, and it is forgotten if the outer search finds a value. Values never rest on it.

import type { Engine, Found, Judge } from './engine.types.ts';
import { budgetSpent, empty, unknown } from './engine.types.ts';
import type { Form, Kind, Store, Term } from './forms.ts';
import { closedTerm, kinds } from './forms.ts';

/** Values within values; each level takes some ten stack frames. */
const maxSearchDepth = 250;

/** Putting a conjunction in order costs by its length. */
const termsPerStep = 4;

interface Remembered {
  readonly result: Found;
  /** The outermost search in progress that the result rests on; infinite when on none. */
  restsOn: number;
}

export interface Memory {
  /** What a conjunction of terms is as forms: many conjunctions are one. */
  readonly formKeys: Map<string, string>;
  readonly results: Map<string, Remembered>;
  readonly inProgress: Map<string, number>;
  /** Keys of provisional results, in the order of their making. */
  readonly provisional: string[];
  /** One entry per search in progress: the outermost search that it rests on so far. */
  readonly restsOn: number[];
}

export function createMemory(): Memory {
  return {
    formKeys: new Map(),
    results: new Map(),
    inProgress: new Map(),
    provisional: [],
    restsOn: [],
  };
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
  const key = keyOfTerms(engine, memory, parts);
  if (key === '' || key === 'same') return empty;
  const known = memory.results.get(key);
  if (known !== undefined) {
    rest(memory, known.restsOn);
    return known.result;
  }
  const outer = memory.inProgress.get(key);
  if (outer !== undefined) {
    rest(memory, outer);
    return empty;
  }
  const depth = memory.restsOn.length;
  if (depth > maxSearchDepth) return unknown('The values nest too deeply.');
  engine.steps.left--;
  if (engine.steps.left < 0) return budgetSpent;
  const firstProvisional = memory.provisional.length;
  memory.inProgress.set(key, depth);
  memory.restsOn.push(Number.POSITIVE_INFINITY);
  const result = searchKinds(engine, parts, judge);
  const restsOn = memory.restsOn.pop() ?? 0;
  memory.inProgress.delete(key);
  remember(memory, { key, result, depth, restsOn, firstProvisional });
  return result;
}

function keyOfTerms(engine: Engine, memory: Memory, parts: readonly Term[]): string {
  const ids = parts.map((term) => term.id).join();
  const known = memory.formKeys.get(ids);
  if (known !== undefined) return known;
  let key = isSameOnBothSides(engine, parts) ? 'same' : '';
  if (key === '') {
    for (const kind of kinds) {
      const forms = formsOf(engine, parts, kind);
      if (forms === undefined) continue;
      const own = [...new Set(forms)].map((form) => form.id).sort((a, b) => a - b);
      key += `${kind} ${own.join()};`;
    }
  }
  memory.formKeys.set(ids, key);
  return key;
}

/** Undefined where there is no value of the kind in one of the terms, or in two that exclude each other. */
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

/** The conjunction in one order, without doubles; `empty` where two parts exclude each other. */
function simplifyTerms(engine: Engine, terms: readonly Term[]): Term[] | 'empty' {
  const { store } = engine;
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

function collect(store: Store, term: Term, parts: Set<Term>, closed: Term[]): void {
  if (term.tag === 'both') for (const part of term.terms) collect(store, part, parts, closed);
  else if (term.tag === 'closed') closed.push(term);
  else if (term !== store.all) parts.add(term);
}

/** In a node of one document, and not in the same node of the other. */
function isSameOnBothSides(engine: Engine, parts: readonly Term[]): boolean {
  for (const negative of parts) {
    if (negative.tag !== 'not' || negative.term.tag !== 'node') continue;
    const { node, scope } = negative.term;
    if (scope.length > 0) continue;
    for (const positive of parts) {
      const members = positive.tag === 'closed' ? positive.terms : [positive];
      for (const member of members) {
        if (member.tag !== 'node' || member.scope.length > 0) continue;
        if (member.node.document !== node.document && engine.isSame(member.node, node)) return true;
      }
    }
  }
  return false;
}

function searchKinds(engine: Engine, parts: readonly Term[], judge: Judge | undefined): Found {
  let doubt: Found | undefined;
  for (const kind of kinds) {
    const forms = formsOf(engine, parts, kind);
    if (forms === undefined) continue;
    const result = engine.inhabitForms(kind, forms, judge);
    if (result.tag === 'value') return result;
    if (result.tag === 'unknown') doubt ??= result;
  }
  return doubt ?? empty;
}
