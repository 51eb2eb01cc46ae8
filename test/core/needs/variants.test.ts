// Contracts of several variants that lose fields: a consumer of a field that a variant loses is never
// unaffected, whatever else goes at the same time.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/value/json.ts';
import { object, termsOf } from '../diff/support/terms.ts';
import { verdictFor } from './support.ts';

const names = ['p', 'q', 'r', 's'] as const;
const some = fc.subarray([...names]);

interface Change {
  readonly union: 'oneOf' | 'anyOf';
  readonly place: 'root' | 'property' | 'items';
  readonly before: readonly (readonly string[])[];
  readonly dropped: readonly (readonly string[])[];
  /** Fields of all variants that go, which no consumer reads. */
  readonly goes: readonly string[];
  readonly field: string;
  /** Each variant forbids what it does not describe. */
  readonly isStrict: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  union: fc.constantFrom('oneOf', 'anyOf'),
  place: fc.constantFrom('root', 'property', 'items'),
  before: fc.array(some, { minLength: 2, maxLength: 3 }),
  dropped: fc.array(fc.subarray([...names], { minLength: 1, maxLength: 2 }), {
    minLength: 3,
    maxLength: 3,
  }),
  goes: fc.subarray(['x', 'y']),
  field: fc.constantFrom(...names),
  isStrict: fc.boolean(),
});

function schemaOf(
  { union, place, isStrict }: Change,
  variants: Change['before'],
  all: readonly string[],
) {
  const fieldsOf = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key): [string, Json] => [key, { type: 'number' }]));
  const members = variants.map((keys, index) => ({
    ...(object({ kind: { const: `k${index}` }, ...fieldsOf(isStrict ? [...keys, ...all] : keys) }, [
      'kind',
    ]) as object),
    ...(isStrict && { additionalProperties: false }),
  }));
  const whole: Json = {
    ...(object({ kind: { type: 'string' }, ...fieldsOf(all) }) as object),
    [union]: members,
  };
  if (place === 'root') return whole;
  return object({ n: place === 'items' ? { type: 'array', items: whole } : whole });
}

test('a consumer of a field that a variant loses is not unaffected, and others are', () => {
  const paths = { root: '$.', property: '$.n.', items: '$.n[*].' };
  const tally = { lost: 0, kept: 0, strict: 0 };
  for (const each of fc.sample(change, { numRuns: 200, seed: 25 })) {
    const { before, dropped, goes, place, field } = each;
    if (!before.some((keys) => keys.includes(field))) continue;
    const after = before.map((keys, index) => keys.filter((key) => !dropped[index]?.includes(key)));
    const isLost = before.some((keys, at) => keys.includes(field) && !after[at]?.includes(field));
    const { verdict } = verdictFor(
      termsOf(schemaOf(each, before, ['z', ...goes])),
      termsOf(schemaOf(each, after, ['z'])),
      { fields: [`${paths[place]}${field}`] },
    );
    expect([verdict === 'unaffected', each]).toEqual([!isLost, each]);
    tally[isLost ? 'lost' : 'kept']++;
    if (isLost && each.isStrict) tally.strict++;
  }
  expect(Math.min(tally.lost, tally.kept, tally.strict)).toBeGreaterThan(20);
});

test.each<[string, Json, ('openapi-3.0' | '2020-12')?]>([
  ['null by its type', { type: 'null' }],
  ['null in a list of values', { enum: [null] }],
  ['null alone', { const: null }],
  ['a number', { const: 1.5 }],
  ['values of several types', { enum: ['none', 0, true] }],
  ['a list', { enum: [[1]] }],
  ['an object', { const: { z: 1 } }],
  ['no object', { not: { type: 'object' } }],
  ['what several parts say', { allOf: [{ enum: [null] }] }],
  ['what is defined elsewhere', { $ref: '#/$defs/none' }],
  ['a choice of values', { anyOf: [{ const: 1 }, { const: 'a' }] }],
  ['null, beside types that it has not', { type: ['object', 'null'], enum: [null] }],
  ['null alone, beside types that it has not', { type: ['object', 'null'], const: null }],
  ['a text, beside a type that it has not', { type: ['object', 'string'], enum: ['none'] }],
  ['an integer, beside types', { type: ['object', 'integer'], enum: [1] }],
  ['no object, beside types', { type: ['object', 'null'], not: { type: 'object' } }],
  ['nothing that exists', { type: 'object', enum: ['none'] }],
  ['null, in OpenAPI 3.0', { enum: [null] }, 'openapi-3.0'],
  [
    'null by the types, in OpenAPI 3.0',
    { type: 'object', nullable: true, enum: [null] },
    'openapi-3.0',
  ],
  ['nothing that exists, in OpenAPI 3.0', { type: 'object', enum: ['none'] }, 'openapi-3.0'],
  ['a text or null, in OpenAPI 3.0', { enum: ['none', null] }, 'openapi-3.0'],
  ['values of several types, in OpenAPI 3.0', { enum: ['none', 0] }, 'openapi-3.0'],
])(
  'a field of an object is of another type, where %s may stand in its place',
  (_what, none, dialect = '2020-12') => {
    for (const union of ['anyOf', 'oneOf']) {
      const saying = (b: Json): Json => ({
        ...(object({ customer: { [union]: [object({ b }), none] } }) as object),
        $defs: { none: { enum: [null] } },
      });
      const [old, next] = [{ type: 'integer' }, { type: 'string' }].map((b) => ({
        ...termsOf(saying(b)),
        dialect,
      }));
      if (old === undefined || next === undefined) throw new Error('Two were made.');
      expect(verdictFor(old, next, { fields: ['$.customer.b'] }).verdict).not.toBe('unaffected');
      expect(verdictFor(old, old, { fields: ['$.customer.b'] }).verdict).toBe('unaffected');
    }
  },
);

