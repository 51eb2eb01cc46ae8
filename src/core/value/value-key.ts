// Texts that are equal exactly if the values are equal JSON: 1 and 1.0, {a, b} and {b, a}.

import type { Json } from './json.ts';
import { decimalKey, isExactNumber, isJsonObject } from './json.ts';
import type { Rational } from './rational.ts';
import { rationalOf } from './rational.ts';

/** @example valueKey({ b: 1.0, a: [] }) // '{"a":[],"b":1}' */
export function valueKey(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' || isExactNumber(value)) return numberKey(value);
  if (Array.isArray(value)) return `[${value.map(valueKey).join()}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${valueKey(value[key] ?? null)}`);
  return `{${members.join()}}`;
}

export function rationalKey(value: Rational): string {
  return typeof value === 'number' ? String(value) : `${value.numerator}/${value.denominator}`;
}

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function kindOf(value: Json): Kind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || isExactNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}

function numberKey(value: Json): string {
  const exact = rationalOf(value);
  if (exact !== null) return rationalKey(exact);
  return decimalKey(isExactNumber(value) ? value.rawJSON : String(value));
}
