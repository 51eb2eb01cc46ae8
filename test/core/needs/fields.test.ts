import { describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../../src/core/comparison.ts';
import type { StatedNeed } from '../../../src/core/need.ts';
import { findUnmet, knownFields, makeNeed } from '../../../src/core/needs/make-need.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { object, type Setting, termsOf } from '../diff/support/terms.ts';
import { apart } from './rows.ts';
import { needFor } from './support.ts';

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer', minimum: 0 };
const order: Json = {
  title: 'Order',
  ...(object(
    {
      id: { type: 'string', description: 'Its number.' },
      amount: whole,
      state: { enum: ['open', 'paid'] },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
      'a b': text,
    },
    ['id', 'amount'],
    { additionalProperties: false, minProperties: 2 },
  ) as object),
  $defs: { line: object({ sku: text, price: whole }, ['sku']) },
};

type Row = readonly [fields: readonly string[], schema: Json];

describe('fields become the part of the contract that they name', () => {
  test.each<Row>([
    [['$.amount'], { type: 'object', required: ['amount'], properties: { amount: whole } }],
    [['$.state'], { type: 'object', properties: { state: { enum: ['open', 'paid'] } } }],
    [
      ['$.id', '$["a b"]'],
      { type: 'object', required: ['id'], properties: { id: text, 'a b': text } },
    ],
    [
      ['$.lines[*].sku'],
      {
        type: 'object',
        properties: { lines: { type: 'array', items: { $ref: '#/$defs/d1' } } },
        $defs: { d1: { type: 'object', required: ['sku'], properties: { sku: text } } },
      },
    ],
    [
      ['$.lines'],
      {
        type: 'object',
        properties: { lines: { type: 'array', items: { $ref: '#/$defs/d1' } } },
        $defs: { d1: object({ sku: text, price: whole }, ['sku']) },
      },
    ],
    [[], {}],
  ])('%j', (fields, schema) => {
    expect(needFor({ fields }, termsOf(order)).schema).toEqual(schema);
  });
});

const chain: Json = {
  $defs: { node: object({ name: text, next: { $ref: '#/$defs/node' } }, ['name']) },
  $ref: '#/$defs/node',
};
const variants: Json = {
  oneOf: [
    object({ kind: { const: 'card' }, number: text }, ['kind', 'number']),
    object({ kind: { const: 'cash' } }, ['kind']),
  ],
};
const conditional: Json = object({ kind: text }, ['kind'], {
  if: object({ kind: { const: 'x' } }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of the schema under test.
  then: object({ size: whole }, ['size']),
  else: { not: { required: ['size'] } },
});
const openApi: Setting = { dialect: 'openapi-3.0' };

type Met = readonly [name: string, schema: Json, fields: readonly string[], setting: Setting];

const met: readonly Met[] = [
  ['a recursive definition', chain, ['$.next.next.name'], {}],
  ['a variant', variants, ['$.number'], {}],
  ['what a condition describes', conditional, ['$.size'], {}],
  ['a map', object({ m: { additionalProperties: object({ v: whole }) } }), ['$.m.*.v'], {}],
  ['a key of a map', object({ m: { patternProperties: { '^k': whole } } }), ['$.m.k1'], {}],
  ['a list of positions', { prefixItems: [object({ a: text }), whole] }, ['$[*].a'], {}],
  [
    'a list of positions in an old dialect',
    { items: [object({ a: text }), whole] },
    ['$[0].a'],
    { dialect: 'draft-07' },
  ],
  [
    'a nullable object of OpenAPI 3.0',
    object({ p: { type: 'object', nullable: true, properties: { a: text } } }),
    ['$.p.a'],
    openApi,
  ],
  [
    'a reference of OpenAPI 3.0, beside which nothing counts',
    {
      properties: { p: { $ref: '#/components/schemas/P', type: 'string' } },
      components: { schemas: { P: object({ a: text }) } },
    },
    ['$.p.a'],
    openApi,
  ],
  [
    'a part with an $id',
    {
      $defs: { p: { $id: 'urn:p', $defs: { q: whole }, properties: { a: { $ref: '#/$defs/q' } } } },
      properties: { p: { $ref: 'urn:p' } },
    },
    ['$.p.a'],
    {},
  ],
  [
    'the request of an operation',
    object({ request: order, response: variants }),
    ['$.request.state'],
    { direction: 'operation' },
  ],
  [
    'a response with a field that is only written',
    object({ a: text, s: { type: 'string', writeOnly: true } }, ['a', 's']),
    ['$.a'],
    { direction: 'response' },
  ],
  ['a request of variants', variants, ['$.number'], { direction: 'request' }],
  ['a part beside which others are of another type', apart, ['$.a'], {}],
  ['the whole', order, ['$'], {}],
  ['a request of which all is sent', order, ['$'], { direction: 'request' }],
];

describe('the contract meets a need for fields of', () => {
  test.each(met)('%s', (_name, schema, fields, setting) => {
    const terms = termsOf(schema, setting);
    expect(findUnmet(needFor({ fields }, terms), terms)).toBeNull();
  });
});

type Unmet = readonly [name: string, stated: StatedNeed, setting: Setting, shown: object];

describe('a contract does not meet', () => {
  test.each<Unmet>([
    ['a field that it does not have', { fields: ['$.amount', '$.total'] }, {}, { path: '$.total' }],
    ['a field below one that has none', { fields: ['$.amount.net'] }, {}, { path: '$.amount.net' }],
    ['a key of what is no map', { fields: ['$.amount.*'] }, {}, { path: '$.amount.*' }],
    [
      'a schema that refuses what it allows',
      { schema: { properties: { amount: { maximum: 9 } } } },
      {},
      { witness: { id: '', amount: 10 } },
    ],
    [
      'a field that cannot be sent',
      { fields: ['$.total'] },
      { direction: 'request' },
      { path: '$.total' },
    ],
    [
      'a schema that sends less than it demands',
      { schema: object({ id: text }, ['id']) },
      { direction: 'request' },
      { witness: { id: '' } },
    ],
    [
      'a schema that nothing satisfies, of what is sent',
      { schema: object({ id: text, amount: false }, ['id', 'amount']) },
      { direction: 'request' },
      { message: expect.stringContaining('No value of the need is known') },
    ],
  ])('%s', (_name, stated, setting, shown) => {
    const terms = termsOf(order, setting);
    expect(findUnmet(needFor(stated, terms), terms)).toMatchObject(shown);
  });

  test('a guarantee that is not given', () => {
    const guarantees = {
      volume: { min_rows: 1 },
      nullability: { 'line.sku': 'never' },
      custom: [{ type: 'unique', column: 'id' }],
    };
    const terms = { ...termsOf(order), guarantees };
    const unmet = (name: string) =>
      findUnmet(needFor({ fields: [], guarantees: [name] }, terms), terms);
    for (const name of [
      ...['volume', 'volume.min_rows', 'nullability', 'nullability.line.sku'],
      ...['custom', 'custom.unique', 'custom.unique.id'],
    ]) {
      expect(unmet(name)).toBeNull();
    }
    for (const name of [
      ...['freshness', 'volume.max_row_delta_pct', 'nullability.sku', 'nullability.line.sk'],
      ...['custom.unique.i', 'custom.x', 'nullability.toString'],
    ]) {
      expect(unmet(name)).toEqual({
        path: `$.guarantees.${name}`,
        message: `The contract has no guarantee \`${name}\`.`,
      });
    }
  });
});

describe('keywords next to `$ref`, which validators read differently up to draft-07,', () => {
  const terms = (schema: Json) => termsOf(schema, { dialect: 'draft-07' });
  const beside = terms({
    definitions: { p: object({ a: text }) },
    properties: { p: { $ref: '#/definitions/p', properties: { a: { maxLength: 3 } } } },
  });
  const open = terms({ properties: { p: object({ a: text }) } });
  const short = { properties: { p: { properties: { a: { type: 'string', maxLength: 3 } } } } };

  test('meet a need for a field that all validators see', () => {
    expect(findUnmet(needFor({ fields: ['$.p.a'] }, beside), beside)).toBeNull();
  });

  test('do not meet what only they say', () => {
    expect(findUnmet(needFor({ schema: short }, beside), beside)).toMatchObject({
      witness: { p: { a: expect.stringMatching(/^.{4,}$/) } },
    });
  });

  test('in a need that refuses nothing without them', () => {
    const need = needFor(
      {
        schema: {
          definitions: { p: object({ a: text }) },
          properties: { p: { $ref: '#/definitions/p', properties: { a: { maxLength: 3 } } } },
        },
      },
      open,
    );
    expect(findUnmet(need, open)).toEqual({
      message: expect.stringContaining('validators differ in whether keywords next to `$ref`'),
    });
  });
});

const broken: readonly (readonly [string, StatedNeed, Json, string])[] = [
  ['amount', { fields: ['amount'] }, order, 'VALIDATION_ERROR'],
  ['$.lines[x]', { fields: ['$.lines[x]'] }, order, 'VALIDATION_ERROR'],
  ['$..amount', { fields: ['$..amount'] }, order, 'VALIDATION_ERROR'],
  ['an open bracket', { fields: ['$["a'] }, order, 'VALIDATION_ERROR'],
  ['a wrong guarantee', { fields: [], guarantees: ['fresness'] }, order, 'VALIDATION_ERROR'],
  ['no guarantee', { schema: {}, guarantees: ['volume', ''] }, order, 'VALIDATION_ERROR'],
  ['a bad escape', { fields: ['$["\\x"]'] }, order, 'VALIDATION_ERROR'],
  ['no schema', { schema: { type: 'strng' } }, order, 'INVALID_SCHEMA'],
  ['an unknown dialect', { schema: { $schema: 'urn:none' } }, order, 'UNSUPPORTED_DIALECT'],
  [
    'a schema past the limits',
    { schema: { enum: ['x'.repeat(1_100_000)] } },
    order,
    'SCHEMA_TOO_LARGE',
  ],
  [
    'ten thousand fields',
    { fields: Array.from({ length: 10_001 }, (_, index) => `$.f${index}`) },
    order,
    'SCHEMA_TOO_LARGE',
  ],
  [
    'fields of a contract with dynamic references',
    { fields: ['$.a'] },
    { $dynamicAnchor: 'n', properties: { a: { $dynamicRef: '#n' } } },
    'INVALID_SCHEMA',
  ],
];

test('a field that is not sent is let in by no other branch', () => {
  const contract = termsOf(
    {
      type: 'object',
      oneOf: [
        object({ kind: { const: 'a' }, note: text, total: text }, ['kind']),
        { required: ['total'] },
      ],
    },
    { direction: 'request' },
  );
  // With a note and a total, a value fits both branches.
  const unmetOf = (...fields: readonly string[]) =>
    findUnmet(needFor({ fields }, contract), contract);
  expect(unmetOf('$.kind', '$.note')).toBeNull();
  expect(unmetOf('$.kind')).toBeNull();
});

test('the contract has to have a list where the need names its items', () => {
  const either = { type: ['array', 'null'], items: text };
  const contract = termsOf(
    object({ map: object({ a: text }), name: text, free: {}, either, rows: { items: either } }),
  );
  const unmetOf = (field: string) => findUnmet(needFor({ fields: [field] }, contract), contract);
  for (const field of ['$[*]', '$.map[*]', '$.name[0]', '$.rows[*][*][*]', '$.either[*][*]']) {
    const message = expect.stringContaining(field);
    expect(unmetOf(field)).toEqual({ path: field, message });
  }
  for (const field of ['$.free[*]', '$.either[*]', '$.rows[*]', '$.rows[*][*]', '$.free[*][*]']) {
    expect(unmetOf(field)).toBeNull();
  }
});

describe('a need is refused', () => {
  test.each(broken)('for %s', (_name, stated, schema, code) => {
    expect(makeNeed(stated, termsOf(schema))).toMatchObject({ ok: false, problem: { code } });
  });

  // What the dialect of the contract ignores, the consumer may rely on.
  test.each([
    ['if', 'openapi-3.0', { if: { required: ['a'] } }],
    ['const', 'draft-04', { properties: { a: { const: 1 } } }],
    ['unevaluatedProperties', 'draft-07', { unevaluatedProperties: false }],
    ['nullable', '2020-12', { properties: { a: { type: 'string', nullable: true } } }],
  ] as const)('for %s in %s, unless it names its dialect', (keyword, dialect, schema) => {
    const terms = termsOf({ type: 'object' }, { dialect });
    expect(makeNeed({ schema }, terms)).toMatchObject({
      ok: false,
      problem: {
        code: 'INVALID_SCHEMA',
        message: expect.stringContaining(`\`${keyword}\` says nothing in `),
      },
    });
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(makeNeed({ schema: { $schema, ...schema } }, terms)).toMatchObject({ ok: true });
  });

  test('in a time that does not grow with the ways to reach a definition', () => {
    const $defs: Record<string, Json> = { d0: object({ leaf: text }) };
    for (let level = 1; level < 40; level++) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { allOf: [below, below], properties: { a: below, b: below } };
    }
    const terms: ContractTerms = termsOf({ $defs, $ref: '#/$defs/d39' });
    const field = `$${'.a.b'.repeat(19)}.leaf`;
    const { schema } = needFor({ fields: [field] }, terms);
    expect(JSON.stringify(schema).length).toBeLessThan(200_000);
  });
});

test('of a field that was found and that the contract does not have, the nearest part of it counts', () => {
  const contract = termsOf(
    object({ map: object({ a: text }), rows: { type: 'array', items: object({ A: text }) } }),
  );
  const known = (...fields: readonly string[]) => knownFields(contract, fields);
  expect(known('$.map[*]')).toEqual(['$.map']);
  expect(known('$.map.note.text')).toEqual(['$.map']);
  expect(known('$.rows[*].note')).toEqual(['$.rows[*]']);
  expect(known('$.rows[*].a', '$.note')).toEqual(['$.rows[*].A']);
  expect(known('$.map', '$.map.a', '$.map.note')).toEqual(['$.map', '$.map.a', '$.map.note']);
  expect(known('$.note')).toEqual(['$.note']);
});
