// Types, numbers, strings, patterns, formats, enums.

import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { accepts, checkPairs } from './check-pairs.ts';

checkPairs('types', [
  [true, {}, 'yes', 'yes'],
  [false, {}, 'yes', 'no'],
  [{ not: {} }, false, 'yes', 'yes'],
  [{ type: 'integer' }, { type: 'number' }, 'yes', 'no'],
  [{ type: 'string' }, { type: ['string'] }, 'yes', 'yes'],
  [{ type: ['string', 'null'] }, { type: ['null', 'string'] }, 'yes', 'yes'],
  [{ type: 'string' }, { type: ['string', 'null'] }, 'yes', 'no'],
  [{ type: 'string' }, { type: 'integer' }, 'no', 'no'],
  [{ type: ['integer', 'number'] }, { type: 'number' }, 'yes', 'yes'],
  [{ type: ['integer', 'string'] }, { type: ['number', 'string'] }, 'yes', 'no'],
  [{ type: 'boolean' }, { enum: [true, false] }, 'yes', 'yes'],
  [{ type: 'null' }, { const: null }, 'yes', 'yes'],
  [{ type: 'object' }, { type: 'array' }, 'no', 'no'],
  [{ type: ['null', 'boolean', 'number', 'string', 'array', 'object'] }, {}, 'yes', 'yes'],
  [{ type: ['null', 'boolean', 'integer', 'string', 'array', 'object'] }, {}, 'yes', 'no'],
  [
    { not: { type: 'string' } },
    { type: ['null', 'boolean', 'number', 'array', 'object'] },
    'yes',
    'yes',
  ],
  [{ not: { type: 'integer' } }, { not: { type: 'number' } }, 'no', 'yes'],
  [{ type: 'number', not: { type: 'integer' } }, { type: 'number' }, 'yes', 'no'],
  [{ type: [] }, false, 'yes', 'yes'],
]);

