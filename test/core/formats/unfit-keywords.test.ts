// A format or a type that refuses what stands next to it leaves no value. Who writes that has values all the same, so a change of
// what stands there is compatible only if it is one without that keyword, too.

import { describe, expect, test } from 'vitest';
import { compare } from '../../../src/core/diff/compare.ts';
import { withoutUnfitKeywords } from '../../../src/core/diff/rewrite/unfit-keywords.ts';
import { findVerdicts } from '../../../src/core/needs/find-verdicts.ts';
import { makeNeed } from '../../../src/core/needs/make-need.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { JsonObject } from '../../../src/core/value/json.ts';

const terms = {
  compatibilityMode: 'backward',
  guarantees: null,
  direction: 'data',
} as const;
const withA = (more: JsonObject, dialect: Dialect = '2020-12') => ({
  ...terms,
  dialect,
  schema: {
    type: 'object',
    properties: { a: { type: 'string', ...more }, b: {} },
    required: ['a'],
  },
});
const typesOf = (old: JsonObject, next: JsonObject, dialect?: Dialect) =>
  compare(withA(old, dialect), withA(next, dialect)).changes.map(({ type }) => type);

const clock = (pattern: string) => ({ format: 'time', pattern });
const undecided = expect.arrayContaining(['compatibility_undecided']);

describe.each<Dialect>(['draft-07', '2020-12', 'openapi-3.0'])('%s', (dialect) => {
  test.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['a pattern', clock('^\\d\\d:\\d\\d$'), clock('^\\d\\d\\d\\d$'), undecided],
    [
      'one of the listed values',
      { format: 'duration', enum: ['5m', 'PT5M'] },
      { format: 'duration', enum: ['PT5M'] },
      undecided,
    ],
    ['a length', { format: 'uuid', maxLength: 32 }, { format: 'uuid', maxLength: 20 }, undecided],
    ['numbers that are no texts', { enum: [1, 2] }, { enum: [1] }, undecided],
    [
      'texts that are no numbers',
      { type: 'integer', enum: ['1', '2'] },
      { type: 'integer', enum: ['1'] },
      undecided,
    ],
    [
      'values of items that are listed for the array',
      { type: 'array', items: { type: 'string' }, enum: ['a', 'b'] },
      { type: 'array', items: { type: 'string' }, enum: ['a'] },
      undecided,
    ],
    ['null that no type allows', { enum: ['a', null] }, { enum: ['a'] }, []],
    // These leave values.
    [
      'a shorter date',
      { format: 'date' },
      { format: 'date', pattern: '^2' },
      ['constraint_tightened'],
    ],
    [
      'a name that no specification has',
      { format: 'clock', enum: ['a'] },
      { format: 'clock', enum: ['a', 'b'] },
      ['enum_values_added'],
    ],
    [
      'the format goes',
      clock('^\\d\\d:\\d\\d$'),
      { pattern: '^\\d\\d:\\d\\d$' },
      expect.not.arrayContaining(['compatibility_undecided']),
    ],
  ])('%s', (_, old, next, types) => {
    expect(typesOf(old, next, dialect)).toEqual(types);
  });
});

test('base64 is a format of OpenAPI alone', () => {
  const [old, next] = [
    { format: 'byte', enum: ['a-', 'b'] },
    { format: 'byte', enum: ['b'] },
  ];
  expect(typesOf(old, next, 'openapi-3.0')).toEqual(undecided);
  expect(typesOf(old, next)).toEqual(['enum_values_removed']);
});

test('the sentence says why, and what breaks', () => {
  const [change] = compare(withA(clock('^\\d\\d:\\d\\d$')), withA(clock('^\\d\\d$'))).changes;
  expect(change?.description).toContain(
    '`$.properties.a`: a format or a type refuses what stands next to it, so values are others than it allows; for those, ',
  );
});

test('a schema in which everything fits is the same object', () => {
  const { schema } = withA({ format: 'date', enum: ['2024-01-01'], maxLength: 10 });
  expect(withoutUnfitKeywords(schema)).toBe(schema);
});

test('who reads the field is asked, and who reads another one is not', () => {
  const [old, next] = [withA(clock('^\\d\\d:\\d\\d$')), withA(clock('^\\d\\d$'))];
  const needs = ['$.a', '$.b'].flatMap((field) => {
    const made = makeNeed({ fields: [field], guarantees: [] }, old);
    return made.ok ? [made.need] : [];
  });
  const verdicts = findVerdicts({ old, next, comparison: compare(old, next) }, needs);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['may_break', 'unaffected']);
});

test('who states a schema is asked about each field in it, although it refuses values of another one', () => {
  const orText = (pattern: string, text: string) => ({
    anyOf: [
      { type: 'string', ...clock(pattern) },
      { type: 'string', enum: [text] },
    ],
  });
  const minutes = '^\\d\\d:\\d\\d$';
  const beside = (pattern: string) => {
    const properties = { a: orText(minutes, 'open'), b: orText(pattern, 'late'), c: {} };
    return { ...terms, dialect: '2020-12' as const, schema: { type: 'object', properties } };
  };
  const [old, next] = [beside(minutes), beside('^\\d\\d$')];
  const a = { enum: ['open'] };
  const needs = [
    { a, b: { anyOf: [{ pattern: minutes }, { const: 'late' }] } },
    { a, c: {} },
  ];
  const made = needs.flatMap((properties) => {
    const each = makeNeed({ schema: { properties }, guarantees: [] }, old);
    return each.ok ? [each.need] : [];
  });
  const verdicts = findVerdicts({ old, next, comparison: compare(old, next) }, made);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['may_break', 'unaffected']);
});

test('who states a schema is not asked about what it refused before', () => {
  const beside = (b: string) => ({
    ...terms,
    dialect: '2020-12' as const,
    schema: {
      type: 'object',
      properties: {
        a: { type: 'string', format: 'duration', enum: ['5m', 'PT5M'] },
        b: { type: b },
      },
    },
  });
  const [old, next] = [beside('integer'), beside('string')];
  const needs = [{ a: { format: 'duration' } }, { b: { type: 'integer' } }].flatMap(
    (properties) => {
      const made = makeNeed({ schema: { properties }, guarantees: [] }, old);
      return made.ok ? [made.need] : [];
    },
  );
  const verdicts = findVerdicts({ old, next, comparison: compare(old, next) }, needs);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['unaffected', 'breaks']);
});
