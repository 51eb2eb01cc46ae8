// Small questions of the kinds that a registry gets all day, each with an allowed and a breaking
// change, in both directions. The time for one depends on its content.

import type { Dialect } from '../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../src/core/value/json.ts';
import type { Question } from './questions.ts';

interface SmallKind {
  readonly name: string;
  readonly questions: readonly Question[];
}

const int = { type: 'integer' };
const num = { type: 'number' };
const text = { type: 'string' };

function record(properties: JsonObject, required = Object.keys(properties)): JsonObject {
  return { type: 'object', properties, required };
}

function closed(properties: JsonObject): JsonObject {
  return { ...record(properties), additionalProperties: false };
}

/** A branch of a union, identified by its `kind`. */
function tagged(kind: string, more: JsonObject): JsonObject {
  return record({ kind: { const: kind }, ...more });
}

const order = { id: text, amount: num, currency: { enum: ['EUR', 'USD', 'GBP'] } };
const shapes = (amount: Json): readonly JsonObject[] => [
  tagged('card', { number: { type: 'string', pattern: '^[0-9]{16}$' }, amount }),
  tagged('transfer', { iban: text, amount }),
  tagged('cash', { amount, till: { type: 'integer', minimum: 1 } }),
];
const cheque = tagged('cheque', { amount: num, bank: text });

/** With its tag as a list of one, as dialects without `const` express it. */
function withEnum(branch: JsonObject): JsonObject {
  const properties = branch.properties as JsonObject;
  const kind = properties.kind as JsonObject;
  return { ...branch, properties: { ...properties, kind: { enum: [kind.const ?? null] } } };
}

/** Branches by reference, as in OpenAPI documents, with a discriminator beside the union. */
function discriminated(branches: readonly JsonObject[]): JsonObject {
  const names = ['Card', 'Transfer', 'Cash', 'Cheque'].slice(0, branches.length);
  return {
    type: 'object',
    properties: { payment: { $ref: '#/components/schemas/Payment' }, at: text },
    components: {
      schemas: {
        Payment: {
          oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
          discriminator: { propertyName: 'kind' },
        },
        ...Object.fromEntries(names.map((name, index) => [name, withEnum(branches[index] ?? {})])),
      },
    },
  };
}

/** A field with a union type, as an import of GraphQL makes it. */
function graphqlField(members: readonly string[], isNullable: boolean): JsonObject {
  const reference = { $ref: '#/$defs/Result' };
  return {
    ...record({ __typename: { const: 'Query' } }, []),
    properties: {
      __typename: { const: 'Query' },
      search: {
        type: 'array',
        items: isNullable ? { anyOf: [reference, { type: 'null' }] } : reference,
      },
    },
    $defs: {
      Result: {
        anyOf: members.map((name) => record({ __typename: { const: name }, id: text })),
      },
    },
  };
}

const tree = (value: Json): JsonObject => ({
  ...record({ value, children: { type: 'array', items: { $ref: '#' } } }, ['value']),
});

const isKindA = record({ kind: { const: 'a' } });
// biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits this object.
const kindANeedsX = { then: { required: ['x'] } };

type Pair = readonly [a: Json, b: Json];

