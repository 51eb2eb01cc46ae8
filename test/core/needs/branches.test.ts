// Fields that a contract describes in some of its values only: a union, a condition, a negation. The schema
// of stated fields is wider than that, and still no change of them may leave their readers unaffected.

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { object, termsOf } from '../diff/support/terms.ts';
import { verdictFor } from './support.ts';

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };
const both: Json = { type: ['string', 'integer'] };
const one = (value: Json): Json => ({ const: value });
const list = (items: Json): Json => ({ type: 'array', items });

const when = (condition: Json, yes: Json, no: Json = {}): JsonObject =>
  Object.fromEntries([
    ['if', condition],
    ['then', yes],
    ['else', no],
  ]);

type Of = (type: Json) => Json;

const tagged =
  (union: string, more: readonly string[] = []): Of =>
  (meow) => ({
    type: 'object',
    [union]: [
      object({ k: one('cat'), meow }, ['k', ...more]),
      object({ k: one('dog'), d: text }, ['k']),
    ],
  });
const untagged =
  (union: string, isDemanded = true): Of =>
  (meow) => ({
    type: 'object',
    [union]: [
      object({ meow }, isDemanded ? ['meow'] : []),
      object({ d: text }, isDemanded ? ['d'] : []),
    ],
  });
const isCat = object({ k: one('cat') }, ['k']);
const condition: Of = (meow) => object({ k: text }, [], when(isCat, object({ meow })));
const otherwise: Of = (meow) =>
  object({ k: text }, [], when(isCat, object({ meow }), object({ d: text })));
const based: Of = (meow) => ({
  $defs: { B: object({ k: text, a: text }) },
  anyOf: [
    { allOf: [{ $ref: '#/$defs/B' }, object({ meow })], properties: { k: { enum: ['Cat'] } } },
    { allOf: [{ $ref: '#/$defs/B' }], properties: { k: { enum: ['Pet'] } } },
  ],
});

type Retyped = readonly [name: string, of: Of, fields: readonly string[]];

const retyped: readonly Retyped[] = [
  ...['anyOf', 'oneOf'].flatMap((union): readonly Retyped[] => [
    [`${union} with a tag`, tagged(union), ['$.meow']],
    [`${union} with a tag that is read`, tagged(union), ['$.meow', '$.k']],
    [`${union} with a tag and a field that it demands`, tagged(union, ['meow']), ['$.meow']],
    [`${union} with a tag, in a field`, (type) => object({ p: tagged(union)(type) }), ['$.p.meow']],
    [
      `${union} with a tag, in items`,
      (type) => object({ p: list(tagged(union)(type)) }),
      ['$.p[*].meow'],
    ],
    [`${union} without a tag`, untagged(union), ['$.meow']],
    [`${union} of all that is read`, untagged(union), ['$.meow', '$.d']],
  ]),
  // Of oneOf, no value has one of them: it fits the other branch as well.
  ['anyOf of optional fields', untagged('anyOf', false), ['$.meow']],
  ['anyOf of parts of a base', based, ['$.meow']],
  ['anyOf of parts of a base, with the tag', based, ['$.meow', '$.k']],
  ['then', condition, ['$.meow']],
  ['then, with the tag', condition, ['$.meow', '$.k']],
  ['then beside else', otherwise, ['$.meow', '$.k', '$.d']],
  [
    'dependentSchemas',
    (meow) => object({ k: text, meow: {} }, [], { dependentSchemas: { k: object({ meow }) } }),
    ['$.meow', '$.k'],
  ],
  [
    'dependencies of draft-07',
    (meow) => ({
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...(object({ k: text, meow: {} }, [], { dependencies: { k: object({ meow }) } }) as object),
    }),
    ['$.meow', '$.k'],
  ],
  [
    'a field of a field of one variant',
    (x) => ({
      type: 'object',
      anyOf: [object({ k: one('a'), p: object({ x }) }, ['k']), object({ k: one('b') }, ['k'])],
    }),
    ['$.p.x'],
  ],
  [
    'unevaluatedProperties',
    (type) => ({ type: 'object', allOf: [object({ a: text })], unevaluatedProperties: type }),
    ['$.zz'],
  ],
  [
    'unevaluatedItems',
    (x) =>
      object({
        p: { type: 'array', prefixItems: [object({ x: text })], unevaluatedItems: object({ x }) },
      }),
    ['$.p[*].x'],
  ],
  ['a negation', (x) => object({ x: both }, [], { not: object({ x }, ['x']) }), ['$.x']],
  [
    'several conditions',
    (x) =>
      object({ k: { enum: ['a', 'b'] } }, ['k'], {
        allOf: ['a', 'b'].map((k) => when(object({ k: one(k) }), object({ x }))),
      }),
    ['$.x', '$.k'],
  ],
  ...(['root', 'field', 'items'] as const).map((place): Retyped => {
    const values: Of = (type) => (type === text ? [{ a: 's' }] : [{ a: 1 }]);
    const of: Record<typeof place, readonly [Of, string]> = {
      root: [(type) => ({ enum: values(type), properties: { a: {} } }), '$.a'],
      field: [(type) => object({ p: { enum: values(type), properties: { a: {} } } }), '$.p.a'],
      items: [
        (type) => object({ p: { const: values(type), items: { properties: { a: {} } } } }),
        '$.p[*].a',
      ],
    };
    const [made, field] = of[place];
    return [`whole values of the ${place}`, made, [field]];
  }),
  [
    'the items of an array or of an object',
    (x) => object({ p: { anyOf: [list(object({ x })), object({ y: text })] } }),
    ['$.p[*].x'],
  ],
  [
    'the values of a map',
    (x) =>
      object({ k: text }, [], {
        additionalProperties: { anyOf: [object({ x }), object({ y: text })] },
      }),
    ['$.*.x'],
  ],
];

