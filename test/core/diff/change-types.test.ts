// Every type of change, and who it breaks: one row a change, one column a mode and direction.

import { describe, expect, test } from 'vitest';
import type { ChangeType } from '../../../src/core/comparison.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { between, object, termsOf, told } from './support/terms.ts';

const columns = [
  { mode: 'backward', direction: 'data' },
  { mode: 'forward', direction: 'data' },
  { mode: 'backward', direction: 'request' },
  { mode: 'forward', direction: 'request' },
  { mode: 'backward', direction: 'response' },
  { mode: 'forward', direction: 'response' },
] as const;

// What data, requests and responses make of a change, backward and forward in turn.
const narrowing = '!.!..!';
const widening = '.!.!!.';
const changing = '!!!!!!';
const harmless = '......';

interface Row {
  readonly type: ChangeType;
  readonly name: string;
  readonly old: Json;
  readonly next: Json;
  readonly breaks: string;
  readonly path?: string;
  /** Changes that come with it. */
  readonly beside?: readonly string[];
}

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };
const at = (schema: Json): Json => object({ a: schema });
const kind = (name: string): Json => object({ kind: { const: name } }, ['kind']);

const rows: readonly Row[] = [
  {
    type: 'property_added',
    name: 'optional',
    old: object({ b: text }),
    next: object({ a: text, b: text }),
    breaks: '.....!',
  },
  {
    type: 'property_added',
    name: 'where old forbids unknown ones',
    old: object({ b: text }, [], { additionalProperties: false }),
    next: object({ a: text, b: text }, [], { additionalProperties: false }),
    breaks: '.!.!!!',
  },
  {
    type: 'property_removed',
    name: 'optional',
    old: object({ a: text, b: text }),
    next: object({ b: text }),
    breaks: '!.!.!.',
  },
  {
    type: 'property_removed',
    name: 'required',
    old: object({ a: text, b: text }, ['a']),
    next: object({ b: text }),
    breaks: '!.!.!.',
  },
  {
    type: 'property_removed',
    name: 'where new forbids unknown ones',
    old: object({ a: text, b: text }, [], { additionalProperties: false }),
    next: object({ b: text }, [], { additionalProperties: false }),
    breaks: '!.!.!!',
  },
  {
    type: 'property_removed',
    name: 'by a schema that nothing fits',
    old: at(text),
    next: at(false),
    breaks: '!.!.!!',
  },
  {
    type: 'required_added',
    name: 'to a property there was',
    old: at(text),
    next: object({ a: text }, ['a']),
    breaks: narrowing,
  },
  {
    type: 'required_removed',
    name: 'from a property that stays',
    old: object({ a: text }, ['a']),
    next: at(text),
    breaks: widening,
  },
  { type: 'type_changed', name: 'to another', old: at(whole), next: at(text), breaks: changing },
  {
    type: 'type_changed',
    name: 'to some others',
    old: at({ type: ['integer', 'string'] }),
    next: at({ type: ['boolean', 'string'] }),
    breaks: changing,
  },
  {
    type: 'type_widened',
    name: 'integer to number',
    old: at(whole),
    next: at({ type: 'number' }),
    breaks: widening,
  },
  {
    type: 'type_widened',
    name: 'text to text or a list of it: there were no items that could have changed',
    old: at(text),
    next: at({ type: ['string', 'array'], items: text }),
    breaks: widening,
  },
  {
    type: 'type_changed',
    name: 'nullable text to a nullable list',
    old: at({ type: ['string', 'null'] }),
    next: at({ type: ['array', 'null'], items: text }),
    breaks: changing,
  },
  {
    type: 'type_narrowed',
    name: 'number to integer',
    old: at({ type: 'number' }),
    next: at(whole),
    breaks: narrowing,
  },
  {
    type: 'type_narrowed',
    name: 'anything to a type',
    old: at({}),
    next: at(text),
    breaks: narrowing,
    beside: ['nullable_removed'],
  },
  {
    type: 'nullable_added',
    name: 'by a type list',
    old: at(text),
    next: at({ type: ['string', 'null'] }),
    breaks: widening,
  },
  {
    type: 'nullable_removed',
    name: 'from a union',
    old: at({ anyOf: [text, { type: 'null' }] }),
    next: at(text),
    breaks: narrowing,
  },
  {
    type: 'nullable_removed',
    name: 'from an enum',
    old: at({ enum: ['x', null] }),
    next: at({ enum: ['x'] }),
    breaks: narrowing,
  },
  {
    type: 'enum_values_added',
    name: 'a value',
    old: at({ enum: ['x'] }),
    next: at({ enum: ['x', 'y'] }),
    breaks: widening,
  },
  {
    type: 'enum_values_removed',
    name: 'a value',
    old: at({ enum: ['x', 'y'] }),
    next: at({ enum: ['y'] }),
    breaks: narrowing,
  },
  {
    type: 'enum_values_removed',
    name: 'one constant for another',
    old: at({ const: 'x' }),
    next: at({ const: 'y' }),
    breaks: changing,
    beside: ['enum_values_added'],
  },
  {
    type: 'constraint_tightened',
    name: 'an enum where there was none',
    old: at(text),
    next: at({ type: 'string', enum: ['x'] }),
    breaks: narrowing,
  },
  {
    type: 'constraint_relaxed',
    name: 'no enum any more',
    old: at({ type: 'string', enum: ['x'] }),
    next: at(text),
    breaks: widening,
  },
  ...(
    [
      ['minimum', 1, 2, whole],
      ['maximum', 2, 1, whole],
      ['exclusiveMinimum', 1.5, 2.5, { type: 'number' }],
      ['exclusiveMaximum', 2.5, 1.5, { type: 'number' }],
      ['multipleOf', 2, 6, whole],
      ['minLength', 1, 2, text],
      ['maxLength', 2, 1, text],
      ['pattern', '^x', '^xy', text],
      ['minItems', 1, 2, { type: 'array' }],
      ['maxItems', 2, 1, { type: 'array' }],
      ['uniqueItems', false, true, { type: 'array' }],
      ['minProperties', 1, 2, { type: 'object' }],
      ['maxProperties', 2, 1, { type: 'object' }],
    ] as const
  ).flatMap(([keyword, loose, tight, base]): Row[] => {
    const one = at({ ...(base as object), [keyword]: loose });
    const other = at({ ...(base as object), [keyword]: tight });
    return [
      { type: 'constraint_tightened', name: keyword, old: one, next: other, breaks: narrowing },
      { type: 'constraint_relaxed', name: keyword, old: other, next: one, breaks: widening },
    ];
  }),
  {
    type: 'constraint_tightened',
    name: 'a pattern for another',
    old: at({ type: 'string', pattern: '^a$' }),
    next: at({ type: 'string', pattern: '^b$' }),
    breaks: changing,
    beside: ['constraint_relaxed'],
  },
  {
    type: 'format_changed',
    name: 'to another',
    old: at({ type: 'string', format: 'date' }),
    next: at({ type: 'string', format: 'date-time' }),
    breaks: changing,
  },
  {
    type: 'format_changed',
    name: 'added',
    old: at(text),
    next: at({ type: 'string', format: 'uuid' }),
    breaks: narrowing,
  },
  {
    type: 'format_changed',
    name: 'dropped',
    old: at({ type: 'string', format: 'uuid' }),
    next: at(text),
    breaks: widening,
  },
  {
    type: 'default_added',
    name: 'a default',
    old: at(whole),
    next: at({ type: 'integer', default: 1 }),
    breaks: harmless,
  },
  {
    type: 'default_removed',
    name: 'a default',
    old: at({ type: 'integer', default: 1 }),
    next: at(whole),
    breaks: harmless,
  },
  {
    type: 'default_changed',
    name: 'a default',
    old: at({ type: 'integer', default: 1 }),
    next: at({ type: 'integer', default: 2 }),
    breaks: harmless,
  },
  {
    type: 'additional_properties_closed',
    name: 'to nothing',
    old: object({ b: text }),
    next: object({ b: text }, [], { additionalProperties: false }),
    breaks: '.....!',
    path: '$.additionalProperties',
  },
  {
    type: 'additional_properties_closed',
    name: 'from a schema to nothing',
    old: object({ b: text }, [], { additionalProperties: text }),
    next: object({ b: text }, [], { additionalProperties: false }),
    breaks: '!.!.!!',
    path: '$.additionalProperties',
  },
  {
    type: 'additional_properties_opened',
    name: 'to a schema',
    old: object({ b: text }, [], { additionalProperties: false }),
    next: object({ b: text }, [], { additionalProperties: text }),
    breaks: '.!.!!!',
    path: '$.additionalProperties',
  },
  {
    type: 'additional_properties_opened',
    name: 'to anything',
    old: object({ b: text }, [], { additionalProperties: false }),
    next: object({ b: text }),
    breaks: '.!.!!.',
    path: '$.additionalProperties',
  },
  {
    type: 'additional_properties_closed',
    name: 'what is unevaluated',
    old: { allOf: [object({ b: text })] },
    next: { allOf: [object({ b: text })], unevaluatedProperties: false },
    breaks: '.....!',
    path: '$.unevaluatedProperties',
  },
  {
    type: 'union_member_added',
    name: 'to a union',
    old: { oneOf: [kind('x'), kind('y')] },
    next: { oneOf: [kind('x'), kind('y'), kind('z')] },
    breaks: widening,
    path: '$.oneOf[2]',
  },
  {
    type: 'union_member_added',
    name: 'to what was no union',
    old: kind('x'),
    next: { anyOf: [kind('x'), kind('y')] },
    breaks: widening,
    path: '$.anyOf[1]',
  },
  {
    type: 'union_member_removed',
    name: 'from a union',
    old: { oneOf: [kind('x'), kind('y'), kind('z')] },
    next: { oneOf: [kind('x'), kind('z')] },
    breaks: narrowing,
    path: '$.oneOf[1]',
  },
  {
    type: 'schema_narrowed',
    name: 'by not',
    old: at(text),
    next: at({ type: 'string', not: { const: 'x' } }),
    breaks: narrowing,
  },
  {
    type: 'schema_widened',
    name: 'by not',
    old: at({ type: 'string', not: { const: 'x' } }),
    next: at(text),
    breaks: widening,
  },
  {
    type: 'schema_changed',
    name: 'by not',
    old: at({ type: 'string', not: { const: 'x' } }),
    next: at({ type: 'string', not: { const: 'y' } }),
    breaks: changing,
  },
  {
    type: 'schema_narrowed',
    name: 'by propertyNames',
    old: at({ type: 'object' }),
    next: at({ type: 'object', propertyNames: { maxLength: 3 } }),
    breaks: narrowing,
  },
  {
    type: 'schema_narrowed',
    name: 'by contains',
    old: at({ type: 'array' }),
    next: at({ type: 'array', contains: whole }),
    breaks: narrowing,
  },
  {
    type: 'schema_narrowed',
    name: 'by dependentRequired',
    old: object({ a: text, b: text }),
    next: object({ a: text, b: text }, [], { dependentRequired: { a: ['b'] } }),
    breaks: narrowing,
    path: '$',
  },
  {
    type: 'schema_narrowed',
    name: 'by nothing fitting any more',
    old: at({ type: 'object', patternProperties: { '^x': text } }),
    next: at({ type: 'object', patternProperties: { '^x': false } }),
    breaks: '!.!.!!',
    path: '$.properties.a.patternProperties["^x"]',
  },
  {
    type: 'constraint_tightened',
    name: 'an array that ends',
    old: at({ type: 'array', items: text }),
    next: at({ type: 'array', items: false }),
    breaks: narrowing,
  },
  {
    type: 'schema_widened',
    name: 'a property that nothing fitted, gone',
    old: object({ a: false, b: text }),
    next: object({ b: text }),
    breaks: '....!.',
  },
  {
    type: 'schema_narrowed',
    name: 'a property that nothing fits any more, at a free-form place',
    old: { type: 'object' },
    next: object({ a: false }),
    breaks: narrowing,
  },
  {
    type: 'constraint_tightened',
    name: 'a pattern of keys',
    old: object({}, [], { additionalProperties: {} }),
    next: object({}, [], { patternProperties: { '^x': text } }),
    breaks: '.....!',
    path: '$.patternProperties["^x"]',
  },
  {
    type: 'annotation_changed',
    name: 'a description',
    old: at(text),
    next: at({ type: 'string', description: 'x' }),
    breaks: harmless,
  },
  {
    type: 'annotation_changed',
    name: 'a format of numbers that asserts nothing in this dialect',
    old: at({ type: 'integer', format: 'int64' }),
    next: at({ type: 'integer', format: 'int32' }),
    breaks: harmless,
  },
  {
    type: 'annotation_changed',
    name: 'a format nobody knows',
    old: at({ type: 'string', format: 'colour' }),
    next: at({ type: 'string', format: 'shade' }),
    breaks: harmless,
  },
];

