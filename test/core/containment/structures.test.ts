// Arrays and objects.

import type { JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const bool = { type: 'boolean' };
const int = { type: 'integer' };
const num = { type: 'number' };
const str = { type: 'string' };
const list = (more: JsonObject): JsonObject => ({ type: 'array', ...more });
const record = (more: JsonObject): JsonObject => ({ type: 'object', ...more });

checkPairs('arrays', [
  [list({ items: int }), list({ items: num }), 'yes', 'no'],
  [list({ items: int }), list({}), 'yes', 'no'],
  [list({ items: false }), list({ maxItems: 0 }), 'yes', 'yes'],
  [list({ items: true }), list({}), 'yes', 'yes'],
  [list({ minItems: 2 }), list({ minItems: 1 }), 'yes', 'no'],
  [list({ maxItems: 1 }), list({ maxItems: 2 }), 'yes', 'no'],
  [list({ minItems: 2, maxItems: 1 }), false, 'yes', 'yes'],
  [list({ minItems: 1, items: false }), false, 'yes', 'yes'],
  [
    list({ minItems: 1, items: { type: 'string', minLength: 2, maxLength: 1 } }),
    false,
    'yes',
    'yes',
  ],
  [list({ items: { enum: [] } }), list({ maxItems: 0 }), 'yes', 'yes'],
  [list({ prefixItems: [int] }), list({ prefixItems: [num] }), 'yes', 'no'],
  [list({ prefixItems: [int, str] }), list({ prefixItems: [int] }), 'yes', 'no'],
  [list({ prefixItems: [int], items: false }), list({ items: int, maxItems: 1 }), 'yes', 'yes'],
  [list({ prefixItems: [int, int] }), list({ items: int }), 'no', 'yes'],
  [list({ prefixItems: [int, int], maxItems: 2 }), list({ items: int }), 'yes', 'no'],
  [list({ prefixItems: [int, false] }), list({ maxItems: 1 }), 'yes', 'no'],
  [
    list({ prefixItems: [str], items: int }),
    list({ items: { type: ['string', 'integer'] } }),
    'yes',
    'no',
  ],
  [list({ contains: int }), list({ minItems: 1 }), 'yes', 'no'],
  [list({ contains: int, minContains: 0 }), list({}), 'yes', 'yes'],
  [list({ contains: int, minContains: 2 }), list({ contains: int }), 'yes', 'no'],
  [list({ contains: int, maxContains: 2 }), list({ contains: int, maxContains: 3 }), 'yes', 'no'],
  [list({ contains: int, minContains: 3, maxContains: 2 }), false, 'yes', 'yes'],
  [list({ contains: int, minContains: 2, maxItems: 1 }), false, 'yes', 'yes'],
  [list({ contains: { const: 1 } }), list({ contains: int }), 'yes', 'no'],
  [list({ contains: int, items: str }), false, 'yes', 'yes'],
  [
    list({ contains: int, items: { type: ['integer', 'string'] }, maxItems: 1 }),
    list({ items: int }),
    'yes',
    'no',
  ],
  [
    list({ contains: int, maxContains: 0, minContains: 0 }),
    list({ items: { not: int } }),
    'yes',
    'yes',
  ],
  [list({ items: int, contains: true, maxContains: 2 }), list({ maxItems: 2 }), 'yes', 'no'],
  [list({ contains: true }), list({ minItems: 1 }), 'yes', 'yes'],
  [list({ contains: false }), false, 'yes', 'yes'],
  [
    list({ contains: int, items: num, minItems: 3, maxItems: 3, maxContains: 1 }),
    list({ contains: { not: int }, minContains: 2 }),
    'yes',
    'no',
  ],
  [list({ uniqueItems: true }), list({}), 'yes', 'no'],
  [list({ uniqueItems: true, items: bool }), list({ maxItems: 2 }), 'yes', 'no'],
  [list({ uniqueItems: true, items: bool }), list({ maxItems: 1 }), 'no', 'no'],
  [list({ uniqueItems: true, items: bool, minItems: 3 }), false, 'yes', 'yes'],
  [
    list({ uniqueItems: true, items: { enum: [1, 2, 3] }, minItems: 3 }),
    list({ contains: { const: 2 } }),
    'yes',
    'no',
  ],
  [
    list({
      uniqueItems: true,
      prefixItems: [{ enum: [1, 2] }, { enum: [1, 2] }, { enum: [1, 2] }],
      minItems: 3,
    }),
    false,
    'yes',
    'yes',
  ],
  [
    list({ uniqueItems: true, prefixItems: [{ enum: [1, 2] }, { const: 1 }], minItems: 2 }),
    list({ prefixItems: [{ const: 2 }] }),
    'yes',
    'no',
  ],
  [list({ uniqueItems: true, contains: { const: 1 }, minContains: 2 }), false, 'yes', 'yes'],
  [list({ maxItems: 1 }), list({ uniqueItems: true }), 'yes', 'no'],
  [list({ items: { const: 1 } }), list({ uniqueItems: true }), 'no', 'no'],
  [list({ not: { uniqueItems: true } }), list({ minItems: 2 }), 'yes', 'no'],
  [list({ not: { uniqueItems: true }, maxItems: 1 }), false, 'yes', 'yes'],
  [list({ prefixItems: [str, int], items: false }), list({ uniqueItems: true }), 'yes', 'no'],
  [
    list({ items: { items: int, type: 'array' } }),
    list({ items: list({ items: num }) }),
    'yes',
    'no',
  ],
  [list({ not: { items: int } }), list({ contains: { not: int } }), 'yes', 'yes'],
  [list({ not: { contains: int } }), list({ items: { not: int } }), 'yes', 'yes'],
  [{ items: int }, list({ items: int }), 'no', 'yes'],
]);

checkPairs('objects', [
  [record({ properties: { a: int } }), record({ properties: { a: num } }), 'yes', 'no'],
  [record({ properties: { a: int } }), record({}), 'yes', 'no'],
  [record({ properties: { a: true } }), record({}), 'yes', 'yes'],
  [record({ required: ['a', 'b'] }), record({ required: ['b', 'a'] }), 'yes', 'yes'],
  [record({ required: ['a'] }), record({}), 'yes', 'no'],
  [record({ required: ['a'] }), record({ minProperties: 1 }), 'yes', 'no'],
  [record({ properties: { a: false }, required: ['a'] }), false, 'yes', 'yes'],
  [record({ properties: { a: false } }), record({ not: { required: ['a'] } }), 'yes', 'yes'],
  [record({ additionalProperties: false }), { const: {} }, 'yes', 'yes'],
  [record({ additionalProperties: false }), record({ maxProperties: 0 }), 'yes', 'yes'],
  [record({ additionalProperties: int }), record({ additionalProperties: num }), 'yes', 'no'],
  [
    record({ properties: { a: str }, additionalProperties: false }),
    record({ properties: { a: str } }),
    'yes',
    'no',
  ],
  [
    record({ properties: { a: str }, additionalProperties: false }),
    record({ properties: { a: str, b: int } }),
    'yes',
    'no',
  ],
  [record({ properties: { a: str } }), record({ properties: { a: str, b: int } }), 'no', 'yes'],
  [
    record({ properties: { a: int }, additionalProperties: false }),
    record({ additionalProperties: int }),
    'yes',
    'no',
  ],
  [
    record({ properties: { a: str }, additionalProperties: int }),
    record({ additionalProperties: int }),
    'no',
    'no',
  ],
  [
    record({ patternProperties: { '^x-': str } }),
    record({ properties: { 'x-a': str } }),
    'yes',
    'no',
  ],
  [
    record({ patternProperties: { '^x-': int } }),
    record({ patternProperties: { '^x-a': num } }),
    'yes',
    'no',
  ],
  [
    record({ patternProperties: { '^a': int, b$: str } }),
    record({ properties: { ab: false } }),
    'yes',
    'no',
  ],
  [
    record({ patternProperties: { '^a': int }, additionalProperties: false }),
    record({ propertyNames: { pattern: '^a' } }),
    'yes',
    'no',
  ],
  [record({ patternProperties: { '': int } }), record({ additionalProperties: int }), 'yes', 'yes'],
  [
    record({ patternProperties: { '.*': int } }),
    record({ additionalProperties: int }),
    'yes',
    'yes',
  ],
  [
    record({ propertyNames: { maxLength: 2 } }),
    record({ propertyNames: { maxLength: 3 } }),
    'yes',
    'no',
  ],
  [record({ propertyNames: { enum: ['a', 'b'] } }), record({ maxProperties: 2 }), 'yes', 'no'],
  [
    record({ propertyNames: { enum: ['a', 'b'] }, minProperties: 2 }),
    record({ required: ['a', 'b'] }),
    'yes',
    'no',
  ],
  [record({ propertyNames: { enum: ['a', 'b'] }, minProperties: 3 }), false, 'yes', 'yes'],
  [record({ propertyNames: { pattern: '^[ab]$' }, minProperties: 3 }), false, 'yes', 'yes'],
  [
    record({ propertyNames: { pattern: '^[ab]$' }, minProperties: 2 }),
    record({ required: ['a'] }),
    'yes',
    'no',
  ],
  [record({ propertyNames: false }), { const: {} }, 'yes', 'yes'],
  [record({ propertyNames: { type: 'integer' } }), { const: {} }, 'yes', 'yes'],
  [
    record({ properties: { a: str }, propertyNames: { const: 'a' } }),
    record({ properties: { a: str }, additionalProperties: false }),
    'yes',
    'yes',
  ],
  [record({ minProperties: 2 }), record({ minProperties: 1 }), 'yes', 'no'],
  [record({ minProperties: 2, maxProperties: 1 }), false, 'yes', 'yes'],
  [record({ required: ['a', 'b'], maxProperties: 1 }), false, 'yes', 'yes'],
  [
    record({ required: ['a', 'b'], maxProperties: 2 }),
    record({ additionalProperties: false, properties: { a: {}, b: {} } }),
    'yes',
    'no',
  ],
  [
    record({ properties: { a: {}, b: {} }, additionalProperties: false, minProperties: 2 }),
    record({ required: ['a', 'b'] }),
    'yes',
    'no',
  ],
  [
    record({ properties: { a: {}, b: false }, additionalProperties: false, minProperties: 1 }),
    record({ required: ['a'] }),
    'yes',
    'no',
  ],
  [record({ dependentRequired: { a: ['b'] } }), record({}), 'yes', 'no'],
  [
    record({ dependentRequired: { a: ['b'] }, required: ['a'] }),
    record({ required: ['a', 'b'] }),
    'yes',
    'yes',
  ],
  [
    record({ dependentRequired: { a: ['b'], b: ['c'] } }),
    record({ dependentRequired: { a: ['c'] } }),
    'yes',
    'no',
  ],
  [
    record({ dependentRequired: { a: ['b'] }, maxProperties: 1 }),
    record({ not: { required: ['a'] } }),
    'yes',
    'no',
  ],
  [
    record({ dependentSchemas: { a: { required: ['b'] } } }),
    record({ dependentRequired: { a: ['b'] } }),
    'yes',
    'yes',
  ],
  [record({ dependentSchemas: { a: false } }), record({ properties: { a: false } }), 'yes', 'yes'],
  [
    record({ dependentSchemas: { a: { properties: { b: int } } }, required: ['a'] }),
    record({ properties: { b: num } }),
    'yes',
    'no',
  ],
  [
    record({ properties: { __proto__x: int } }),
    record({ properties: { __proto__x: num } }),
    'yes',
    'no',
  ],
  [
    record({ properties: { constructor: int }, required: ['constructor'] }),
    record({ required: ['constructor'] }),
    'yes',
    'no',
  ],
  [
    record({ properties: { a: record({ properties: { b: int }, required: ['b'] }) } }),
    record({ properties: { a: record({ required: ['b'] }) } }),
    'yes',
    'no',
  ],
  [{ properties: { a: int } }, record({ properties: { a: int } }), 'no', 'yes'],
  [{ required: ['a'] }, { required: ['a'], type: 'object' }, 'no', 'yes'],
  [record({ not: { required: ['a'] } }), record({ properties: { a: false } }), 'yes', 'yes'],
  [record({ not: { properties: { a: int } } }), record({ required: ['a'] }), 'yes', 'no'],
  [record({ not: { additionalProperties: int } }), record({ minProperties: 1 }), 'yes', 'no'],
  [record({ not: { propertyNames: { maxLength: 3 } } }), record({ minProperties: 1 }), 'yes', 'no'],
  [record({ not: { minProperties: 2 } }), record({ maxProperties: 1 }), 'yes', 'yes'],
]);

checkPairs('unevaluated', [
  [
    record({
      allOf: [{ properties: { a: str } }, { properties: { b: int } }],
      unevaluatedProperties: false,
    }),
    record({ properties: { a: str, b: int }, additionalProperties: false }),
    'yes',
    'yes',
  ],
  [
    record({ properties: { a: str }, unevaluatedProperties: false }),
    record({ properties: { a: str }, additionalProperties: false }),
    'yes',
    'yes',
  ],
  [
    record({ properties: { a: str }, unevaluatedProperties: int }),
    record({ properties: { a: str }, additionalProperties: num }),
    'yes',
    'no',
  ],
  [
    record({
      anyOf: [
        { properties: { k: { const: 1 }, a: str }, required: ['k'] },
        { properties: { k: { const: 2 }, b: str }, required: ['k'] },
      ],
      unevaluatedProperties: false,
    }),
    record({
      anyOf: [
        { properties: { k: { const: 1 }, a: str }, required: ['k'], additionalProperties: false },
        { properties: { k: { const: 2 }, b: str }, required: ['k'], additionalProperties: false },
      ],
    }),
    'yes',
    'yes',
  ],
  [
    record({
      anyOf: [{ properties: { a: str } }, { properties: { b: int } }],
      unevaluatedProperties: false,
    }),
    record({ properties: { a: true, b: true }, additionalProperties: false }),
    'yes',
    'no',
  ],
  [
    record({
      if: { properties: { k: { const: 1 } }, required: ['k'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of the schema under test.
      then: { properties: { a: str } },
      unevaluatedProperties: false,
    }),
    record({ properties: { k: { const: 1 }, a: str }, additionalProperties: false }),
    'yes',
    'no',
  ],
  [
    record({
      dependentSchemas: { a: { properties: { a: true, b: true } } },
      unevaluatedProperties: false,
    }),
    record({ properties: { a: true, b: true }, additionalProperties: false }),
    'yes',
    'no',
  ],
  [record({ not: { properties: { a: str } }, unevaluatedProperties: false }), false, 'yes', 'yes'],
  [
    record({ allOf: [{ additionalProperties: true }], unevaluatedProperties: false }),
    record({}),
    'yes',
    'yes',
  ],
  [
    list({ prefixItems: [str], unevaluatedItems: false }),
    list({ prefixItems: [str], items: false }),
    'yes',
    'yes',
  ],
  [
    list({
      allOf: [{ prefixItems: [str] }, { prefixItems: [true, int] }],
      unevaluatedItems: false,
    }),
    list({ prefixItems: [str, int], maxItems: 2 }),
    'yes',
    'yes',
  ],
  [list({ allOf: [{ items: str }], unevaluatedItems: false }), list({ items: str }), 'yes', 'yes'],
  [
    list({ prefixItems: [str], unevaluatedItems: int }),
    list({ prefixItems: [str], items: num }),
    'yes',
    'no',
  ],
]);

// ajv accepts [] for some of these, and counts items that `contains` matches wrongly.
checkPairs(
  'contains and unevaluatedItems',
  [
    [
      list({ contains: int, unevaluatedItems: str }),
      list({ items: { type: ['integer', 'string'] } }),
      'yes',
      'no',
    ],
    [
      list({ contains: int, unevaluatedItems: false }),
      list({ items: int, minItems: 1 }),
      'yes',
      'yes',
    ],
    [
      list({ prefixItems: [str], contains: int, unevaluatedItems: false }),
      list({ prefixItems: [str], items: int, minItems: 1 }),
      'yes',
      'no',
    ],
    [
      list({ prefixItems: [str], contains: int, unevaluatedItems: false, minItems: 2 }),
      list({ prefixItems: [str], items: int, minItems: 2 }),
      'yes',
      'yes',
    ],
    [
      list({
        prefixItems: [str, int],
        contains: int,
        maxContains: 1,
        items: { type: ['string', 'integer'] },
      }),
      list({ prefixItems: [str, int], items: str }),
      'yes',
      'no',
    ],
    [
      list({
        prefixItems: [str, int],
        minItems: 2,
        contains: int,
        maxContains: 1,
        items: { type: ['string', 'integer'] },
      }),
      list({ prefixItems: [str, int], items: str }),
      'yes',
      'no',
    ],
  ],
  { skipsAjv: true },
);
