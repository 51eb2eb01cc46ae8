// B2 and F2 read off the declared paths; and the shortcut that spares the reading where no change can
// have lost a path.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openComparison } from '../../../src/core/containment/contains.ts';
import { findDemanded, findUncovered } from '../../../src/core/diff/places/declared-paths.ts';
import { openEmptiness } from '../../../src/core/diff/places/emptiness.ts';
import { openPlaces } from '../../../src/core/diff/places/place.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { schemaPair } from './support/schemas.ts';
import { between, object, type Setting, told } from './support/terms.ts';

function sideOf(schema: Json) {
  const session = openComparison(schema, true);
  const isNever = openEmptiness(session, openPlaces(session.old, 'old')).ofNode;
  return { root: session.old.root, isNever };
}

function uncovered(from: Json, to: Json): readonly string[] {
  const sides = { from: sideOf(from), to: sideOf(to), isSameSource: () => false };
  return findUncovered(sides).paths.map(({ path }) => path.text);
}

function demanded(from: Json, to: Json): readonly string[] {
  const sides = { from: sideOf(from), to: sideOf(to), isSameSource: () => false };
  return findDemanded(sides).paths.map(({ path }) => path.text);
}

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };
const inA = (schema: Json): Json => object({ a: schema });

const coverage: readonly (readonly [string, Json, Json, readonly string[]])[] = [
  ['by its name', object({ a: text }), object({ a: {} }), []],
  ['by nothing', object({ a: text }), object({ b: text }), ['$.properties.a']],
  [
    'by a schema that nothing fits: not covered',
    object({ a: text }),
    object({ a: false }),
    ['$.properties.a'],
  ],
  ['not at all where nothing fits the old one', object({ a: false }), object({}), []],
  ['by a pattern', object({ abc: text }), { patternProperties: { '^a': {} } }, []],
  [
    'by a pattern that does not match: not covered',
    object({ abc: text }),
    { patternProperties: { '^b': {} } },
    ['$.properties.abc'],
  ],
  [
    'by additionalProperties that say something',
    object({ a: text }),
    { additionalProperties: text },
    [],
  ],
  [
    'by additionalProperties: true: not covered',
    object({ a: text }),
    { additionalProperties: true },
    ['$.properties.a'],
  ],
  [
    'by additionalProperties: false: not covered',
    object({ a: text }),
    { additionalProperties: false },
    ['$.properties.a'],
  ],
  [
    'by unevaluatedProperties that say something',
    object({ a: text }),
    { unevaluatedProperties: text },
    [],
  ],
  [
    'by one branch of a union',
    object({ a: text }),
    { anyOf: [object({ a: text }), object({ b: text })] },
    [],
  ],
  [
    'by then',
    object({ a: text }),
    JSON.parse('{"if": {"required": ["b"]}, "then": {"properties": {"a": {}}}}'),
    [],
  ],
  ['by if: not covered', object({ a: text }), { if: object({ a: text }) }, ['$.properties.a']],
  ['by not: not covered', object({ a: text }), { not: object({ a: text }) }, ['$.properties.a']],
  ['inside items', { items: object({ a: text }) }, { items: object({}) }, ['$.items.properties.a']],
  [
    'inside one position, by the items of all',
    { prefixItems: [object({ a: text })] },
    { items: object({ a: text }) },
    [],
  ],
  [
    'inside items, by some positions only: not covered',
    { items: object({ a: text }) },
    { prefixItems: [object({ a: text })] },
    ['$.items.properties.a'],
  ],
  [
    'inside a map',
    { additionalProperties: object({ a: text }) },
    { additionalProperties: object({}) },
    ['$.additionalProperties.properties.a'],
  ],
  [
    'inside a named key, by a map',
    inA(object({ b: text })),
    { additionalProperties: object({ b: text }) },
    [],
  ],
  [
    'inside a named key, by a map of anything',
    inA(object({ b: text })),
    { additionalProperties: { type: 'object' } },
    ['$.properties.a.properties.b'],
  ],
  [
    'inside a map, which is gone itself: told of the map alone',
    { additionalProperties: object({ a: text }) },
    { type: 'object' },
    ['$.additionalProperties'],
  ],
  [
    'each of its own pattern, and not of another one',
    { patternProperties: { '^a': object({ x: text }), '^b': object({ y: text }) } },
    { patternProperties: { '^a': object({ y: text }), '^b': object({ x: text }) } },
    ['$.patternProperties["^a"].properties.x', '$.patternProperties["^b"].properties.y'],
  ],
  [
    'through a reference that goes in a circle',
    { properties: { v: text, next: { $ref: '#' } } },
    { properties: { next: { $ref: '#' } } },
    ['$.properties.v'],
  ],
];

