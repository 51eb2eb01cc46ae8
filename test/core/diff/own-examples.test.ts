// The example of a change shows this change, and not another one: with every other change undone, the
// value is still accepted on one side and refused on the other.

import { expect, test } from 'vitest';
import type { Direction } from '../../../src/core/comparison.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json } from '../../../src/core/value/json.ts';

interface Row {
  readonly name: string;
  readonly direction: Direction;
  /** A schema with two parts that change. */
  readonly build: (a: Json, b: Json) => Json;
  readonly a: readonly [Json, Json];
  readonly b: readonly [Json, Json];
  /** The paths of the two changes. An absent one has no value of its own. */
  readonly shown: readonly [string | null, string | null];
}

const string = { type: 'string' };

const rows: readonly Row[] = [
  {
    name: 'two branches of an anyOf that overlap',
    direction: 'data',
    build: (a, b) => ({
      anyOf: [
        { ...string, maxLength: a },
        { ...string, pattern: b },
      ],
    }),
    a: [10, 5],
    b: ['^a', '^ab'],
    shown: ['$.anyOf[0]', '$.anyOf[1]'],
  },
  {
    name: 'a value that another branch accepted, too',
    direction: 'data',
    build: (a, b) => ({ anyOf: [{ enum: a }, { ...string, pattern: b }] }),
    a: [['es5', 'es6'], ['es6']],
    b: ['^[eE][sS][56]$', '^[eE][sS]6$'],
    shown: [null, '$.anyOf[1]'],
  },
  {
    name: 'a property in each branch of an anyOf',
    direction: 'request',
    build: (a, b) => ({
      anyOf: [
        { type: 'object', properties: { x: { type: 'integer', maximum: a }, y: {} } },
        { type: 'object', properties: { y: { ...string, maxLength: b }, x: {} } },
      ],
    }),
    a: [10, 5],
    b: [10, 5],
    shown: ['$.anyOf[0].properties.x', '$.anyOf[1].properties.y'],
  },
  {
    name: 'two branches of a oneOf',
    direction: 'data',
    build: (a, b) => ({
      oneOf: [
        { type: 'integer', minimum: a },
        { type: 'integer', maximum: b },
      ],
    }),
    a: [10, 20],
    b: [0, -10],
    shown: ['$.oneOf[0]', '$.oneOf[1]'],
  },
  {
    name: 'two properties of a response',
    direction: 'response',
    build: (a, b) => ({
      type: 'object',
      properties: { p: { enum: a }, q: { enum: b } },
      required: ['p', 'q'],
    }),
    a: [[1], [2, 1]],
    b: [[1], [2, 1]],
    shown: ['$.properties.p', '$.properties.q'],
  },
  {
    name: 'two properties of a request',
    direction: 'request',
    build: (a, b) => ({
      type: 'object',
      properties: { p: { ...string, maxLength: a }, q: { ...string, maxLength: b } },
      required: ['p', 'q'],
    }),
    a: [9, 3],
    b: [9, 3],
    shown: ['$.properties.p', '$.properties.q'],
  },
  {
    name: 'two branches of a response',
    direction: 'response',
    build: (a, b) => ({
      anyOf: [
        { ...string, maxLength: a },
        { ...string, pattern: b },
      ],
    }),
    a: [5, 10],
    b: ['^ab', '^a'],
    shown: ['$.anyOf[0]', '$.anyOf[1]'],
  },
];

test.each(rows)('$name ($direction)', ({ direction, build, a, b, shown }) => {
  const terms = (schema: Json) => ({
    ...{ schema, direction, guarantees: null },
    compatibilityMode: 'backward' as const,
  });
  const [old, next] = [build(a[0], b[0]), build(a[1], b[1])];
  const accepts = (schema: Json, value: Json) =>
    validate(parseSchema(schema).root, value) === 'accepted';
  const { changes } = compare(terms(old), terms(next));
  const breaking = changes.filter((change) => change.breaking);
  expect(breaking.length).toBeGreaterThan(0);
  shown.forEach((path, index) => {
    const only = index === 0 ? build(a[1], b[0]) : build(a[0], b[1]);
    const [from, to] = direction === 'response' ? [only, old] : [old, only];
    const own = breaking.filter((change) => change.path === path && change.witness !== undefined);
    expect(own.length).toBe(path === null ? 0 : 1);
    for (const { witness = null } of own) {
      expect([witness, accepts(from, witness), accepts(to, witness)]).toEqual([
        witness,
        true,
        false,
      ]);
    }
  });
  // No example is at another path.
  expect(
    breaking.filter(({ witness, path }) => witness !== undefined && !shown.includes(path)),
  ).toEqual([]);
});

test('a verdict has a value, even if no change has one of its own', () => {
  const terms = (schema: Json) => ({
    ...{ schema, direction: 'data' as const, guarantees: null },
    compatibilityMode: 'backward' as const,
  });
  const either = (maximum: number, multipleOf: number) => ({
    anyOf: [
      { type: 'integer', minimum: 0, maximum },
      { type: 'integer', minimum: 0, maximum, multipleOf },
    ],
  });
  const { changes } = compare(terms(either(9, 1)), terms(either(5, 1)));
  expect(changes.filter(({ witness }) => witness !== undefined).length).toBeGreaterThan(0);
});

test('each of many fields that are an id or an object has an example in the object', () => {
  const named = Array.from({ length: 60 }, (_, index) => `f${index}`);
  const fieldOf = (name: string, statuses: readonly string[]): Json => {
    const properties = {
      status: { enum: statuses.map((status) => `${status}_${name}`) },
      parts: { type: 'array', items: {} },
    };
    return { anyOf: [string, { type: 'object', properties, required: ['status', 'parts'] }] };
  };
  const termsOf = (...statuses: readonly string[]) => {
    const fields = named.map((name) => [name, fieldOf(name, statuses)]);
    const schema: Json = { type: 'object', properties: Object.fromEntries(fields) };
    return { schema, direction: 'data', compatibilityMode: 'backward', guarantees: null } as const;
  };
  const { changes } = compare(termsOf('open', 'paid'), termsOf('open'));
  const wanted = named.map((name) => ({ [name]: { status: `paid_${name}`, parts: [] } }));
  expect(changes.map(({ witness }) => witness)).toEqual(expect.arrayContaining(wanted));
});
