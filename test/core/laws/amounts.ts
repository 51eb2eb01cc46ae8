// Numbers of any width as whole numbers of one small unit, so that they are compared and divided
// without rounding. It shares nothing with the engine.

import { isExactNumber, type Json } from '../../../src/core/value/json.ts';

/** The unit: no value has more places after its point. */
const places = 2_400;

const unitsOfOne = 10n ** BigInt(places);

const amounts = new Map<string, bigint>();

/** In units of the last place. */
export function amountOf(value: Json): bigint {
  const text = isExactNumber(value) ? value.rawJSON : String(value);
  const known = amounts.get(text);
  if (known !== undefined) return known;
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const zeros = places + Number(power) - fraction.length;
  const digits = BigInt(`${whole}${fraction}`);
  const size = zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros);
  if (zeros < 0 && size * 10n ** BigInt(-zeros) !== digits) {
    throw new Error(`${text} has more than ${places} places.`);
  }
  const amount = mantissa.startsWith('-') ? -size : size;
  amounts.set(text, amount);
  return amount;
}

export function isWhole(value: Json): boolean {
  return amountOf(value) % unitsOfOne === 0n;
}