describe('A path of old is covered by new', () => {
  test.each(coverage)('%s', (_name, old, next, expected) => {
    expect(uncovered(old, next)).toEqual(expected);
  });

  test('by the schema itself, always', () => {
    fc.assert(
      fc.property(schemaPair, ([schema]) => {
        expect(uncovered(schema, schema)).toEqual([]);
        expect(demanded(schema, schema)).toEqual([]);
      }),
    );
  });
});

const anyName = ['string', 'number', 'boolean', 'null', 'object', 'array'];

const letIn: readonly (readonly [string, Json, Json, readonly string[]])[] = [
  ['by nothing', { patternProperties: { '': {} } }, {}, ['$.patternProperties[""]']],
  [
    'by the same pattern',
    { patternProperties: { '^a': {} } },
    { patternProperties: { '^a': text } },
    [],
  ],
  [
    'by a wider pattern',
    { patternProperties: { '^ab': {} } },
    { patternProperties: { '^a': {} } },
    [],
  ],
  [
    'by a narrower pattern: not covered',
    { patternProperties: { '^a': {} } },
    { patternProperties: { '^ab': {} } },
    ['$.patternProperties["^a"]'],
  ],
  [
    'by two patterns together',
    { patternProperties: { '^[ab]': {} } },
    { allOf: [{ patternProperties: { '^a': {} } }, { patternProperties: { '^b': {} } }] },
    [],
  ],
  [
    'by the names it can be',
    { patternProperties: { '^(a|b)$': {} } },
    object({ a: {}, b: text }),
    [],
  ],
  [
    'by some of the names: not covered',
    { patternProperties: { '^(a|b)$': {} } },
    object({ a: {} }),
    ['$.patternProperties["^(a|b)$"]'],
  ],
  ['by all other names', { patternProperties: { '^a': {} } }, { additionalProperties: text }, []],
  [
    'by all other names, with a hole: not covered',
    { patternProperties: { '^a': {} } },
    { properties: { ab: false }, additionalProperties: text },
    ['$.patternProperties["^a"]'],
  ],
  [
    'by all other names, with a hole elsewhere',
    { patternProperties: { '^a': {} } },
    { properties: { b: false }, additionalProperties: text },
    [],
  ],
  [
    'as all other names, by a pattern of every name',
    { additionalProperties: text },
    { patternProperties: { '': text } },
    [],
  ],
  [
    'as all other names, by anything: not covered',
    { additionalProperties: { type: anyName } },
    { additionalProperties: true },
    ['$.additionalProperties'],
  ],
  [
    'as all other names, beside a property that is new',
    object({ a: text }, [], { additionalProperties: text }),
    object({ a: text, b: text }, [], { additionalProperties: text }),
    [],
  ],
  [
    'as names that are not evaluated',
    { unevaluatedProperties: text },
    {},
    ['$.unevaluatedProperties'],
  ],
  ['where nothing fits them', { patternProperties: { '^a': false } }, {}, []],
  [
    'by a pattern that no automaton knows, written alike',
    { patternProperties: { '^(?=a)': text } },
    { patternProperties: { '^(?=a)': {} } },
    [],
  ],
];

describe('A name that old lets in is covered by new', () => {
  test.each(letIn)('%s', (_name, old, next, expected) => {
    expect(uncovered(old, next)).toEqual(expected);
  });
});

