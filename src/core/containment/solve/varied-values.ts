// Many different values of the same terms, for items that must all differ: counted up, listed from
// a pattern, or made of one object by varying the value of one key.

import type { Json } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';
import { valueKey } from '../../value/value-key.ts';
import type { Engine } from '../terms/engine.types.ts';
import type { Atom, Form, Term } from '../terms/forms.types.ts';
import { likelyTexts } from './listed-texts.ts';
import { distinctValues } from './many-parts.ts';
import { indexObject, termsOfKey } from './solve-object.ts';

/** The most nested objects that are varied. */
const maxDepth = 2;
/** A format's automaton also has texts that are not of the format, such as the 30th of February. */
const textsPerValue = 4;

/** The given number of different values in all of the terms; undefined if they are not found. */
export function variedValues(
  engine: Engine,
  terms: readonly Term[],
  count: number,
  depth = 0,
): readonly Json[] | undefined {
  const counted = distinctValues(engine, terms, count);
  if (counted !== undefined) return counted;
  const values = new Map<string, Json>();
  for (const value of variants(engine, terms, count, depth)) {
    if (engine.steps.left < 0) return undefined;
    if (!terms.every((term) => engine.holds(term, value) === true)) continue;
    values.set(valueKey(value), value);
    if (values.size === count) return [...values.values()];
  }
  return undefined;
}

function* variants(
  engine: Engine,
  terms: readonly Term[],
  count: number,
  depth: number,
): Generator<Json> {
  for (const term of terms) {
    yield* likelyTexts(engine, engine.formOf(term, 'string'), count * textsPerValue);
  }
  const example = depth < maxDepth ? engine.inhabit(terms) : undefined;
  if (example?.tag !== 'value' || !isJsonObject(example.value)) return;
  const index = indexObject(terms.flatMap((term) => atomsOf(engine.formOf(term, 'object'))));
  for (const key of index === undefined ? [] : Object.keys(example.value)) {
    const own = index && termsOfKey(engine, index, key);
    for (const member of (own && variedValues(engine, own, count, depth + 1)) ?? []) {
      yield { ...example.value, [key]: member };
    }
  }
}

/** The atoms of a conjunction. Its disjunctions are left to the check of the values. */
function atomsOf(form: Form): readonly Atom[] {
  return (form.tag === 'and' ? form.parts : [form]).filter(isObjectAtom);
}

function isObjectAtom(form: Form): form is Atom {
  return ['property', 'has', 'each_key', 'some_key', 'min_keys', 'max_keys'].includes(form.tag);
}
