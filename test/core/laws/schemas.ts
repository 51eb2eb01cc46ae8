// Schemas that are small but nasty: few keys, few numbers, few texts, so that keywords meet.

import fc from 'fast-check';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { applyEdit } from './edits.ts';

export const dialects: readonly Dialect[] = [
  '2020-12',
  '2019-09',
  'draft-07',
  'draft-06',
  'draft-04',
  'openapi-3.0',
  'openapi-3.1',
];

export interface Pair {
  readonly dialect: Dialect;
  readonly a: Json;
  readonly b: Json;
  readonly seed: number;
}

/** Two schemas of one dialect: mostly the second is the first with a few edits. */
export const pair: fc.Arbitrary<Pair> = fc
  .constantFrom(...dialects, '2020-12' as const, '2020-12' as const)
  .chain((dialect) => {
    const { root, subschema, families } = schemasOf(dialect);
    const sources = [
      { weight: 5, arbitrary: bothFrom(root, subschema) },
      ...families.map((family) => ({ weight: 1, arbitrary: bothFrom(family, family) })),
    ];
    return fc
      .tuple(fc.oneof(...sources), fc.nat(0xffffffff))
      .map(([{ a, b }, seed]) => ({ dialect, a, b, seed }));
  });

interface Both {
  readonly a: Json;
  readonly b: Json;
}

export function bothFrom(root: fc.Arbitrary<Json>, part: fc.Arbitrary<Json>): fc.Arbitrary<Both> {
  const edit = fc.record({
    place: fc.nat(30),
    how: fc.constantFrom('drop', 'merge', 'replace', 'wrap', 'nudge', 'nudge', 'swap'),
    which: fc.nat(5),
    part,
  });
  const edited = fc
    .tuple(root, fc.array(edit, { minLength: 1, maxLength: 3, size: 'max' }))
    .map(([a, edits]) => ({ a, b: edits.reduce(applyEdit, a) }));
  const flipped = edited.map(({ a, b }) => ({ a: b, b: a }));
  return fc.oneof(
    { arbitrary: edited, weight: 4 },
    { arbitrary: flipped, weight: 4 },
    { arbitrary: fc.record({ a: root, b: root }), weight: 2 },
  );
}

export function anyRoot(dialect: Dialect): fc.Arbitrary<Json> {
  return schemasOf(dialect).root;
}

const key = fc.constantFrom('a', 'b', 'c', 'ab');
const number = fc.constantFrom(0, 1, 2, 3, -1, 0.5, 1.5, 2.5, 10);
const size = fc.nat(3);
const pattern = fc.constantFrom(
  ...['^a', 'b$', '^a*$', '^[ab]$', 'a', '^.$', '^(?!a)', '^(a|b)+$', '\\d', '^a{1,2}$', '^$', '.'],
  ...['^[a-c]', '^(?=.*b)a', '[^a]', '^\\w+$', '\\bb', '^(a)\\1$', '^(?:(.)\\1|.{0,3})$'],
);
const format = fc.constantFrom(
  ...['date', 'date-time', 'time', 'email', 'idn-email', 'uri', 'uri-reference', 'uuid', 'ipv4'],
  ...['hostname', 'duration', 'json-pointer', 'regex', 'int32'],
);
const texts = ['', 'a', 'b', 'ab', 'aa', 'ba', '1', 'a1', '😀', 'abc', '2024-02-29', '127.0.0.1'];
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false),
  number,
  fc.constantFrom<Json>(...texts),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  { arbitrary: scalar, weight: 6 },
  { arbitrary: fc.array(scalar, { maxLength: 2 }), weight: 2 },
  { arbitrary: fc.dictionary(key, scalar, { maxKeys: 2, noNullPrototype: true }), weight: 2 },
);
const typeName = fc.constantFrom(
  ...['null', 'boolean', 'integer', 'number', 'string', 'array', 'object', 'object', 'string'],
);

interface Schemas {
  readonly root: fc.Arbitrary<Json>;
  readonly subschema: fc.Arbitrary<Json>;
  /** Of keywords that belong together: of numbers, of strings, of arrays, of objects, of unions. */
  readonly families: readonly fc.Arbitrary<Json>[];
}

