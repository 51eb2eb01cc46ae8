// Arrays and objects of very many parts, all different: found by spelling out patterns and by varying
// one object, and proven not to be there where the values are too few.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

const different = (minItems: number, items: Json): JsonObject => ({
  ...{ type: 'array', uniqueItems: true, minItems, items },
});
const atMost = (maxItems: number): JsonObject => ({ type: 'array', maxItems });
const text = (more: JsonObject): JsonObject => ({ type: 'string', ...more });
const closed = (properties: JsonObject): JsonObject => ({
  ...{ type: 'object', properties, required: Object.keys(properties) },
  additionalProperties: false,
});
const keyed = (minProperties: number, pattern: string): JsonObject => ({
  ...{ type: 'object', minProperties, patternProperties: { [pattern]: true } },
  additionalProperties: false,
});

checkPairs('many items that differ', [
  [different(150, text({ pattern: '^[A-Z]{3}-\\d+$' })), atMost(149), 'no', 'no'],
  [different(150, text({ format: 'uuid' })), atMost(149), 'no', 'no'],
  [different(150, text({ format: 'date' })), atMost(149), 'no', 'no'],
  [different(150, closed({ id: text({ pattern: '^[a-z]{4}$' }) })), atMost(149), 'no', 'no'],
  [
    different(150, { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }),
    atMost(149),
    ...(['no', 'no'] as const),
  ],
  [
    different(150, closed({ flag: { type: 'boolean' }, at: closed({ id: { type: 'integer' } }) })),
    atMost(149),
    ...(['no', 'no'] as const),
  ],
  // 26 x 26 texts, and one more.
  [different(676, text({ pattern: '^[a-z]{2}$' })), atMost(675), 'no', 'no'],
  [different(677, text({ pattern: '^[a-z]{2}$' })), false, 'yes', 'yes'],
  [different(677, text({ pattern: '^[a-z]{2}$', minLength: 3 })), false, 'yes', 'yes'],
  [different(677, text({ pattern: '^[a-z]{2}$|^$' })), atMost(676), 'no', 'no'],
]);

checkPairs('many properties under a pattern', [
  [keyed(5_000, '^[a-z]{4}$'), { type: 'object', maxProperties: 4_999 }, 'no', 'no'],
  [
    { type: 'object', minProperties: 5_000, propertyNames: { pattern: '^[A-Z]{2,}$' } },
    { type: 'object', maxProperties: 4_999 },
    ...(['no', 'no'] as const),
  ],
]);