describe('Each change, and who it breaks', () => {
  test.each(rows.map((row) => [row.type, row.name, row] as const))('%s: %s', (type, _name, row) => {
    const path = row.path ?? '$.properties.a';
    const found = columns.map((setting) => {
      const comparison = between(row.old, row.next, setting);
      const types = comparison.changes.map((change) => change.type);
      expect(types.toSorted()).toEqual([type, ...(row.beside ?? [])].toSorted());
      expect(comparison.changes.find((change) => change.type === type)?.path).toBe(path);
      return comparison.isBreaking ? '!' : '.';
    });
    expect(found.join('')).toBe(row.breaks);
  });

  test.each(rows.map((row) => [row.type, row.name, row] as const))(
    '%s: %s, under full and none',
    (type, _name, row) => {
      const isWord = type === 'annotation_changed';
      expect(between(row.old, row.next, { mode: 'full' }).isBreaking).toBe(!isWord);
      const unchecked = between(row.old, row.next, { mode: 'none' });
      expect(unchecked.isBreaking).toBe(false);
      expect(unchecked.changes.length).toBeGreaterThan(0);
    },
  );
});

test('a demand for a property that nobody describes declares it', () => {
  const [old, next] = [object({ b: text }), object({ b: text }, ['a'])];
  const [demanded, added] = ['required_added $.properties.a', 'property_added $.properties.a'];
  const breaking = [`! ${demanded}`, added];
  expect(columns.map((setting) => told(between(old, next, setting)))).toEqual([
    ...[breaking, breaking, breaking, breaking],
    ...[
      [added, demanded],
      [`! ${added}`, `! ${demanded}`],
    ],
  ]);
});