const made = new Map<Dialect, Schemas>();

function schemasOf(dialect: Dialect): Schemas {
  const known = made.get(dialect);
  if (known !== undefined) return known;
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      { arbitrary: leaf(dialect), weight: 3 },
      { arbitrary: mergeOf(fragmentsOf(dialect, tie('schema'))), weight: 5 },
    ),
  }));
  const root = fc
    .tuple(mergeOf(fragmentsOf(dialect, schema), 2, 4), fc.option(schema), fc.option(schema))
    .map(([body, x, y]) => withDefinitions(dialect, body, x, y));
  const small = fc.oneof(leaf(dialect), mergeOf(oneOfRows(scalarFragments(dialect)), 1, 2));
  const families = [
    mergeOf(oneOfRows(numberFragments(dialect)), 1, 4),
    mergeOf(oneOfRows(stringFragments), 1, 4),
    mergeOf(oneOfRows(arrayFragments(dialect, small)), 1, 4),
    mergeOf(oneOfRows(objectFragments(dialect, small)), 1, 4),
    mergeOf(unionFragment, 1, 2),
  ];
  const schemas = { root, subschema: schema, families };
  made.set(dialect, schemas);
  return schemas;
}

/** Where a dialect keeps what `$ref` leads to. */
export function definitionsKey(dialect: Dialect): string {
  return isSince2019(dialect) ? '$defs' : 'definitions';
}

function isSince2019(dialect: Dialect): boolean {
  return dialect === '2019-09' || dialect === '2020-12' || dialect === 'openapi-3.1';
}

function is2020(dialect: Dialect): boolean {
  return dialect === '2020-12' || dialect === 'openapi-3.1';
}

function hasBooleans(dialect: Dialect): boolean {
  return dialect !== 'draft-04' && dialect !== 'openapi-3.0';
}

function withDefinitions(dialect: Dialect, body: Json, x: Json | null, y: Json | null): Json {
  const root: Record<string, Json> = isJsonObject(body) ? { ...body } : {};
  const dynamic: JsonObject =
    is2020(dialect) && isJsonObject(x)
      ? { x: { ...x, $id: 'http://x.test/x', $dynamicAnchor: 'n' } }
      : { x: x ?? {} };
  const text = JSON.stringify([body, x, y]);
  if (!text.includes(`#/${definitionsKey(dialect)}/`) && !text.includes('"#n"')) return root;
  if (is2020(dialect)) root.$dynamicAnchor = 'n';
  return { ...root, [definitionsKey(dialect)]: { ...dynamic, y: y ?? {} } };
}

function leaf(dialect: Dialect): fc.Arbitrary<Json> {
  const plain: fc.Arbitrary<Json> = fc.oneof(
    typeName.map((type) => ({ type })),
    fc.constant({}),
    fc.array(scalar, { minLength: 1, maxLength: 3 }).map((list) => ({ enum: list })),
    number.map((minimum) => ({ minimum })),
    pattern.map((source) => ({ type: 'string', pattern: source })),
  );
  return hasBooleans(dialect)
    ? fc.oneof({ arbitrary: plain, weight: 5 }, { arbitrary: fc.boolean(), weight: 1 })
    : plain;
}

function mergeOf(
  fragment: fc.Arbitrary<JsonObject>,
  minLength = 0,
  maxLength = 3,
): fc.Arbitrary<Json> {
  return fc
    .array(fragment, { minLength, maxLength, size: 'max' })
    .map((list) => Object.assign({}, ...list) as Json);
}

type Fragment = fc.Arbitrary<JsonObject>;

function fragmentsOf(dialect: Dialect, schema: fc.Arbitrary<Json>): Fragment {
  const rows = [
    ...scalarFragments(dialect),
    ...arrayFragments(dialect, schema),
    ...objectFragments(dialect, schema),
    ...combiningFragments(dialect, schema),
  ];
  return oneOfRows(rows);
}

