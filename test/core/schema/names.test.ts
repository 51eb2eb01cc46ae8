// What is no keyword of a dialect is data: it names nothing, and nobody looks for names in it.

import { describe, expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';

/** A schema of the name x that is not one: what is around it, or its name, is no keyword. */
type Row = readonly [dialect: Dialect, where: string, place: (named: JsonObject) => JsonObject];

const id = { $id: '#x' };
const old = { id: '#x' };
const anchor = { $anchor: 'x' };
const inPart = (part: JsonObject): JsonObject => ({ part });

const rows: readonly Row[] = [
  ['draft-04', '$id', () => inPart({ ...id })],
  ['draft-04', '$anchor', () => inPart({ ...anchor })],
  ['draft-04', '$defs', () => inPart({ $defs: { a: old } })],
  ['draft-04', 'contains', () => inPart({ contains: old })],
  ['draft-04', 'propertyNames', () => inPart({ propertyNames: old })],
  ['draft-04', 'if', () => inPart({ if: old })],
  ['draft-04', '$ref', () => inPart({ $ref: '#/definitions/none', ...old })],
  ['draft-06', 'id', () => inPart({ ...old })],
  ['draft-06', '$anchor', () => inPart({ ...anchor })],
  ['draft-06', 'if', () => inPart({ if: id })],
  ['draft-06', '$ref', () => inPart({ $ref: '#/definitions/none', ...id })],
  ['draft-07', 'id', () => inPart({ ...old })],
  ['draft-07', '$anchor', () => inPart({ ...anchor })],
  ['draft-07', '$dynamicAnchor', () => inPart({ $dynamicAnchor: 'x' })],
  ['draft-07', '$defs', () => inPart({ $defs: { a: id } })],
  ['draft-07', 'prefixItems', () => inPart({ prefixItems: [id] })],
  ['draft-07', 'dependentSchemas', () => inPart({ dependentSchemas: { a: id } })],
  ['draft-07', 'unevaluatedItems', () => inPart({ unevaluatedItems: id })],
  ['draft-07', 'contentSchema', () => inPart({ contentSchema: id })],
  ['draft-07', '$ref', () => inPart({ $ref: '#/definitions/none', ...id })],
  ['2019-09', '$dynamicAnchor', () => inPart({ $dynamicAnchor: 'x' })],
  ['2019-09', '$id with a fragment', () => inPart({ ...id })],
  ['2019-09', 'prefixItems', () => inPart({ prefixItems: [anchor] })],
  ['2020-12', '$id with a fragment', () => inPart({ ...id })],
  ['2020-12', 'additionalItems', () => inPart({ additionalItems: anchor })],
  ['2020-12', 'items in a list', () => inPart({ items: [anchor] })],
  ['2020-12', 'components', () => ({ components: { schemas: { a: anchor } } })],
  ['2020-12', 'x-parts', () => inPart({ 'x-parts': { a: anchor } })],
  ['openapi-3.1', 'x-parts', () => inPart({ 'x-parts': anchor })],
  ['openapi-3.1', 'x-parts of the document', () => ({ 'x-parts': { a: { schema: anchor } } })],
  [
    'openapi-3.1',
    'components below the document',
    () => inPart({ components: { schemas: { a: anchor } } }),
  ],
  ['openapi-3.1', 'additionalItems', () => inPart({ additionalItems: anchor })],
  ['openapi-3.1', 'example', () => inPart({ example: anchor })],
];

const keptAt = (dialect: Dialect): string =>
  dialect.startsWith('draft') ? 'definitions' : '$defs';

function nameOf(dialect: Dialect): JsonObject {
  if (dialect === 'draft-04') return old;
  return dialect.startsWith('draft') ? id : anchor;
}

describe.each(rows)('in %s a name at %s', (dialect, _where, place) => {
  const { part, ...around } = place({});
  const data: JsonObject = part === undefined ? {} : { before: part, after: part };
  const refer = (parts: JsonObject): JsonObject => ({
    ...{ [keptAt(dialect)]: { ...data, ...parts }, ...around },
    allOf: [{ $ref: '#x' }],
  });
  const targetOf = (json: Json) => parseSchema(json, dialect).root.keywords.allOf?.[0]?.keywords;

  test('does not count: a reference leads to nothing', () => {
    const found = targetOf(refer({}));
    expect(found?.problems?.map(({ code }) => code)).toEqual(['reference_not_found']);
  });

  test('does not count: a reference leads to the schema that bears the name', () => {
    const real = { ...nameOf(dialect), type: 'string' };
    const found = targetOf(refer({ before: data.before ?? {}, real, z: data.after ?? {} }));
    expect(found?.ref?.keywords.types).toEqual(['string']);
  });
});

test.each<[Dialect, Json]>([
  ['2020-12', { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }],
  ['2020-12', { $defs: { a: { $anchor: 'x' }, b: { $dynamicAnchor: 'x' } } }],
  ['draft-07', { definitions: { a: { $id: '#x' }, b: { $id: '#x' } } }],
])('a name that stands twice in %s %j is undecided', (dialect, more) => {
  const b = { ...(more as JsonObject), allOf: [{ $ref: '#x' }] };
  expect(contains({ a: {}, b, dialect }).verdict).toBe('undecided');
  const { problems } = parseSchema(b, dialect).root.keywords.allOf?.[0]?.keywords ?? {};
  expect(problems?.map(({ code }) => code)).toEqual(['unclear']);
});

test.each(['string', 'null'])(
  'a dynamic anchor that stands twice in an outer resource is undecided (%s)',
  (type) => {
    const b = {
      $id: 'http://x.test/root',
      $ref: 'leaf',
      $defs: {
        one: { $dynamicAnchor: 'n', type: 'string' },
        two: { $dynamicAnchor: 'n', type: 'null' },
        leaf: {
          $id: 'http://x.test/leaf',
          $dynamicRef: '#n',
          $defs: { own: { $dynamicAnchor: 'n' } },
        },
      },
    };
    expect(contains({ a: { type }, b }).verdict).toBe('undecided');
    const once = { ...b, $defs: { one: b.$defs.one, leaf: b.$defs.leaf } };
    expect(contains({ a: { type }, b: once }).verdict).toBe(type === 'string' ? 'yes' : 'no');
  },
);

test.each<[Dialect, string]>([
  ['draft-04', 'id'],
  ['draft-06', '$id'],
  ['draft-07', '$id'],
  ['2019-09', '$id'],
  ['2020-12', '$id'],
  ['openapi-3.1', '$id'],
])('in %s a reference inside a resource is resolved from its root', (dialect, idName) => {
  const kept = keptAt(dialect);
  const inner = {
    [idName]: 'http://x.test/r',
    [kept]: { t: { type: 'null' } },
    properties: { q: { $ref: `#/${kept}/t` } },
  };
  const b = {
    [kept]: { r: inner, t: { type: 'string' } },
    properties: { p: { $ref: `#/${kept}/r/properties/q` } },
  };
  const verdicts = [null, 'a'].map((p) => contains({ a: { enum: [{ p }] }, b, dialect }).verdict);
  expect(verdicts).toEqual(['yes', 'no']);
});

test('of two ids that are the same nobody knows which is meant', () => {
  const $defs = {
    a: { $id: 'http://x.test/a', type: 'string' },
    b: { $id: 'http://x.test/a', type: 'null' },
  };
  const b = { $defs, $ref: 'http://x.test/a' };
  expect(contains({ a: { type: 'string' }, b }).verdict).toBe('undecided');
});

test('what is kept beside a reference of draft-07 is found where nothing else bears the name', () => {
  const kept = { $ref: '#x', definitions: { a: { $id: '#x', type: 'string' } } };
  expect(parseSchema(kept, 'draft-07').root.keywords.ref?.keywords.types).toEqual(['string']);
  const json = {
    definitions: { z: { $id: '#x', type: 'null' } },
    allOf: [{ $ref: '#x' }, kept],
  };
  const [first] = parseSchema(json, 'draft-07').root.keywords.allOf ?? [];
  expect(first?.keywords.ref?.keywords.types).toEqual(['null']);
});

test.each<[string, Json]>([
  ['a schema with an id', { $id: 'http://x.test/y', $ref: '#/$defs/a' }],
  ['a schema with one inside', { properties: { a: { $anchor: 'y' } } }],
])('a pointer into an unknown keyword, to %s, is undecided', (_name, part) => {
  const b = { $ref: '#/x-parts/0', 'x-parts': [part], $defs: { a: {} } };
  const { problems } = parseSchema(b).root.keywords;
  expect(problems?.map(({ code }) => code)).toEqual(['unclear']);
});

test('a pointer into an unknown keyword leads to the schema there', () => {
  const b = { $ref: '#/x-parts/0', 'x-parts': [{ type: 'string' }] };
  expect(contains({ a: { type: 'string' }, b }).verdict).toBe('yes');
});

test('only the root of a resource is recursive', () => {
  const tree = {
    ...{ $id: 'http://x.test/tree', $recursiveAnchor: true, type: 'object' },
    properties: { kid: { $recursiveRef: '#' } },
  };
  const b = {
    $id: 'http://x.test/root',
    $ref: 'tree',
    $defs: { tree, other: { $recursiveAnchor: true, type: 'string' } },
  };
  const a = { type: 'object', properties: { kid: { type: 'object', properties: { kid: false } } } };
  expect(contains({ a, b, dialect: '2019-09' }).verdict).toBe('yes');
  expect(contains({ a: { const: { kid: '' } }, b, dialect: '2019-09' }).verdict).toBe('no');
});

test('a schema that names another dialect, and has no id, is undecided', () => {
  const b = {
    properties: { a: { $schema: 'http://json-schema.org/draft-07/schema#', minContains: 2 } },
  };
  expect(contains({ a: {}, b }).verdict).toBe('undecided');
  const same = { properties: { a: { $schema: 'https://json-schema.org/draft/2020-12/schema' } } };
  expect(contains({ a: {}, b: same }).verdict).toBe('yes');
});

test('schemas of one text in two resources are not one where a dynamic reference tells them apart', () => {
  // One resource has an anchor that the reference in it comes out at, and the other has none.
  const list = { items: { $ref: 'http://x.test/leaf' } };
  const json = (name: string): Json => ({
    $id: `http://x.test/${name}-root`,
    $ref: `http://x.test/${name}`,
    $defs: {
      leaf: {
        $id: 'http://x.test/leaf',
        $ref: '#/$defs/way',
        $defs: { way: { $dynamicRef: '#n' }, own: { $dynamicAnchor: 'n' } },
      },
      bound: {
        $id: 'http://x.test/bound',
        $ref: '#/$defs/list',
        $defs: { list, strict: { $dynamicAnchor: 'n', type: 'string' } },
      },
      free: { $id: 'http://x.test/free', $ref: '#/$defs/list', $defs: { list } },
    },
  });
  const { anyOf } = {
    anyOf: [{ $ref: 'http://x.test/bound' }, { $ref: 'http://x.test/free' }],
  };
  const base = json('free') as JsonObject;
  const free = { ...base, $ref: 'http://x.test/free' };
  const bound = { ...base, $ref: 'http://x.test/bound' };
  const a = { ...base, $ref: undefined, anyOf } as unknown as Json;
  expect(contains({ a: { const: [1] }, b: free }).verdict).toBe('yes');
  expect(contains({ a: { const: [1] }, b: bound }).verdict).toBe('no');
  const { $ref: _, ...unioned } = a as JsonObject;
  expect(contains({ a: unioned, b: bound }).verdict).toBe('no');
  const inOne = {
    ...base,
    allOf: [{ $ref: 'http://x.test/free' }, { not: { $ref: 'http://x.test/bound' } }],
  };
  const { $ref: __, ...difference } = inOne as JsonObject;
  expect(contains({ a: difference, b: false }).verdict).toBe('no');
});
