// Two versions of a union of dozens: a branch of the one is in its counterpart of the other, as a rule,
// and all the others have no say. The counterpart is found by what both name, so that the branch can
// be held against it alone.

import type { Form, Or, TwoOf } from './forms.types.ts';

/** With fewer disjunctions all of them are looked at as quickly. */
const minClauses = 6;

/** Of the disjunctions, each "not in this branch", the one whose branch is most like the part. */
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
