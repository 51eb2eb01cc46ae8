// "Two schemas that mean the same give no change but annotations": one row a rewriting of
// docs/compatibility.md, each in a place of its own and inside a document.

import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { type Json, parseJson } from '../../../src/core/value/json.ts';
import { between, directions, modes } from './support/terms.ts';

const address: Json = {
  type: 'object',
  properties: { zip: { type: 'string' } },
  required: ['zip'],
};

interface Rewriting {
  readonly name: string;
  readonly one: Json;
  readonly other: Json;
  readonly dialect?: Dialect;
}

const rewritings: readonly Rewriting[] = [
  {
    name: 'the order of keys',
    one: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'null' } } },
    other: { properties: { b: { type: 'null' }, a: { type: 'string' } }, type: 'object' },
  },
  {
    name: 'the order of required',
    one: { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    other: { type: 'object', properties: { a: {}, b: {} }, required: ['b', 'a'] },
  },
  { name: 'the order of enum', one: { enum: ['x', 1, null] }, other: { enum: [null, 'x', 1] } },
  {
    name: 'the order of type lists',
    one: { type: ['string', 'integer'] },
    other: { type: ['integer', 'string'] },
  },
  { name: 'a type and a list of that type', one: { type: 'string' }, other: { type: ['string'] } },
  {
    name: 'a keyword that asks for nothing, and none',
    one: { type: 'array', items: { minLength: 0 }, minItems: 0, uniqueItems: false },
    other: { type: 'array' },
  },
  {
    name: 'the order of parts that cannot be merged key by key',
    one: {
      allOf: [
        { patternProperties: { '^a': { type: 'null' } } },
        { additionalProperties: { type: 'string' } },
      ],
    },
    other: {
      allOf: [
        { additionalProperties: { type: 'string' } },
        { patternProperties: { '^a': { type: 'null' } } },
      ],
    },
  },
  {
    name: '$ref and its target inlined',
    one: { type: 'object', properties: { home: { $ref: '#/$defs/a' } }, $defs: { a: address } },
    other: { type: 'object', properties: { home: address } },
  },
  {
    name: '$ref to $ref and its target inlined',
    one: { $ref: '#/$defs/b', $defs: { a: address, b: { $ref: '#/$defs/a' } } },
    other: address,
  },
  {
    name: 'allOf and its merge',
    one: {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } }, minProperties: 1 },
      ],
    },
    other: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a'],
      minProperties: 1,
    },
  },
  {
    name: 'allOf on one property and its merge',
    one: { properties: { a: { allOf: [{ minLength: 1 }, { type: 'string', maxLength: 5 }] } } },
    other: { properties: { a: { type: 'string', minLength: 1, maxLength: 5 } } },
  },
  {
    name: 'allOf where one member closes the object, and its merge',
    one: {
      allOf: [
        { properties: { a: { type: 'string' } }, additionalProperties: { type: 'integer' } },
        { properties: { b: { minimum: 3 } } },
      ],
    },
    other: {
      properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 3 } },
      additionalProperties: { type: 'integer' },
    },
  },
  { name: 'const and an enum of one', one: { const: 1 }, other: { enum: [1] } },
  { name: '{} and true', one: { properties: { a: {} } }, other: { properties: { a: true } } },
  {
    name: 'definitions and $defs',
    one: { properties: { a: { $ref: '#/definitions/x' } }, definitions: { x: address } },
    other: { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: address } },
  },
  {
    name: 'nullable: true and a type list with null',
    one: { type: 'string', minLength: 1, nullable: true },
    other: { anyOf: [{ type: 'string', minLength: 1 }, { enum: [null] }] },
    dialect: 'openapi-3.0',
  },
  {
    name: 'anyOf with a null branch and a nullable type',
    one: { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
    other: { type: ['string', 'null'], minLength: 2 },
  },
  {
    name: 'oneOf with a null branch and a nullable type',
    one: { oneOf: [{ type: 'null' }, { type: 'string', minLength: 2 }] },
    other: { type: ['null', 'string'], minLength: 2 },
  },
  {
    name: 'anyOf with a null branch and a reference, and a nullable object',
    one: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }], $defs: { a: address } },
    other: { ...(address as object), type: ['object', 'null'] },
  },
  {
    name: 'anyOf with a null branch and an enum with null',
    one: { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] },
    other: { enum: ['a', 'b', null] },
  },
  {
    name: 'on integers minimum: 3 and exclusiveMinimum: 2',
    one: { type: 'integer', minimum: 3, maximum: 9 },
    other: { type: 'integer', exclusiveMinimum: 2, exclusiveMaximum: 10 },
  },
  {
    name: 'on integers minimum: 3 and minimum: 2.5',
    one: { type: 'integer', minimum: 3 },
    other: { type: 'integer', minimum: 2.5 },
  },
  {
    name: 'integer and number in one list',
    one: { type: ['integer', 'number'] },
    other: { type: 'number' },
  },
  {
    name: 'numbers in another spelling',
    one: { minimum: 100, const: 1 },
    other: { minimum: 1e2, const: 1.0 },
  },
  {
    name: 'a constraint on another type than the one there is',
    one: { type: 'integer', maxLength: 3 },
    other: { type: 'integer' },
  },
  {
    name: 'anyOf of constants and an enum',
    one: { anyOf: [{ const: 'a' }, { const: 'b' }] },
    other: { enum: ['b', 'a'] },
  },
  {
    name: 'anyOf of types that exclude each other and a list of types',
    one: {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'integer', minimum: 0 },
      ],
    },
    other: { type: ['integer', 'string'], minLength: 1, minimum: 0 },
  },
  {
    name: 'anyOf inside anyOf',
    one: { anyOf: [{ anyOf: [{ minLength: 2 }, { minimum: 3 }] }, { maxItems: 1 }] },
    other: { anyOf: [{ maxItems: 1 }, { minLength: 2 }, { minimum: 3 }] },
  },
  {
    name: 'the order of anyOf',
    one: { anyOf: [{ minLength: 2 }, { minimum: 3 }] },
    other: { anyOf: [{ minimum: 3 }, { minLength: 2 }] },
  },
  {
    name: 'additionalProperties: false and unevaluatedProperties: false',
    one: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    other: { type: 'object', properties: { a: { type: 'string' } }, unevaluatedProperties: false },
  },
  {
    name: 'unevaluatedProperties around an allOf, and the merge closed',
    one: {
      allOf: [{ $ref: '#/$defs/a' }],
      properties: { b: { type: 'integer' } },
      unevaluatedProperties: false,
      $defs: { a: { properties: { a: { type: 'string' } } } },
    },
    other: {
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      additionalProperties: false,
    },
  },
  {
    name: 'unevaluatedItems: false and items: false',
    one: { prefixItems: [{ type: 'string' }], unevaluatedItems: false },
    other: { prefixItems: [{ type: 'string' }], items: false },
  },
  {
    name: 'items: false and maxItems: 0',
    one: { type: 'array', items: false },
    other: { type: 'array', maxItems: 0 },
  },
  {
    name: 'items that no array is long enough for',
    one: { type: 'array', prefixItems: [{ type: 'string' }, false, { type: 'null' }], items: {} },
    other: { type: 'array', prefixItems: [{ type: 'string' }], maxItems: 1 },
  },
  {
    name: 'anyOf of types with constraints of the same kind, and the types side by side',
    one: {
      anyOf: [
        { type: 'integer', multipleOf: 3 },
        { type: 'string', pattern: '^a' },
      ],
    },
    other: { type: ['integer', 'string'], multipleOf: 3, pattern: '^a' },
  },
  {
    name: 'a list of both booleans and the type',
    one: { enum: [true, false] },
    other: { type: 'boolean' },
  },
  {
    name: 'an exclusive minimum of draft-04 and of 2020-12',
    one: { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 3, exclusiveMinimum: true },
    other: { exclusiveMinimum: 3 },
  },
  {
    name: 'items in a list and prefixItems',
    one: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: { type: 'null' },
    },
    other: { prefixItems: [{ type: 'string' }], items: { type: 'null' } },
  },
  {
    name: 'dependencies and dependentRequired',
    one: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      dependencies: { a: ['b'], c: { minProperties: 3 } },
    },
    other: { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { minProperties: 3 } } },
  },
  {
    name: 'recursion unrolled once',
    one: {
      $ref: '#/$defs/n',
      $defs: { n: { properties: { next: { $ref: '#/$defs/n' }, v: { type: 'null' } } } },
    },
    other: {
      properties: { v: { type: 'null' }, next: { $ref: '#/$defs/n' } },
      $defs: { n: { properties: { next: { $ref: '#/$defs/n' }, v: { type: 'null' } } } },
    },
  },
  {
    name: 'recursion through two definitions and through one',
    one: {
      $ref: '#/$defs/a',
      $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { items: { $ref: '#/$defs/a' } } },
    },
    other: { items: { $ref: '#' } },
  },
  {
    name: 'an unused definition',
    one: { type: 'string', $defs: { unused: { type: 'integer' } } },
    other: { type: 'string' },
  },
  {
    name: 'no additionalProperties and additionalProperties: true',
    one: { properties: { a: { type: 'string' } }, additionalProperties: true },
    other: { properties: { a: { type: 'string' } }, additionalProperties: {} },
  },
];

