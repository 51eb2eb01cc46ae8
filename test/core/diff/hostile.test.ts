// Schemas that hold themselves in every way: the walk comes round.

import { expect, test } from 'vitest';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { between, told } from './support/terms.ts';

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
