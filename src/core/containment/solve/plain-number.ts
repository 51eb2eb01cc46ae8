// Numbers that readers with doubles read correctly. A witness just past a bound of 2^63 - 1 is
// correct but of little use, because most readers round both to the same number. So this looks for
// a number that is still past its bound after everything is rounded.

import type { Rational } from '../../value/rational.ts';
import { compareRationals, jsonOfRational, rationalOf } from '../../value/rational.ts';

export interface Bound {
  readonly at: Rational;
  readonly isOpen: boolean;
}

interface Range {
  readonly low: Bound | undefined;
  readonly high: Bound | undefined;
  readonly step: Rational | undefined;
}

/** Whether a bound is exactly a double, so that it is not rounded. */
export function isPlainBound(bound: Bound | undefined): boolean {
  return bound === undefined || typeof jsonOfRational(bound.at) === 'number';
}

/** Doubles that are within the range, also when its ends are rounded. Short ones come first. */
export function* plainNumbers(range: Range): Generator<Rational> {
  const [low, high] = [rounded(range.low), rounded(range.high)];
  for (const candidate of shortNumbers(range.step, low, high)) {
    if (isWithin(candidate, low, range.low?.isOpen, high, range.high?.isOpen)) {
      const exact = rationalOf(candidate);
      if (exact !== null && isWithinExactly(exact, range)) yield exact;
    }
  }
}

function rounded(bound: Bound | undefined): number | undefined {
  if (bound === undefined) return undefined;
  const { at } = bound;
  if (typeof at === 'number') return at;
  const text = jsonOfRational(at);
  if (text === null) return Number(at.numerator) / Number(at.denominator);
  return typeof text === 'number' ? text : Number(text.rawJSON);
}

function isWithin(
  candidate: number,
  low: number | undefined,
  isLowOpen: boolean | undefined,
  high: number | undefined,
  isHighOpen: boolean | undefined,
): boolean {
  if (low !== undefined && (isLowOpen ? candidate <= low : candidate < low)) return false;
  return high === undefined || (isHighOpen ? candidate < high : candidate <= high);
}

function isWithinExactly(exact: Rational, { low, high }: Range): boolean {
  if (low !== undefined) {
    const order = compareRationals(exact, low.at);
    if (low.isOpen ? order <= 0 : order < 0) return false;
  }
  if (high === undefined) return true;
  const order = compareRationals(exact, high.at);
  return high.isOpen ? order < 0 : order <= 0;
}

/** A double has at most 309 digits before its decimal point. */
const maxExponent = 308;

function* shortNumbers(
  step: Rational | undefined,
  low: number | undefined,
  high: number | undefined,
): Generator<number> {
  const unit = typeof step === 'number' ? step : 1;
  for (const sign of [1, -1]) {
    // Numbers nearer to zero than both ends are not within them.
    const nearest = sign > 0 ? (low ?? 0) : -(high ?? 0);
    const from = nearest > 0 ? Math.max(0, Math.floor(Math.log10(nearest / unit))) : 0;
    for (let exponent = from; exponent <= Math.min(from + 2, maxExponent); exponent++) {
      for (const digit of [1, 2, 5]) yield sign * Number(`${digit * unit}e${exponent}`);
    }
  }
  for (const end of [low, high]) {
    if (end === undefined || !Number.isFinite(end)) continue;
    yield end;
    for (const gap of [2 ** -52, 2 ** -51]) yield* [end * (1 + gap), end * (1 - gap)];
  }
  if (low !== undefined && high !== undefined) yield low / 2 + high / 2;
}
