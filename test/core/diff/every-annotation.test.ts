// An annotation is told wherever it stands in a document, and a default breaks under full: no place is
// hidden from review because nothing is compared there.

import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { anyPair, unshared } from '../laws/any-keyword.ts';
import { hasKeyword } from '../laws/evaluator.ts';
import { randomFrom } from '../laws/values.ts';
import { between, told } from './support/terms.ts';

const text = { type: 'string' };
const withDefault = (value: string): JsonObject => ({ ...text, default: value });

const ifText = (schema: Json): JsonObject => ({
  ...{ if: text },
  // biome-ignore lint/suspicious/noThenProperty: a keyword.
  ...{ then: schema },
});

const places: readonly (readonly [string, path: string, (part: JsonObject) => Json])[] = [
  ['a property', '$.properties.p', (p) => ({ properties: { p } })],
  ['then', '$.then', (then) => ({ if: { maxLength: 2 }, then })],
  ['else', '$.else', (part) => ({ if: { maxLength: 2 }, else: part })],
  ['if', '$.if', (part) => ({ if: part, else: { minLength: 1 } })],
  ['an if of nothing', '$.if', (part) => ({ if: part })],
  ['not', '$.not', (not) => ({ not })],
  ['contains', '$.contains', (contains) => ({ contains })],
  ['propertyNames', '$.propertyNames', (propertyNames) => ({ propertyNames })],
  ['dependentSchemas', '$.dependentSchemas.a', (a) => ({ dependentSchemas: { a } })],
  ['items of what is no list', '$.items', (items) => ({ type: 'object', items })],
  ['a branch in not', '$.not.anyOf[1]', (part) => ({ not: { anyOf: [{ minLength: 2 }, part] } })],
  ['a definition that nobody refers to', '$.$defs.t', (t) => ({ $defs: { t } })],
  ['a property inside then', '$.then.properties.p', (p) => ifText({ properties: { p } })],
  [
    'a definition of then',
    '$.$defs.t',
    (t) => ({ ...ifText({ $ref: '#/$defs/t' }), $defs: { t } }),
  ],
  ['the schema of a content', '$.contentSchema', (contentSchema) => ({ not: {}, contentSchema })],
  [
    'what a condition refers to under no keyword',
    '$.x-parts.t',
    (t) => ({ if: { $ref: '#/x-parts/t' }, else: text, 'x-parts': { t } }),
  ],
];

describe.each(places)('a default in %s', (_place, path, schemaOf) => {
  const [old, next] = [schemaOf(withDefault('a')), schemaOf(withDefault('b'))];
  const hasChange = expect.arrayContaining([
    expect.objectContaining({ type: 'default_changed', path }),
  ]);

  test('is told, as a patch', () => {
    const { changes, isBreaking, bump } = between(old, next);
    expect({ changes, isBreaking, bump }).toEqual({
      changes: hasChange,
      isBreaking: false,
      bump: 'patch',
    });
    expect(canonicalText(old)).not.toBe(canonicalText(next));
  });

  test('breaks under full', () => {
    expect(told(between(old, next, { mode: 'full' }))).toContain(`! default_changed ${path}`);
    const added = between(schemaOf(text), old, { mode: 'full' });
    expect(told(added)).toContain(`! default_added ${path}`);
  });

  test('is told once', () => {
    const paths = told(between(old, next)).filter((each) => each.startsWith('default_'));
    expect(paths).toEqual([`default_changed ${path}`]);
  });
});

test('a default beside a reference is told where the reference stands', () => {
  const schemaOf = (value: string): Json => ({
    properties: { p: { $ref: '#/$defs/t', default: value } },
    $defs: { t: text },
  });
  const comparison = between(schemaOf('a'), schemaOf('b'), { mode: 'full' });
  expect(told(comparison)).toEqual(['! default_changed $.properties.p']);
  expect(comparison.bump).toBe('major');
  expect(canonicalText(schemaOf('a'))).not.toBe(canonicalText(schemaOf('b')));
});

const titled = (title: string, type: string): JsonObject => ({ title, type });
const shared = { type: 'string', title: 'T', default: 't' };

