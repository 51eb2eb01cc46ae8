// Pairs that were called unchanged, or compatible, and are not: by a normal form that does not say all
// that a schema says, by a mark that does not count, by a demand that nobody looked at.

import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import { type Json, type JsonObject, parseJson } from '../../../src/core/value/json.ts';
import { between, object, type Setting, told } from './support/terms.ts';

type Row = [name: string, old: Json, next: Json, setting?: Setting];

const text = { type: 'string' };
const number = { type: 'number' };
const evaluatedBy = (outside: string, inside: string): Json => ({
  allOf: [
    { properties: { [outside]: {} } },
    { unevaluatedProperties: false, allOf: [{ properties: { [inside]: {} } }] },
  ],
});
const named = (schema: JsonObject): Json => ({
  properties: { p: { $ref: '#q' } },
  $defs: { a: { $anchor: 'q', ...schema }, b: { $anchor: 'q', ...schema } },
});
const data = (schema: JsonObject): Json => ({
  ...{ properties: { p: { $ref: '#/x-a' } }, 'x-a': { $anchor: 'q', ...schema } },
});
const escaped = (schema: JsonObject): Json => ({
  ...{
    properties: { p: { $dynamicRef: '#%71' } },
    $defs: { a: { $dynamicAnchor: 'q', ...schema } },
  },
});
const disputed = (schema: Json): Json => ({
  ...{ dependencies: { a: { $ref: '#/$defs/b' } }, $defs: { b: schema } },
});
const draft07 = 'http://json-schema.org/draft-07/schema#';
const otherwise = (value: number): Json => ({ not: { $schema: draft07, const: value } });
const draft04 = { $schema: 'http://json-schema.org/draft-04/schema#', id: 'http://x/d4' };
const embedded = (schema: Json): Json => ({
  ...{ properties: { p: schema }, $defs: { whole: { ...draft04, type: 'integer' } } },
});
const later = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'http://x/later' };
const int32 = { type: 'integer', format: 'int32' };
const wide = (more: string): Json => {
  const parsed = parseJson(`{"enum":[1,1e99999999999]${more}}`);
  if (!parsed.ok) throw new Error(more);
  return parsed.value;
};
/** Which of two schemas has the name depends on the resource that it is reached from. */
const moving = (outer: object): Json => ({
  $id: 'http://x/root',
  $ref: 'list',
  $defs: {
    outer: { $dynamicAnchor: 't', type: 'object', ...outer },
    list: {
      ...{ $id: 'list', type: 'object', properties: { item: { $dynamicRef: '#t' } } },
      $defs: { inner: { $dynamicAnchor: 't', type: 'object' } },
    },
  },
});
const metaschema = { $ref: 'http://json-schema.org/draft-07/schema#' };
const itself = { $ref: '#' };
const besideItself = (schema: Json): Json => ({
  allOf: [{ additionalProperties: { type: ['boolean', 'object'] } }],
  properties: { p: itself, q: schema },
});

const forms: readonly Row[] = [
  ['a name that stands twice', named(text), named(number)],
  ['a name inside of what is data', data(text), data(number)],
  ['a name that is written escaped', escaped(text), escaped(number)],
  ['a reference in dependencies that are disputed', disputed(text), disputed(number)],
  ['a schema of another dialect', otherwise(1), otherwise(2), { dialect: 'draft-04' }],
  [
    'an integer of draft-04 inside of a later dialect',
    embedded({ type: ['integer', 'null'] }),
    embedded({ anyOf: [{ $ref: 'http://x/d4' }, { type: 'null' }] }),
  ],
  [
    'a format of OpenAPI, where it is a word',
    { properties: { p: { $ref: 'http://x/later' } }, $defs: { later: { ...later, ...int32 } } },
    { properties: { p: int32 }, $defs: { later: { ...later, ...int32 } } },
    { dialect: 'openapi-3.1' },
  ],
  ['a bound of numbers that are too wide to calculate with', wide(''), wide(',"maximum":5')],
  [
    'what stands beside a list of values in a union',
    { enum: [{}, { a: 1 }, 2] },
    { anyOf: [{ enum: [{}, { a: 1 }], required: ['a'] }, { const: 2 }] },
  ],
  [
    'a condition of nothing, which evaluates',
    { if: { properties: { b: {} } }, unevaluatedProperties: false },
    { unevaluatedProperties: false },
  ],
  [
    'a condition of nothing within another, which evaluates',
    { if: { if: { properties: { b: {} } } }, unevaluatedProperties: false },
    { unevaluatedProperties: false },
  ],
  [
    'a condition of nothing within another, which evaluates items',
    { if: { if: { prefixItems: [{}] } }, unevaluatedItems: false },
    { unevaluatedItems: false },
  ],
  [
    'a condition of nothing, which describes what a producer may write',
    { properties: { a: {} }, if: { properties: { b: text } } },
    { properties: { a: {} } },
  ],
  ['what unevaluatedProperties sees', evaluatedBy('a', 'b'), evaluatedBy('b', 'a')],
  [
    'what unevaluatedProperties does not see of another schema',
    { properties: { p: { properties: { x: {} }, additionalProperties: false } } },
    {
      allOf: [
        { properties: { p: { unevaluatedProperties: false } } },
        { properties: { p: { properties: { x: {} } } } },
      ],
    },
  ],
  [
    'which part of another document a reference leads to',
    { properties: { p: { $ref: 'other.json#/a' } } },
    { properties: { p: { $ref: 'other.json#/b' } } },
  ],
  ['where a dynamic name leads', moving({}), moving({ required: ['x'] })],
  ['a metaschema beside the schema itself', besideItself(itself), besideItself(metaschema)],
];

