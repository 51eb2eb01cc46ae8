// Keywords that say something only together.

import type { Json } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const int = { type: 'integer' };
const str = { type: 'string' };
const object = (rest: Record<string, Json>): Json => ({ type: 'object', ...rest });
const array = (rest: Record<string, Json>): Json => ({ type: 'array', ...rest });

checkPairs('pairs of keywords of objects', [
  [
    object({ properties: { a: int }, patternProperties: { '^a': { minimum: 3 } } }),
    { properties: { a: { minimum: 3 } } },
    'yes',
    'no',
  ],
  [
    object({ propertyNames: { enum: ['a', 'b'] }, minProperties: 2 }),
    object({ required: ['a', 'b'] }),
    'yes',
    'no',
  ],
  [
    object({ propertyNames: { maxLength: 1 }, additionalProperties: int }),
    object({ patternProperties: { '^.$': int } }),
    'yes',
    'no',
  ],
  [
    object({ required: ['a'], dependentRequired: { a: ['b'] } }),
    object({ required: ['a', 'b'] }),
    'yes',
    'yes',
  ],
  [
    object({ minProperties: 1, properties: { a: int }, additionalProperties: false }),
    object({ required: ['a'] }),
    'yes',
    'no',
  ],
  [
    object({ dependentSchemas: { a: { required: ['b'] } }, properties: { b: false } }),
    object({ properties: { a: false } }),
    'yes',
    'no',
  ],
  [
    object({ maxProperties: 1, required: ['a'] }),
    object({ properties: { a: true }, additionalProperties: false }),
    'yes',
    'no',
  ],
  [
    object({ patternProperties: { a: int, b: str } }),
    object({ properties: { ab: false } }),
    'yes',
    'no',
  ],
]);

checkPairs('pairs of keywords of arrays', [
  [array({ prefixItems: [int], items: str, maxItems: 1 }), array({ items: int }), 'yes', 'no'],
  [array({ items: { type: 'boolean' }, uniqueItems: true }), array({ maxItems: 2 }), 'yes', 'no'],
  [
    array({ minItems: 2, uniqueItems: true, items: { enum: [1, 2] } }),
    array({ contains: { const: 1 } }),
    'yes',
    'no',
  ],
  [
    array({ contains: { const: 1 }, maxContains: 2, items: { const: 1 } }),
    array({ minItems: 1, maxItems: 2, items: { const: 1 } }),
    'yes',
    'yes',
  ],
  [
    array({ contains: str, prefixItems: [int] }),
    array({ minItems: 2, prefixItems: [int] }),
    'yes',
    'no',
  ],
]);

checkPairs('pairs of keywords of numbers and strings', [
  [
    { ...int, multipleOf: 4, not: { multipleOf: 6 } },
    { type: 'number', not: { multipleOf: 12 } },
    'yes',
    'no',
  ],
  [
    { type: 'number', multipleOf: 0.5, exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { const: 0.5 },
    'yes',
    'yes',
  ],
  [{ ...str, minLength: 2, maxLength: 2, pattern: '^a*$' }, { const: 'aa' }, 'yes', 'yes'],
  [{ ...str, pattern: '^[ab]{3}$', not: { pattern: 'ab' } }, { pattern: '^b*a*$' }, 'yes', 'no'],
]);
