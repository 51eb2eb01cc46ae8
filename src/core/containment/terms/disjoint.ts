// A quick check whether two forms of a kind exclude each other: by their finite values, by their
// numbers of items, or by a demanded property with different values (the tag of a union). "No" is
// always a safe answer.

import type { Engine } from './engine.types.ts';
import { kinds } from './forms.ts';
import type { AtomOf, Form, Term } from './forms.types.ts';

/** How deep the values of properties are examined. */
const maxDepth = 3;
/** The most values tried one by one. */
const maxValuesTried = 64;

export function areDisjointForms(engine: Engine, a: Form, b: Form, depth = 0): boolean {
  if (a === engine.store.nothing || b === engine.store.nothing) return true;
  if (a.negation === b) return true;
  const first = factsOf(a);
  const second = factsOf(b);
  if (haveDisjointValues(engine, first, b) || haveDisjointValues(engine, second, a)) return true;
  if (first.minItems > second.maxItems || second.minItems > first.maxItems) return true;
  return (
    haveDisjointKeys(engine, first, second, depth) || haveDisjointKeys(engine, second, first, depth)
  );
}

interface Facts {
  readonly values: AtomOf<'values'> | undefined;
  readonly has: ReadonlyMap<string, readonly Term[]>;
  readonly properties: ReadonlyMap<string, readonly Term[]>;
  readonly minItems: number;
  readonly maxItems: number;
}

const knownFacts = new WeakMap<Form, Facts>();

function factsOf(form: Form): Facts {
  const known = knownFacts.get(form);
  if (known !== undefined) return known;
  const has = new Map<string, Term[]>();
  const properties = new Map<string, Term[]>();
  let values: AtomOf<'values'> | undefined;
  let minItems = 0;
  let maxItems = Number.POSITIVE_INFINITY;
  for (const part of form.tag === 'and' ? form.parts : [form]) {
    if (part.tag === 'values') values = part;
    else if (part.tag === 'min_items') minItems = Math.max(minItems, part.count);
    else if (part.tag === 'max_items') maxItems = Math.min(maxItems, part.count);
    else if (part.tag === 'has') pushTo(has, part.key, part.term);
    else if (part.tag === 'property') pushTo(properties, part.key, part.term);
  }
  const facts = { values, has, properties, minItems, maxItems };
  knownFacts.set(form, facts);
  return facts;
}

function pushTo(map: Map<string, Term[]>, key: string, term: Term): void {
  const terms = map.get(key);
  if (terms === undefined) map.set(key, [term]);
  else terms.push(term);
}

function haveDisjointValues(engine: Engine, { values }: Facts, other: Form): boolean {
  if (values === undefined || values.values.size > maxValuesTried) return false;
  return [...values.values.values()].every((value) => engine.holdsForm(other, value) === false);
}

function haveDisjointKeys(engine: Engine, a: Facts, b: Facts, depth: number): boolean {
  if (depth >= maxDepth) return false;
  for (const [key, demanded] of a.has) {
    const others = [...(b.has.get(key) ?? []), ...(b.properties.get(key) ?? [])];
    if (others.length === 0) continue;
    for (const term of [...demanded, ...(a.properties.get(key) ?? [])]) {
      for (const other of others) {
        if (areDisjointTerms(engine, term, other, depth + 1)) return true;
      }
    }
  }
  return false;
}

function areDisjointTerms(engine: Engine, a: Term, b: Term, depth: number): boolean {
  if (a === b || a.tag === 'all' || b.tag === 'all') return false;
  if (a.negation === b) return true;
  if (!isTelling(a) || !isTelling(b)) return false;
  engine.steps.left--;
  if (engine.steps.left < 0) return false;
  return kinds.every((kind) => {
    const form = engine.formOf(a, kind);
    if (form === engine.store.nothing) return true;
    return areDisjointForms(engine, form, engine.formOf(b, kind), depth);
  });
}

/**
 * Whether a quick check of the term is worthwhile: it has values, types, required properties or a
 * reference.
 */
function isTelling(term: Term): boolean {
  if (term.tag === 'closed') return term.terms.some(isTelling);
  if (term.tag !== 'node') return true;
  const { keywords } = term.node;
  return (
    keywords.const !== undefined ||
    keywords.enum !== undefined ||
    keywords.types !== undefined ||
    keywords.ref !== undefined ||
    keywords.required !== undefined
  );
}