describe.each<Row>(forms)('%s', (_name, old, next, setting = {}) => {
  /** Whether `e` fits nobody knows, and so no value of the whole. */
  const unknown = (schema: Json): Json => {
    const { $defs, ...apart } = schema as { readonly [key: string]: Json };
    const part = apart.$id === undefined ? apart : schema;
    const outer = { $ref: 'https://example.com/unknown.json' };
    return object({ e: outer, p: part }, ['e', 'p'], $defs === undefined ? {} : { $defs });
  };

  test('is no part of a form that two schemas share', () => {
    const { dialect } = setting;
    expect(canonicalText(old, dialect)).not.toBe(canonicalText(next, dialect));
  });

  test('is a change, and breaks', () => {
    const { isBreaking, bump } = between(old, next, setting);
    expect({ isBreaking, bump }).toEqual({ isBreaking: true, bump: 'major' });
  });

  test('breaks where the engine finds no value', () => {
    if (JSON.stringify(old).includes('"#/')) return;
    const { isBreaking, bump } = between(unknown(old), unknown(next), setting);
    expect({ isBreaking, bump }).toEqual({ isBreaking: true, bump: 'major' });
  });
});

test.each([
  [{ properties: { ['__proto__']: {} } }, { properties: { a: text } }],
  [{ const: { ['__proto__']: {}, b: 1 } }, { const: { a: {}, b: 1 } }],
])('%j is a change of %j: a key called __proto__ is one like any other', (old, next) => {
  expect(told(between(old, next, { mode: 'full' }))).not.toEqual([]);
  expect(told(between(next, old, { mode: 'full' }))).not.toEqual([]);
});

test('a format means another thing in another dialect', () => {
  expect(canonicalText(int32, 'openapi-3.1')).not.toBe(canonicalText(int32, '2020-12'));
  expect(canonicalText(text, 'openapi-3.1')).toBe(canonicalText(text, '2020-12'));
});

test('what a schema describes of itself is not described by a metaschema', () => {
  const schemaOf = (m: Json): Json => object({ p: object({ a: text, m }) });
  const change = between(schemaOf(itself), schemaOf(metaschema));
  expect(told(change)).toContain('! property_removed $.properties.p.properties.m.properties.p');
});

const request = { direction: 'request' } as const;
const whole = { type: 'integer' };
const readOnly = { readOnly: true };
const either = (schema: JsonObject): Json =>
  object({ a: { anyOf: [{ ...text, ...readOnly }, schema] } });
