import type { TypeName } from '../../schema/schema.ts';
import { isExactNumber, type Json } from '../../value/json.ts';
import { isWholeNumber } from '../../value/rational.ts';

/** A set of JSON types as bits. A number is either an integer or has a fraction. */
export type TypeSet = number;

export const typeBit = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
} as const;

export const everyType: TypeSet = 127;
export const numberTypes: TypeSet = typeBit.integer | typeBit.fraction;

export function typeSetOf(names: readonly TypeName[]): TypeSet {
  return names.reduce((set, name) => set | (name === 'number' ? numberTypes : typeBit[name]), 0);
}

export function typeOfValue(value: Json): TypeSet {
  if (value === null) return typeBit.null;
  if (typeof value === 'boolean') return typeBit.boolean;
  if (typeof value === 'string') return typeBit.string;
  if (Array.isArray(value)) return typeBit.array;
  if (typeof value !== 'number' && !isExactNumber(value)) return typeBit.object;
  return isWholeNumber(value) ? typeBit.integer : typeBit.fraction;
}

/** @example typeNamesOf(typeSetOf(['string', 'null'])) // ['string', 'null'] */
export function typeNamesOf(set: TypeSet): readonly TypeName[] {
  const names: TypeName[] = [];
  if (set & typeBit.object) names.push('object');
  if (set & typeBit.array) names.push('array');
  if (set & typeBit.string) names.push('string');
  if (set & typeBit.fraction) names.push('number');
  else if (set & typeBit.integer) names.push('integer');
  if (set & typeBit.boolean) names.push('boolean');
  if (set & typeBit.null) names.push('null');
  return names;
}
