// Whether a value is in a term or form; undefined if that is not known. This only steers the
// search: the validator decides whether a value is a witness.

import type { Json, JsonObject } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';
import type { Rational } from '../../value/rational.ts';
import { compareRationals, isMultipleOf, rationalOf } from '../../value/rational.ts';
import { kindOf, valueKey } from '../../value/value-key.ts';
import type { Engine } from '../terms/engine.types.ts';
import type { Atom, Form, Term } from '../terms/forms.types.ts';

type Truth = boolean | undefined;

export function holdsTerm(engine: Engine, term: Term, value: Json): Truth {
  if (term.tag === 'all') return true;
  if (term.tag === 'none') return false;
  return holdsForm(engine, engine.formOf(term, kindOf(value)), value);
}

export function holdsForm(engine: Engine, form: Form, value: Json): Truth {
  // A part may be in many forms, each of them in many others, so the paths may outnumber the steps.
  if (--engine.steps.left < 0) return undefined;
  switch (form.tag) {
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'and':
      return everyTruth(form.parts, (part) => holdsForm(engine, part, value));
    case 'or':
      return someTruth(form.parts, (part) => holdsForm(engine, part, value));
    case 'at_most_one':
      return isAtMostOne(engine, form.parts, value);
    case 'two_of':
      return opposite(isAtMostOne(engine, form.parts, value));
    case 'approximation': {
      if (holdsForm(engine, form.over, value) === false) return false;
      return holdsForm(engine, form.under, value) === true ? true : undefined;
    }
    default:
      return holdsAtom(engine, form, value);
  }
}

function isAtMostOne(engine: Engine, parts: readonly Form[], value: Json): Truth {
  let sure = 0;
  let possible = 0;
  for (const part of parts) {
    const holds = holdsForm(engine, part, value);
    if (holds === true && ++sure > 1) return false;
    if (holds !== false) possible++;
  }
  return possible <= 1 ? true : undefined;
}

function holdsAtom(engine: Engine, atom: Atom, value: Json): Truth {
  switch (atom.tag) {
    case 'values':
      return atom.values.has(valueKey(value));
    case 'other_values':
      return !atom.values.has(valueKey(value));
    case 'low':
    case 'high':
    case 'multiple':
    case 'no_multiple': {
      const exact = rationalOf(value);
      return exact === null ? undefined : holdsNumber(atom, exact);
    }
    case 'min_length':
      return lengthOf(value) >= atom.count;
    case 'max_length':
      return lengthOf(value) <= atom.count;
    case 'pattern':
    case 'no_pattern':
    case 'format':
    case 'no_format':
      return typeof value === 'string' ? engine.texts.matches(atom, value) : true;
    case 'unknown':
    case 'not_unknown':
      return undefined;
    default:
      if (Array.isArray(value)) return holdsArray(engine, atom, value);
      return isJsonObject(value) ? holdsObject(engine, atom, value) : true;
  }
}

export function holdsNumber(atom: Atom, value: Rational): boolean {
  switch (atom.tag) {
    case 'low': {
      const order = compareRationals(value, atom.bound);
      return atom.isOpen ? order > 0 : order >= 0;
    }
    case 'high': {
      const order = compareRationals(value, atom.bound);
      return atom.isOpen ? order < 0 : order <= 0;
    }
    case 'multiple':
      return isMultipleOf(value, atom.of);
    case 'no_multiple':
      return !isMultipleOf(value, atom.of);
    default:
      return true;
  }
}

function holdsArray(engine: Engine, atom: Atom, items: readonly Json[]): Truth {
  const inTerm = (term: Term) => (item: Json) => holdsTerm(engine, term, item);
  switch (atom.tag) {
    case 'min_items':
      return items.length >= atom.count;
    case 'max_items':
      return items.length <= atom.count;
    case 'each_item':
      return everyTruth(items.slice(atom.from, atom.to), inTerm(atom.term));
    case 'some_item':
      return someTruth(items.slice(atom.from, atom.to), inTerm(atom.term));
    case 'min_count':
    case 'max_count': {
      const truths = items.map(inTerm(atom.term));
      const sure = truths.filter((truth) => truth === true).length;
      const possible = sure + truths.filter((truth) => truth === undefined).length;
      if (atom.tag === 'min_count') {
        return sure >= atom.count ? true : possible < atom.count ? false : undefined;
      }
      return sure > atom.count ? false : possible <= atom.count ? true : undefined;
    }
    case 'unique':
      return areUnique(items);
    case 'repeated':
      return !areUnique(items);
    default:
      return true;
  }
}

function holdsObject(engine: Engine, atom: Atom, value: JsonObject): Truth {
  const keys = Object.keys(value);
  const member = (key: string): Json => value[key] ?? null;
  switch (atom.tag) {
    case 'min_keys':
      return keys.length >= atom.count;
    case 'max_keys':
      return keys.length <= atom.count;
    case 'property':
      return !Object.hasOwn(value, atom.key) || holdsTerm(engine, atom.term, member(atom.key));
    case 'has':
      return Object.hasOwn(value, atom.key) && holdsTerm(engine, atom.term, member(atom.key));
    case 'each_key':
      return everyTruth(keys, (key) =>
        someTruth([false, true], (isMember) =>
          isMember
            ? holdsTerm(engine, atom.term, member(key))
            : opposite(holdsForm(engine, atom.region, key)),
        ),
      );
    case 'some_key':
      return someTruth(keys, (key) =>
        everyTruth([false, true], (isMember) =>
          isMember
            ? holdsTerm(engine, atom.term, member(key))
            : holdsForm(engine, atom.region, key),
        ),
      );
    default:
      return true;
  }
}

function areUnique(items: readonly Json[]): boolean {
  return new Set(items.map(valueKey)).size === items.length;
}

function opposite(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

function everyTruth<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let isSure = true;
  for (const item of items) {
    const truth = test(item);
    if (truth === false) return false;
    if (truth === undefined) isSure = false;
  }
  return isSure ? true : undefined;
}

function someTruth<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let isSure = true;
  for (const item of items) {
    const truth = test(item);
    if (truth === true) return true;
    if (truth === undefined) isSure = false;
  }
  return isSure ? false : undefined;
}

/** The length of a string in code points, as JSON Schema counts it; 0 for other values. */
export function lengthOf(value: Json): number {
  if (typeof value !== 'string') return 0;
  let count = value.length;
  for (let i = 0; i + 1 < value.length; i++) {
    const isPair =
      (value.charCodeAt(i) & 0xfc00) === 0xd800 && (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) {
      count--;
      i++;
    }
  }
  return count;
}