/** Each pair is compared in both directions, for a consumer and for a producer. */
const pairs: Readonly<Record<string, readonly Pair[]>> = {
  scalars: [
    [int, num],
    [
      { type: 'string', maxLength: 10 },
      { type: 'string', maxLength: 20 },
    ],
    [
      { type: 'integer', minimum: 3, maximum: 9 },
      { type: 'integer', exclusiveMinimum: 2 },
    ],
    [{ enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }],
    [text, { type: ['string', 'null'] }],
  ],
  'patterns and formats': [
    [
      { type: 'string', pattern: '^[a-z]{3}$' },
      { type: 'string', pattern: '^[a-z]+$' },
    ],
    [{ type: 'string', format: 'uuid' }, text],
    [record({ at: { type: 'string', format: 'date-time' } }), record({ at: text })],
  ],
  'patterns with flags, groups and lookarounds': [
    [{ type: 'string', pattern: '^([\'"]).*\\1$' }, { pattern: '[\\s\\S]' }],
    [
      { type: 'string', pattern: '^(?i:[a-z]+)$' },
      { type: 'string', minLength: 1 },
    ],
    [
      { type: 'string', pattern: '^(?!-)(?=.*[0-9])[a-z0-9-]{1,63}(?<!-)$' },
      { type: 'string', pattern: '^[a-z0-9-]+$' },
    ],
  ],
  records: [
    [record(order), record(order, ['id'])],
    [record(order), record({ ...order, amount: int })],
    [record(order), closed(order)],
    [record(order), record({ ...order, note: text })],
    [closed(order), closed({ ...order, currency: { enum: ['EUR', 'USD'] } })],
  ],
  'lists and maps': [
    [
      record({ lines: { type: 'array', items: record(order) } }),
      record({ lines: { type: 'array', items: record(order, []) } }),
    ],
    [
      { type: 'array', items: int, maxItems: 3 },
      { type: 'array', items: num },
    ],
    [
      { type: 'object', additionalProperties: int },
      { type: 'object', additionalProperties: num },
    ],
    [{ prefixItems: [int, text], items: false }, { prefixItems: [num, text] }],
  ],
  references: [
    [
      {
        ...record({ a: { $ref: '#/$defs/m' }, b: { $ref: '#/$defs/m' } }),
        $defs: { m: record({ v: int }) },
      },
      {
        ...record({ a: { $ref: '#/$defs/m' }, b: { $ref: '#/$defs/m' } }),
        $defs: { m: record({ v: num }) },
      },
    ],
    [tree(int), tree(num)],
    [{ allOf: [record({ a: int }), record({ b: text })] }, record({ a: int, b: text })],
  ],
  conditions: [
    [
      { if: isKindA, ...kindANeedsX, else: { required: ['y'] } },
      { if: isKindA, ...kindANeedsX },
    ],
    [{ ...record({ a: int }, []), dependentRequired: { a: ['b'] } }, record({ a: int }, [])],
    [{ not: { required: ['a'] } }, { not: { required: ['a', 'b'] } }],
  ],
  'unions of types': [
    [{ anyOf: [text, int] }, { anyOf: [text, num] }],
    [{ oneOf: [text, { type: 'null' }] }, { type: ['string', 'null'] }],
    [
      record({ v: { anyOf: [text, int, { type: 'null' }] } }),
      record({ v: { type: ['string', 'number', 'null'] } }),
    ],
  ],
  'tagged unions, anyOf': taggedPairs((branches) => ({ anyOf: branches })),
  'tagged unions, oneOf': taggedPairs((branches) => ({ oneOf: branches })),
  'tagged unions, closed branches': taggedPairs((branches) => ({
    oneOf: branches.map((branch) => ({ ...branch, additionalProperties: false })),
  })),
  'tagged unions in a list': taggedPairs((branches) =>
    record({ items: { type: 'array', items: { anyOf: branches } } }),
  ),
  'tagged unions, by an enum': taggedPairs((branches) => ({ anyOf: branches.map(withEnum) })),
  'OpenAPI discriminators': taggedPairs(discriminated),
  'unions told apart by their keys': [
    [
      { oneOf: [closed({ id: text, amount: int }), closed({ code: text })] },
      { oneOf: [closed({ id: text, amount: num }), closed({ code: text })] },
    ],
    [
      { anyOf: [record({ id: text, amount: num }), record({ code: text })] },
      { anyOf: [record({ id: text, amount: num }), record({ code: text }, [])] },
    ],
  ],
  'GraphQL unions': [
    [graphqlField(['User', 'Repo'], true), graphqlField(['User', 'Repo', 'Issue'], true)],
    [graphqlField(['User', 'Repo'], false), graphqlField(['User', 'Repo'], true)],
    [
      record({ __typename: { enum: ['User', 'Repo'] } }),
      record({ __typename: { enum: ['User', 'Repo', 'Issue'] } }),
    ],
  ],
};

/** The same pair, a wider one, one with another branch, and one with a changed branch. */
function taggedPairs(union: (branches: readonly JsonObject[]) => JsonObject): readonly Pair[] {
  return [
    [union(shapes(num)), union(shapes(num).toReversed())],
    [union(shapes(int)), union(shapes(num))],
    [union(shapes(num)), union([...shapes(num), cheque])],
    [union(shapes(num)), union([...shapes(num).slice(1), tagged('card', { amount: num })])],
  ];
}

const dialects: Readonly<Record<string, Dialect>> = { 'OpenAPI discriminators': 'openapi-3.0' };

export const smallKinds: readonly SmallKind[] = Object.entries(pairs).map(([name, own]) => ({
  name,
  questions: own.flatMap(([first, second]) =>
    [
      { a: first, b: second },
      { a: second, b: first },
    ].flatMap((sides) =>
      [false, true].map((isClosed) => ({
        ...{ ...sides, dialect: dialects[name] ?? '2020-12', formats: true, closed: isClosed },
      })),
    ),
  ),
}));
