// A path that some old response has, and that no new one can have, breaks. Which values have it is judged
// by a validator that was written apart from the engine. All names are described, and no content but that
// of the world fits, so that its values are all that a producer may write, up to longer lists of the same
// items. LOST_PAIRS asks for more pairs, and LOST_SEED for others.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { between, object } from '../../diff/support/terms.ts';
import { evaluatorOf, type Readings } from '../evaluator.ts';

const pairCount = Number(process.env.LOST_PAIRS ?? 120);
const seed = Number(process.env.LOST_SEED ?? 20_261_127);

const dialects = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const;
type Drafts = keyof typeof dialects;

const readings: Readings = {
  ...{ writesFractions: false, containsEvaluates: 'none', obeysDependencies: false },
};

const items: readonly Json[] = [
  {},
  { k: 'a' },
  ...['a', 'b'].flatMap((p) => [{ p }, { k: 'a', p }]),
];
const lists: readonly (readonly Json[])[] = [0, 1, 2].reduce<readonly (readonly Json[])[]>(
  (shorter) => [[], ...shorter.flatMap((list) => items.map((item) => [...list, item]))],
  [[]],
);
const world: readonly JsonObject[] = [{}, { p: 'a' }].flatMap((rest) => [
  rest,
  ...lists.map((l) => ({ ...rest, l })),
]);

const item = object({ k: { enum: ['a'] }, p: { enum: ['a', 'b'] } }) as JsonObject;
const aboutItem: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  ...[{ required: ['k'] }, { required: ['p'] }, { maxProperties: 1 }, { maxProperties: 0 }],
  ...[{ propertyNames: { enum: ['k'] } }, { properties: { p: false } }, { minProperties: 2 }],
  ...[{ properties: { p: { const: 'a' } }, required: ['p'] }, { properties: { k: { not: {} } } }],
  { const: { k: 'a' } },
  ...[{ enum: [{}, { p: 'b' }] }, { properties: { k: { $ref: '#/definitions/n' } } }],
);
const ofItem: fc.Arbitrary<Json> = combined(aboutItem);
const someItem: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(item),
  fc.constant(false),
  ofItem.map((more) => ({ ...item, allOf: [more] })),
);
const size = fc.nat(2);
const few = { maxLength: 1 };
const aboutList: fc.Arbitrary<JsonObject> = fc.oneof(
  size.map((maxItems) => ({ maxItems })),
  size.map((minItems) => ({ minItems })),
  fc.constant({ uniqueItems: true }),
  ofItem.map((contains) => ({ contains })),
  someItem.map((each) => ({ items: each })),
);
const ofList: fc.Arbitrary<Json> = combined(aboutList);
const aboutRoot: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    ...[{ required: ['p'] }, { required: ['l'] }, { maxProperties: 1 }],
    ...[{ propertyNames: { enum: ['p'] } }, { properties: { l: false } }],
    ...[{ dependentRequired: { p: ['l'] } }, { dependentSchemas: { l: false } }],
  ),
  ofList.map((l) => ({ properties: { l } })),
);
const ofRoot: fc.Arbitrary<Json> = combined(aboutRoot);

function combined(one: fc.Arbitrary<JsonObject>): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 4, arbitrary: one },
    one.map((not): Json => ({ not })),
    fc.tuple(one, one).map((anyOf): Json => ({ anyOf })),
    fc.tuple(one, one).map((oneOf): Json => ({ oneOf })),
    fc.tuple(one, one, one).map((parts): Json => {
      return Object.fromEntries(['if', 'then', 'else'].map((key, at) => [key, parts[at] ?? true]));
    }),
  );
}

interface Parts {
  readonly positions: readonly Json[];
  readonly rest: Json;
  readonly list: readonly Json[];
  readonly root: readonly Json[];
}

const parts: fc.Arbitrary<Parts> = fc.record({
  positions: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(someItem, { minLength: 1, maxLength: 2 }),
  ),
  rest: someItem,
  list: fc.array(fc.oneof(aboutList, ofList), { maxLength: 2 }),
  root: fc.array(ofRoot, few),
});

function schemaOf({ positions, rest, list, root }: Parts, dialect: Drafts): JsonObject {
  const isNewest = dialect === '2020-12';
  const [first, others] = isNewest ? ['prefixItems', 'items'] : ['items', 'additionalItems'];
  const described: JsonObject =
    positions.length === 0 ? { items: rest } : { [first]: positions, [others]: rest };
  const l = { type: 'array', ...described, ...(list.length === 0 ? {} : { allOf: list }) };
  return {
    ...{ $schema: dialects[dialect], definitions: { n: false } },
    ...(object({ p: { enum: ['a'] }, l }) as JsonObject),
    ...(root.length === 0 ? {} : { allOf: root }),
  };
}

const pair = fc
  .record({
    dialect: fc.constantFrom<Drafts>('draft-07', '2019-09', '2020-12'),
    old: parts,
    edit: parts,
    which: fc.integer({ min: 1, max: 15 }),
  })
  .map(({ dialect, old, edit, which }) => {
    const names = ['positions', 'rest', 'list', 'root'] as const;
    const next = { ...old };
    for (const [at, name] of names.entries())
      if (((which >> at) & 1) === 1) Object.assign(next, { [name]: edit[name] });
    const positions = old.positions.length;
    return { dialect, positions, old: schemaOf(old, dialect), next: schemaOf(next, dialect) };
  });

/** The paths of a value. Items that old describes by their positions are told apart. */
function pathsOf({ l, ...others }: JsonObject, positions: number): readonly string[] {
  if (!Array.isArray(l)) return Object.keys(others);
  const inItems = l.flatMap((each: Json, at) =>
    Object.keys(each as JsonObject).map((key) => `l.${at < positions ? at : 'items'}.${key}`),
  );
  return [...Object.keys(others), 'l', ...inItems];
}

/** Which of the paths values have, or all that they have; null if a value is disputed. */
function pathsIn(
  { dialect, positions }: { readonly dialect: Drafts; readonly positions: number },
  schema: Json,
): ReadonlySet<string> | null {
  const accepts = evaluatorOf(dialect, schema);
  const found = new Set<string>();
  for (const value of world) {
    const paths = pathsOf(value, positions);
    if (paths.length > 0 && paths.every((path) => found.has(path))) continue;
    const answer = accepts(value, readings);
    if (answer === undefined) return null;
    if (answer) for (const path of paths) found.add(path);
  }
  return found;
}

test(
  'a path that no response has any more breaks',
  () => {
    const tally = { lost: 0, kept: 0 };
    fc.assert(
      fc.property(pair, ({ old, next, ...read }) => {
        const [had, has] = [pathsIn(read, old), pathsIn(read, next)];
        if (had === null || has === null || had.size === 0 || has.size === 0) return;
        const lost = [...had].filter((path) => !has.has(path));
        tally[lost.length > 0 ? 'lost' : 'kept']++;
        if (lost.length === 0) return;
        const breaks = {
          backward: between(old, next, { mode: 'backward', direction: 'response' }),
          forward: between(next, old, { mode: 'forward', direction: 'response' }),
        };
        for (const [mode, { changes }] of Object.entries(breaks))
          expect({ mode, lost, breaks: changes.some(({ breaking }) => breaking) }).toEqual({
            ...{ mode, lost, breaks: true },
          });
      }),
      { numRuns: pairCount, seed, endOnFailure: true },
    );
    expect(tally.lost).toBeGreaterThan(pairCount / 20);
    expect(tally.kept).toBeGreaterThan(pairCount / 20);
  },
  60_000 + pairCount * 100,
);
