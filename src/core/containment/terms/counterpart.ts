// For two versions of a union with dozens of branches: as a rule, a branch of one version is in its
// counterpart of the other, and the other branches do not matter. The counterpart is found by the
// keys that both name, so that the branch can be compared with it alone.

import type { Form, Or, TwoOf } from './forms.types.ts';

/** With fewer disjunctions, examining all of them is as quick. */
const minClauses = 6;

/**
 * Each of the disjunctions means "not in this branch". Returns the one whose branch has most in
 * common with the part.
 */
export function counterpartOf(part: Form, clauses: readonly (Or | TwoOf)[]): Or | undefined {
  if (part.tag !== 'and' || clauses.length < minClauses) return undefined;
  const names = namesIn(part);
  const own = new Set(part.parts);
  let [best, most] = [undefined as Or | undefined, -1];
  for (const clause of clauses) {
    const { negation } = clause;
    if (clause.tag !== 'or' || negation?.tag !== 'and' || namesIn(negation) !== names) continue;
    const alike = negation.parts.filter((each) => own.has(each)).length;
    if (alike > most) [best, most] = [clause, alike];
  }
  return best;
}

const known = new WeakMap<Form, string>();

/** The keys that the parts of a conjunction are about. */
function namesIn(form: Form & { readonly tag: 'and' }): string {
  const names = known.get(form);
  if (names !== undefined) return names;
  const keys = new Set<string>();
  for (const part of form.parts) {
    if (part.tag === 'has' || part.tag === 'property') keys.add(part.key);
  }
  const made = JSON.stringify([...keys].sort());
  known.set(form, made);
  return made;
}