const kinds = (schema: JsonObject): Json => ({
  anyOf: [
    object({ kind: { const: 1 }, a: { ...whole, ...readOnly } }),
    object({ kind: { const: 2 }, a: schema }),
  ],
});
const marked = object({ a: { ...whole, ...readOnly } });
const unmarked = (a: Json): Json => object({ a }, ['a']);
const listOf = (items: Json, more: JsonObject = {}): Json => ({ type: 'array', items, ...more });
/** Two schemas that hold for every value together, one of which has the mark. */
const together: readonly [name: string, schemaOf: (a: Json) => Json][] = [
  ['in one part of a property', (a) => object({ n: { allOf: [marked, unmarked(a)] } })],
  [
    'under a property of one part',
    (a) => ({ allOf: [object({ n: marked }), object({ n: unmarked(a) })] }),
  ],
  ['in one part of an item', (a) => listOf({ allOf: [marked, unmarked(a)] })],
  ['in the items of one part', (a) => ({ allOf: [listOf(marked), listOf(unmarked(a))] })],
  ['in a map', (a) => ({ type: 'object', additionalProperties: { allOf: [marked, unmarked(a)] } })],
  [
    'under a pattern',
    (a) => object({ pa: unmarked(a) }, [], { patternProperties: { '^p': marked } }),
  ],
];
/** What has the mark, and what has not, each at one of two places that are read together. */
const apart: readonly [name: string, schemaOf: (a: Json) => Json][] = [
  [
    'within one branch',
    (a) => ({
      oneOf: [
        object({ kind: { const: 1 }, n: marked }, ['kind']),
        object({ kind: { const: 2 }, n: unmarked(a) }, ['kind', 'n']),
      ],
    }),
  ],
  [
    'within then',
    (a) => ({
      if: object({ k: { const: 1 } }, ['k']),
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword.
      then: object({ k: {}, n: marked }),
      else: object({ k: {}, n: unmarked(a) }, ['n']),
    }),
  ],
  [
    'in a list of one branch',
    (a) => ({
      anyOf: [listOf(marked, { maxItems: 1 }), listOf(unmarked(a), { minItems: 2 })],
    }),
  ],
  [
    'within one branch, and in a branch of what holds for both',
    (a) => ({
      allOf: [object({ n: { anyOf: [marked, {}] } })],
      anyOf: [object({ k: {} }, ['k']), object({ n: unmarked(a) }, ['n'])],
    }),
  ],
  [
    'of what nothing else describes',
    (a) => ({
      ...{ type: 'object', allOf: [object({ n: unmarked(a) }, ['n'])] },
      unevaluatedProperties: marked,
    }),
  ],
  ['of one item', (a) => ({ type: 'array', prefixItems: [marked, unmarked(a)] })],
  ['of an item that is asked for', (a) => listOf(unmarked(a), { contains: marked })],
  [
    'of an item that no other keyword describes',
    (a) => ({
      ...{ type: 'array', minItems: 1, unevaluatedItems: unmarked(a) },
      anyOf: [{ maxItems: 1, items: marked }, {}],
    }),
  ],
  [
    'under one pattern',
    (a) => ({ type: 'object', patternProperties: { '^p': marked, '^q': unmarked(a) } }),
  ],
  [
    'under a pattern beside a map',
    (a) => ({
      ...{ type: 'object', patternProperties: { '^p': marked }, additionalProperties: unmarked(a) },
    }),
  ],
  [
    'in a map of one branch',
    (a) => ({
      anyOf: [
        object({ k: {} }, ['k'], { additionalProperties: marked }),
        { type: 'object', additionalProperties: unmarked(a) },
      ],
    }),
  ],
];
const referred = (schema: Json): Json => ({
  ...{ type: 'object', properties: { a: { $ref: '#/components/schemas/s', ...readOnly } } },
  components: { schemas: { s: schema } },
});

const marks: readonly Row[] = [
  [
    'in a dialect that does not know it',
    object({ a: { ...whole, ...readOnly } }),
    object({ a: { ...text, ...readOnly } }),
    { ...request, dialect: 'draft-04' },
  ],
  [
    'beside a reference that stands alone',
    referred(whole),
    referred(text),
    { ...request, dialect: 'openapi-3.0' },
  ],
  ['on one branch of a property', either(whole), either({ type: 'boolean' }), request],
  ['on a property of one branch', kinds(whole), kinds({ type: 'boolean' }), request],
  ...apart.map(([name, of]): Row => [name, of(whole), of({ type: 'boolean' }), request]),
];

test.each<Row>(marks)('readOnly %s hides no change of a request', (_name, old, next, setting) => {
  expect(between(old, next, setting).isBreaking).toBe(true);
});

test.each<[Json, Setting['dialect'], Setting['dialect']]>([
  [object({ a: { ...whole, ...readOnly } }, ['a']), 'draft-06', 'draft-07'],
  [referred(text), 'openapi-3.0', 'openapi-3.1'],
])('a mark in %j that one dialect heeds, and another does not, is no word', (schema, old, next) => {
  expect(canonicalText(schema, old)).not.toBe(canonicalText(schema, next));
});

const record = { type: 'object', properties: { a: {} } };
const nullable = (schema: JsonObject, more: JsonObject = {}): Json => ({
  anyOf: [schema, { type: 'null', ...more }],
});

test.each<[string, Json, Json]>([
  [
    'from some values to others',
    { anyOf: [{ ...text, ...readOnly }, whole] },
    { anyOf: [text, { ...whole, ...readOnly }] },
  ],
  ['from texts to null', nullable({ ...text, ...readOnly }), nullable(text, readOnly)],
  [
    'from texts to all values',
    nullable({ ...text, ...readOnly }),
    { type: ['string', 'null'], ...readOnly },
  ],
  [
    'from objects to all values',
    nullable({ ...record, ...readOnly }),
    { ...record, ...readOnly, type: ['object', 'null'] },
  ],
])('a mark that goes %s is no part of a form that two schemas share', (_name, old, next) => {
  expect(canonicalText(object({ p: old }))).not.toBe(canonicalText(object({ p: next })));
});

