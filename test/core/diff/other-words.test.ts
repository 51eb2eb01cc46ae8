// What compatibility.md says of values holds however it is spelt: a demand that goes or comes, a
// property that nothing fits, a description that moves into branches.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompatibilityMode, Direction } from '../../../src/core/comparison.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { anySchema, schemaPair } from './support/schemas.ts';
import { isValid } from './support/second-opinion.ts';
import { between, directions, modes, object, told } from './support/terms.ts';

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };
const eitherRequired = { oneOf: [{ required: ['a'] }, { required: ['b'] }] };

describe('forward: a demand that goes refuses nothing that old accepted', () => {
  test.each<readonly [string, Json, Json, readonly string[]]>([
    [
      'inside oneOf',
      object({ a: whole, b: whole }, [], eitherRequired),
      object({ a: whole }, ['a']),
      ['property_removed $.properties.b', 'required_added $.properties.a', 'schema_changed $'],
    ],
    [
      'inside oneOf, beside a demand that goes as well',
      object({ a: whole, b: whole, c: whole }, ['c'], eitherRequired),
      object({ a: whole }, ['a']),
      [
        'property_removed $.properties.b',
        'property_removed $.properties.c',
        'required_added $.properties.a',
        'schema_changed $',
      ],
    ],
    [
      'inside the items that contains counts',
      {
        items: object({ a: whole, b: whole }),
        ...{ contains: { required: ['b'] }, minContains: 0, maxContains: 1 },
      },
      { items: object({ a: whole }) },
      ['schema_widened $', 'property_removed $.items.properties.b'],
    ],
    [
      'inside oneOf of an item, each item by itself',
      { items: object({ a: whole, b: whole, c: whole }, [], eitherRequired) },
      { items: object({ a: whole, c: whole }, ['a']) },
      [
        'schema_changed $.items',
        'property_removed $.items.properties.b',
        'required_added $.items.properties.a',
      ],
    ],
  ])('%s', (_name, old, next, expected) => {
    const comparison = between(old, next, { mode: 'forward' });
    expect(told(comparison).toSorted()).toEqual([...expected].sort());
    expect(comparison.isBreaking).toBe(false);
  });

  test('but what new emits anew beside it breaks, with a value that old refuses', () => {
    const old = object({ a: whole, b: whole }, [], eitherRequired);
    const comparison = between(old, object({ a: text }), { mode: 'forward' });
    expect(comparison.isBreaking).toBe(true);
    const shown = comparison.changes.filter(({ witness }) => witness !== undefined);
    expect(shown.length).toBeGreaterThan(0);
    for (const { witness } of shown) expect(isValid(old, witness ?? null)).toBe(false);
  });

  test('a witness is refused by old as it was written, whatever new dropped', () => {
    fc.assert(
      fc.property(schemaPair, ([old, next]) => {
        for (const { witness } of between(old, next, { mode: 'forward' }).changes) {
          if (witness === undefined) continue;
          expect([witness, validate(parseSchema(old).root, witness)]).toEqual([
            witness,
            'rejected',
          ]);
        }
      }),
      { numRuns: Number(process.env.LAW_RUNS ?? 300) },
    );
  });
});

const nothings: readonly (readonly [string, Json])[] = [
  ['false', false],
  ['not anything', { not: {} }],
  ['bounds that exclude each other', { type: 'string', minLength: 5, maxLength: 3 }],
  ['types that exclude each other', { allOf: [text, { not: text }] }],
  ['an object that needs a property that nothing fits', object({ x: { not: {} } }, ['x'])],
  [
    'an object that needs itself',
    {
      $ref: '#/$defs/chain',
      $defs: { chain: object({ next: { $ref: '#/$defs/chain' } }, ['next']) },
    },
  ],
];

/** A property with definitions of its own, which references lead to from the root. */
function withProperty(schema: Json, required: readonly string[] = []): Json {
  if (typeof schema !== 'object' || schema === null || !('$defs' in schema)) {
    return object({ a: schema, b: text }, required);
  }
  const { $defs, ...rest } = schema as JsonObject;
  return { ...(object({ a: rest, b: text }, required) as JsonObject), ...($defs ? { $defs } : {}) };
}