test('what `not` leaves in OpenAPI 3.0 is no list of values', () => {
  const terms = (more: object) => ({
    ...termsOf(
      object({
        n: {
          oneOf: [object({ a: { type: 'string' } }), { type: 'string' }],
          not: { required: ['z'] },
        },
        ...more,
      }),
    ),
    dialect: 'openapi-3.0' as const,
  });
  const changed = verdictFor(terms({ q: { type: 'string' } }), terms({ q: { type: 'integer' } }), {
    fields: ['$.n.a'],
  });
  expect(changed.verdict).toBe('unaffected');
});

const listOf = (bounds: object): Json => ({
  type: 'array',
  items: object({ a: { type: 'integer' } }),
  ...bounds,
});
test.each<[string, (bounds: object) => object]>([
  [
    'in a variant',
    (bounds) => ({
      anyOf: [
        object({ k: { const: 1 }, l: listOf(bounds) }, ['k', 'l']),
        object({ k: { const: 2 } }, ['k']),
      ],
    }),
  ],
  [
    'under a condition',
    (bounds) => ({
      ...(object({ k: {}, l: listOf({}) }, ['k', 'l']) as object),
      if: object({ k: { const: 1 } }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: object({ l: bounds as Json }),
    }),
  ],
  [
    'beside a field',
    (bounds) => ({
      ...(object({ k: {}, l: listOf({}) }, ['k', 'l']) as object),
      dependentSchemas: { k: { properties: { l: bounds } } },
    }),
  ],
])('who reads items may break where the list may be empty %s', (_what, schemaOf) => {
  const [old, next] = [{ minItems: 1 }, {}].map((bounds) =>
    termsOf(schemaOf(bounds) as Json, { direction: 'response' }),
  );
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  for (const field of ['$.l[*].a', '$.l[*]']) {
    expect(verdictFor(old, next, { fields: [field] }).verdict).not.toBe('unaffected');
  }
});

const [integer, text, nobody] = [
  { type: 'integer' },
  { type: 'string' },
  { type: 'null' },
] as const;
const detail = (other: Json): Json =>
  object({ o: { anyOf: [object({ b: integer }, ['b']), other] } });
const contact = (properties: object, more: object): Json => ({
  ...(object(properties as Record<string, Json>) as object),
  additionalProperties: false,
  ...more,
});
const eitherOf = { anyOf: [{ required: ['phone'] }, { required: ['email'] }] };
const typedBy = {
  anyOf: [{ required: ['k'], properties: { v: text } }, { properties: { v: integer } }],
};

test.each<[string, Json, Json, string]>([
  ['is no object begins to be anything', detail({ not: { type: 'object' } }), detail({}), '$.o.b'],
  [
    'is no object begins to be no list',
    detail({ not: { type: 'object' } }),
    detail({ not: { type: 'array' } }),
    '$.o.b',
  ],
  [
    'is a text or no object begins to be an object',
    detail({ type: ['string', 'object'], not: { anyOf: [{ type: 'object' }] } }),
    detail({ type: ['string', 'object'] }),
    '$.o.b',
  ],
  [
    'needs a field that cannot be there begins to have it',
    contact({ email: text }, eitherOf),
    contact({ email: text, phone: text }, eitherOf),
    '$.email',
  ],
  [
    'needs and describes a field that cannot be there begins to have it',
    contact(
      { email: text },
      { anyOf: [object({ phone: text }, ['phone']), { required: ['email'] }] },
    ),
    contact(
      { email: text, phone: text },
      { anyOf: [object({ phone: text }, ['phone']), { required: ['email'] }] },
    ),
    '$.email',
  ],
  [
    'types a field where one that cannot be there is begins to apply',
    contact({ v: {} }, typedBy),
    contact({ v: {}, k: text }, typedBy),
    '$.v',
  ],
  [
    'has as many fields as there can be begins to have another one',
    object({ a: false, b: text, c: text }, [], { minProperties: 2 }),
    object({ a: text, b: text, c: text }, [], { minProperties: 2 }),
    '$.b',
  ],
  ...['object', 'allOf', '$ref'].map((how): [string, Json, Json, string] => {
    const typed = (type: string): Json => {
      const spelled = {
        object: { type },
        allOf: { allOf: [{ type }] },
        $ref: { $ref: '#/$defs/t' },
      };
      return {
        ...(object({ o: { properties: { b: {} } } }) as object),
        $defs: { t: { type } },
        if: object({ o: spelled[how as 'object'] }, ['o']),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: object({ o: { properties: { b: integer } } }),
      };
    };
    return [
      `asks for a type by ${how} asks for another one`,
      typed('object'),
      typed('string'),
      '$.o.b',
    ];
  }),
])('who reads a field may break where what %s', (_what, before, after, field) => {
  const [old, next] = [before, after].map((each) => termsOf(each, { direction: 'response' }));
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, { fields: [field] }).verdict).not.toBe('unaffected');
  expect(verdictFor(old, old, { fields: [field] }).verdict).toBe('unaffected');
});