test('a format of numbers asserts in OpenAPI', () => {
  const old = at({ type: 'integer', format: 'int64' });
  const next = at({ type: 'integer', format: 'int32' });
  const comparison = between(old, next, { dialect: 'openapi-3.0' });
  expect(told(comparison)).toEqual(['! format_changed $.properties.a']);
});

test('a rename is a hint beside the property that went and the one that came', () => {
  const old = object({ id: whole, mail: { type: 'string', format: 'email' } });
  const next = object({ id: whole, email: { type: 'string', format: 'email' } });
  expect(told(between(old, next))).toEqual([
    '! property_removed $.properties.mail',
    'property_added $.properties.email',
    'property_renamed $.properties.mail',
  ]);
});

test('two that could be the new name are no hint', () => {
  const next = object({ b: text, c: text });
  expect(told(between(object({ a: text }), next))).not.toContain('property_renamed $.properties.a');
});

test('a contract that moves to another dialect is read by it', () => {
  const old = termsOf(at({ type: 'string', nullable: true }), { dialect: 'openapi-3.0' });
  const same = termsOf(at({ type: ['string', 'null'] }), { dialect: '2020-12' });
  expect(compare(old, same).changes).toEqual([]);
  const next = termsOf(at({ type: 'string', nullable: true }), { dialect: '2020-12' });
  expect(told(compare(old, next))).toContain('! nullable_removed $.properties.a');
});