test('what two compatible steps do, one step does', () => {
  const member = fc.constantFrom<Json>({}, text, whole, object({ a: text }), { type: anyName });
  const names = fc.constantFrom('', '^a', '^ab', 'b$', '^(a|ab)$');
  const properties = fc.dictionary(fc.constantFrom('a', 'ab', 'b'), member, { maxKeys: 2 });
  const schema = fc
    .record(
      {
        properties,
        patternProperties: fc.dictionary(names, member, { maxKeys: 2 }),
        additionalProperties: fc.oneof(member, fc.boolean()),
      },
      { requiredKeys: [] },
    )
    .map((keywords): Json => ({ type: 'object', ...keywords }));
  fc.assert(
    fc.property(schema, schema, schema, (first, second, third) => {
      if (between(first, second).isBreaking || between(second, third).isBreaking) return;
      expect(uncovered(first, third)).toEqual([]);
    }),
    { numRuns: Number(process.env.LAW_RUNS ?? 1_000) },
  );
});

describe('A property that old does not declare is added as required', () => {
  test.each([
    ['declared by new', object({}), object({ a: text }, ['a']), ['$.properties.a']],
    ['not declared by anyone', object({}), { required: ['a'] }, ['$.required']],
    ['demanded before', { required: ['a'] }, object({ a: text }, ['a']), []],
    ['declared before', object({ a: text }), object({ a: text }, ['a']), []],
    [
      'inside a property that stays',
      inA(object({})),
      inA(object({ b: text }, ['b'])),
      ['$.properties.a.properties.b'],
    ],
    ['inside a property that is new itself', object({}), inA(object({ b: text }, ['b'])), []],
  ] as const)('%s', (_name, old, next, expected) => {
    expect(demanded(next, old)).toEqual(expected);
  });
});

describe('A property is required in other words than `required`', () => {
  const nothing = { properties: { z: false } } satisfies Json;
  test.each<readonly [string, JsonObject, boolean]>([
    ['by another one', { required: ['a'], dependentRequired: { a: ['z'] } }, true],
    ['by another one that may be there', { dependentRequired: { a: ['z'] } }, true],
    ['by one that is new itself', { dependentRequired: { y: ['z'] } }, false],
    ['by how many there are', { required: ['a'], minProperties: 3 }, true],
    ['by no number that others reach', { required: ['a'], minProperties: 2 }, false],
    ['by the opposite of what lacks it', { not: { not: { required: ['z'] } } }, true],
    ['by the opposite of what forbids it', { not: nothing }, true],
    ['by a condition', { if: { required: ['z'] }, else: false }, true],
    ['by a choice of one', { oneOf: [true, nothing] }, true],
    ['by the only value', { const: { a: 'x', z: 'x' } }, true],
  ])('%s', (_name, demand, isAdded) => {
    const old = object({ a: text }, ['a']);
    const next = { ...(object({ a: text, y: text, z: text }) as JsonObject), ...demand };
    const one = { mode: 'forward' } as const;
    for (const at of [(schema: Json) => schema, inA, (items: Json) => ({ items })]) {
      const changes = told(between(at(old), at(next), one));
      expect(changes.some((each) => each.startsWith('! required_added'))).toBe(isAdded);
    }
    // What was required by its name before was not added.
    if ('minProperties' in demand) return;
    const before = { ...(object({ a: text }) as JsonObject), ...demand };
    expect(told(between(before, next, one)).join()).not.toContain('required_added');
  });
});

