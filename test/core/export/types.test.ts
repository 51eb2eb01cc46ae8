// Types made from contracts: whatever a schema accepts has its type, and both languages read them.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { printPython } from '../../../src/core/export/types/print-python.ts';
import { printTypeScript } from '../../../src/core/export/types/print-typescript.ts';
import {
  type Declaration,
  readTypes,
  type Shape,
} from '../../../src/core/export/types/read-types.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { isExactNumber, isJsonObject, type Json } from '../../../src/core/value/json.ts';
import { type AnyPair, anyPair } from '../laws/any-keyword.ts';
import { evaluatorOf, type Readings } from '../laws/evaluator.ts';
import { world } from '../laws/judge-any.ts';

const run = promisify(execFile);

const readings: Readings = {
  writesFractions: false,
  containsEvaluates: 'matching',
  obeysDependencies: false,
};

/** Texts are indented, so that no line of this file begins as one of theirs. */
function dedent(text: string): string {
  return text.replace(/^ {6}/gm, '').slice(1);
}

interface Row {
  readonly what: string;
  readonly schema: Json;
  readonly dialect?: Dialect;
  /** Without the first line of each language. */
  readonly typescript: string;
  readonly python: string;
}

const rows: readonly Row[] = [
  {
    what: 'fields, demanded and optional, with what is said of them',
    schema: {
      type: 'object',
      description: 'An order */ of the shop.\r\nPaid.',
      properties: {
        id: { type: 'string', description: 'Never reused.' },
        total: { type: ['number', 'null'], deprecated: true },
        count: { type: 'integer' },
      },
      required: ['id', 'unnamed'],
    },
    typescript: dedent(`
      /**
       * An order *\\/ of the shop.
       * Paid.
       */
      export interface Order {
        /** Never reused. */
        id: string;
        /** @deprecated */
        total?: number | null;
        count?: number;
        unnamed: unknown;
      }`),
    python: dedent(`
      # An order */ of the shop.
      # Paid.
      class Order(TypedDict):
          # Never reused.
          id: str
          # Deprecated.
          total: NotRequired['float | None']
          count: NotRequired[int]
          unnamed: Any`),
  },
  {
    what: 'lists, maps, values, and records within records',
    schema: {
      type: 'object',
      properties: {
        lines: { type: 'array', items: { properties: { sku: { const: 'a"b' } } } },
        by_day: { type: 'object', additionalProperties: { type: 'boolean' } },
        state: { enum: ['new', 3, null, true] },
        'first-name': { type: 'string' },
      },
    },
    typescript: dedent(`
      export interface Order {
        lines?: OrderLinesItem[];
        by_day?: { [key: string]: boolean };
        state?: "new" | 3 | null | true;
        "first-name"?: string;
      }

      export interface OrderLinesItem {
        sku?: "a\\"b";
      }`),
    python: dedent(`
      Order = TypedDict("Order", {
          "lines": NotRequired['list[OrderLinesItem]'],
          "by_day": NotRequired['dict[str, bool]'],
          "state": NotRequired['Literal["new", 3, True] | None'],
          "first-name": NotRequired[str],
      })


      class OrderLinesItem(TypedDict):
          sku: NotRequired['Literal["a\\\\"b"]']`),
  },
  {
    what: 'definitions by their names, those that refer to themselves too',
    schema: {
      $ref: '#/$defs/order',
      $defs: {
        order: { type: 'object', properties: { parts: { items: { $ref: '#/$defs/order' } } } },
        unused: { type: 'object' },
      },
    },
    typescript: dedent(`
      export type Order = Order2;

      export interface Order2 {
        parts?: Order2[];
      }`),
    python: dedent(`
      Order: TypeAlias = 'Order2'


      class Order2(TypedDict):
          parts: NotRequired['list[Order2]']`),
  },
  {
    what: 'what several schemas say together',
    schema: {
      allOf: [{ $ref: '#/$defs/base' }, { properties: { id: { type: 'integer' } } }],
      properties: { on: { type: 'string' } },
      required: ['on'],
      oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }],
      $defs: { base: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
    },
    typescript: dedent(`
      export type Order = Order2 | Order3;

      export interface Order2 {
        on: string;
        id: number;
        kind?: "a";
      }

      export interface Order3 {
        on: string;
        id: number;
        kind?: "b";
      }`),
    python: dedent(`
      Order: TypeAlias = 'Order2 | Order3'


      class Order2(TypedDict):
          on: str
          id: int
          kind: NotRequired['Literal["a"]']


      class Order3(TypedDict):
          on: str
          id: int
          kind: NotRequired['Literal["b"]']`),
  },
  {
    what: 'fields that several schemas describe, each as narrow as they say together',
    schema: {
      type: 'object',
      properties: {
        a: { type: ['string', 'integer'] },
        b: { enum: ['x', 'y', 2] },
        c: { type: 'number' },
        d: { properties: { e: { type: 'string' } } },
        f: { const: 'y' },
      },
      allOf: [
        {
          properties: {
            a: { type: ['integer', 'null'], deprecated: true },
            b: { type: 'string' },
            c: { const: 3 },
            d: { type: 'string' },
            f: { required: ['e'] },
          },
        },
      ],
    },
    typescript: dedent(`
      export interface Order {
        /** @deprecated */
        a?: number;
        b?: "x" | "y";
        c?: 3;
        d?: string;
        f?: "y";
      }`),
    python: dedent(`
      class Order(TypedDict):
          # Deprecated.
          a: NotRequired[int]
          b: NotRequired['Literal["x", "y"]']
          c: NotRequired['Literal[3]']
          d: NotRequired[str]
          f: NotRequired['Literal["y"]']`),
  },
  {
    what: 'what no value has, and anything',
    schema: { type: 'object', properties: { a: false, b: true, c: {} }, required: ['a'] },
    typescript: dedent(`
      export interface Order {
        a: never;
        b?: unknown;
        c?: unknown;
      }`),
    python: dedent(`
      class Order(TypedDict):
          a: Never
          b: NotRequired[Any]
          c: NotRequired[Any]`),
  },
  {
    what: 'null as OpenAPI 3.0 says it, and names that a language uses',
    dialect: 'openapi-3.0',
    schema: {
      type: 'object',
      properties: { class: { type: 'string', nullable: true }, any: { $ref: '#/definitions/Any' } },
      definitions: { Any: { type: 'object', properties: { x: { type: 'string' } } } },
    },
    typescript: dedent(`
      export interface Order {
        class?: string | null;
        any?: Any2;
      }

      export interface Any2 {
        x?: string;
      }`),
    python: dedent(`
      Order = TypedDict("Order", {
          "class": NotRequired['str | None'],
          "any": NotRequired['Any2'],
      })


      class Any2(TypedDict):
          x: NotRequired[str]`),
  },
];

