// The keywords that concern a value as a whole, or only its size. A result of `true` means that the
// value passes, `undefined` that it is not known.

import { assertsText, findFormat } from '../../schema/formats/formats.ts';
import { findNumberFormat } from '../../schema/formats/number-formats.ts';
import { asksForWrittenIntegers } from '../../schema/keywords.ts';
import { matchPattern } from '../../schema/patterns/pattern.ts';
import type { Steps } from '../../schema/patterns/steps.ts';
import type { JsonNumber, Keywords, SchemaNode, TypeName } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { isExactNumber, isJsonObject, numberText } from '../../value/json.ts';
import type { Rational } from '../../value/rational.ts';
import {
  compareNumbers,
  compareRationals,
  isInteger,
  isMultipleOf,
  isWholeNumber,
  parseRational,
  rationalOf,
} from '../../value/rational.ts';
import { valueKey } from '../../value/value-key.ts';

export type Truth = boolean | undefined;

interface ScalarRun {
  readonly usesFormats: boolean;
  readonly steps: Steps;
}

export function passesScalars(run: ScalarRun, node: SchemaNode, value: Json): Truth {
  const { keywords } = node;
  const general = both(passesType(node, value), () => passesValues(run, keywords, value));
  if (general === false) return false;
  if (typeof value === 'string') return both(general, () => passesText(run, node, value));
  if (typeof value === 'number' || isExactNumber(value)) {
    const bounded = both(general, () => passesNumber(keywords, value));
    return both(bounded, () => passesKind(run, node, value));
  }
  return Array.isArray(value) ? both(general, () => passesItems(run, keywords, value)) : general;
}

function both(first: Truth, second: () => Truth): Truth {
  if (first === false) return false;
  const truth = second();
  return truth === true ? first : truth;
}

function everyTruth(tests: readonly (() => Truth)[]): Truth {
  let isSure = true;
  for (const test of tests) {
    const truth = test();
    if (truth === false) return false;
    if (truth === undefined) isSure = false;
  }
  return isSure ? true : undefined;
}

export function isWithin(size: number, min: number | undefined, max: number | undefined): boolean {
  return size >= (min ?? 0) && size <= (max ?? Number.POSITIVE_INFINITY);
}

function passesType(node: SchemaNode, value: Json): Truth {
  const { types } = node.keywords;
  if (types === undefined) return true;
  let isSure = true;
  for (const type of types) {
    const truth = isOfType(type, value, node);
    if (truth === true) return true;
    if (truth === undefined) isSure = false;
  }
  return isSure ? false : undefined;
}

function isOfType(type: TypeName, value: Json, { dialect }: SchemaNode): Truth {
  switch (type) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' || isExactNumber(value);
    case 'integer': {
      if (typeof value !== 'number' && !isExactNumber(value)) return false;
      const isWritten = asksForWrittenIntegers(dialect) && !/^-?\d+$/.test(numberText(value) ?? '');
      if (!isWholeNumber(value)) return false;
      return isWritten ? undefined : true;
    }
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return type satisfies never;
  }
}

/** The keys of the values of each `enum`, so that a list of 10,000 is read only once. */
const enumKeys = new WeakMap<readonly Json[], ReadonlySet<string>>();

function passesValues(run: ScalarRun, keywords: Keywords, value: Json): Truth {
  if (keywords.enum === undefined && keywords.const === undefined) return true;
  const key = valueKey(value);
  run.steps.left -= key.length >> 4;
  if (keywords.const !== undefined && valueKey(keywords.const.value) !== key) return false;
  if (keywords.enum === undefined) return true;
  let keys = enumKeys.get(keywords.enum);
  if (keys === undefined) {
    keys = new Set(keywords.enum.map(valueKey));
    enumKeys.set(keywords.enum, keys);
  }
  return keys.has(key);
}

function passesText(run: ScalarRun, node: SchemaNode, text: string): Truth {
  const { minLength, maxLength, pattern, format } = node.keywords;
  const isAsserted = format !== undefined && run.usesFormats && assertsText(format, node.dialect);
  const asserted = isAsserted ? findFormat(format) : null;
  return everyTruth([
    () => {
      if (minLength === undefined && maxLength === undefined) return true;
      return isWithin(lengthInCodePoints(text), minLength, maxLength);
    },
    () => asserted === null || asserted.isMember(text),
    () => (pattern === undefined ? true : isFound(run, pattern, text)),
  ]);
}

export function isFound(run: ScalarRun, pattern: string, text: string): Truth {
  const found = matchPattern(pattern, text, run.steps);
  return found === 'gave_up' ? undefined : found;
}

function lengthInCodePoints(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function passesNumber(keywords: Keywords, value: JsonNumber): Truth {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords;
  return everyTruth([
    () => compares(value, minimum, (order) => order >= 0),
    () => compares(value, maximum, (order) => order <= 0),
    () => compares(value, exclusiveMinimum, (order) => order > 0),
    () => compares(value, exclusiveMaximum, (order) => order < 0),
    () => withBoth(value, multipleOf, isMultipleOf),
  ]);
}

/** Checks a format of numbers: the way it stores numbers limits which ones there are. */
function passesKind(run: ScalarRun, node: SchemaNode, value: JsonNumber): Truth {
  const { format: name } = node.keywords;
  if (name === undefined || !run.usesFormats) return true;
  const format = findNumberFormat(name, node.dialect);
  if (format === null) return true;
  const exact = rationalOf(value);
  if (exact === null) return undefined;
  if (format.isWhole && !isInteger(exact)) return false;
  const [least, greatest] = [parseRational(format.least), parseRational(format.greatest)];
  return compareRationals(exact, least ?? 0) >= 0 && compareRationals(exact, greatest ?? 0) <= 0;
}

function compares(
  value: JsonNumber,
  bound: JsonNumber | undefined,
  isFine: (order: number) => boolean,
): Truth {
  return bound === undefined || isFine(compareNumbers(value, bound));
}

function withBoth(
  value: JsonNumber,
  other: JsonNumber | undefined,
  test: (value: Rational, other: Rational) => boolean,
): Truth {
  if (other === undefined) return true;
  const [left, right] = [rationalOf(value), rationalOf(other)];
  return left === null || right === null ? undefined : test(left, right);
}

function passesItems(run: ScalarRun, keywords: Keywords, items: readonly Json[]): Truth {
  if (!isWithin(items.length, keywords.minItems, keywords.maxItems)) return false;
  if (keywords.uniqueItems === undefined) return true;
  run.steps.left -= items.length;
  return new Set(items.map(valueKey)).size === items.length;
}