describe('A new property is required of some values only, in other words than `required`', () => {
  const old = object({ id: whole, a: text, b: text }, ['id']);
  const isFive = { properties: { id: { const: 5 } } } satisfies Json;
  const withoutTax = { properties: { tax: false } } satisfies Json;
  const ofTax = { if: { required: ['tax'] } };
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
  const then = (schema: Json): JsonObject => ({ then: schema });
  test.each<readonly [string, JsonObject, boolean]>([
    ['by a condition', { if: isFive, ...then({ not: { not: { required: ['tax'] } } }) }, true],
    ['by a number', { if: isFive, ...then({ minProperties: 4 }) }, true],
    ['by a not', { not: { properties: { id: { const: 5 }, tax: false } } }, true],
    ['by a dependency', { dependentSchemas: { a: { not: withoutTax } } }, true],
    ['by a choice', { anyOf: [{ properties: { id: { minimum: 5 } } }, { not: withoutTax }] }, true],
    [
      'not where only values with it have to fit',
      { ...ofTax, ...then({ required: ['a'] }) },
      false,
    ],
    ['not where it excludes another one', { not: { required: ['tax', 'a'] } }, false],
    ['not where it needs another one', { dependentRequired: { tax: ['a'] } }, false],
    [
      'not where fewer values of others are allowed beside it',
      {
        oneOf: [
          { properties: { id: { maximum: 5 }, tax: text } },
          { properties: { id: { minimum: 6, maximum: 9 } } },
        ],
      },
      false,
    ],
  ])('%s', (_name, demand, isAdded) => {
    const next = object({ id: whole, a: text, b: text, tax: text }, ['id'], demand);
    for (const at of [(schema: Json) => schema, inA, (items: Json) => ({ items })]) {
      expect(between(at(old), at(next), { mode: 'forward' }).isBreaking).toBe(isAdded);
    }
  });
});

describe('A property of some values that only a refusal names', () => {
  const old = object({ id: whole, a: text });
  const withoutTax = { required: ['a'], not: { required: ['tax'] } };
  /** Values with a negative id have something else. */
  const ofSome = (refused: JsonObject): JsonObject => ({
    anyOf: [{ properties: { id: { minimum: 0 } } }, { not: refused }],
  });
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
  const refusedIf = (condition: JsonObject): JsonObject => ({ if: condition, then: false });
  test.each<readonly [string, JsonObject, boolean]>([
    ['a not', { not: withoutTax }, true],
    ['a not of values without it', { not: { required: ['a'], properties: { tax: false } } }, true],
    ['a condition', refusedIf(withoutTax), true],
    ['a not in a branch', { anyOf: [{ properties: { a: false } }, { not: withoutTax }] }, true],
    ['a not of a part', { allOf: [{ not: withoutTax }] }, true],
    ['a list of values', { enum: [{}, { id: 1 }, { id: 1, a: 'x', tax: 1 }] }, true],
    ['a name that old does not have', ofSome({ propertyNames: { enum: ['id', 'a'] } }), true],
    [
      'another name than those of a list',
      ofSome({ properties: { id: {}, a: {} }, additionalProperties: false }),
      true,
    ],
    ['not more names of old', { minProperties: 2 }, false],
    ['not what refuses it', { not: { required: ['tax'] } }, false],
    ['not what refuses it beside another', refusedIf({ required: ['a', 'tax'] }), false],
    ['not what refuses old values alone', { not: { required: ['a', 'id'] } }, false],
    ['not a list without it', { enum: [{}, { id: 1 }, { id: 1, a: 'x' }] }, false],
  ])('%s', (_name, demand, isAdded) => {
    const next = object({ id: whole, a: text }, [], demand);
    for (const at of [(schema: Json) => schema, inA, (items: Json) => ({ items })]) {
      expect(between(at(old), at(next), { mode: 'forward' }).isBreaking).toBe(isAdded);
    }
  });
});

describe('A property of some values is required at a property within a branch', () => {
  const part = object({ a: text });
  const demanding = object({ a: text }, [], { not: { required: ['a'], not: { required: ['z'] } } });
  const variant = (kind: string, q: Json): Json =>
    object({ kind: { const: kind }, q, l: { type: 'array', items: q } }, ['kind']);
  test.each<readonly [string, Json, Json, boolean]>([
    [
      'of a oneOf',
      { oneOf: [variant('a', part), variant('b', part)] },
      { oneOf: [variant('a', part), variant('b', demanding)] },
      true,
    ],
    [
      'of a map of variants',
      object({}, [], { additionalProperties: { anyOf: [variant('a', part), text] } }),
      object({}, [], { additionalProperties: { anyOf: [variant('a', demanding), text] } }),
      true,
    ],
    [
      'not where another branch has it without',
      { anyOf: [variant('a', part), object({ q: part })] },
      { anyOf: [variant('a', demanding), object({ q: part })] },
      false,
    ],
  ])('%s', (_name, old, next, isAdded) => {
    for (const at of [(schema: Json) => schema, inA, (items: Json) => ({ items })]) {
      expect(between(at(old), at(next), { mode: 'forward' }).isBreaking).toBe(isAdded);
    }
  });
});

