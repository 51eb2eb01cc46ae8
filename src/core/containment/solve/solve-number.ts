// Finds a number between bounds that is a multiple of some numbers and of none of others, and is
// not among some values.

import type { Json } from '../../value/json.ts';
import type { Rational } from '../../value/rational.ts';
import {
  addRationals,
  compareRationals,
  divideRationals,
  firstMultipleFrom,
  isMultipleOf,
  jsonOfRational,
  lastMultipleUpTo,
  leastCommonMultiple,
  negateRational,
  subtractRationals,
} from '../../value/rational.ts';
import { rationalKey } from '../../value/value-key.ts';
import type { Engine, Found } from '../terms/engine.types.ts';
import { empty, found, unknown } from '../terms/engine.types.ts';
import type { Atom } from '../terms/forms.types.ts';
import { holdsNumber } from './holds.ts';
import type { Bound } from './plain-number.ts';
import { isPlainBound, plainNumbers } from './plain-number.ts';

interface Line {
  low: Bound | undefined;
  high: Bound | undefined;
  step: Rational | undefined;
  readonly apart: Rational[];
  readonly excluded: Set<string>;
}

/** The most candidates in a row that may be excluded before the search gives up. */
const maxTries = 5_000;

export function solveNumber(engine: Engine, atoms: readonly Atom[]): Found {
  const line = lineOf(atoms);
  if (line === undefined) return unknown('The numbers of the schema are not known.');
  const { low, high, step } = line;
  if (low !== undefined && high !== undefined) {
    const order = compareRationals(low.at, high.at);
    if (order > 0 || (order === 0 && (low.isOpen || high.isOpen))) return empty;
  }
  if (step !== undefined && line.apart.some((divisor) => isMultipleOf(step, divisor))) return empty;
  const result = step === undefined ? solveDense(line) : solveSteps(engine, line, step);
  if (result.tag === 'empty') return empty;
  return solvePlainly(line, result.tag === 'value' ? result.value : undefined) ?? result;
}

/**
 * A number that other readers read correctly, if the one that was found may be lost by rounding.
 */
function solvePlainly(line: Line, value: Json | undefined): Found | undefined {
  const isPlain = value === undefined || typeof value === 'number';
  if (isPlain && isPlainBound(line.low) && isPlainBound(line.high)) return undefined;
  for (const candidate of plainNumbers(line)) {
    if (line.step !== undefined && !isMultipleOf(candidate, line.step)) continue;
    const plain = jsonOf(line, candidate);
    if (plain !== undefined) return found(plain);
  }
  return undefined;
}

function lineOf(atoms: readonly Atom[]): Line | undefined {
  const line: Line = {
    ...{ low: undefined, high: undefined, step: undefined, apart: [], excluded: new Set<string>() },
  };
  for (const atom of atoms) {
    switch (atom.tag) {
      case 'low':
        line.low = tighter(line.low, { at: atom.bound, isOpen: atom.isOpen }, 1);
        break;
      case 'high':
        line.high = tighter(line.high, { at: atom.bound, isOpen: atom.isOpen }, -1);
        break;
      case 'multiple':
        line.step = line.step === undefined ? atom.of : leastCommonMultiple(line.step, atom.of);
        break;
      case 'no_multiple':
        line.apart.push(atom.of);
        break;
      case 'other_values':
        for (const key of atom.values.keys()) line.excluded.add(key);
        break;
      default:
        return undefined;
    }
  }
  return line;
}

function tighter(known: Bound | undefined, next: Bound, direction: 1 | -1): Bound {
  if (known === undefined) return next;
  const order = direction * compareRationals(next.at, known.at);
  if (order !== 0) return order > 0 ? next : known;
  return next.isOpen ? next : known;
}

/**
 * Multiples of a step, from one end: the lower one, unless only the upper one exists or all are
 * below zero.
 */
function solveSteps(engine: Engine, line: Line, step: Rational): Found {
  const { low, high } = line;
  let first = low && firstMultipleFrom(low.at, step);
  if (first !== undefined && low?.isOpen && compareRationals(first, low.at) === 0) {
    first = addRationals(first, step);
  }
  let last = high && lastMultipleUpTo(high.at, step);
  if (last !== undefined && high?.isOpen && compareRationals(last, high.at) === 0) {
    last = subtractRationals(last, step);
  }
  if (first !== undefined && last !== undefined && compareRationals(first, last) > 0) return empty;
  const isDownward = isBelowZero(last) || (first === undefined && last !== undefined);
  const start = isDownward ? last : (first ?? 0);
  const stride = isDownward ? negateRational(step) : step;
  const end = isDownward ? first : last;
  return walk(engine, line, { at: start ?? 0, stride, end });
}

