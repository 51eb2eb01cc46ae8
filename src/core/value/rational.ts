// Exact arithmetic on JSON numbers. A double is read as the decimal that it prints as, so 0.1 is
// exactly a tenth.
//
// A rational that is a safe integer is always a plain `number`; every other one is a fraction of
// two bigints in lowest terms. So the common case is as fast as integers, and equal values have one
// form.

import type { Decimal, ExactNumber, Json } from './json.ts';
import { isExactNumber, numberText, readDecimal } from './json.ts';

export type Rational = number | Fraction;

interface Fraction {
  readonly numerator: bigint;
  /** Greater than zero. */
  readonly denominator: bigint;
}

/**
 * The maximum number of decimal digits of a number without an exponent. A double needs 309 before
 * the point and 324 + 17 after it; 1e400000000 would need 400 MB.
 */
const maxDecimalDigits = 2_000;

/**
 * The value of a JSON number; `null` for other values, and for numbers too wide to calculate with.
 *
 * @example rationalOf(0.1) // a tenth, exactly
 */
export function rationalOf(value: Json): Rational | null {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? plain(value) : parseRational(String(value));
  }
  return isExactNumber(value) ? parseRational(value.rawJSON) : null;
}

/**
 * The value of a decimal text; `null` if it is malformed or too wide.
 *
 * @example parseRational('-12.50e1') // -125
 */
export function parseRational(text: string): Rational | null {
  const decimal = readDecimal(text);
  if (decimal === null) return null;
  const { sign, digits, exponent } = decimal;
  if (digits === '') return 0;
  // Judged by the value and not by its spelling, so that all texts of a number are treated alike.
  if (digits.length + Math.abs(Number(exponent)) > maxDecimalDigits) return null;
  const magnitude = BigInt(sign + digits);
  if (exponent >= 0) return fromBigInt(magnitude * 10n ** exponent);
  return lowestTerms(magnitude, 10n ** -exponent);
}

/** Negative if a is smaller, zero if they are equal, positive if a is larger. */
export function compareRationals(a: Rational, b: Rational): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const left = numeratorOf(a) * denominatorOf(b);
  const right = numeratorOf(b) * denominatorOf(a);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function areEqualRationals(a: Rational, b: Rational): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b;
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

export function addRationals(a: Rational, b: Rational): Rational {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return plain(sum);
  }
  return lowestTerms(
    numeratorOf(a) * denominatorOf(b) + numeratorOf(b) * denominatorOf(a),
    denominatorOf(a) * denominatorOf(b),
  );
}

export function negateRational(a: Rational): Rational {
  if (typeof a === 'number') return plain(-a);
  return { numerator: -a.numerator, denominator: a.denominator };
}

export function subtractRationals(a: Rational, b: Rational): Rational {
  return addRationals(a, negateRational(b));
}

export function multiplyRationals(a: Rational, b: Rational): Rational {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return plain(product);
  }
  return lowestTerms(numeratorOf(a) * numeratorOf(b), denominatorOf(a) * denominatorOf(b));
}

/** `null` when dividing by zero. */
export function divideRationals(a: Rational, b: Rational): Rational | null {
  if (b === 0) return null;
  if (typeof a === 'number' && typeof b === 'number' && a % b === 0) return plain(a / b);
  return lowestTerms(numeratorOf(a) * denominatorOf(b), denominatorOf(a) * numeratorOf(b));
}

export function isInteger(a: Rational): boolean {
  return typeof a === 'number' || a.denominator === 1n;
}

/** Whether a JSON number of any width has no fraction. */
export function isWholeNumber(value: Json): boolean {
  if (Number.isInteger(value)) return true;
  const decimal = readDecimal(numberText(value) ?? '');
  return decimal !== null && decimal.exponent >= 0n;
}

/** The order of two JSON numbers of any width, like that of rationals. */
export function compareNumbers(a: Json, b: Json): number {
  const [left, right] = [rationalOf(a), rationalOf(b)];
  if (left !== null && right !== null) return compareRationals(left, right);
  return compareDecimals(decimalOf(a), decimalOf(b));
}

function decimalOf(value: Json): Decimal {
  return readDecimal(numberText(value) ?? '') ?? { sign: '', digits: '', exponent: 0n };
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const [signA, signB] = [signOf(a), signOf(b)];
  if (signA !== signB || signA === 0) return signA - signB;
  // Compares the position of the first digit, then digit by digit; after an equal start the longer
  // text is larger.
  const [topA, topB] = [a, b].map(({ digits, exponent }) => BigInt(digits.length) + exponent);
  if (topA !== topB) return (topA ?? 0n) < (topB ?? 0n) ? -signA : signA;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -signA : signA;
}

