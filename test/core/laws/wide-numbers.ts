// Schemas of wide numbers, and what they mean by arithmetic of its own: each number is written out as
// a whole number of the smallest unit of all of them. It shares nothing with the engine.

import fc from 'fast-check';
import { isExactNumber, type Json, type JsonObject } from '../../../src/core/value/json.ts';

/** Values around the ends of what doubles and the engine calculate with. */
const values: readonly (readonly [digits: string, power: number])[] = [
  ['1', 2_000],
  ['1', 1_999],
  ['-1', 2_000],
  ['3', 2_100],
  ['1', -2_000],
  ['25', -2_102],
  ['1', 0],
  ['0', 0],
  ['9007199254740993', 0],
  ['9007199254740992', 0],
  ['1', 400],
  ['1', -400],
  ['15', -1],
];

/** The unit: no value has more places after its point. */
const places = 2_400;

/** The same number, written in one of many ways. */
const spelled = fc
  .tuple(fc.constantFrom(...values), fc.constantFrom(0, 1, 3, 40, -1), fc.boolean())
  .map(([[digits, power], shift, isUpper]): Json => {
    const sign = digits.startsWith('-') ? '-' : '';
    const own = digits.replace('-', '');
    if (power === 0 && shift > 1) return JSON.rawJSON(`${sign}${own}.${'0'.repeat(2_100)}`);
    const text =
      shift >= 0
        ? `${own}${own === '0' ? '' : '0'.repeat(shift)}${isUpper ? 'E' : 'e'}${power - shift}`
        : `0.${own}e+${power + own.length}`.replace('+-', '-');
    return JSON.rawJSON(`${sign}${text}`);
  });

const leaf: fc.Arbitrary<Json> = fc.oneof(
  spelled.map((value) => ({ const: value })),
  fc.array(spelled, { minLength: 1, maxLength: 3 }).map((list) => ({ enum: list })),
  fc
    .tuple(fc.constantFrom('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'), spelled)
    .map(([keyword, bound]) => ({ [keyword]: bound })),
  fc.constant({ type: 'integer' }),
  fc.constantFrom('1', '0.5', '1e-2000', '1e2000').map((of) => ({ multipleOf: JSON.rawJSON(of) })),
);

/** Every value of them is a number. */
export const wideSchema: fc.Arbitrary<JsonObject> = fc
  .letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      leaf,
      tie('schema').map((inner) => ({ not: inner })),
      fc
        .tuple(
          fc.constantFrom('allOf', 'anyOf', 'oneOf'),
          fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        )
        .map(([keyword, parts]) => ({ [keyword]: parts })),
    ),
  }))
  .schema.map((inner) => ({ type: 'number', allOf: [inner] }));

/** One of each value. */
export const world: readonly Json[] = values.map(([digits, power]) =>
  JSON.rawJSON(`${digits}e${power}`),
);

/** Whether the number is one of the schema. */
export function isNumberOf(schema: Json, value: Json): boolean {
  if (typeof schema === 'boolean') return schema;
  const amount = amountOf(value);
  return Object.entries(schema as JsonObject).every(([keyword, said]) => {
    const parts = Array.isArray(said) ? (said as readonly Json[]) : [];
    const matching = (): number => parts.filter((part) => isNumberOf(part, value)).length;
    switch (keyword) {
      case 'type':
        return said === 'number' || amount % 10n ** BigInt(places) === 0n;
      case 'const':
        return amountOf(said) === amount;
      case 'enum':
        return parts.some((part) => amountOf(part) === amount);
      case 'minimum':
        return amount >= amountOf(said);
      case 'maximum':
        return amount <= amountOf(said);
      case 'exclusiveMinimum':
        return amount > amountOf(said);
      case 'exclusiveMaximum':
        return amount < amountOf(said);
      case 'multipleOf':
        return amount % amountOf(said) === 0n;
      case 'not':
        return !isNumberOf(said, value);
      case 'allOf':
        return matching() === parts.length;
      case 'anyOf':
        return matching() > 0;
      case 'oneOf':
        return matching() === 1;
      default:
        throw new Error(`The evaluator does not know ${keyword}.`);
    }
  });
}

const amounts = new Map<string, bigint>();

/** In units of the last place. */
function amountOf(value: Json): bigint {
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