test.each<[string, Json, Json]>([
  [
    'the order of branches',
    { anyOf: [titled('A', 'string'), titled('B', 'object')] },
    { anyOf: [titled('B', 'object'), titled('A', 'string')] },
  ],
  [
    'the order of branches that are excluded',
    { not: { anyOf: [titled('A', 'string'), titled('B', 'object')] } },
    { not: { anyOf: [titled('B', 'object'), titled('A', 'string')] } },
  ],
  [
    'a definition written out',
    { properties: { a: { $ref: '#/$defs/t' }, b: { $ref: '#/$defs/t' } }, $defs: { t: shared } },
    { properties: { a: shared, b: shared } },
  ],
  [
    'definitions and $defs',
    { not: { $ref: '#/definitions/t' }, definitions: { t: shared } },
    { not: { $ref: '#/$defs/t' }, $defs: { t: shared } },
  ],
  ['an allOf around it', { not: shared }, { allOf: [{ not: shared }] }],
])('%s is no change', (_name, old, next) => {
  expect(told(between(old, next, { mode: 'full' }))).toEqual([]);
  expect(told(between(next, old, { mode: 'full' }))).toEqual([]);
});

const branchesOf = (...values: readonly [string, string]): Json => {
  const anyOf = values.map((value, at) => ({ properties: { [`p${at}`]: withDefault(value) } }));
  return ifText({ anyOf });
};
const definitionsOf = (names: readonly [string, string]): Json => {
  const [first, second] = names;
  const properties = { a: { $ref: `#/$defs/${first}` }, b: { $ref: `#/$defs/${second}` } };
  const $defs = { [first]: withDefault('1'), [second]: withDefault('2') };
  return { ...ifText({ properties }), $defs };
};
const exchanged = (json: Json): Json =>
  JSON.parse(JSON.stringify(json).replace(/"default":"(.)"/g, (_, value) => withOther(value)));
const withOther = (value: string): string => `"default":"${value === '1' ? '2' : '1'}"`;

test.each<[string, Json, Json]>([
  ['two branches of a condition', branchesOf('1', '2'), exchanged(branchesOf('1', '2'))],
  [
    'two definitions that get other names',
    definitionsOf(['a', 'b']),
    exchanged(definitionsOf(['c', 'd'])),
  ],
])('defaults that %s exchange are told, and break under full', (_name, old, next) => {
  expect(told(between(old, next))).not.toEqual([]);
  expect(between(old, next, { mode: 'full' }).isBreaking).toBe(true);
});

test('definitions of a condition get other names without a change', () => {
  const [old, next] = [definitionsOf(['a', 'b']), definitionsOf(['c', 'd'])];
  expect(told(between(old, next, { mode: 'full' }))).toEqual([]);
});

test('what is said of a new property is not told beside it', () => {
  const next = { properties: { a: {}, b: { ...shared, not: { title: 'x', type: 'null' } } } };
  expect(told(between({ properties: { a: {} } }, next))).toEqual(['property_added $.properties.b']);
});

test('data that no keyword makes a schema is an annotation, whatever it looks like', () => {
  const schemaOf = (value: string): Json => ({ 'x-parts': { t: withDefault(value) } });
  expect(told(between(schemaOf('a'), schemaOf('b'), { mode: 'full' }))).toEqual([
    'annotation_changed $',
  ]);
});

test('of an annotation that is an object, only the members that changed are told', () => {
  const owned = (owner: string): Json => ({ 'x-meta': { owner, team: 'T', tags: [1, 2] } });
  const { changes } = between(owned('a'), owned('b'));
  expect(changes).toMatchObject([{ old: { owner: 'a' }, new: { owner: 'b' } }]);
  const preset = (b: number): Json => ({ default: { a: 1, b } });
  expect(between(preset(1), preset(2)).changes).toMatchObject([{ old: { a: 1, b: 1 } }]);
});

/** How schemas stand in keywords, whatever the dialects that have these. */
const holding: Readonly<Record<string, 'map' | 'list' | 'one' | 'either'>> = {
  ...{ properties: 'map', patternProperties: 'map', dependentSchemas: 'map', dependencies: 'map' },
  ...{ $defs: 'map', definitions: 'map', allOf: 'list', anyOf: 'list', oneOf: 'list' },
  ...{ prefixItems: 'list', items: 'either', additionalItems: 'one', additionalProperties: 'one' },
  ...{ contains: 'one', contentSchema: 'one', propertyNames: 'one', not: 'one', if: 'one' },
  ...{ else: 'one', unevaluatedItems: 'one', unevaluatedProperties: 'one' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword.
  then: 'one',
};

/** The schemas of a document that are objects. */
function schemasIn(dialect: Dialect, root: Json): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const visit = (schema: Json): void => {
    if (!isJsonObject(schema)) return;
    found.push(schema);
    for (const [name, value] of Object.entries(schema)) {
      const how = hasKeyword(dialect, name) ? holding[name] : undefined;
      const isList = how === 'list' || (how === 'either' && hasKeyword(dialect, 'additionalItems'));
      if (how === 'map' && isJsonObject(value)) Object.values(value).forEach(visit);
      else if (isList && Array.isArray(value)) value.forEach(visit);
      else if (how === 'one' || how === 'either') visit(value);
    }
  };
  visit(root);
  return found;
}

