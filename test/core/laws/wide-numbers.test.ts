// Numbers that are too wide to calculate with, and sizes past 2^53: one number in all its texts, and
// two numbers that no rounding makes one.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { checkSchema } from '../../../src/core/schema/check-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { breachOfSizes, breachOfWideNumbers, sizePair, widePair } from './wide-numbers.ts';

const raw = (text: string): Json => JSON.rawJSON(text);

const spellings: readonly (readonly [string, string])[] = [
  ['1e2000', '10e1999'],
  ['1E+2000', `1${'0'.repeat(2_000)}`],
  ['0.1e2001', `1${'0'.repeat(2_000)}.000`],
  ['-1e-2500', '-0.001e-2497'],
  ['1', `1.${'0'.repeat(2_100)}`],
  ['25e-2', `0.25${'0'.repeat(2_100)}`],
  ['0', '0e99999999999999999999'],
  ['1e99999999999999999999', '10e99999999999999999998'],
];

function verdict(a: Json, b: Json): string {
  return contains({ a, b }).verdict;
}

describe.each(spellings)('%.12s and %.12s are one number', (first, second) => {
  const [one, other] = [raw(first), raw(second)];
  const rows: readonly (readonly [string, Json, Json, 'yes' | 'no'])[] = [
    ['const', { const: one }, { const: other }, 'yes'],
    ['enum', { enum: [one, 'a'] }, { enum: ['a', other] }, 'yes'],
    ['not const', { const: one }, { not: { const: other } }, 'no'],
    ['oneOf', { const: one }, { oneOf: [{ const: one }, { const: other }] }, 'no'],
    [
      'uniqueItems',
      { type: 'array', prefixItems: [{ const: one }, { const: other }], minItems: 2 },
      { uniqueItems: true },
      'no',
    ],
    [
      'uniqueItems, which no such list has',
      { prefixItems: [{ const: one }, { const: other }], minItems: 2, uniqueItems: true },
      { not: { type: 'array' } },
      'yes',
    ],
    ['in a list', { const: [one] }, { const: [other] }, 'yes'],
  ];
  test.each(rows)('%s', (_name, a, b, expected) => {
    expect(verdict(a, b)).toBe(expected);
  });

  test('as bounds and divisors they are never taken for two', () => {
    for (const [low, high] of [
      ['minimum', 'maximum'],
      ['exclusiveMinimum', 'exclusiveMaximum'],
    ] as const) {
      const isOpen = low !== 'minimum';
      for (const keyword of [low, high]) {
        const answer = verdict({ const: one }, { [keyword]: other });
        expect(answer).not.toBe(isOpen ? 'yes' : 'no');
      }
    }
    expect(verdict({ const: one }, { multipleOf: raw(second.replace('-', '')) })).not.toBe('no');
  });

  test('a change from one to the other is none', () => {
    const terms = (value: Json) => ({
      ...{ schema: { enum: [value, 'a'] }, compatibilityMode: 'full' as const },
      ...{ guarantees: null, direction: 'data' as const },
    });
    expect(compare(terms(one), terms(other)).changes).toEqual([]);
    expect(canonicalText({ const: one }, undefined)).toBe(
      canonicalText({ const: other }, undefined),
    );
  });
});

describe('sizes past 2^53', () => {
  const [below, above] = [raw('9007199254740992'), raw('9007199254740993')];
  const keywords = [
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
    ...['minContains', 'maxContains'],
  ];
  test.each(keywords)('%s: two sizes are never one', (keyword) => {
    const schema = (size: Json): Json => ({ contains: true, [keyword]: size });
    expect(verdict(schema(below), schema(above))).not.toBe('yes');
    expect(verdict(schema(above), schema(below))).not.toBe('yes');
    const tooLarge = [{ code: 'SCHEMA_TOO_LARGE', path: `$.${keyword}` }];
    for (const size of [below, above, raw('1e400')]) {
      const isCounted = keyword.endsWith('Contains');
      expect(checkSchema(schema(size))).toMatchObject(isCounted ? tooLarge : []);
    }
    expect(checkSchema(schema(raw('1e3000')))).toMatchObject(tooLarge);
    expect(checkSchema(schema(raw('9007199254740991.0')))).toEqual([]);
    expect(checkSchema(schema(raw('1e-3000')))).toMatchObject([{ code: 'INVALID_SCHEMA' }]);
  });
});

describe('a size that generators write where they mean none', () => {
  const most = raw('9223372036854775807');
  const text = { type: 'string', maxLength: most };
  const record = (rest: JsonObject): Json => ({
    type: 'object',
    properties: { name: text, size: { type: 'integer' } },
    ...rest,
  });
  const rows: readonly (readonly [a: Json, b: Json, forth: string, back: string])[] = [
    [text, { type: 'string' }, 'yes', 'undecided'],
    [text, { type: 'string', maxLength: raw('9223372036854775807.0') }, 'yes', 'yes'],
    [text, { type: 'string', maxLength: raw('9223372036854775806') }, 'undecided', 'undecided'],
    [text, { type: 'string', maxLength: 5 }, 'no', 'yes'],
    [text, { type: 'integer' }, 'no', 'no'],
    [record({ required: ['name'] }), record({}), 'yes', 'no'],
    [{ type: 'array', minItems: most }, { type: 'string' }, 'undecided', 'no'],
    [{ type: 'array', maxItems: 3 }, { type: 'array', not: { minItems: most } }, 'yes', 'no'],
    [{ type: 'object', maxProperties: most }, { type: 'object' }, 'yes', 'undecided'],
  ];
  test.each(rows)('%j in %j: %s, back %s', (a, b, forth, back) => {
    expect([verdict(a, b), verdict(b, a)]).toEqual([forth, back]);
  });

  test('it is a change where it comes, goes or becomes another, and published like any other', () => {
    const terms = (schema: Json) => ({
      ...{ schema, compatibilityMode: 'full' as const },
      ...{ guarantees: null, direction: 'data' as const },
    });
    const typesOf = (a: Json, b: Json): readonly string[] =>
      compare(terms(a), terms(b)).changes.map(({ type }) => type);
    expect(typesOf(text, { ...text })).toEqual([]);
    expect(typesOf(text, { type: 'string' })).toEqual(['schema_widened']);
    expect(typesOf(text, { type: 'string', maxLength: 5 })).toContain('constraint_tightened');
    expect(canonicalText(text, undefined)).not.toBe(canonicalText({ type: 'string' }, undefined));
    expect(checkSchema(record({}))).toEqual([]);
  });
});

test('of wide numbers no answer is wrong', () => {
  fc.assert(
    fc.property(widePair, (pair) => {
      expect(breachOfWideNumbers(contains, pair)).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

test('of sizes past 2^53 no answer is wrong', () => {
  fc.assert(
    fc.property(sizePair, (pair) => {
      expect(breachOfSizes(contains, pair)).toBeNull();
    }),
    { numRuns: 500 },
  );
});
