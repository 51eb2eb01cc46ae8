// Types of exact numbers, by their sizes.

import { negateRational, parseRational, subtractRationals } from '../../value/rational.ts';
import type { ExactKind } from './source-column.ts';

/** @example integerKind(16, true).greatest // 32767 */
export function integerKind(bits: number, isSigned: boolean): ExactKind {
  const size = 2n ** BigInt(isSigned ? bits - 1 : bits);
  const greatest = parseRational(`${size - 1n}`);
  const least = isSigned ? parseRational(`-${size}`) : 0;
  return { kind: 'exact', step: 1, least, greatest, hasNan: false };
}

/** @example decimalKind(10, 2).step // 0.01 */
export function decimalKind(precision: number, scale: number, hasNan = false): ExactKind {
  const step = parseRational(`1e${-scale}`) ?? 1;
  const end = parseRational(`1e${precision - scale}`);
  const greatest = end === null ? null : subtractRationals(end, step);
  const least = greatest === null ? null : negateRational(greatest);
  return { kind: 'exact', step, least, greatest, hasNan };
}