describe('a contract as types', () => {
  test.each(rows)('has $what', ({ schema, dialect = '2020-12', typescript, python }) => {
    const types = readTypes(schema, dialect, 'order');
    expect(printTypeScript(types, ['Made.'])).toBe(`// Made.\n\n${typescript}\n`);
    const [, declared] = printPython(types, ['Made.']).split(/^from typing import .*\n\n\n/m);
    expect(declared).toBe(`${python}\n`);
  });

  test('every value of a schema has its type', () => {
    let tried = 0;
    let refused = 0;
    for (const { schema, dialect, types } of generated(2_000)) {
      const evaluate = evaluatorOf(dialect, schema);
      for (const value of world) {
        const has = hasType(types, value);
        if (evaluate(value, readings) !== true) {
          refused += has ? 0 : 1;
          continue;
        }
        tried += 1;
        expect(has, JSON.stringify({ dialect, schema, value, types })).toBe(true);
      }
    }
    expect(tried).toBeGreaterThan(10_000);
    expect(refused).toBeGreaterThan(10_000);
  });

  test('is read by the compilers of both languages', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'types-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const all = [
      ...rows.map(({ schema, dialect = '2020-12' }) => readTypes(schema, dialect, 'order')),
      ...generated(300).map(({ types }) => types),
    ];
    const modules = all.map((types, number) => {
      const text = printTypeScript(types, []);
      return `export namespace N${number} {\n${text}}\n`;
    });
    await writeFile(join(folder, 'types.ts'), modules.join(''));
    await run('node_modules/.bin/tsc', [
      '--noEmit',
      '--strict',
      '--ignoreConfig',
      join(folder, 'types.ts'),
    ]);
    const texts = all.map((types) => printPython(types, []));
    await writeFile(join(folder, 'texts.json'), JSON.stringify(texts));
    await run('python3', ['-c', readInPython, join(folder, 'texts.json')]);
  });

  test('stays short where branches would multiply it', () => {
    const names = Array.from({ length: 2_000 }, (_, number) => `field_${number}`);
    const branches = names.slice(0, 90).map((name) => ({ required: [name] }));
    const schema = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      allOf: [{ anyOf: branches }, { anyOf: branches }, { oneOf: branches }],
    };
    const text = printTypeScript(readTypes(schema, '2020-12', 'order'), []);
    expect(text.length).toBeLessThan(20 * JSON.stringify(schema).length);
  });

  test('reads chains and circles of any length', () => {
    const nested = Array.from({ length: 60 }).reduce<Json>((inner) => ({ allOf: [inner] }), {});
    const count = 3_000;
    const $defs = Object.fromEntries(
      Array.from({ length: count }, (_, number) => [
        `d${number}`,
        { allOf: [{ $ref: `#/$defs/d${(number + 1) % count}` }, { required: [`r${number}`] }] },
      ]),
    );
    const circle = { $ref: '#/$defs/d0', $defs };
    const alone = { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } };
    for (const schema of [circle, alone, nested]) {
      const types = readTypes(schema, '2020-12', 'order');
      expect(types[0]?.name).toBe('Order');
    }
  });
});