checkPairs('numbers', [
  [{ minimum: 3 }, { minimum: 2 }, 'yes', 'no'],
  [{ maximum: 2 }, { maximum: 3 }, 'yes', 'no'],
  [{ exclusiveMinimum: 2 }, { minimum: 2 }, 'yes', 'no'],
  [{ type: 'integer', minimum: 3 }, { type: 'integer', exclusiveMinimum: 2 }, 'yes', 'yes'],
  [{ type: 'number', minimum: 3 }, { type: 'number', exclusiveMinimum: 2 }, 'yes', 'no'],
  [{ type: 'integer', minimum: 2.5 }, { type: 'integer', minimum: 3 }, 'yes', 'yes'],
  [{ type: 'integer', maximum: 3.9 }, { type: 'integer', maximum: 3 }, 'yes', 'yes'],
  [{ type: 'number', minimum: 5, maximum: 4 }, false, 'yes', 'yes'],
  [{ type: 'number', minimum: 5, exclusiveMaximum: 5 }, false, 'yes', 'yes'],
  [{ type: 'number', minimum: 5, maximum: 5 }, { const: 5 }, 'yes', 'yes'],
  [{ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 }, false, 'yes', 'yes'],
  [{ type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 2 }, false, 'no', 'yes'],
  [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 2 }, { const: 1 }, 'yes', 'yes'],
  [{ type: 'integer', minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }, 'yes', 'yes'],
  [{ type: 'integer', minimum: 1, maximum: 4 }, { enum: [1, 2, 3] }, 'no', 'yes'],
  [{ type: 'number', minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }, 'no', 'yes'],
  [{ multipleOf: 6, type: 'number' }, { multipleOf: 3 }, 'yes', 'no'],
  [{ multipleOf: 6, type: 'number' }, { multipleOf: 4 }, 'no', 'no'],
  [{ allOf: [{ multipleOf: 4 }, { multipleOf: 6 }] }, { multipleOf: 12 }, 'yes', 'yes'],
  [{ type: 'number', multipleOf: 1 }, { type: 'integer' }, 'yes', 'yes'],
  [{ type: 'number', multipleOf: 0.5 }, { type: 'integer' }, 'no', 'yes'],
  [{ type: 'number', multipleOf: 0.01 }, { multipleOf: 0.001 }, 'yes', 'no'],
  [{ type: 'integer', multipleOf: 0.5 }, { type: 'integer' }, 'yes', 'yes'],
  [{ type: 'integer', multipleOf: 1.5 }, { multipleOf: 3 }, 'yes', 'no'],
  [{ type: 'number', multipleOf: 7, minimum: 1, maximum: 6 }, false, 'yes', 'yes'],
  [{ type: 'number', multipleOf: 7, minimum: 1, maximum: 7 }, { const: 7 }, 'yes', 'yes'],
  [{ type: 'number', multipleOf: 7, minimum: 0, maximum: 14 }, { enum: [0, 7, 14] }, 'yes', 'yes'],
  [{ type: 'integer', not: { multipleOf: 2 } }, { not: { const: 4 } }, 'yes', 'no'],
  [{ type: 'integer', not: { multipleOf: 2 }, minimum: 2, maximum: 4 }, { const: 3 }, 'yes', 'yes'],
  [{ type: 'integer' }, { anyOf: [{ multipleOf: 2 }, { not: { multipleOf: 2 } }] }, 'yes', 'no'],
  [
    { type: 'number', minimum: 0, maximum: 10 },
    { type: 'number', anyOf: [{ maximum: 5 }, { minimum: 5 }] },
    'yes',
    'no',
  ],
  [
    { type: 'number', minimum: 0, maximum: 10 },
    {
      type: 'number',
      minimum: 0,
      maximum: 10,
      anyOf: [{ exclusiveMaximum: 5 }, { exclusiveMinimum: 5 }],
    },
    'no',
    'yes',
  ],
  [
    { type: 'integer', minimum: 0, maximum: 10 },
    {
      type: 'integer',
      anyOf: [
        { minimum: 0, maximum: 3 },
        { minimum: 4, maximum: 7 },
        { minimum: 8, maximum: 10 },
      ],
    },
    'yes',
    'yes',
  ],
  [
    { type: 'integer', maximum: 9007199254740991 },
    { type: 'integer', maximum: 9007199254740990 },
    'no',
    'yes',
  ],
  [{ type: 'number', minimum: 0.1 }, { type: 'number', minimum: 0.1 }, 'yes', 'yes'],
  [{ type: 'number', minimum: 0.3 }, { type: 'number', minimum: 0.30000000000000004 }, 'no', 'yes'],
  [{ minimum: 3 }, { type: 'string' }, 'no', 'yes'],
]);