function oneOfRows(rows: readonly Row[]): Fragment {
  return fc.oneof(...rows.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

type Row = readonly [number, Fragment];

const stringFragments: readonly Row[] = [
  [1, size.map((minLength) => ({ minLength }))],
  [1, size.map((maxLength) => ({ maxLength }))],
  [3, pattern.map((source) => ({ pattern: source }))],
  [2, format.map((name) => ({ format: name }))],
  [1, fc.constant({ type: 'string' })],
];

function numberFragments(dialect: Dialect): Row[] {
  const isOld = dialect === 'draft-04' || dialect === 'openapi-3.0';
  const exclusive: Fragment = isOld
    ? number.map((minimum) => ({ minimum, exclusiveMinimum: true }))
    : fc.oneof(
        number.map((exclusiveMinimum) => ({ exclusiveMinimum })),
        number.map((exclusiveMaximum) => ({ exclusiveMaximum })),
      );
  return [
    [2, number.map((minimum) => ({ minimum }))],
    [2, number.map((maximum) => ({ maximum }))],
    [2, exclusive],
    [1, fc.constantFrom(1, 2, 0.5, 0.1, 1.5, 3).map((multipleOf) => ({ multipleOf }))],
    [1, fc.constantFrom('integer', 'number').map((type) => ({ type }))],
  ];
}

function scalarFragments(dialect: Dialect): Row[] {
  const rows: Row[] = [
    ...numberFragments(dialect),
    ...stringFragments,
    [4, typeName.map((type) => ({ type }))],
    [2, fc.array(value, { minLength: 1, maxLength: 4 }).map((list) => ({ enum: list }))],
  ];
  if (dialect !== 'openapi-3.0') {
    const names = fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 });
    rows.push([2, names.map((type) => ({ type }))]);
  }
  if (dialect !== 'draft-04' && dialect !== 'openapi-3.0') {
    rows.push([2, value.map((one) => ({ const: one }))]);
  }
  if (dialect === 'openapi-3.0') {
    rows.push([3, typeName.map((type) => ({ type, nullable: true }))]);
  }
  return rows;
}

function arrayFragments(dialect: Dialect, schema: fc.Arbitrary<Json>): Row[] {
  const rows: Row[] = [
    [2, schema.map((items) => ({ items }))],
    [1, size.map((minItems) => ({ minItems }))],
    [1, size.map((maxItems) => ({ maxItems }))],
    [1, fc.constant({ uniqueItems: true })],
  ];
  const list = fc.array(schema, { minLength: 1, maxLength: 2 });
  if (is2020(dialect)) rows.push([2, list.map((prefixItems) => ({ prefixItems }))]);
  else if (dialect !== 'openapi-3.0') {
    rows.push([1, list.map((items) => ({ items }))]);
    rows.push([
      1,
      fc.tuple(list, schema).map(([items, rest]) => ({ items, additionalItems: rest })),
    ]);
  }
  if (dialect !== 'draft-04' && dialect !== 'openapi-3.0') {
    rows.push([2, schema.map((contains) => ({ contains }))]);
  }
  if (isSince2019(dialect)) {
    rows.push(
      [1, fc.tuple(schema, size).map(([contains, minContains]) => ({ contains, minContains }))],
      [1, fc.tuple(schema, size).map(([contains, maxContains]) => ({ contains, maxContains }))],
      [2, schema.map((unevaluatedItems) => ({ unevaluatedItems }))],
    );
  }
  return rows;
}

function dictionary(keys: fc.Arbitrary<string>, values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.dictionary(keys, values, { minKeys: 0, maxKeys: 3, noNullPrototype: true });
}