test.each<Row>([
  ['on a schema that is referred to', referred(whole), referred(text), request],
  ['on all branches', kinds({ ...whole, ...readOnly }), kinds({ ...text, ...readOnly }), request],
  ...together.map(([name, of]): Row => [name, of(whole), of(text), request]),
])('readOnly %s hides the change of a request', (_name, old, next, setting) => {
  expect(between(old, next, { ...setting, dialect: 'openapi-3.1' }).isBreaking).toBe(false);
});

test('what an operation demands beside its members is no part of the members', () => {
  const members = { request: text };
  const next = object(members, ['x']);
  expect(between(object(members), next, { direction: 'operation' }).isBreaking).toBe(true);
});

test('forward does not forgive a demand for what a dynamic name still declares', () => {
  const item = object({ x: text }, ['x']);
  const next = moving({ properties: { x: text } });
  expect(between(object({ item }), next, { mode: 'forward' }).isBreaking).toBe(true);
});

test('what a dropped change was shown by is told all the same', () => {
  const few = { type: 'object', minProperties: 3 };
  const schemaOf = (p: Json, not: Json): Json => ({
    ...{ type: 'object', properties: { p, z: {} } },
    anyOf: [{ required: ['z'], not }, { minProperties: 1 }],
  });
  const old = schemaOf(evaluatedBy('a', 'b'), few);
  const next = schemaOf(evaluatedBy('b', 'a'), { type: 'object', not: { maxProperties: 2 } });
  for (const mode of ['backward', 'forward', 'full'] as const) {
    const { changes, isBreaking } = between(old, next, { mode });
    expect({ mode, isBreaking, isTold: changes.length > 0 }).toEqual({
      ...{ mode, isBreaking: true, isTold: true },
    });
  }
});

test('a default that changed beside hides no change of values', () => {
  const schemaOf = (value: number, p: Json): Json => ({ default: value, properties: { p } });
  const old = schemaOf(1, evaluatedBy('a', 'b'));
  const next = schemaOf(2, evaluatedBy('b', 'a'));
  for (const mode of ['backward', 'full'] as const) {
    expect(told(between(old, next, { mode }))).toContain('! schema_narrowed $');
  }
});

const described = object({ a: text });
const describing = (more: JsonObject): Json => object({ a: text }, [], more);
const q = { properties: { q: text } };

test.each<[string, Json, Json]>([
  ['a branch', describing({ anyOf: [q, {}] }), described],
  ['a condition', describing({ if: q }), described],
  ['another property', describing({ dependentSchemas: { a: object({ q: {} }) } }), described],
  [
    'a schema for the rest that asks nothing',
    describing({ additionalProperties: { minLength: 0 } }),
    described,
  ],
  [
    'a part of a list',
    { type: 'array', items: described, contains: q, minContains: 0 },
    { type: 'array', items: described },
  ],
])(
  'what %s alone describes is told, though every value is accepted as before',
  (_name, next, old) => {
    for (const direction of ['data', 'request', 'response'] as const) {
      const full = between(old, next, { direction, mode: 'full' });
      expect({ isBreaking: full.isBreaking, bump: full.bump }).toEqual({
        ...{ isBreaking: true, bump: 'major' },
      });
      const { isBreaking, bump } = between(old, next, { direction });
      expect({ direction, isBreaking, bump }).toEqual({
        direction,
        isBreaking: false,
        bump: 'minor',
      });
    }
  },
);

const answers = (responses: JsonObject): Json => object({ responses: object(responses) });

test.each<[string, Json, Json]>([
  ['of errors that goes', answers({ '404': q, '4XX': described }), answers({ '404': q })],
  ['of errors that comes', answers({ '404': q }), answers({ '404': q, '4XX': described })],
  ['of successes that comes', answers({ '200': q }), answers({ '200': q, '2XX': described })],
])('a range %s beside one of its statuses is told', (_name, old, next) => {
  const setting = { direction: 'operation' } as const;
  expect(between(old, next, { ...setting, mode: 'full' }).isBreaking).toBe(true);
  for (const mode of ['backward', 'forward'] as const) {
    const { isBreaking, bump } = between(old, next, { ...setting, mode });
    expect({ mode, isBreaking, bump }).toEqual({ mode, isBreaking: false, bump: 'minor' });
  }
});

test('words alone change nothing, also where nobody knows what the rest means', () => {
  const old = { ...(named(text) as JsonObject), title: 'a', $comment: 'b' };
  const next = { ...(named(text) as JsonObject), title: 'c', description: 'd' };
  const { isBreaking, bump } = between(old, next);
  expect({ isBreaking, bump }).toEqual({ isBreaking: false, bump: 'patch' });
});