const verdictOf = (old: Json, next: Json, fields: readonly string[]) =>
  verdictFor(termsOf(old), termsOf(next), { fields }).verdict;

test.each(retyped)('a type that changes below %s is not unaffected', (_name, of, fields) => {
  expect(verdictOf(of(text), of(whole), fields)).not.toBe('unaffected');
  expect(verdictOf(of(text), of(both), fields)).not.toBe('unaffected');
  expect(verdictOf(of(text), of(text), fields)).toBe('unaffected');
});

type Change = readonly [name: string, old: Json, next: Json, fields: readonly string[]];

const byTag = (...[a, b]: readonly Json[]): Json =>
  object(
    { k: text },
    [],
    when(object({ k: one('a') }, ['k']), object({ x: a ?? {} }), object({ x: b ?? {} })),
  );
const ofKinds = (kinds: readonly string[]): Json =>
  object({ k: { enum: [...kinds] } }, ['k'], {
    anyOf: [object({ k: one('a'), x: text }, ['k']), object({ k: one('b'), x: whole }, ['k'])],
  });
const named = (names: readonly string[]): Json => ({
  ...{ type: 'object', additionalProperties: text, propertyNames: { enum: [...names] } },
});
const bounded: Json = {
  type: 'object',
  properties: { x: { type: 'number' } },
  oneOf: [{ properties: { x: { minimum: 0 } } }, { properties: { x: { maximum: 10 } } }],
};

/** `a` brings `b` with it, and `b` brings `c`. */
const inTurn = (dependentRequired: JsonObject, more: JsonObject): Json =>
  object({ a: text, b: text, c: text }, [], { dependentRequired, ...more });
const [ofB, ofC] = [{ a: ['b'] }, { b: ['c'] }];
const always = { required: ['a'] };
const oneOfTwo = { anyOf: [{ required: ['a'] }, { required: ['c'] }] };

test.each<Change>([
  ['a field that came with another one', inTurn(ofB, always), inTurn({}, always), ['$.b']],
  ['what a field came with, and need not be there', inTurn(ofB, always), inTurn(ofB, {}), ['$.b']],
  ['a field that came in turn', inTurn({ ...ofB, ...ofC }, always), inTurn(ofB, always), ['$.c']],
  [
    'a field that came in turn with one that is read',
    inTurn({ ...ofB, ...ofC }, always),
    inTurn(ofC, always),
    ['$.a', '$.c'],
  ],
  [
    'a field that came with either of two',
    inTurn({ ...ofB, c: ['b'] }, oneOfTwo),
    inTurn(ofB, oneOfTwo),
    ['$.b'],
  ],
  [
    'a field that came with either of two, of which none need be there',
    inTurn({ ...ofB, c: ['b'] }, oneOfTwo),
    inTurn({ ...ofB, c: ['b'] }, {}),
    ['$.b'],
  ],
  ...[{}, { additionalProperties: true }].map(
    (old): Change => [
      `a name that is taken and forbidden, after ${JSON.stringify(old)}`,
      { type: 'object', ...old },
      object({ x: {} }, [], { propertyNames: { not: one('x') } }),
      ['$.x'],
    ],
  ),
  ['types that swap between tags', byTag(text, whole), byTag(whole, text), ['$.x', '$.k']],
  ['a tag that gains a value', ofKinds(['a']), ofKinds(['a', 'b']), ['$.x']],
  ['a name that is not allowed any more', named(['a', 'b']), named(['b']), ['$.a']],
  [
    'one of two bounds that becomes both',
    bounded,
    object({ x: { type: 'number', minimum: 0, maximum: 10 } }),
    ['$.x'],
  ],
])('%s: is not unaffected', (_name, old, next, fields) => {
  expect(verdictOf(old, next, fields)).not.toBe('unaffected');
});