checkPairs('strings', [
  [{ minLength: 3 }, { minLength: 2 }, 'yes', 'no'],
  [{ type: 'string', maxLength: 0 }, { const: '' }, 'yes', 'yes'],
  [{ type: 'string', minLength: 2, maxLength: 1 }, false, 'yes', 'yes'],
  [{ type: 'string', minLength: 1 }, { type: 'string', not: { const: '' } }, 'yes', 'yes'],
  [{ type: 'string', pattern: '^a+$' }, { pattern: '^a' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^a+$' }, { pattern: 'a$' }, 'yes', 'no'],
  [{ type: 'string', pattern: 'b' }, { type: 'string', minLength: 1 }, 'yes', 'no'],
  [
    { type: 'string', pattern: '^[0-9]{3}$' },
    { type: 'string', minLength: 3, maxLength: 3 },
    'yes',
    'no',
  ],
  [{ type: 'string', pattern: '^[ab]$' }, { enum: ['a', 'b'] }, 'yes', 'yes'],
  [{ type: 'string', pattern: '^[ab]$' }, { enum: ['a'] }, 'no', 'yes'],
  [{ type: 'string', pattern: '^(foo|bar)$' }, { enum: ['foo', 'bar', 'baz'] }, 'yes', 'no'],
  [{ type: 'string', pattern: '^a', maxLength: 0 }, false, 'yes', 'yes'],
  [{ type: 'string', pattern: '^ab', maxLength: 2 }, { const: 'ab' }, 'yes', 'yes'],
  [{ type: 'string', pattern: '^\\d+$' }, { pattern: '^[0-9]+$' }, 'yes', 'no'],
  [
    { type: 'string', pattern: '^\\w+$' },
    { type: 'string', pattern: '^[A-Za-z0-9_]+$' },
    'yes',
    'yes',
  ],
  [{ type: 'string', pattern: '' }, { type: 'string' }, 'yes', 'yes'],
  [{ type: 'string', pattern: '^.*$' }, { type: 'string' }, 'yes', 'no'],
  [{ type: 'string', pattern: 'a|b' }, { type: 'string', pattern: '[ab]' }, 'yes', 'yes'],
  [
    { allOf: [{ pattern: '^a' }, { pattern: 'b$' }], type: 'string' },
    { pattern: '^a.*b$' },
    'no',
    'no',
  ],
  [
    { type: 'string', not: { pattern: '^a' } },
    { type: 'string', pattern: '^([^a]|$)' },
    'yes',
    'yes',
  ],
  [
    { type: 'string', pattern: '^[a-z]{1,3}$' },
    {
      anyOf: [
        { type: 'string', pattern: '^[a-z]$' },
        { type: 'string', pattern: '^[a-z]{2}$' },
        { type: 'string', pattern: '^[a-z]{3}$' },
      ],
    },
    'yes',
    'yes',
  ],
  [{ type: 'string', maxLength: 1 }, { not: { const: '😀😀' } }, 'yes', 'no'],
  [{ const: '😀' }, { type: 'string', maxLength: 1 }, 'yes', 'no'],
  [{ pattern: '^a$' }, { type: 'string' }, 'no', 'no'],
]);

checkPairs('formats', [
  [{ type: 'string', format: 'uuid' }, { type: 'string' }, 'yes', 'no'],
  [{ type: 'string', format: 'uuid' }, { type: 'string', format: 'uuid' }, 'yes', 'yes'],
  [{ type: 'string', format: 'uuid' }, { type: 'string', format: 'date' }, 'no', 'no'],
  [{ type: 'string', format: 'date' }, { minLength: 10, maxLength: 10 }, 'yes', 'no'],
  [{ type: 'string', format: 'date' }, { type: 'string', maxLength: 9 }, 'no', 'no'],
  [{ type: 'string', format: 'ipv4' }, { type: 'string', pattern: '^[0-9.]+$' }, 'yes', 'no'],
  [{ type: 'string', format: 'ipv4', maxLength: 6 }, false, 'yes', 'yes'],
  [{ type: 'string', format: 'uri' }, { type: 'string', format: 'uri-reference' }, 'yes', 'no'],
  [{ type: 'string', format: 'email' }, { type: 'string', pattern: '@' }, 'yes', 'no'],
  [{ const: '2024-02-30' }, { type: 'string', format: 'date' }, 'no', 'no'],
  [{ const: '2024-02-29' }, { type: 'string', format: 'date' }, 'yes', 'no'],
  [{ enum: ['a', 'b'] }, { type: 'string', format: 'no-such-format' }, 'yes', 'no'],
  [{ format: 'date' }, {}, 'yes', 'no'],
  [{ format: 'int32', type: 'integer' }, { type: 'integer' }, 'yes', 'yes'],
]);

checkPairs(
  'formats off',
  [
    [{ type: 'string', format: 'uuid' }, { type: 'string', format: 'date' }, 'yes', 'yes'],
    [{ type: 'string' }, { type: 'string', format: 'date' }, 'yes', 'yes'],
  ],
  { formats: false },
);

checkPairs('enums', [
  [{ enum: [1, 2] }, { enum: [2, 1] }, 'yes', 'yes'],
  [{ enum: [1, 2] }, { enum: [1, 2, 3] }, 'yes', 'no'],
  [{ const: 1 }, { enum: [1] }, 'yes', 'yes'],
  [{ const: 1 }, { const: 1.0 }, 'yes', 'yes'],
  [{ enum: ['a', 1, null] }, { type: ['string', 'integer', 'null'] }, 'yes', 'no'],
  [{ enum: ['a', 1, null] }, { type: ['string', 'null'] }, 'no', 'no'],
  [{ enum: ['a', 'bb'], minLength: 2 }, { const: 'bb' }, 'yes', 'yes'],
  [{ enum: ['a', 'bb'], type: 'integer' }, false, 'yes', 'yes'],
  [{ enum: [1, 2, 3], minimum: 2 }, { enum: [2, 3] }, 'yes', 'yes'],
  [{ enum: [[1], [1, 2]] }, { type: 'array', items: { type: 'integer' } }, 'yes', 'no'],
  [{ enum: [[1], [1, 'x']] }, { type: 'array', items: { type: 'integer' } }, 'no', 'no'],
  [{ const: { a: 1, b: [true] } }, { const: { b: [true], a: 1 } }, 'yes', 'yes'],
  [{ const: { a: 1 } }, { const: { a: 1, b: 2 } }, 'no', 'no'],
  [{ const: { a: 1 } }, { required: ['a'] }, 'yes', 'no'],
  [{ const: {} }, { type: 'object', maxProperties: 0 }, 'yes', 'yes'],
  [{ const: [] }, { type: 'array', maxItems: 0 }, 'yes', 'yes'],
  [
    { type: 'array', items: { type: 'boolean' }, maxItems: 1 },
    { enum: [[], [true], [false]] },
    'yes',
    'yes',
  ],
  [
    { type: 'object', properties: { a: { type: 'boolean' } }, additionalProperties: false },
    { enum: [{}, { a: true }, { a: false }] },
    'yes',
    'yes',
  ],
  [{ not: { const: 'a' } }, { not: { enum: ['a', 'b'] } }, 'no', 'yes'],
  [{ type: 'boolean', not: { const: true } }, { const: false }, 'yes', 'yes'],
  [{ allOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, { const: 2 }, 'yes', 'yes'],
  [{ anyOf: [{ const: 1 }, { const: 2 }] }, { enum: [1, 2] }, 'yes', 'yes'],
  [{ oneOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, { enum: [1, 3] }, 'yes', 'yes'],
  [{ enum: ['a', 'b', 'c'] }, { anyOf: [{ const: 'a' }, { pattern: '^[bc]$' }] }, 'yes', 'no'],
  [{ enum: [] }, false, 'yes', 'yes'],
]);

/** Where nothing is rounded away, a reader of doubles sees the same. */
const wide: readonly (readonly [Json, Json])[] = [
  [{ type: 'integer' }, { type: 'integer', maximum: JSON.rawJSON('9223372036854775807') }],
  [{ type: 'integer' }, { type: 'integer', minimum: JSON.rawJSON('-9223372036854775808') }],
  [{}, { maximum: 1e300 }],
  [{ multipleOf: 3 }, { type: 'number', exclusiveMaximum: 1e20 }],
  [{ type: 'number', minimum: 1, maximum: 1e19 }, { maximum: JSON.rawJSON('999999999999999999') }],
];

test.each(wide)('%j in %j: no, with a witness that no double rounds away', (a, b) => {
  const answer = contains({ a, b });
  if (answer.verdict !== 'no') throw new Error(answer.verdict);
  const asDoubles = (schema: Json) => JSON.parse(JSON.stringify(schema)) as Json;
  const witness = asDoubles(answer.witness);
  const opinions = [a, b].map((schema) => accepts(asDoubles(schema), witness, {}));
  expect([opinions, witness]).toEqual([[true, false], witness]);
});

test.each<readonly [Json, Json]>([
  [
    { type: 'number', minimum: 1e17, maximum: JSON.rawJSON('100000000000000001') },
    { type: 'integer' },
  ],
  [{ type: 'integer', minimum: 1e17 }, { minimum: JSON.rawJSON('100000000000000001') }],
  [{ const: JSON.rawJSON('9007199254740993') }, { const: 9007199254740992 }],
])('%j in %j: no, though doubles do not tell', (a, b) => {
  expect(contains({ a, b }).verdict).toBe('no');
});

checkPairs('patterns that automata do not know, or not at this price', [
  [
    { type: 'string', pattern: '(a|b)*a(a|b){20}$' },
    { type: 'string', pattern: '(a|b)*b(a|b){20}$' },
    'no',
    'no',
  ],
  [
    { type: 'string', pattern: '(a|b)*a(a|b){14}$' },
    { type: 'string', pattern: '(a|b)*a(a|b){13}$' },
    'no',
    'no',
  ],
  [{ type: 'string', pattern: '(a|b)*a(a|b){14}' }, { pattern: '(a|b)*b(a|b){14}' }, 'no', 'no'],
  [{ type: 'string', pattern: '^(a|b)\\1$' }, { type: 'string', pattern: '^a' }, 'no', 'no'],
]);

checkPairs('patterns with flags, groups and lookarounds', [
  [{ const: 'a-' }, { pattern: '^(a|b)(?:-\\1)+$' }, 'no', 'no'],
  [{ const: 'a-a' }, { not: { pattern: '^(a|b)(?:-\\1)+$' } }, 'no', 'no'],
  [{ const: 'a-a' }, { pattern: '^(a|b)(?:-\\1)+$' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^([\'"]).*\\1$' }, { pattern: '[\\s\\S]' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^([\'"]).*\\1$' }, { minLength: 1 }, 'yes', 'no'],
  [{ type: 'string', pattern: '^(?<a>x|yy)\\k<a>$' }, { maxLength: 4 }, 'yes', 'no'],
  [{ type: 'string', pattern: '^(?i:[a-z]+)$' }, { pattern: '^[\\s\\S]+$' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^(?i:[a-z]+)$' }, { minLength: 1 }, 'yes', 'no'],
  [{ type: 'string', pattern: '^(?i:k)$' }, { maxLength: 1 }, 'yes', 'no'],
  [{ type: 'string', pattern: '^(?i:k)$' }, { enum: ['k', 'K'] }, 'no', 'yes'],
  [{ type: 'string', pattern: '^(?i:k)$' }, { enum: ['k', 'K', '\u212a'] }, 'yes', 'yes'],
  [{ type: 'string', maxLength: 0 }, { pattern: '(?s:.)' }, 'no', 'no'],
  [{ type: 'string', minLength: 1 }, { type: 'string', pattern: '(?s:.)' }, 'yes', 'yes'],
  [{ type: 'string', pattern: '(?m:^a$)' }, { pattern: 'a' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^(?=a).*(?<=b)$' }, { minLength: 2 }, 'yes', 'no'],
]);

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

checkPairs('formats and patterns', [
  [{ type: 'string', format: 'uuid' }, { type: 'string', pattern: '^.{1,255}$' }, 'yes', 'no'],
  [
    { anyOf: [{ format: 'email' }, { format: 'hostname' }], type: 'string', maxLength: 300 },
    { type: 'string', pattern: '^.{1,300}$' },
    'yes',
    'no',
  ],
  [{ type: 'string', format: 'idn-hostname' }, { pattern: '^.+$' }, 'yes', 'no'],
  [{ type: 'string', format: 'idn-hostname' }, { maxLength: 64 }, 'no', 'no'],
  // A pattern's dot is no separator of lines, and the local part of an address may have one.
  [{ type: 'string', format: 'idn-email' }, { pattern: '^.+$' }, 'no', 'no'],
  [{ type: 'string', format: 'idn-email' }, { pattern: '^(?s:.)+$' }, 'yes', 'no'],
  [{ type: 'string', format: 'relative-json-pointer' }, { maxLength: 64 }, 'no', 'no'],
  [
    { type: 'string', format: 'ipv4' },
    { type: 'string', pattern: `^${octet}(?:\\.${octet}){3}$` },
    'yes',
    'yes',
  ],
  [
    { type: 'string', format: 'ipv4' },
    { type: 'string', pattern: '^(?:[1-9]\\d{0,2}\\.){3}[1-9]\\d{0,2}$' },
    'no',
    'no',
  ],
  [
    { type: 'string', format: 'uuid' },
    { type: 'string', pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
    'no',
    'yes',
  ],
  [
    { type: 'string', format: 'date' },
    { type: 'string', pattern: '^\\d{4}-(?:0\\d|1[0-2])-[0-3]\\d$' },
    'yes',
    'no',
  ],
  [
    { type: 'string', format: 'date-time' },
    { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d' },
    'no',
    'no',
  ],
  [
    { type: 'string', format: 'time' },
    { type: 'string', pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\dZ$' },
    'no',
    'yes',
  ],
  [{ type: 'string', format: 'duration' }, { pattern: '^P[^WT]*(?:\\d+W|T.*)?$' }, 'yes', 'no'],
]);

checkPairs(
  'formats and patterns, where ajv asks for a dot in a domain or a path in a URI, or has no such format',
  [
    [{ type: 'string', format: 'email' }, { type: 'string', pattern: '^.{1,255}$' }, 'no', 'no'],
    [{ type: 'string', format: 'uri' }, { type: 'string', pattern: '^.{1,255}$' }, 'no', 'no'],
    [
      { type: 'string', format: 'uri', pattern: '^.{1,100}$' },
      { type: 'string', format: 'uri', pattern: '^.{1,200}$' },
      'yes',
      'no',
    ],
    [
      { type: 'string', format: 'idn-email' },
      { type: 'string', format: 'iri-reference' },
      'no',
      'no',
    ],
  ],
  { skipsAjv: true },
);

checkPairs('patterns that count one class of characters', [
  [{ type: 'string', pattern: '^[a-z]{3,64}$' }, { pattern: '^[a-z]{1,64}$' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^[a-z]{1,64}$' }, { pattern: '^[a-z]{1,63}$' }, 'no', 'no'],
  [{ type: 'string', pattern: '^[^]{1,255}$' }, { minLength: 1, maxLength: 255 }, 'yes', 'no'],
  [
    { type: 'string', pattern: '^[^]{1,255}$' },
    { type: 'string', minLength: 1, maxLength: 255 },
    'yes',
    'yes',
  ],
  // A dot is no end of a line.
  [
    { type: 'string', minLength: 1, maxLength: 255 },
    { type: 'string', pattern: '^.{1,255}$' },
    'no',
    'yes',
  ],
  [{ type: 'string', pattern: '^.{100,}$' }, { minLength: 100 }, 'yes', 'no'],
  [{ type: 'string', pattern: '^.{100}?$' }, { minLength: 100, maxLength: 100 }, 'yes', 'no'],
  [{ const: '\u{1f600}'.repeat(60) }, { pattern: '^.{60}$' }, 'yes', 'no'],
  [{ const: 'a'.repeat(120) }, { pattern: '^(?:aa){60}$' }, 'yes', 'no'],
  [{ const: `a${'b'.repeat(60)}` }, { pattern: '^a?b{60}$' }, 'yes', 'no'],
  [{ type: 'string', pattern: '^a?b{1,60}$' }, { maxLength: 60 }, 'no', 'no'],
  [{ type: 'string', pattern: '^(?!\\s)(?!.*\\s$).{1,255}$' }, { pattern: '^\\S' }, 'yes', 'no'],
  [
    { type: 'string', pattern: '^(?:[a-z0-9-]+\\.)+[a-z]{2,63}$' },
    { type: 'string', pattern: '^(?!\\s)(?!.*\\s$).{1,255}$' },
    'no',
    'no',
  ],
  [
    { type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d).{8,64}$' },
    { type: 'string', pattern: '^(?=.*\\d).{1,64}$' },
    'yes',
    'no',
  ],
  [{ type: 'string', pattern: '^(?=b)a{41}$' }, false, 'yes', 'yes'],
  [{ type: 'string', pattern: '^(?=.{50})a{41,60}$' }, { minLength: 50 }, 'yes', 'no'],
  [{ const: 'a'.repeat(60) }, { pattern: '^b|a{60}$' }, 'yes', 'no'],
  [{ const: `${'a'.repeat(60)}b` }, { not: { pattern: '^a{60}$' } }, 'yes', 'no'],
  [
    { type: 'string', not: { pattern: '^.{0,50}$' }, maxLength: 50 },
    { pattern: '\\n' },
    'no',
    'no',
  ],
  [
    { propertyNames: { pattern: '^[a-z]{1,60}$' } },
    { propertyNames: { minLength: 1, maxLength: 60 } },
    'yes',
    'no',
  ],
]);

checkPairs('texts that are of no format, where its automaton knows but a part', [
  [
    { type: 'string', pattern: '^[a-z]+$' },
    { type: 'string', pattern: '^[a-z]+$', format: 'hostname' },
    'no',
    'yes',
  ],
  [
    { type: 'string', minLength: 3 },
    { type: 'string', minLength: 3, format: 'regex' },
    'no',
    'yes',
  ],
]);

checkPairs('a text of which validators differ whether it is of the format', [
  [{ const: 'ab--cd' }, { format: 'hostname' }, 'undecided', 'no'],
  [{ const: 'ab--cd' }, { not: { format: 'hostname' } }, 'undecided', 'no'],
  [{ enum: ['a@[x:y]', 'a@b'] }, { type: 'string', format: 'email' }, 'undecided', 'no'],
  [{ const: '0+1/a' }, { format: 'relative-json-pointer' }, 'undecided', 'no'],
  [
    { propertyNames: { enum: ['ab--cd', 'x'] } },
    { propertyNames: { format: 'hostname' } },
    'undecided',
    'no',
  ],
  [{ const: 'ab--cd', format: 'hostname' }, { format: 'hostname' }, 'yes', 'no'],
]);

checkPairs('a text too long to be looked at is no regular expression for sure', [
  [{ const: '('.repeat(300) }, { format: 'regex' }, 'undecided', 'no'],
  [{ const: `${'('.repeat(300)}${')'.repeat(300)}` }, { format: 'regex' }, 'undecided', 'no'],
  [{ const: '['.repeat(100_001) }, { format: 'regex' }, 'undecided', 'no'],
]);

checkPairs('host names have an end', [
  [{ type: 'string', format: 'hostname' }, { type: 'string', maxLength: 253 }, 'yes', 'no'],
  [
    { type: 'string', format: 'hostname' },
    { type: 'string', maxLength: 253, pattern: '^[A-Za-z0-9.-]+$' },
    'yes',
    'no',
  ],
]);

/** Some validators put the marks of a text and its letters together before they count. */
const apart = Array(8).fill('e\u0301'.repeat(20)).join('.');

checkPairs(
  'and so have those in other scripts, for validators that count before they compose',
  [
    [{ type: 'string', format: 'idn-hostname' }, { maxLength: 253 }, 'undecided', 'no'],
    [{ const: apart, format: 'idn-hostname' }, { maxLength: 253 }, 'undecided', 'no'],
    [{ const: apart.normalize(), format: 'idn-hostname' }, { maxLength: 253 }, 'yes', 'no'],
  ],
  { skipsAjv: true },
);

test('the steps of an answer are a whole number', () => {
  const answer = contains({ a: { enum: [1, 2, 3] }, b: { anyOf: [{ const: 1 }, { minimum: 2 }] } });
  expect(answer).toEqual({ verdict: 'yes', steps: Math.round(answer.steps) });
});