test('what cannot be decided counts as breaking, with its place and reason', () => {
  const comparison = between(at({}), at({ $ref: 'https://example.com/somewhere' }));
  expect(comparison).toMatchObject({
    isBreaking: true,
    breaksBackward: true,
    bump: 'major',
    undecidedCount: 1,
  });
  const undecided = comparison.changes.find((change) => change.type === 'compatibility_undecided');
  expect(undecided).toMatchObject({ breaking: true });
  expect(undecided?.description).toContain('https://example.com/somewhere');
});

describe('the mode', () => {
  const relaxed: readonly (readonly [string, string])[] = [
    ['backward', 'forward'],
    ['backward', 'none'],
    ['forward', 'backward'],
    ['forward', 'none'],
    ['full', 'backward'],
    ['full', 'forward'],
    ['full', 'none'],
  ];
  const modes = ['backward', 'forward', 'full', 'none'] as const;
  for (const old of modes) {
    for (const next of modes) {
      const isRelaxed = relaxed.some(([from, to]) => from === old && to === next);
      test(`${old} to ${next} ${isRelaxed ? 'is relaxed: consumers are asked' : 'is not relaxed'}`, () => {
        const comparison = compare(termsOf(text, { mode: old }), termsOf(text, { mode: next }));
        expect(told(comparison)).toEqual(
          isRelaxed ? ['! compatibility_mode_relaxed $.compatibility_mode'] : [],
        );
        expect(comparison.bump).toBe(isRelaxed ? 'major' : old === next ? 'none' : 'patch');
      });
    }
  }

  test('of the old contract judges, so that loosening and breaking in one step does not pass', () => {
    const comparison = compare(termsOf(at(whole)), termsOf(at(text), { mode: 'none' }));
    expect(told(comparison)).toEqual([
      '! compatibility_mode_relaxed $.compatibility_mode',
      '! type_changed $.properties.a',
    ]);
  });
});

