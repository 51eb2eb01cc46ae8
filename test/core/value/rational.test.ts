import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberText } from '../../../src/core/value/json.ts';
import type { Rational } from '../../../src/core/value/rational.ts';
import {
  addRationals,
  areEqualRationals,
  ceilingOf,
  compareRationals,
  divideRationals,
  firstMultipleFrom,
  floorOf,
  isInteger,
  isMultipleOf,
  jsonOfRational,
  lastMultipleUpTo,
  leastCommonMultiple,
  multiplyRationals,
  parseRational,
  rationalOf,
  subtractRationals,
} from '../../../src/core/value/rational.ts';

function of(text: string): Rational {
  const value = parseRational(text);
  if (value === null) throw new Error(text);
  return value;
}

/** The decimal text of a value. */
function text(value: Rational | null): string | null {
  const json = value === null ? null : jsonOfRational(value);
  return json === null ? null : numberText(json);
}

describe('numbers are read exactly', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['0.0', 0],
    ['-0e5', 0],
    ['12', 12],
    ['1.0', 1],
    ['1.50e1', 15],
    ['1e3', 1000],
    ['9007199254740991', 9007199254740991],
    ['-12.50e1', -125],
    ['1000e-3', 1],
    ['0e99999999999', 0],
  ] as const)('%s is the integer %d', (decimal, expected) => {
    expect(of(decimal)).toBe(expected);
  });

  test.each(['', '-', '1.', '.5', '1e', '0x1', 'NaN', '1e400000000', '1e-400000000', '--1', '+1'])(
    '%j is no number, or too wide',
    (decimal) => {
      expect(parseRational(decimal)).toBeNull();
    },
  );

  test('what is written back is what was read', () => {
    for (const one of [
      '0.1',
      '-0.007',
      '9007199254740993',
      '1e+300',
      '5e-324',
      '0.30000000000000004',
    ]) {
      expect(text(of(one))).toBe(one);
    }
    expect(text(of('12345678901234567.5'))).toBe('12345678901234567.5');
    expect(text(of('9007199254740993'))).toBe('9007199254740993');
    expect(jsonOfRational(of('0.5'))).toBe(0.5);
    expect(text(of('0.1000000000000000055511151231257827'))).toBe(
      '0.1000000000000000055511151231257827',
    );
    expect(text(divideRationals(1, 3))).toBeNull();
    expect(rationalOf('1')).toBeNull();
    expect(rationalOf(JSON.rawJSON('1e400000000'))).toBeNull();
    expect(rationalOf(JSON.rawJSON('9007199254740993'))).toEqual(of('9007199254740993'));
  });
});

describe('arithmetic', () => {
  test('a tenth is a tenth', () => {
    expect(addRationals(of('0.1'), of('0.2'))).toEqual(of('0.3'));
    expect(isMultipleOf(of('0.3'), of('0.1'))).toBe(true);
    expect(isMultipleOf(of('4.35'), of('0.01'))).toBe(true);
    expect(isMultipleOf(of('0.35'), of('0.1'))).toBe(false);
    expect(isMultipleOf(of('9007199254740993'), 3)).toBe(true);
    expect(isMultipleOf(of('1e300'), 7)).toBe(false);
    expect(isMultipleOf(0, 0)).toBe(true);
    expect(isMultipleOf(1, 0)).toBe(false);
    expect(divideRationals(1, 0)).toBeNull();
  });

  test('floors, ceilings and multiples on both sides of zero', () => {
    expect([
      floorOf(of('1.5')),
      floorOf(of('-1.5')),
      ceilingOf(of('1.5')),
      ceilingOf(of('-1.5')),
    ]).toEqual([1, -2, 2, -1]);
    expect([floorOf(-2), ceilingOf(-2), ceilingOf(of('-0.5'))]).toEqual([-2, -2, 0]);
    expect([lastMultipleUpTo(7, 3), lastMultipleUpTo(-7, 3), lastMultipleUpTo(6, 3)]).toEqual([
      6, -9, 6,
    ]);
    expect([firstMultipleFrom(7, 3), firstMultipleFrom(-7, 3)]).toEqual([9, -6]);
    expect(text(firstMultipleFrom(of('0.25'), of('0.1')))).toBe('0.3');
    expect(leastCommonMultiple(4, 6)).toBe(12);
    expect(text(leastCommonMultiple(of('0.4'), of('0.6')))).toBe('1.2');
  });

  const decimal = fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: -25, max: 25 }))
    .map(([digits, power]) => of(`${digits}e${power}`));

  test('obeys the laws of numbers', () => {
    fc.assert(
      fc.property(decimal, decimal, decimal, (a, b, c) => {
        const sum = addRationals(a, b);
        expect(sum).toEqual(addRationals(b, a));
        expect(subtractRationals(sum, b)).toEqual(a);
        expect(multiplyRationals(a, addRationals(b, c))).toEqual(
          addRationals(multiplyRationals(a, b), multiplyRationals(a, c)),
        );
        if (b !== 0) {
          const quotient = divideRationals(a, b);
          expect(quotient === null ? null : multiplyRationals(quotient, b)).toEqual(a);
          expect(isMultipleOf(multiplyRationals(b, floorOf(c)), b)).toBe(true);
          expect(isMultipleOf(a, b)).toBe(quotient !== null && isInteger(quotient));
        }
        const order = compareRationals(a, b);
        expect(Math.sign(order)).toBe(-Math.sign(compareRationals(b, a)));
        expect(order === 0).toBe(areEqualRationals(a, b));
        expect(Math.sign(compareRationals(subtractRationals(a, b), 0))).toBe(Math.sign(order));
        expect(compareRationals(floorOf(a), a)).toBeLessThanOrEqual(0);
        expect(compareRationals(addRationals(floorOf(a), 1), a)).toBeGreaterThan(0);
      }),
    );
  });

  test('a double and its decimal are one value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const value = rationalOf(double);
        expect(value === null ? null : jsonOfRational(value)).toBe(double === 0 ? 0 : double);
      }),
    );
  });
});
