import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';

const keys = ['a', 'b', 'c'] as const;
const someKey = fc.constantFrom(...keys);
const someKeys = fc.subarray([...keys], { minLength: 1 });

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(true, {}, { type: 'string' }, { type: 'integer' }, { type: 'number' }),
  fc.constantFrom<Json>({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, false),
  fc
    .subarray<Json>(['x', 'y', 1, 2, null], { minLength: 1 })
    .map((values): Json => ({ enum: values })),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -2, max: 2 }) }),
  fc.record({ type: fc.constant('number'), maximum: fc.integer({ min: -2, max: 4 }) }),
  fc.record({
    type: fc.constant('string'),
    minLength: fc.nat(2),
    maxLength: fc.integer({ min: 1, max: 4 }),
  }),
  fc.constantFrom<Json>(
    { pattern: '^x' },
    { type: 'string', pattern: '^[xy]+$' },
    { format: 'date' },
  ),
);

const schemas = fc.letrec<{ schema: Json; object: Json; union: Json }>((tie) => {
  const child = tie('schema');
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      tie('object'),
      tie('union'),
      fc.record({ type: fc.constant('array'), items: child }),
      fc.record({ prefixItems: fc.array(child, { minLength: 1, maxLength: 2 }), items: child }),
      fc.tuple(child, child).map(([one, other]): Json => ({ allOf: [one, other] })),
      child.map((schema): Json => ({ not: schema })),
      fc.constantFrom<Json>({ $ref: '#/$defs/d' }, { $ref: '#/$defs/e' }),
    ),
    object: fc
      .record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(someKey, child, { maxKeys: 3 }),
          required: someKeys,
          additionalProperties: fc.oneof(fc.boolean(), child),
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), child, { maxKeys: 1 }),
          dependentRequired: fc.dictionary(someKey, someKeys, { maxKeys: 1 }),
          minProperties: fc.nat(2),
          description: fc.constantFrom('one', 'two'),
          default: fc.constantFrom<Json>(1, 'x'),
        },
        { requiredKeys: ['type'] },
      )
      .map((schema) => schema as Json),
    union: fc
      .tuple(fc.constantFrom('anyOf', 'oneOf'), fc.array(child, { minLength: 1, maxLength: 3 }))
      .map(([keyword, members]): Json => ({ [keyword]: members })),
  };
});

/** Small schemas that are nasty: references, recursion, unions, patterns, closed and open objects. */
export const anySchema: fc.Arbitrary<Json> = fc
  .tuple(schemas.schema, schemas.object, schemas.object)
  .map(([root, d, e]): Json => {
    const definitions = { $defs: { d, e } };
    const whole = typeof root === 'boolean' ? { allOf: [root] } : (root as JsonObject);
    return unshared({ ...whole, ...definitions });
  });

/** Values that the schemas above speak of. */
export const anyValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, false, -1, 0, 1, 2, 3, 1.5, '', 'x', 'y', 'xy', 'xxxxx'),
    fc.constantFrom<Json>('2024-02-29', 'a', [], {}),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'ab'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Two schemas that are often close: the second is the first with one part replaced. */
export const schemaPair: fc.Arbitrary<readonly [Json, Json]> = fc.oneof(
  fc.tuple(anySchema, anySchema),
  fc
    .tuple(anySchema, fc.oneof(leaf, schemas.object), fc.nat(1_000))
    .map(([schema, part, seed]) => [schema, unshared(replaced(schema, part, seed))] as const),
);

/** The schema with one of its subschemas, chosen by the seed, replaced. */
function replaced(schema: Json, part: Json, seed: number): Json {
  const places: (readonly string[])[] = [];
  const visit = (value: Json, trail: readonly string[]) => {
    if (typeof value !== 'object' || value === null || 'rawJSON' in value) return;
    for (const [key, member] of Object.entries(value)) {
      const below = [...trail, key];
      const holder = trail.at(-1) ?? '';
      const isSchemaPlace =
        [
          'properties',
          'patternProperties',
          'anyOf',
          'oneOf',
          'allOf',
          'prefixItems',
          '$defs',
        ].includes(holder) || ['items', 'additionalProperties', 'not'].includes(key);
      if (isSchemaPlace) places.push(below);
      visit(member as Json, below);
    }
  };
  visit(schema, []);
  const chosen = places[seed % Math.max(1, places.length)];
  return chosen === undefined ? part : put(schema, chosen, part);
}

function put(value: Json, trail: readonly string[], part: Json): Json {
  const [key, ...rest] = trail;
  if (key === undefined) return part;
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => (String(index) === key ? put(item, rest, part) : item));
  }
  const object = value as JsonObject;
  return { ...object, [key]: put(object[key] ?? null, rest, part) };
}

/** As it comes from a text: no part stands in two places. */
function unshared(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema));
}