describe('an operation is a request and a response, each by its own rules', () => {
  const operation = (request: Json | null, response: Json | null, more: object = {}): Json =>
    object(
      {
        ...(request === null ? {} : { request }),
        ...(response === null ? {} : { response }),
      },
      [],
      more as { readonly [key: string]: Json },
    );
  const both = { direction: 'operation' } as const;

  test.each([
    ['a request that asks more', object({ a: text }), object({ a: text }, ['a']), 'request', true],
    ['a request that asks less', object({ a: text }, ['a']), object({ a: text }), 'request', false],
    [
      'a response that promises less',
      object({ a: text }, ['a']),
      object({ a: text }),
      'response',
      true,
    ],
    [
      'a response that promises more',
      object({ a: text }),
      object({ a: text }, ['a']),
      'response',
      false,
    ],
    ['a request without a property', object({ a: text }), object({}), 'request', true],
    ['a response without a property', object({ a: text }), object({}), 'response', true],
  ] as const)('%s', (_name, old, next, part, isBreaking) => {
    const [one, other] =
      part === 'request'
        ? [operation(old, text), operation(next, text)]
        : [operation(text, old), operation(text, next)];
    const comparison = between(one, other, both);
    expect(comparison.isBreaking).toBe(isBreaking);
    for (const change of comparison.changes) expect(change.path).toMatch(`$.properties.${part}`);
  });

  test('a definition that both share is read both ways', () => {
    const definitions = (a: Json) => ({ $defs: { t: object({ a }) } });
    const reference = { $ref: '#/$defs/t' };
    const old = operation(reference, reference, definitions(whole));
    const next = operation(reference, reference, definitions({ type: 'number' }));
    expect(told(between(old, next, both))).toEqual([
      '! type_widened $.properties.response.properties.a',
      'type_widened $.properties.request.properties.a',
    ]);
  });

  describe('a member that is absent is one that takes or gives nothing', () => {
    const query = (required: readonly string[]): Json => object({ q: text }, required);
    const none = null;
    const body = object({ body: object({ a: text }) }, ['body']);
    // What backward and forward make of it.
    const table: readonly [string, Json | null, Json | null, Json | null, Json | null, string][] = [
      // Old request, old response, new request, new response.
      [
        'a required parameter appears',
        none,
        text,
        object({ query: query(['q']) }, ['query']),
        text,
        '!!',
      ],
      [
        'a required header appears',
        none,
        text,
        object({ header: object({ h: text }, ['h']) }, ['header']),
        text,
        '!!',
      ],
      ['a required body appears', none, text, body, text, '!!'],
      ['an optional parameter appears', none, text, object({ query: query([]) }), text, '--'],
      ['an optional parameter goes', object({ query: query([]) }), text, none, text, '!-'],
      [
        'a required parameter goes',
        object({ query: query(['q']) }, ['query']),
        text,
        none,
        text,
        '!-',
      ],
      ['a body goes', body, text, none, text, '!-'],
      ['a request that is no object appears', none, text, whole, text, '!!'],
      ['a response appears', body, none, body, object({ a: text }), '!!'],
      ['a response of anything appears', body, none, body, {}, '!!'],
      ['a response goes', body, object({ a: text }), body, none, '!!'],
      ['a response of anything goes', body, {}, body, none, '!!'],
      ['both appear', none, none, body, text, '!!'],
      ['both go', body, text, none, none, '!!'],
    ];

    for (const wrap of [(schema: Json) => schema, (schema: Json): Json => ({ allOf: [schema] })]) {
      const written = JSON.stringify(wrap(true)) === 'true' ? 'as it is' : 'in an allOf';
      test.each(table)(`%s, written ${written}`, (_name, r1, s1, r2, s2, breaks) => {
        const [old, next] = [operation(r1, s1), operation(r2, s2)].map(wrap) as [Json, Json];
        const found = (['backward', 'forward'] as const).map((mode) => {
          const comparison = between(old, next, { ...both, mode });
          expect(comparison.changes.length).toBeGreaterThan(0);
          return comparison.isBreaking ? '!' : '-';
        });
        expect(found.join('')).toBe(breaks);
        expect(between(old, next, { ...both, mode: 'full' }).isBreaking).toBe(true);
        expect(between(old, next, { ...both, mode: 'none' }).isBreaking).toBe(false);
      });
    }

    test('whether the root demands a member says nothing where the other side has none', () => {
      const demanding = (schema: Json): Json => ({ ...(schema as object), required: ['request'] });
      const optional = operation(object({ query: query([]) }), text);
      const required = operation(object({ query: query(['q']) }, ['query']), text);
      expect(between(operation(null, text), demanding(optional), both).isBreaking).toBe(false);
      expect(between(operation(null, text), demanding(required), both).isBreaking).toBe(true);
      expect(between(demanding(optional), demanding(required), both).isBreaking).toBe(true);
    });

    test('in two steps: the request that is dropped is missed, and what is demanded again is new', () => {
      const old = operation(object({ query: query([]) }), text);
      const dropped = operation(null, text);
      const again = operation(object({ query: query(['q']) }, ['query']), text);
      expect(told(between(old, dropped, both))).toEqual([
        '! property_removed $.properties.request.properties.query',
      ]);
      expect(told(between(dropped, again, both))).toContain(
        '! required_added $.properties.request.properties.query',
      );
    });

    test('where branches hide the members, the whole is judged as a request and as a response', () => {
      const hidden = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
      const wide = hidden(operation(null, object({ a: text }, ['a'])));
      const narrow = hidden(operation(null, object({ a: text })));
      expect(between(wide, narrow, both).isBreaking).toBe(true);
      expect(between(narrow, wide, both).isBreaking).toBe(true);
      expect(between(wide, wide, both).changes).toEqual([]);
    });
  });

  test('readOnly parts are not in requests', () => {
    const old = operation(object({ a: text }), null);
    const added = object({ a: text, id: { type: 'string', readOnly: true } }, ['id']);
    expect(between(old, operation(added, null), both).isBreaking).toBe(false);
    const plain = object({ a: text, id: text }, ['id']);
    expect(between(old, operation(plain, null), both).isBreaking).toBe(true);
  });

  test('readOnly is seen through a reference, and its demand elsewhere', () => {
    const request = (required: readonly string[]): Json =>
      operation({ allOf: [{ $ref: '#/$defs/base' }, { type: 'object', required }] }, null, {
        $defs: {
          base: object({ a: text, id: { $ref: '#/$defs/id' } }),
          id: { type: 'string', readOnly: true },
        },
      });
    expect(between(request([]), request(['id']), both).isBreaking).toBe(false);
    expect(between(request([]), request(['a']), both).isBreaking).toBe(true);
  });

  test('writeOnly parts are not in responses', () => {
    const old = operation(null, object({ a: text, secret: { type: 'string', writeOnly: true } }));
    expect(between(old, operation(null, object({ a: text })), both).isBreaking).toBe(false);
    expect(
      between(
        operation(null, object({ a: text, secret: text })),
        operation(null, object({ a: text })),
        both,
      ).isBreaking,
    ).toBe(true);
  });
});

test('the whole change, as an answer shows it', () => {
  const comparison = between(object({ amount: whole }), object({ amount: text }));
  expect(comparison.changes).toEqual([
    {
      type: 'type_changed',
      path: '$.properties.amount',
      description:
        '`$.properties.amount`: integer became string; a consumer that reads 0 would get "0"',
      breaking: true,
      old: 'integer',
      new: 'string',
      witness: { amount: 0 },
    },
  ]);
});