const customer = object({ email: text, name: text });
const only = (schema: Json) => ({ ...(object({ customer: schema }) as object) });
test.each<[string, Json, Json]>([
  ['null', { oneOf: [customer, nobody] }, customer],
  ['a text', { anyOf: [customer, text] }, customer],
  [
    'a short text',
    { anyOf: [customer, text] },
    { anyOf: [customer, { ...(text as object), minLength: 3 }] },
  ],
  [
    'a long list',
    { anyOf: [customer, { type: 'array' }] },
    { anyOf: [customer, { type: 'array', maxItems: 1 }] },
  ],
])('who sends a part of an object may send %s in its place', (_what, before, after) => {
  const [old, next] = [before, after].map((each) =>
    termsOf(only(each) as Json, { direction: 'request' }),
  );
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, { fields: ['$.customer.email'] }).verdict).toBe('breaks');
});

test('who sends a field sends what `not` demands with it', () => {
  const sent = (values: readonly Json[]): Json =>
    object({ k: { enum: values }, c: text }, [], {
      not: { required: ['k'], not: { required: ['c'] } },
    });
  const [old, next] = [sent([1, 2]), sent([1])].map((each) =>
    termsOf(each, { direction: 'request' }),
  );
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, { fields: ['$.k'] }).verdict).toBe('breaks');
});

const pair = object({ a: text, b: integer }, ['a', 'b']);
const mapOf = (others: Json): Json => ({ type: 'object', additionalProperties: others });
test.each<[string, Json, Json, readonly string[]]>([
  [
    'that has as many as are demanded',
    object({ o: object({ a: integer, b: integer }, [], { minProperties: 2 }) }),
    object({ o: object({ a: integer, b: text }, [], { minProperties: 2 }) }),
    ['$.o.b'],
  ],
  ...[
    { not: { properties: { a: text } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { required: ['a'] }, then: {}, else: { properties: { b: false } } },
  ].map((more, index): [string, Json, Json, readonly string[]] => [
    `with one that a condition asks for (${index})`,
    object({ o: object({ a: {}, b: integer }, [], more) }),
    object({ o: object({ a: {}, b: text }, [], more) }),
    ['$.o.b'],
  ]),
  [
    'beside which any other may be, in a map',
    mapOf({ anyOf: [pair, {}] }),
    mapOf({ anyOf: [pair, { maxProperties: 1 }] }),
    ['$.*.b'],
  ],
])('who sends a field %s is not left out', (_what, before, after, fields) => {
  const [old, next] = [before, after].map((each) => termsOf(each, { direction: 'request' }));
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, { fields }).verdict).not.toBe('unaffected');
});

test.each<[string, (name: Json) => Json]>([
  [
    'in the other member of a choice',
    (locale) =>
      ({
        oneOf: [
          object({ email: text, password: text }, ['email', 'password']),
          object({ phone: text, locale }, ['phone']),
        ],
      }) as Json,
  ],
  [
    'in what is refused together with another one',
    (locale) =>
      object({ email: text, locale, phone: text }, [], { not: { required: ['locale', 'phone'] } }),
  ],
])('who sends some fields is not affected by a field %s', (_what, schemaOf) => {
  const [old, next] = [text, integer].map((each) =>
    termsOf(schemaOf(each), { direction: 'request' }),
  );
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, { fields: ['$.email'] }).verdict).toBe('unaffected');
});

test.each<[string, object]>([
  ['not', { not: { type: 'object', required: ['z'] } }],
  [
    'oneOf',
    {
      oneOf: ['a', 'z'].map((name) => ({ type: 'object', required: [name] })),
    },
  ],
  ['then', conditional({ required: ['z'] }, { type: 'object', required: ['a'] })],
])(
  'who reads a field is not affected where %s, which says the type once more, goes',
  (_what, said) => {
    const [old, next] = [said, {}].map((more) =>
      termsOf(object({ id: text, a: text, z: text }, ['id'], more as Record<string, Json>), {
        direction: 'response',
      }),
    );
    if (old === undefined || next === undefined) throw new Error('There are two versions.');
    expect(verdictFor(old, next, { fields: ['$.id'] }).verdict).toBe('unaffected');
  },
);

function conditional(tested: Json, followed: Json): object {
  return Object.fromEntries([
    ['if', tested],
    ['then', followed],
  ]);
}