/** The same inside a document, so that it is not only told at the root. */
function within(schema: Json): Json {
  const { $defs, definitions, $schema, ...inner } = schema as { readonly [key: string]: Json };
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { part: { type: 'array', items: inner } },
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function exact(text: string): Json {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : null;
}

const nothing = { changes: [], isBreaking: false, breaksBackward: false, bump: 'none' };

describe('Schemas that mean the same give no change', () => {
  for (const { name, one, other, dialect } of rewritings) {
    const setting = dialect === undefined ? {} : { dialect };
    for (const [place, a, b] of [
      ['at the root', one, other],
      ['inside a document', within(one), within(other)],
    ] as const) {
      // What refers to the root cannot be moved below it.
      if (place !== 'at the root' && JSON.stringify([one, other]).includes('"#"')) continue;
      test(`${name}, ${place}`, () => {
        expect(between(a, b, setting)).toMatchObject(nothing);
        expect(between(b, a, setting)).toMatchObject(nothing);
        expect(canonicalText(a, dialect)).toBe(canonicalText(b, dialect));
      });
    }
  }

  test('under every mode and direction', () => {
    for (const { one, other, dialect } of rewritings) {
      for (const mode of modes) {
        for (const direction of directions) {
          const setting = { mode, direction, ...(dialect === undefined ? {} : { dialect }) };
          expect(between(one, other, setting)).toMatchObject(nothing);
        }
      }
    }
  });

  test('what only the engine can tell is no change either', () => {
    for (const [one, other] of [
      [{ pattern: '^a+$' }, { pattern: '^aa*$' }],
      [
        { type: 'integer', enum: [1, 2, 3] },
        { type: 'integer', minimum: 1, maximum: 3 },
      ],
      [{ not: { not: { type: 'string' } } }, { type: 'string' }],
      [
        { type: 'array', items: { not: {} } },
        { type: 'array', maxItems: 0 },
      ],
      [
        { type: 'array', prefixItems: [{ type: 'string' }], items: false },
        { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ],
      [
        {
          properties: { a: { type: 'string' } },
          anyOf: [{ required: ['a'] }, { maxProperties: 3 }],
          additionalProperties: false,
        },
        {
          properties: { a: { type: 'string' } },
          anyOf: [{ required: ['a'] }, { maxProperties: 3 }],
          unevaluatedProperties: false,
        },
      ],
      [
        { type: 'number', multipleOf: 6 },
        { allOf: [{ type: 'number', multipleOf: 2 }, { multipleOf: 3 }] },
      ],
      [
        {
          oneOf: [
            { type: 'string', maxLength: 3 },
            { type: 'string', minLength: 4 },
          ],
        },
        { type: 'string' },
      ],
    ] as const) {
      for (const mode of modes) {
        expect(between(one, other, { mode })).toMatchObject(nothing);
        expect(between(other, one, { mode })).toMatchObject(nothing);
      }
    }
  });
});

describe('Schemas that mean something else have another canonical text', () => {
  const different: readonly (readonly [string, Json, Json])[] = [
    ['a description', { type: 'string' }, { type: 'string', description: 'x' }],
    ['a default', { default: 1 }, { default: 2 }],
    ['a type', { type: 'string' }, { type: 'integer' }],
    ['properties: {} and none', { type: 'object', properties: {} }, { type: 'object' }],
    [
      'anyOf and oneOf',
      { anyOf: [{ minLength: 2 }, { minimum: 3 }] },
      { oneOf: [{ minLength: 2 }, { minimum: 3 }] },
    ],
    [
      'the order of prefixItems',
      { prefixItems: [{ type: 'null' }, {}] },
      { prefixItems: [{}, { type: 'null' }] },
    ],
    [
      'which property',
      { properties: { a: { type: 'null' }, b: {} } },
      { properties: { b: { type: 'null' }, a: {} } },
    ],
    ['a large number', { const: exact('9007199254740993') }, { const: exact('9007199254740992') }],
    [
      'a circle of two and of three',
      { items: { items: { type: 'array', items: { $ref: '#' } } } },
      { items: { type: 'array', items: { $ref: '#' } } },
    ],
    ['a number and its text', { const: 1 }, { const: '1' }],
    [
      'a list beside a pattern',
      { anyOf: [{ enum: ['a'], pattern: '^b' }, { enum: ['c'] }] },
      { enum: ['a', 'c'] },
    ],
    [
      'a format beside another type',
      { anyOf: [{ type: 'integer', format: 'date' }, { type: 'string' }] },
      { type: ['integer', 'string'], format: 'date' },
    ],
    [
      'unevaluatedProperties beside another schema, and around it',
      { allOf: [{ properties: { a: {} } }, { unevaluatedProperties: false }] },
      { properties: { a: {} }, unevaluatedProperties: false },
    ],
    ['minimum and its exclusive', { minimum: 1 }, { exclusiveMinimum: 1 }],
    [
      'additionalProperties true beside unevaluatedProperties',
      { additionalProperties: true, unevaluatedProperties: false },
      { unevaluatedProperties: false },
    ],
  ];
  test.each(different)('%s', (_name, one, other) => {
    expect(canonicalText(one)).not.toBe(canonicalText(other));
  });
});
