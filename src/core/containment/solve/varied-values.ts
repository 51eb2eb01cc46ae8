// Many different values of the same terms, for items that must all differ: counted up, spelt out of a
// pattern, or one object with another value under one of its keys.

import type { Json } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';
import { valueKey } from '../../value/value-key.ts';
import type { Engine } from '../terms/engine.types.ts';
import type { Atom, Form, Term } from '../terms/forms.types.ts';
import { likelyTexts } from './listed-texts.ts';
import { distinctValues } from './many-parts.ts';
import { indexObject, termsOfKey } from './solve-object.ts';

/** Objects within objects that are varied. */
const maxDepth = 2;
/** Of the texts of a format's automaton some are none of the format: the 30th of February. */
const textsPerValue = 4;

/** So many different values of all the terms; undefined where they are not found. */
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

/** What a conjunction says outright; its disjunctions are left to whoever looks at the value. */
function atomsOf(form: Form): readonly Atom[] {
  return (form.tag === 'and' ? form.parts : [form]).filter(isObjectAtom);
}

function isObjectAtom(form: Form): form is Atom {
  return ['property', 'has', 'each_key', 'some_key', 'min_keys', 'max_keys'].includes(form.tag);
}
