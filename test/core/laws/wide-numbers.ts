// Schemas of wide numbers, and what they mean by arithmetic of its own, that shares nothing with the
// engine.

import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { amountOf, isWhole } from './amounts.ts';
import type { Breach, Contains } from './laws.ts';
import { lawSteps } from './laws.ts';

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
const wideSchema: fc.Arbitrary<JsonObject> = fc
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

/** Sizes around what doubles count to: no value is so large, and still no two are one. */
const wideSize = fc.constantFrom(
  ...['9007199254740990', '9007199254740991', '9007199254740992', '9007199254740993', '2', '3'],
  ...['9223372036854775807', '9223372036854775808', '1e400', '10e399', '1e2000', '10e1999'],
);
const sizeKeywords = ['Length', 'Items', 'Properties', 'Contains'].flatMap((name) => [
  `min${name}`,
  `max${name}`,
]);

interface SizePair {
  readonly keyword: string;
  readonly sizes: readonly [string, string];
}

export const sizePair: fc.Arbitrary<SizePair> = fc.record({
  keyword: fc.constantFrom(...sizeKeywords),
  sizes: fc.tuple(wideSize, wideSize),
});

export const widePair: fc.Arbitrary<readonly [JsonObject, JsonObject]> = fc.tuple(
  wideSchema,
  wideSchema,
);

export function breachOfSizes(contains: Contains, { keyword, sizes }: SizePair): Breach | null {
  const [a, b] = sizes.map((size) => ({ contains: true, [keyword]: JSON.rawJSON(size) }));
  const answer = contains({ a: a ?? true, b: b ?? true });
  const [least, most] = sizes.map((size) => amountOf(JSON.rawJSON(size)));
  const isMore = (least ?? 0n) > (most ?? 0n);
  const isYes = least === most || isMore === keyword.startsWith('min');
  if (answer.verdict === 'undecided' || (answer.verdict === 'yes') === isYes) return null;
  return { law: 'sizes are counted exactly', answer };
}

export function breachOfWideNumbers(
  contains: Contains,
  [a, b]: readonly [JsonObject, JsonObject],
): Breach | null {
  const answer = contains({ a, b, stepBudget: lawSteps });
  if (answer.verdict === 'undecided') return null;
  for (const value of answer.verdict === 'no' ? [answer.witness] : world) {
    const isException = isNumberOf(a, value) && !isNumberOf(b, value);
    if (isException !== (answer.verdict === 'no')) {
      return { law: 'what is yes has no exception, and what is no has one', answer, value };
    }
  }
  return null;
}

/** One of each value. */
const world: readonly Json[] = values.map(([digits, power]) => JSON.rawJSON(`${digits}e${power}`));

/** Whether the number is one of the schema. */
function isNumberOf(schema: Json, value: Json): boolean {
  if (typeof schema === 'boolean') return schema;
  const amount = amountOf(value);
  return Object.entries(schema as JsonObject).every(([keyword, said]) => {
    const parts = Array.isArray(said) ? (said as readonly Json[]) : [];
    const matching = (): number => parts.filter((part) => isNumberOf(part, value)).length;
    switch (keyword) {
      case 'type':
        return said === 'number' || isWhole(value);
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