describe('a property that nothing fits is not declared', () => {
  const asked: readonly (readonly [CompatibilityMode, Direction, string])[] = [
    ['backward', 'data', '! property_removed $.properties.a'],
    ['backward', 'response', '! property_removed $.properties.a'],
    ['forward', 'data', 'property_removed $.properties.a'],
  ];
  for (const [mode, direction, expected] of asked) {
    test.each(nothings)(`${mode} ${direction}: it became %s`, (_name, nothing) => {
      const comparison = between(object({ a: text, b: text }), withProperty(nothing), {
        mode,
        direction,
      });
      expect(told(comparison)).toEqual([expected]);
    });
  }

  test.each(nothings)('forward: its demand goes with it, %s', (_name, nothing) => {
    const comparison = between(object({ a: text, b: text }, ['a']), withProperty(nothing), {
      mode: 'forward',
    });
    expect(told(comparison)).toEqual(['property_removed $.properties.a']);
    expect(comparison.changes[0]?.warning).toBeDefined();
  });

  test.each(nothings)('backward: nobody misses it when it goes, %s', (_name, nothing) => {
    const comparison = between(withProperty(nothing), object({ b: text }));
    expect(told(comparison)).toEqual(['schema_widened $.properties.a']);
  });

  test('one that a value fits after all is declared', () => {
    const narrow: Json = { type: 'string', minLength: 3, maxLength: 3 };
    const old = object({ a: narrow });
    expect(told(between(old, object({}), {}))).toEqual(['! property_removed $.properties.a']);
  });
});

const same: readonly (readonly [string, Json, Json])[] = [
  [
    'required by what comes with a required key',
    object({ a: text }, ['a'], { dependentRequired: { a: ['b'] } }),
    object({ a: text }, ['a', 'b']),
  ],
  [
    'required in an else that is never reached',
    object({ a: text }),
    object({ a: text }, [], { if: true, else: { required: ['b'] } }),
  ],
  [
    'required by one branch beside another that takes anything',
    object({ a: text }),
    object({ a: text }, [], { anyOf: [true, { required: ['b'] }] }),
  ],
  ['properties, and branches of them', { properties: { a: text } }, { anyOf: twice({}) }],
  [
    'properties, and branches one of which is narrower',
    { properties: { a: text } },
    { anyOf: [{ properties: { a: text } }, { properties: { a: text }, minProperties: 1 }] },
  ],
  [
    'properties beside a branch, and branches of them',
    { properties: { a: text }, anyOf: [{ properties: { a: text } }] },
    { anyOf: twice({}) },
  ],
  [
    'properties of an object, and branches of them',
    object({ a: text }),
    { type: 'object', anyOf: twice({}) },
  ],
];

function twice(more: JsonObject): readonly Json[] {
  return [
    { properties: { a: text }, ...more },
    { properties: { a: text }, ...more },
  ];
}

describe('two schemas that mean the same give no change', () => {
  test.each(same)('%s', (_name, one, other) => {
    for (const mode of modes) {
      for (const direction of directions) {
        expect([mode, told(between(one, other, { mode, direction }))]).toEqual([mode, []]);
        expect([mode, told(between(other, one, { mode, direction }))]).toEqual([mode, []]);
      }
    }
  });

  test('a condition that always holds says nothing by its else', () => {
    fc.assert(
      fc.property(anySchema, fc.constantFrom(...modes), (schema, mode) => {
        if (typeof schema !== 'object' || schema === null || 'if' in schema) return;
        const idle = { ...schema, if: true, else: { required: ['extra'] } };
        expect(told(between(schema, idle, { mode }))).toEqual([]);
      }),
      { numRuns: Number(process.env.LAW_RUNS ?? 200) },
    );
  });
});

describe('a demand that is added beside one that was there breaks still', () => {
  test.each<readonly [string, Json, Json]>([
    [
      'beside another that was there in other words',
      object({ a: text }, ['a'], { dependentRequired: { a: ['b'] } }),
      object({ a: text }, ['a', 'b', 'c']),
    ],
    [
      'where only some values had to have it',
      object({ a: text }, [], { dependentRequired: { a: ['c'] } }),
      object({ a: text }, ['c']),
    ],
    [
      'in an else that is reached',
      object({ a: text }),
      object({ a: text }, [], { if: { required: ['a'] }, else: { required: ['c'] } }),
    ],
  ])('%s', (_name, old, next) => {
    expect(between(old, next, { mode: 'forward' }).isBreaking).toBe(true);
  });
});

test('a property that moves into some branches is not removed, and what breaks by it is told', () => {
  const old = object({ a: whole, kind: text }, ['kind']);
  const branch = (kind: string, a: Json) => ({ properties: { kind: { const: kind }, a } });
  const next = {
    type: 'object',
    required: ['kind'],
    anyOf: [branch('x', whole), branch('y', text)],
  };
  const comparison = between(old, next);
  expect(comparison.isBreaking).toBe(true);
  expect(told(comparison).filter((line) => line.includes('property_removed'))).toEqual([]);
  const [first] = comparison.changes;
  expect([isValid(old, first?.witness ?? null), isValid(next, first?.witness ?? null)]).toEqual([
    true,
    false,
  ]);
});
