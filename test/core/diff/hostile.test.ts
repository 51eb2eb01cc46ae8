// Schemas that hold themselves in every way: the walk comes round.

import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
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