function objectFragments(dialect: Dialect, schema: fc.Arbitrary<Json>): Row[] {
  const required = fc.uniqueArray(key, { minLength: 1, maxLength: 2 });
  const closing: fc.Arbitrary<Json> = fc.oneof(fc.boolean(), schema);
  const rows: Row[] = [
    [5, dictionary(key, schema).map((properties) => ({ properties }))],
    [3, required.map((keys) => ({ required: keys }))],
    [3, closing.map((additionalProperties) => ({ additionalProperties }))],
    [1, size.map((minProperties) => ({ minProperties }))],
    [1, size.map((maxProperties) => ({ maxProperties }))],
  ];
  if (dialect !== 'openapi-3.0') {
    rows.push([2, dictionary(pattern, schema).map((patternProperties) => ({ patternProperties }))]);
  }
  if (dialect !== 'draft-04' && dialect !== 'openapi-3.0') {
    rows.push([1, schema.map((propertyNames) => ({ propertyNames }))]);
  }
  const needs = fc.dictionary(key, required, { maxKeys: 2, noNullPrototype: true });
  if (isSince2019(dialect)) {
    rows.push(
      [1, needs.map((dependentRequired) => ({ dependentRequired }))],
      [1, dictionary(key, schema).map((dependentSchemas) => ({ dependentSchemas }))],
      [3, closing.map((unevaluatedProperties) => ({ unevaluatedProperties }))],
    );
  } else if (dialect !== 'openapi-3.0') {
    const either = fc.oneof<fc.Arbitrary<Json>[]>(required, schema);
    rows.push([1, dictionary(key, either).map((dependencies) => ({ dependencies }))]);
  }
  return rows;
}

/** Branches that a tag tells apart, or nearly. */
const unionFragment: Fragment = fc
  .tuple(
    fc.constantFrom('oneOf', 'oneOf', 'anyOf'),
    fc.array(unionBranch(), { minLength: 1, maxLength: 4, size: 'max' }),
    fc.boolean(),
  )
  .map(([keyword, branches, isNested]) => {
    const [first, ...others] = branches;
    const inner = { [keyword]: branches };
    return isNested
      ? { [keyword]: [{ oneOf: others.length > 0 ? others : branches }, first] }
      : inner;
  }) as Fragment;

function unionBranch(): Fragment {
  const keys = fc.constantFrom('a', 'b');
  const tag = fc.uniqueArray(fc.constantFrom(1, 2, 'a', 'b'), { minLength: 1, maxLength: 2 });
  const properties = fc.dictionary(
    keys,
    tag.map((values) => ({ enum: values })),
    {
      maxKeys: 2,
      noNullPrototype: true,
    },
  );
  const required = fc.uniqueArray(keys, { maxLength: 2 });
  return fc.tuple(properties, required, fc.boolean()).map(([named, names, isClosed]) => ({
    ...{ type: 'object', properties: named },
    ...(names.length > 0 ? { required: names } : {}),
    ...(isClosed ? { additionalProperties: false } : {}),
  }));
}

function combiningFragments(dialect: Dialect, schema: fc.Arbitrary<Json>): Row[] {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const definitions = definitionsKey(dialect);
  const target = fc.constantFrom('#', `#/${definitions}/x`, `#/${definitions}/y`);
  const rows: Row[] = [
    [2, list.map((allOf) => ({ allOf }))],
    [3, list.map((anyOf) => ({ anyOf }))],
    [3, list.map((oneOf) => ({ oneOf }))],
    [2, schema.map((not) => ({ not }))],
    [2, target.map(($ref) => ({ $ref }))],
    // A reference to the root makes progress only below a key or an item.
    [1, target.map(($ref) => ({ properties: { a: { $ref } } }))],
    [1, target.map(($ref) => ({ items: { $ref } }))],
  ];
  if (dialect !== 'draft-04' && dialect !== 'draft-06' && dialect !== 'openapi-3.0') {
    rows.push(
      [1, fc.tuple(schema, schema).map(([test, then]) => ifThen(test, { then }))],
      [1, fc.tuple(schema, schema).map(([test, other]) => ifThen(test, { else: other }))],
      [
        2,
        fc
          .tuple(schema, schema, schema)
          .map(([test, then, other]) => ifThen(test, { then, else: other })),
      ],
    );
  }
  if (is2020(dialect)) {
    rows.push([1, fc.constant({ properties: { a: { $dynamicRef: '#n' } } })]);
    rows.push([1, fc.constant({ items: { $dynamicRef: '#n' } })]);
  }
  return rows;
}

function ifThen(test: Json, branches: JsonObject): JsonObject {
  return { if: test, ...branches };
}
