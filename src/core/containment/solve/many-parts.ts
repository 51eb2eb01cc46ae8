// Arrays and objects with very many parts: what is demanded of a part is solved once, and the value
// is used as often as the count demands. Except for `listedValues`, nothing here proves that there
// is no value.

import type { Json } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';
import { isMultipleOf, jsonOfRational, rationalOf } from '../../value/rational.ts';
import { valueKey } from '../../value/value-key.ts';
import type { Engine } from '../terms/engine.types.ts';
import { kinds } from '../terms/forms.ts';
import type { Form, Term } from '../terms/forms.types.ts';
import { allTexts } from './listed-texts.ts';

/**
 * The most items and properties of a witness: checking it takes a second, and it has a few hundred
 * kilobytes.
 */
export const maxWitnessParts = 100_000;
/**
 * The most characters of a witness, approximately. A value that is written several times counts
 * each time.
 */
export const maxWitnessSize = 4_000_000;

const sizes = new WeakMap<object, number>();

/** The approximate number of characters of a value. The size of a shared part is computed once. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item) + 1;
  else if (isJsonObject(value)) {
    for (const key in value) size += key.length + 4 + sizeOf(value[key] ?? null);
  }
  sizes.set(value, size);
  return size;
}

/**
 * The given number of different values in all of the terms; undefined if counting up finds too few.
 */
export function distinctValues(
  engine: Engine,
  terms: readonly Term[],
  count: number,
): Json[] | undefined {
  const listed = listedValues(engine, terms);
  const values: Json[] = [];
  const take = (value: Json): void => {
    engine.steps.left -= stepsPerValue;
    if (terms.every((term) => engine.holds(term, value) === true)) values.push(value);
  };
  if (listed !== undefined) {
    for (const value of listed.values()) if (values.length < count) take(value);
  }
  for (const make of sequences) {
    // A sequence that begins with many misses is abandoned early.
    const seen = new Set(values.map(valueKey));
    for (let at = 0; values.length < count && at < 2 * count; at++) {
      if (engine.steps.left < 0) return undefined;
      const value = make(at);
      if (at > maxMisses && values.length < at / 2) break;
      if (!seen.has(valueKey(value))) take(value);
    }
  }
  return values.length >= count ? values : undefined;
}

const stepsPerValue = 0.5;
const maxMisses = 200;

const sequences: readonly ((at: number) => Json)[] = [
  (at) => at,
  (at) => -at,
  (at) => at / 8,
  (at) => at.toString(36),
  (at) => at.toString(36).padStart(12, 'a'),
  (at) => [at],
  (at) => ({ a: at }),
];

/**
 * All values of the terms, and perhaps others; undefined if they are not a short list. If there are
 * fewer of them than places that need different values, the places cannot be filled.
 */
export function listedValues(
  engine: Engine,
  terms: readonly Term[],
): ReadonlyMap<string, Json> | undefined {
  const all = new Map<string, Json>();
  for (const kind of kinds) {
    const forms = terms.map((term) => engine.formOf(term, kind));
    if (forms.some((form) => form === engine.store.nothing)) continue;
    if (kind === 'null') all.set('null', null);
    else if (kind === 'boolean') for (const flag of [true, false]) all.set(valueKey(flag), flag);
    else {
      const own = listOfAll(forms.map((form) => listOf(engine, form)));
      if (own === undefined) return undefined;
      for (const [key, value] of own) all.set(key, value);
    }
  }
  const isIn = (value: Json): boolean => terms.every((term) => engine.holds(term, value) !== false);
  return new Map([...all].filter(([, value]) => isIn(value)));
}

type List = ReadonlyMap<string, Json> | undefined;

/** The list of a conjunction: the shortest list of its parts. */
function listOfAll(lists: readonly List[]): List {
  let best: List;
  for (const list of lists) if (list && (!best || list.size < best.size)) best = list;
  return best;
}

function listOf(engine: Engine, form: Form): List {
  switch (form.tag) {
    case 'nothing':
      return new Map();
    case 'values':
      return form.values;
    case 'and':
      return listOfAll([
        ...form.parts.map((part) => listOf(engine, part)),
        wholeNumbers(form.parts),
      ]);
    case 'or': {
      const all = new Map<string, Json>();
      for (const part of form.parts) {
        const list = listOf(engine, part);
        if (list === undefined || all.size > maxWitnessParts) return undefined;
        for (const [key, value] of list) all.set(key, value);
      }
      return all;
    }
    case 'approximation':
      return listOf(engine, form.over);
    case 'pattern': {
      const texts = allTexts(engine, form, maxListed);
      return texts && new Map(texts.map((text) => [valueKey(text), text]));
    }
    default:
      return undefined;
  }
}

/** The whole numbers between two bounds, if they are few. */
function wholeNumbers(parts: readonly Form[]): List {
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  let isWhole = false;
  for (const part of parts) {
    if (part.tag === 'multiple') isWhole ||= isMultipleOf(part.of, 1);
    if (part.tag === 'low' && typeof part.bound === 'number') low = Math.max(low, part.bound);
    if (part.tag === 'high' && typeof part.bound === 'number') high = Math.min(high, part.bound);
  }
  if (!isWhole || high - low > maxListed || !Number.isFinite(high - low)) return undefined;
  const list = new Map<string, Json>();
  for (let value = low; value <= high; value++) {
    const exact = rationalOf(value);
    const json = exact === null ? null : jsonOfRational(exact);
    if (json !== null) list.set(valueKey(json), json);
  }
  return list;
}

const maxListed = 1_000;