/** Reads each text as a module, and the types of each TypedDict in it. */
const readInPython = `
import json, sys, typing
for text in json.load(open(sys.argv[1])):
    module = {}
    exec(compile(text, "types.py", "exec"), module)
    for one in list(module.values()):
        if isinstance(one, type) and typing.is_typeddict(one):
            typing.get_type_hints(one, module)
`;

interface Generated {
  readonly schema: Json;
  readonly dialect: Dialect;
  readonly types: readonly Declaration[];
}

function generated(count: number): readonly Generated[] {
  return Array.from({ length: count }, (_, number): Generated => {
    const { a: schema, dialect }: AnyPair = anyPair(number);
    return { schema, dialect, types: readTypes(schema, dialect, 'order') };
  });
}

/**
 * Written apart from the code. Schemas about fields or items without `type` count as objects or
 * lists, so a record and a list are not asked about other values.
 */
function hasType(types: readonly Declaration[], value: Json): boolean {
  const byName = new Map(types.map(({ name, shape }) => [name, shape]));
  const has = (shape: Shape | undefined, at: Json): boolean => {
    switch (shape?.kind) {
      case undefined:
        throw new Error('a name that is not declared');
      case 'any':
        return true;
      case 'never':
        return false;
      case 'null':
        return at === null;
      case 'boolean':
      case 'string':
        return typeof at === shape.kind;
      case 'integer':
      case 'number':
        return isNumber(at);
      case 'literal':
        return at === shape.value;
      case 'list':
        return !Array.isArray(at) || at.every((item) => has(shape.of, item));
      case 'map':
        return !isJsonObject(at) || Object.values(at).every((one) => has(shape.of, one));
      case 'named':
        return has(byName.get(shape.name), at);
      case 'union':
        return shape.members.some((member) => has(member, at));
      case 'record':
        return (
          !isJsonObject(at) ||
          shape.fields.every(({ name, shape: of, isRequired }) =>
            Object.hasOwn(at, name) ? has(of, at[name] as Json) : !isRequired,
          )
        );
    }
  };
  return has(types[0]?.shape, value);
}

function isNumber(value: Json): boolean {
  return typeof value === 'number' || isExactNumber(value);
}