describe('A property that no `properties` names is required', () => {
  const old = object({ a: text }, ['a']);
  const variant = (kind: string): Json => object({ a: text, kind: { const: kind } }, ['a', 'kind']);
  const lettingIn = (more: JsonObject) => object({ a: text }, ['a'], more);
  const byPattern = { patternProperties: { '^b$': text } };
  test.each<readonly [string, Json]>([
    ['in each branch of a oneOf', { oneOf: [variant('card'), variant('cash')] }],
    [
      'in each branch of a oneOf, by its type',
      { oneOf: [object({ b: text }, ['b']), object({ b: whole }, ['b'])], ...(old as JsonObject) },
    ],
    [
      'twice, in two ways',
      lettingIn({ additionalProperties: text, required: ['b'], not: { not: { required: ['b'] } } }),
    ],
    ['by a pattern', lettingIn({ ...byPattern, additionalProperties: false, minProperties: 2 })],
    ['by a pattern and a not', lettingIn({ ...byPattern, not: { not: { required: ['b'] } } })],
    [
      'by a list of names',
      lettingIn({
        additionalProperties: text,
        propertyNames: { enum: ['a', 'b'] },
        minProperties: 2,
      }),
    ],
    ['by a list of values', { enum: [{ a: 'x', b: 'y' }] }],
  ])('%s', (_name, next) => {
    for (const at of [(schema: Json) => schema, inA, (items: Json) => ({ items })]) {
      expect(between(at(old), at(next), { mode: 'forward' }).isBreaking).toBe(true);
      expect(told(between(at(next), at(next), { mode: 'forward' }))).toEqual([]);
    }
  });

  test('but one of many names of a map is none', () => {
    const map = (least: number) => ({
      ...(object({}) as JsonObject),
      additionalProperties: text,
      minProperties: least,
    });
    expect(between(map(1), map(2), { mode: 'forward' }).isBreaking).toBe(false);
  });
});

test('a property is required along with one that only a branch has', () => {
  const branches = { anyOf: [object({ b: text }), { required: ['a'] }] };
  const old = object({ a: text }, [], branches);
  const next = object({ a: text, z: text }, [], { ...branches, dependentRequired: { b: ['z'] } });
  const changes = told(between(old, next, { mode: 'forward' }));
  expect(changes.filter((each) => each.startsWith('!'))).toEqual([
    '! required_added $.properties.z',
  ]);
});

test('thousands of new properties are asked about together', () => {
  const many = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`p${index}`, text] as const),
  );
  const old = object({ a: text }, ['a']);
  const open = object({ a: text, ...many }, ['a'], { minProperties: 1 });
  expect(between(old, open, { mode: 'forward' })).toMatchObject({ isBreaking: false });
  const demand = { dependentRequired: { a: Object.keys(many) } };
  const { changes, undecidedCount } = between(old, object({ a: text, ...many }, ['a'], demand), {
    mode: 'forward',
  });
  expect([changes.filter(({ breaking }) => breaking).length, undecidedCount]).toEqual([2_000, 0]);
});

test('a path that is gone is told as a break, however it went', () => {
  fc.assert(
    fc.property(schemaPair, ([old, next]) => {
      if (uncovered(old, next).length === 0) return;
      const comparison = between(old, next);
      // Where no value is left at all, nobody reads anything; and what says the same is the same.
      if (comparison.changes.every(({ type }) => /^(annotation|default)_/.test(type))) return;
      expect([comparison.isBreaking, told(comparison)]).toEqual([true, expect.anything()]);
    }),
    { numRuns: Number(process.env.LAW_RUNS ?? 200) },
  );
});

