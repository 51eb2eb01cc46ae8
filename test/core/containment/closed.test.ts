// A producer on the left: closed(a) in b. The rows are those that compatibility.md names, and more.

import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';

const int = { type: 'integer' };
const str = { type: 'string' };
const record = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const only = (properties: JsonObject, more: JsonObject = {}): JsonObject =>
  record(properties, { additionalProperties: false, ...more });

type Row = readonly [
  name: string,
  a: Json,
  b: Json,
  closed: 'yes' | 'no' | 'undecided',
  open: 'yes' | 'no',
];

const asks = (required: readonly string[]): Json => ({
  if: { properties: { k: { const: 1 } } },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits a schema.
  then: { required },
});

const rows: readonly Row[] = [
  ['an optional property is added', record({ a: str }), record({ a: str, b: int }), 'yes', 'no'],
  [
    'a required property is added',
    record({ a: str }),
    record({ b: int }, { required: ['b'] }),
    'no',
    'no',
  ],
  ['the consumer forbids others', record({ a: str }), only({ a: str }), 'yes', 'no'],
  ['the consumer forbids a property', record({ a: str, b: str }), only({ a: str }), 'no', 'no'],
  ['a narrower type', record({ a: { type: ['string', 'null'] } }), record({ a: str }), 'no', 'no'],
  [
    'additionalProperties true says nothing',
    record({ a: str }, { additionalProperties: true }),
    record({ a: str, b: int }),
    'yes',
    'no',
  ],
  [
    'an empty schema says nothing',
    record({ a: str }, { additionalProperties: {} }),
    record({ b: int }),
    'yes',
    'no',
  ],
  [
    'a schema of a keyword that asks for nothing says something',
    record({ a: str }, { additionalProperties: { minItems: 0 } }),
    record({ b: int }),
    'no',
    'no',
  ],
  [
    'beside an empty schema elsewhere it says so all the same',
    record({
      p: record({}, { additionalProperties: {} }),
      q: record({}, { additionalProperties: { minItems: 0 } }),
    }),
    record({ p: record({ b: int }), q: record({ b: int }) }),
    'no',
    'no',
  ],
  [
    'an empty schema behind a reference says nothing',
    record({ a: str }, { additionalProperties: { $ref: '#/$defs/any' }, $defs: { any: {} } }),
    record({ b: int }),
    'yes',
    'no',
  ],
  [
    'parts that say nothing say nothing together',
    record({ a: str }, { additionalProperties: { allOf: [true, {}] } }),
    record({ b: int }),
    'yes',
    'no',
  ],
  [
    'a part that says something speaks for the whole',
    record({ a: str }, { additionalProperties: { allOf: [true, str] } }),
    record({ b: int }),
    'no',
    'no',
  ],
  [
    'annotations say nothing',
    record({ a: str }, { additionalProperties: { title: 'x' } }),
    record({ b: int }),
    'yes',
    'no',
  ],
  [
    'a schema for the rest says something',
    record({ a: str }, { additionalProperties: str }),
    record({ a: str, b: int }),
    'no',
    'no',
  ],
  [
    'the rest fits what is added',
    record({ a: str }, { additionalProperties: int }),
    record({ a: str, b: { type: 'number' } }),
    'yes',
    'yes',
  ],
  [
    'unevaluatedProperties says something',
    record({ a: str }, { unevaluatedProperties: str }),
    record({ b: int }),
    'no',
    'no',
  ],
  [
    'patterns evaluate',
    { type: 'object', patternProperties: { '^x': str } },
    record({ a: int, xa: int }),
    'no',
    'no',
  ],
  [
    'patterns close the rest',
    { type: 'object', patternProperties: { '^x': str } },
    record({ a: int }),
    'yes',
    'no',
  ],
  ['a free-form object stays open', { type: 'object' }, record({ a: int }), 'no', 'no'],
  ['everything stays open', {}, { not: record({ a: int }, { required: ['a'] }) }, 'no', 'no'],
  ['no properties close', record({}), { type: 'object', maxProperties: 0 }, 'yes', 'no'],
  [
    'free-form inside typed',
    record({ a: { type: 'object' } }),
    record({ a: record({ b: int }) }),
    'no',
    'no',
  ],
  [
    'typed inside typed',
    record({ a: record({ c: str }) }),
    record({ a: record({ b: int, c: str }) }),
    'yes',
    'no',
  ],
  [
    'items are closed',
    { type: 'array', items: record({ a: str }) },
    { type: 'array', items: record({ b: int }) },
    'yes',
    'no',
  ],
  [
    'map values are closed',
    { type: 'object', additionalProperties: record({ a: str }) },
    { type: 'object', additionalProperties: record({ b: int }) },
    'yes',
    'no',
  ],
  [
    'allOf evaluates together',
    { allOf: [record({ a: str }), record({ b: str })] },
    only({ a: true, b: true }),
    'yes',
    'no',
  ],
  [
    'allOf: each part alone would accept {} only',
    { allOf: [record({ a: str }), record({ b: str })] },
    record({ a: int }),
    'no',
    'no',
  ],
  [
    'nested allOf on one property',
    { allOf: [record({ p: record({ a: str }) }), record({ p: record({ b: str }) })] },
    record({ p: only({ a: true, b: true }) }),
    'yes',
    'no',
  ],
  [
    'nested allOf on one property, changed',
    { allOf: [record({ p: record({ a: str }) }), record({ p: record({ b: str }) })] },
    record({ p: record({ b: int }) }),
    'no',
    'no',
  ],
  [
    'anyOf with a discriminating const',
    {
      anyOf: [
        record({ k: { const: 1 }, a: str }, { required: ['k'] }),
        record({ k: { const: 2 }, b: str }, { required: ['k'] }),
      ],
    },
    { anyOf: [only({ k: { const: 1 }, a: str }), only({ k: { const: 2 }, b: str })] },
    'yes',
    'no',
  ],
  [
    'anyOf of overlapping branches evaluates by both',
    { anyOf: [record({ a: str }), record({ b: str })] },
    { anyOf: [only({ a: true }), only({ b: true })] },
    'no',
    'no',
  ],
  [
    'anyOf of overlapping branches and no more',
    { anyOf: [record({ a: str }), record({ b: str })] },
    only({ a: true, b: true }),
    'yes',
    'no',
  ],
  [
    'oneOf evaluates by the one',
    { oneOf: [record({ a: str }, { required: ['a'] }), record({ b: str }, { required: ['b'] })] },
    { anyOf: [only({ a: true }), only({ b: true })] },
    'yes',
    'no',
  ],
  [
    'an open branch leaves it open',
    { anyOf: [{ type: 'object', required: ['z'] }, record({ a: str }, { required: ['a'] })] },
    record({ q: int }),
    'no',
    'no',
  ],
  [
    'not evaluates nothing',
    record({ a: str }, { not: record({ b: str }, { required: ['b'] }) }),
    only({ a: true }),
    'yes',
    'no',
  ],
  [
    'then evaluates where if holds',
    record(
      { k: int },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of the schema under test.
      { if: record({ k: { const: 1 } }, { required: ['k'] }), then: record({ a: str }) },
    ),
    { anyOf: [only({ k: { const: 1 }, a: true }), only({ k: true })] },
    'yes',
    'no',
  ],
  [
    'else evaluates where it does not',
    record(
      { k: int },
      { if: record({ k: { const: 1 } }, { required: ['k'] }), else: record({ a: str }) },
    ),
    record({ a: int }),
    'no',
    'no',
  ],
  [
    '$ref evaluates',
    { $ref: '#/$defs/x', $defs: { x: record({ a: str }) } },
    only({ a: str }),
    'yes',
    'no',
  ],
  [
    '$ref with siblings',
    { $ref: '#/$defs/x', properties: { b: str }, $defs: { x: record({ a: str }) } },
    only({ a: str, b: str }),
    'yes',
    'no',
  ],
  [
    'recursion is closed at every depth',
    record({ v: int, next: { $ref: '#' } }),
    only({ v: int, next: record({ v: int, next: true, w: str }) }),
    'yes',
    'no',
  ],
  [
    'recursion, changed below',
    record({ v: int, next: { $ref: '#' } }),
    record({ v: { type: 'integer', minimum: 0 }, next: { $ref: '#' } }),
    'no',
    'no',
  ],
  [
    'dependentSchemas evaluate what they describe, as in 2020-12',
    record({ a: str }, { dependentSchemas: { a: { properties: { b: str } } } }),
    record({ b: int }),
    'no',
    'no',
  ],
  [
    'what if asks about leaves the place open: a new demand under then breaks',
    asks(['x']),
    asks(['x', 'y']),
    'no',
    'no',
  ],
  [
    'what if asks about may be there, where the place is described',
    record({ a: str }, { if: { properties: { k: { const: 1 } }, required: ['k'] } }),
    { properties: { k: { type: 'integer' } } },
    'yes',
    'no',
  ],
  [
    'what contains asks for leaves its items open',
    { type: 'array', contains: record({ k: { const: 1 } }, { required: ['k'] }), minItems: 1 },
    { contains: { maxProperties: 1 } },
    'no',
    'no',
  ],
  [
    'dependentSchemas alone leave the place open',
    { type: 'object', dependentSchemas: { a: { properties: { b: str } } } },
    { properties: { c: int } },
    'no',
    'no',
  ],
  [
    'required beyond what is declared has no producer',
    record({ a: str }, { required: ['b'] }),
    false,
    'yes',
    'no',
  ],
];

test('a witness is one by a narrower reading of closed(a) as well, where there is such a value', () => {
  const a = asks(['x']);
  const answer = contains({ a, b: { not: { required: ['x'] } }, closed: true });
  if (answer.verdict !== 'no') throw new Error(answer.verdict);
  const narrow = { closed: true, isNarrow: true };
  expect(validate(parseSchema(a).root, answer.witness, narrow)).toBe('accepted');
});

for (const [name, a, b, closed, open] of rows) {
  test(`${name}: closed ${closed}, open ${open}`, () => {
    const answers = { closed: contains({ a, b, closed: true }), open: contains({ a, b }) };
    expect({ closed: answers.closed.verdict, open: answers.open.verdict }).toEqual({
      closed,
      open,
    });
    if (answers.closed.verdict !== 'no') return;
    const { witness } = answers.closed;
    expect(validate(parseSchema(a).root, witness, { closed: true })).toBe('accepted');
    expect(validate(parseSchema(b).root, witness)).toBe('rejected');
  });
}
