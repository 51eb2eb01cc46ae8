// Schemas that hold themselves in every way: the walk comes round.

import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { between, object, told } from './support/terms.ts';

/** A schema beside what extends it, as a description of schemas extends another. */
function extended(maximum: number): Json {
  const either = (name: string): Json => ({
    anyOf: [{ $ref: name }, { type: 'array', items: { $ref: name } }],
  });
  const [plain, own] = ['#/$defs/plain', '#/$defs/own'];
  return {
    $ref: own,
    $defs: {
      plain: {
        type: ['object', 'boolean'],
        properties: {
          size: { type: 'integer', maximum },
          not: { $ref: plain },
          items: either(plain),
        },
      },
      own: {
        allOf: [{ $ref: plain }, { properties: { not: { $ref: own }, items: either(own) } }],
      },
    },
  };
}

test('a schema that is joined with itself through unions comes round', () => {
  expect(told(between(extended(9), extended(5)))).toEqual([
    '! constraint_tightened $.properties.size',
    '! constraint_tightened $.properties.not.properties.size',
    '! constraint_tightened $.properties.not.properties.items.properties.size',
    '! constraint_tightened $.properties.not.properties.items.properties.not.properties.size',
  ]);
});

const next = (at: number): Json => ({ $ref: `#/$defs/d${at + 1}` });

test.each<[string, number, (at: number) => Json]>([
  ['references', 9_900, next],
  ['allOf', 4_900, (at) => ({ allOf: [next(at)] })],
])('a long chain of %s ends', (_what, length, link) => {
  const schemaOf = (x: Json): Json => ({
    ...(object({ k: {}, p: next(-1) }) as JsonObject),
    additionalProperties: next(-1),
    $defs: {
      ...Object.fromEntries(Array.from({ length }, (_, at) => [`d${at}`, link(at)])),
      [`d${length}`]: object({ x }),
    },
  });
  const [old, changed] = [schemaOf({ type: 'string' }), schemaOf({ type: 'integer' })];
  expect(canonicalText(old)).not.toBe(canonicalText(changed));
  expect(between(old, changed).isBreaking).toBe(true);
  expect(between(old, structuredClone(old)).changes).toEqual([]);
});

const nothing = { type: 'null' };

test.each<[string, Json]>([
  ['itself', { anyOf: [{ $ref: '#' }, nothing] }],
  ['itself through allOf', { allOf: [{ anyOf: [{ $ref: '#' }, nothing] }] }],
  ['itself by oneOf', { oneOf: [{ $ref: '#' }, nothing] }],
  [
    'another that is it or null',
    {
      $ref: '#/$defs/a',
      $defs: {
        a: { anyOf: [{ $ref: '#/$defs/b' }, nothing] },
        b: { oneOf: [{ $ref: '#/$defs/c' }, nothing] },
        c: { allOf: [{ anyOf: [{ $ref: '#/$defs/a' }, nothing, { type: 'string' }] }] },
      },
    },
  ],
])('a schema that is null or %s comes round', (_what, schema) => {
  expect(canonicalText(schema)).toBe(canonicalText(schema));
  expect(told(between(schema, schema))).toEqual([]);
});

describe('A pattern that takes too long for a name leaves the comparison undecided', () => {
  const name = 'a'.repeat(60);
  const slow = '^(a+)+\\1\\1x$';
  const all = (named: Json, more: JsonObject): Json => ({ ...(named as JsonObject), ...more });
  const letsIn = { patternProperties: { [slow]: { type: 'string' } } };
  const rows: readonly (readonly [string, Json, Json])[] = [
    [
      'where a property went and its name may match',
      object({ [name]: { type: 'integer' }, k: {} }, [name]),
      all(object({ k: {} }), letsIn),
    ],
    [
      'where a property came',
      all(object({ k: {} }), letsIn),
      all(object({ [name]: { type: 'integer' }, k: {} }), letsIn),
    ],
    [
      'beside additional ones in another part',
      { allOf: [object({ k: {} }), { ...letsIn, additionalProperties: { type: 'string' } }] },
      {
        allOf: [
          object({ k: {}, [name]: { type: 'string' } }),
          { ...letsIn, additionalProperties: { type: 'string' } },
        ],
      },
    ],
  ];
  test.each(rows)(
    '%s',
    (_name, old, next) => {
      const { changes, isBreaking } = between(old, next, { mode: 'forward' });
      expect(isBreaking).toBe(true);
      expect(changes.map(({ type }) => type)).toContain('compatibility_undecided');
    },
    120_000,
  );
});