function signOf({ sign, digits }: Decimal): number {
  return digits === '' ? 0 : sign === '-' ? -1 : 1;
}

/** Zero is a multiple of everything, and nothing else is a multiple of zero. */
export function isMultipleOf(value: Rational, divisor: Rational): boolean {
  if (value === 0) return true;
  if (divisor === 0) return false;
  if (typeof value === 'number' && typeof divisor === 'number') return value % divisor === 0;
  const quotient =
    (numeratorOf(value) * denominatorOf(divisor)) % (denominatorOf(value) * numeratorOf(divisor));
  return quotient === 0n;
}

/** The largest integer that is not greater than a. */
export function floorOf(a: Rational): Rational {
  if (typeof a === 'number') return a;
  const quotient = a.numerator / a.denominator;
  const isRoundedUp = a.numerator < 0n && quotient * a.denominator !== a.numerator;
  return fromBigInt(isRoundedUp ? quotient - 1n : quotient);
}

/** The smallest integer that is not less than a. */
export function ceilingOf(a: Rational): Rational {
  return negateRational(floorOf(negateRational(a)));
}

/** The smallest positive rational that is a multiple of both; both must be above zero. */
export function leastCommonMultiple(a: Rational, b: Rational): Rational {
  if (a === b) return a;
  // Over a common denominator d, lcm(x/d, y/d) = lcm(x, y)/d.
  const x = numeratorOf(a) * denominatorOf(b);
  const y = numeratorOf(b) * denominatorOf(a);
  return lowestTerms((x / gcd(x, y)) * y, denominatorOf(a) * denominatorOf(b));
}

/** The largest multiple of `step` (positive) that is not greater than `bound`. */
export function lastMultipleUpTo(bound: Rational, step: Rational): Rational {
  const quotient = divideRationals(bound, step);
  return quotient === null ? 0 : multiplyRationals(floorOf(quotient), step);
}

/** The smallest multiple of `step` (positive) that is not less than `bound`. */
export function firstMultipleFrom(bound: Rational, step: Rational): Rational {
  return negateRational(lastMultipleUpTo(negateRational(bound), step));
}

/**
 * The JSON number of this exact value: a double if one prints as it, otherwise its decimal text;
 * `null` if no decimal of reasonable length equals it, like a third.
 */
export function jsonOfRational(a: Rational): number | ExactNumber | null {
  if (typeof a === 'number') return a;
  const text = decimalTextOf(a);
  if (text === null) return null;
  const nearest = Number(text);
  if (Number.isFinite(nearest)) {
    const back = rationalOf(nearest);
    if (back !== null && areEqualRationals(back, a)) return nearest;
  }
  return JSON.rawJSON(text);
}

/** Normalizes minus zero to zero: JSON Schema does not distinguish them. */
function plain(value: number): number {
  return value === 0 ? 0 : value;
}

function numeratorOf(a: Rational): bigint {
  return typeof a === 'number' ? BigInt(a) : a.numerator;
}

function denominatorOf(a: Rational): bigint {
  return typeof a === 'number' ? 1n : a.denominator;
}

const largestSafe = BigInt(Number.MAX_SAFE_INTEGER);

function fromBigInt(value: bigint): Rational {
  if (value >= -largestSafe && value <= largestSafe) return Number(value);
  return { numerator: value, denominator: 1n };
}

/** Reduces to lowest terms; the denominator is not zero, and may be negative. */
function lowestTerms(numerator: bigint, denominator: bigint): Rational {
  const divisor = gcd(numerator, denominator);
  const sign = denominator < 0n ? -1n : 1n;
  const top = (sign * numerator) / divisor;
  const bottom = (sign * denominator) / divisor;
  return bottom === 1n ? fromBigInt(top) : { numerator: top, denominator: bottom };
}

function gcd(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a;
  let y = b < 0n ? -b : b;
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

/**
 * The digits of a terminating decimal, whose denominator has no prime factors other than 2 and 5; null
 * for other numbers.
 *
 * @example decimalTextOf(0.5) // '0.5'
 */
export function decimalTextOf(a: Rational): string | null {
  if (typeof a === 'number') return String(a);
  let rest = a.denominator;
  let twos = 0;
  let fives = 0;
  while (rest % 2n === 0n) {
    rest /= 2n;
    twos++;
  }
  while (rest % 5n === 0n) {
    rest /= 5n;
    fives++;
  }
  const places = Math.max(twos, fives);
  if (rest !== 1n || places > maxDecimalDigits) return null;
  const scaled = (a.numerator * 10n ** BigInt(places)) / a.denominator;
  if (places === 0) return scaled.toString();
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, -places);
  return `${scaled < 0n ? '-' : ''}${whole}.${digits.slice(-places)}`;
}