describe('a change of what is not read leaves a reader unaffected', () => {
  const pets = (d: Json, isDemanded: boolean, union = 'oneOf'): Json => ({
    type: 'object',
    [union]: [
      object({ k: one('cat'), meow: text }, isDemanded ? ['k', 'meow'] : ['k']),
      object({ k: one('dog'), d }, isDemanded ? ['k', 'd'] : ['k']),
    ],
  });
  const beside = (b: Json, keywords: JsonObject): Json =>
    object({ a: text, b, c: text }, [], keywords);
  const nullable = (more: Record<string, Json>): Json =>
    object({ p: { oneOf: [{ type: 'null' }, object({ x: text, ...more })] } });
  test.each<Change>([
    ['in another variant', pets(text, false), pets(whole, false), ['$.meow']],
    ['in another variant that demands it', pets(text, true), pets(whole, true), ['$.meow']],
    ['in another variant, with the tag', pets(text, true), pets(whole, true), ['$.meow', '$.k']],
    ['of anyOf', pets(text, true, 'anyOf'), pets(whole, true, 'anyOf'), ['$.meow']],
    [
      'beside a choice of what is demanded',
      beside(text, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      beside(whole, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      ['$.c'],
    ],
    ['of what a field comes with that need not be there', inTurn(ofB, {}), inTurn({}, {}), ['$.b']],
    ['of what comes with a field', inTurn(ofB, always), inTurn({}, always), ['$.a']],
    ['beside a negation', beside(text, { not: { required: ['b'] } }), beside(text, {}), ['$.a']],
    [
      'beside a condition',
      beside(text, when(object({ b: one('x') }), { required: ['c'] })),
      beside(whole, {}),
      ['$.a'],
    ],
    ['of an object that may be null', nullable({ y: text }), nullable({ y: whole }), ['$.p.x']],
    [
      'of an object that may be null, and what is read gets narrower',
      nullable({ y: text, x: both }),
      nullable({ y: whole, x: text }),
      ['$.p.x'],
    ],
  ])('%s', (_name, old, next, fields) => {
    expect(verdictOf(old, next, fields)).toBe('unaffected');
  });
});

describe('a field that something else demands than its name', () => {
  const fields = { f: text, g: text, h: text };
  const chain = { dependentRequired: { g: ['h'], h: ['f'] } };
  const counted = (count: number): JsonObject => ({ minProperties: count });

  test.each<readonly [what: string, old: JsonObject, next: JsonObject]>([
    [
      'the demand moves into a branch',
      { allOf: [{ required: ['g'] }, chain] },
      { anyOf: [{ required: ['g'] }, {}], ...chain },
    ],
    [
      'there is one property more than have to be there',
      counted(3),
      { ...counted(3), properties: { i: text } },
    ],
  ])('may be missing where %s', (_what, old, next) => {
    const both = [old, next].map((each) => ({ allOf: [object(fields), each] }));
    for (const [wrap, field] of [
      [(schema: Json) => schema, '$.f'],
      [(schema: Json) => object({ rows: list(schema) }, ['rows']), '$.rows[*].f'],
    ] as const) {
      const [before, after] = both.map((each) => termsOf(wrap(each)));
      if (before === undefined || after === undefined) throw new Error('There are two.');
      const stated = { fields: [field] };
      expect(verdictFor(before, after, stated)).toEqual({ verdict: 'may_break' });
      expect(verdictFor(before, before, stated)).toEqual({ verdict: 'unaffected' });
    }
  });
});