function isBelowZero(value: Rational | undefined): boolean {
  return value !== undefined && compareRationals(value, 0) < 0;
}

interface Walk {
  readonly at: Rational;
  readonly stride: Rational;
  /** Without an end the walk meets only some of the candidates, and never proves that there is none. */
  readonly end: Rational | undefined;
}

function walk(engine: Engine, line: Line, { at, stride, end }: Walk): Found {
  const isUpward = compareRationals(stride, 0) > 0;
  let candidate = at;
  for (let tries = 0; tries < maxTries; tries++) {
    if (end !== undefined) {
      const order = compareRationals(candidate, end);
      if (isUpward ? order > 0 : order < 0) return empty;
    }
    engine.steps.left--;
    const value = jsonOf(line, candidate);
    if (value !== undefined) return found(value);
    candidate = addRationals(candidate, stride);
  }
  return unknown(tooMany);
}

const tooMany = 'Too many numbers would have to be tried.';

/** The JSON of a candidate; undefined if something excludes it. */
function jsonOf(line: Line, candidate: Rational): Json | undefined {
  if (line.excluded.has(rationalKey(candidate))) return undefined;
  if (line.apart.some((divisor) => isMultipleOf(candidate, divisor))) return undefined;
  return jsonOfRational(candidate) ?? undefined;
}

/** Any decimal is allowed, and between two numbers there are more than can be excluded. */
function solveDense(line: Line): Found {
  const { low, high } = line;
  if (low !== undefined && high !== undefined && compareRationals(low.at, high.at) === 0) {
    const value = jsonOf(line, low.at);
    if (value !== undefined) return found(value);
    return jsonOfRational(low.at) === null ? unknown('No decimal is that number.') : empty;
  }
  for (const candidate of denseCandidates(low, high)) {
    const isWithin =
      (low === undefined || holdsNumber(lowAtom(low), candidate)) &&
      (high === undefined || holdsNumber(highAtom(high), candidate));
    const value = isWithin ? jsonOf(line, candidate) : undefined;
    if (value !== undefined) return found(value);
  }
  return unknown(tooMany);
}

function lowAtom({ at, isOpen }: Bound): Atom {
  return { id: -1, negation: undefined, tag: 'low', bound: at, isOpen };
}

function highAtom({ at, isOpen }: Bound): Atom {
  return { id: -1, negation: undefined, tag: 'high', bound: at, isOpen };
}

function* denseCandidates(low: Bound | undefined, high: Bound | undefined): Generator<Rational> {
  const from = low?.at ?? (high === undefined ? 0 : subtractRationals(high.at, 1));
  yield* [0, 1, -1, from];
  if (high !== undefined) yield high.at;
  // Multiples of a tenth, a hundredth and so on, because their texts are short.
  const gap = high === undefined ? 10 : subtractRationals(high.at, from);
  for (let digits = 0; digits <= 20; digits++) {
    const grid = divideRationals(1, powerOfTen(digits)) ?? 1;
    if (compareRationals(grid, gap) > 0) continue;
    let candidate = firstMultipleFrom(from, grid);
    for (let tries = 0; tries < 60; tries++) {
      yield candidate;
      candidate = addRationals(candidate, grid);
    }
  }
  for (let digits = 21; digits <= 400; digits++) {
    const grid = divideRationals(1, powerOfTen(digits)) ?? 1;
    if (compareRationals(grid, gap) > 0) continue;
    const first = firstMultipleFrom(from, grid);
    yield* [first, addRationals(first, grid), addRationals(first, addRationals(grid, grid))];
  }
}

function powerOfTen(digits: number): Rational {
  let power: Rational = 1;
  for (let i = 0; i < digits; i++) power = multiplyByTen(power);
  return power;
}

function multiplyByTen(value: Rational): Rational {
  const two = addRationals(value, value);
  const four = addRationals(two, two);
  return addRationals(two, addRationals(four, four));
}