describe('where a definition stands twice, a path that is gone is told as a break at both', () => {
  const inBoth = (address: Json): Json => ({
    ...(object({ home: { $ref: '#/$defs/a' }, work: { $ref: '#/$defs/a' } }) as JsonObject),
    $defs: { a: address },
  });
  const rows: readonly (readonly [string, Json, Json, Setting, readonly string[]])[] = [
    [
      'a property that went',
      object({ zip: text, city: text }),
      object({ city: text }),
      { mode: 'backward' },
      [
        '! property_removed $.properties.home.properties.zip',
        '! property_removed $.properties.work.properties.zip',
      ],
    ],
    [
      'inside what both hold',
      object({ geo: object({ lat: whole, lon: whole }) }),
      object({ geo: object({ lat: whole }) }),
      { mode: 'backward' },
      [
        '! property_removed $.properties.home.properties.geo.properties.lon',
        '! property_removed $.properties.work.properties.geo.properties.lon',
      ],
    ],
    [
      'with the type around it',
      { type: ['array', 'string'], items: object({ zip: text }) },
      text,
      { mode: 'backward', direction: 'response' },
      ['! type_narrowed $.properties.home', '! type_narrowed $.properties.work'],
    ],
    [
      'a property that is demanded',
      object({ city: text }),
      object({ city: text, zip: text }, ['zip']),
      { mode: 'forward' },
      [
        '! required_added $.properties.home.properties.zip',
        '! required_added $.properties.work.properties.zip',
      ],
    ],
  ];
  test.each(rows)('%s', (_name, old, next, setting, expected) => {
    const changes = told(between(inBoth(old), inBoth(next), setting));
    expect(changes.filter((each) => each.startsWith('!'))).toEqual(expected);
  });

  test('with a branch of a union, also where no value shows it', () => {
    const kind = (name: string, more: JsonObject): Json =>
      object({ kind: { const: name }, ...more }, ['kind']);
    const old = { oneOf: [kind('a', {}), kind('b', {}), kind('c', { zip: text })] };
    const next = { oneOf: [kind('a', {}), kind('b', {})] };
    const setting = { mode: 'backward', direction: 'response' } as const;
    expect(told(between(inBoth(old), inBoth(next), setting))).toEqual([
      '! property_removed $.properties.home.properties.zip',
      '! property_removed $.properties.work.properties.zip',
      'union_member_removed $.properties.home.oneOf[2]',
      'union_member_removed $.properties.work.oneOf[2]',
    ]);
  });

  test('and not again inside itself', () => {
    const kids = { type: 'array', items: { $ref: '#/$defs/node' } };
    const tree = (choice: Json): Json => ({
      ...(object({ top: { $ref: '#/$defs/node' } }) as JsonObject),
      $defs: { node: object({ kids, choice }) },
    });
    const [a, b] = [object({ a: text }, ['a']), object({ b: text }, ['b'])];
    const old = tree({ oneOf: [a, b, object({ c: text }, ['c'])] });
    const changes = told(between(old, tree({ oneOf: [a, b] })));
    expect(changes.filter((each) => each.includes('property_removed'))).toEqual([
      '! property_removed $.properties.top.properties.choice.properties.c',
    ]);
  });

  test('in two branches', () => {
    const branch = (kind: number, more: JsonObject): Json =>
      object({ kind: { const: kind }, ...more }, ['kind']);
    const old = { oneOf: [branch(1, { a: text }), branch(2, { a: text })] };
    const next = { oneOf: [branch(1, {}), branch(2, {})] };
    expect(told(between(old, next))).toEqual([
      '! property_removed $.oneOf[0].properties.a',
      '! property_removed $.oneOf[1].properties.a',
    ]);
  });

  test('and not where another branch has it still', () => {
    const shared = { $ref: '#/$defs/a' };
    const of = (address: Json): Json => ({
      ...(object({ home: shared, work: { anyOf: [shared, object({ zip: text })] } }) as JsonObject),
      $defs: { a: address },
    });
    expect(
      told(between(of(object({ zip: text, city: text })), of(object({ city: text })))),
    ).toEqual([
      '! property_removed $.properties.home.properties.zip',
      'property_removed $.properties.work.properties.zip',
    ]);
  });
});