const runs = Number(process.env.LAW_RUNS ?? 1_500);
const first = Number(process.env.ANY_FROM ?? 0);

test('one default changed at any schema of any document is a change that breaks under full', () => {
  let count = 0;
  for (let number = first; number < first + runs; number++) {
    const { dialect, a } = anyPair(number);
    const random = randomFrom(number);
    const value = () => Math.floor(random() * 2);
    // A few of them say the same, or something else, already.
    for (const schema of schemasIn(dialect, a)) {
      if (random() < 0.5) Object.assign(schema, { default: value() });
    }
    const places = schemasIn(dialect, a);
    const index = Math.floor(random() * places.length);
    const other = unshared(a);
    const place = schemasIn(dialect, other)[index];
    if (place === undefined) continue;
    const before = place.default;
    if (before !== undefined && random() < 0.3) delete (place as { default?: Json }).default;
    else Object.assign(place, { default: before === 0 ? 1 : before === 1 ? 0 : value() });
    for (const [old, next] of [
      [a, other],
      [other, a],
    ] as const) {
      count++;
      const { changes, isBreaking, bump } = between(old, next, { dialect, mode: 'full' });
      const types = changes.map(({ type }) => type);
      if (!isBreaking || bump !== 'major')
        console.log(JSON.stringify({ number, dialect, old, next, types }));
      expect({ dialect, old, next, types, isBreaking, bump }).toEqual({
        ...{ dialect, old, next, types, isBreaking: true, bump: 'major' },
      });
      expect({ old, next, types: types.filter((type) => type.startsWith('default_')) }).not.toEqual(
        {
          ...{ old, next, types: [] },
        },
      );
    }
  }
  expect(count).toBeGreaterThan(runs);
});

type Repeating = (defaults: readonly number[]) => Json;

const strings = (value: number): Json => ({ type: 'string', maxLength: 3, default: value });
const repeating: Readonly<Record<string, Repeating>> = {
  'branches of anyOf': (defaults) => ({ anyOf: defaults.map(strings) }),
  'branches of oneOf': (defaults) => ({ oneOf: defaults.map(strings) }),
  'parts of a whole': (defaults) => ({ allOf: defaults.map(strings) }),
  'branches that hold it deeper': (defaults) => ({
    anyOf: defaults.map((value) => ({ type: 'object', properties: { a: strings(value) } })),
  }),
  'what is excluded': (defaults) => ({ allOf: defaults.map((value) => ({ not: strings(value) })) }),
  'what is contained': (defaults) => ({
    allOf: defaults.map((value) => ({ contains: strings(value) })),
  }),
  'names of properties': (defaults) => ({
    allOf: defaults.map((value) => ({ propertyNames: { maxLength: 3, default: value } })),
  }),
  conditions: (defaults) => ({
    allOf: defaults.map((value) => ({ if: strings(value), else: false })),
  }),
  unions: (defaults) => ({
    allOf: defaults.map((value) => ({ anyOf: [strings(value), { minimum: 3 }] })),
  }),
  'branches in a circle': (defaults) => ({
    $ref: '#/$defs/t',
    $defs: {
      t: {
        anyOf: defaults.map((value) => ({
          ...{ type: 'array', items: { $ref: '#/$defs/t' }, default: value },
        })),
      },
    },
  }),
};

describe('A default changed in one of three that are alike is a change', () => {
  test.each(Object.entries(repeating))('%s', (_name, of) => {
    const [old, next] = [of([1, 1, 2]), of([1, 2, 2])];
    expect(canonicalText(next)).not.toBe(canonicalText(old));
    const comparison = between(old, next, { mode: 'full' });
    expect(comparison.changes.map(({ type }) => type)).toContain('default_changed');
    expect(comparison).toMatchObject({ isBreaking: true, bump: 'major' });
    expect(between(old, next)).toMatchObject({ isBreaking: false, bump: 'patch' });
  });

  test.each(Object.entries(repeating))('and their order says nothing: %s', (_name, of) => {
    expect(canonicalText(of([2, 1, 1]))).toBe(canonicalText(of([1, 2, 1])));
  });
});
