// Fields that stay by name alone: a property that no value can have any more, one that is described in some
// values and no longer in others; and chains of compatible steps, which must not do what one step may not.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/value/json.ts';
import {
  besideDemands,
  both,
  chains,
  forbidden,
  inOneBranch,
  inThen,
  inVariants,
  kind,
  list,
  response,
  shutOut,
  text,
  undescribed,
  unsure,
  whole,
  withMore,
} from './support/losses.ts';
import { between, object, type Setting, told } from './support/terms.ts';

describe('A response that still names a property which no value can have any more breaks', () => {
  test.each(shutOut)('by %s', (_name, old, next, path) => {
    const breaking = told(between(old, next, response)).filter((each) => each.startsWith('!'));
    expect(breaking).toContain(`! property_removed $.properties.${path}`);
    expect(between(old, next, { direction: 'response', mode: 'backward' }).bump).toBe('major');
  });

  test('an operation of OpenAPI as well', () => {
    const operation = (body: Json): Json => object({ response: body }, ['response']);
    const [old, next] = [both, withMore(both, { not: { required: ['p'] } })].map(operation);
    expect(told(between(old ?? null, next ?? null, { direction: 'operation' }))).toContain(
      '! property_removed $.properties.response.properties.p',
    );
  });

  test('and under forward one that old could not have, and new has', () => {
    const setting: Setting = { mode: 'forward', direction: 'response' };
    const next = both;
    const old = withMore(both, { not: { required: ['p'] } });
    expect(told(between(old, next, setting))).toContain('! property_added $.properties.p');
  });

  test.each<readonly [string, Json]>([
    ['items where there were none', list({ items: false })],
    ['items where nothing was described', object({ l: { type: 'array', maxItems: 0 } })],
    ['a list where there was none', object({ l: text })],
  ])('and under forward those of %s', (_name, old) => {
    const next = object({ l: { anyOf: [{ type: 'array', items: both }, text] } });
    expect(told(between(old, next, { mode: 'forward', direction: 'response' }))).toContain(
      '! property_added $.properties.l.items.properties.k',
    );
  });

  const kept: readonly (readonly [string, Json, Json])[] = [
    [
      'it could not be there before',
      withMore(both, { not: { required: ['p'] } }),
      withMore(object({ k: text, p: whole, q: text }), { not: { required: ['p'] } }),
    ],
    [
      'another variant has it',
      { oneOf: [kind('a', { p: whole }), kind('b', { p: whole })] },
      { oneOf: [kind('a', { p: whole }), kind('b', { p: { const: 1 } })] },
    ],
    ['a bound on the number of keys leaves room', both, withMore(both, { maxProperties: 2 })],
    [
      'its names are those that may be',
      both,
      withMore(both, { propertyNames: { enum: ['k', 'p'] } }),
    ],
    ['a list may be empty and need not', list({}), list({ maxItems: 1 })],
    [
      'a variant gets what another one has',
      { oneOf: [kind('a', { p: whole }), kind('b')] },
      { oneOf: [kind('a', { p: whole }), kind('b', { p: whole })] },
    ],
    ['an open object is described', object({ k: { type: 'object' } }), object({ k: both })],
  ];
  test.each(kept)('but not where %s', (_name, old, next) => {
    expect(between(old, next, response).isBreaking).toBe(false);
  });

  test('two thousand properties with formats and patterns need few questions', () => {
    const keys = Array.from({ length: 2_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(
      keys.map((key): [string, Json] => [key, { type: 'string', pattern: `^${key}` }]),
    );
    const next = { ...properties, more: text };
    const { steps, isBreaking } = between(object(properties), object(next), response);
    expect([isBreaking, steps < 100_000]).toEqual([false, true]);
  });
});

describe('A field that is described in some values, and no longer in others, breaks', () => {
  test.each(undescribed)('where it is %s', (_name, old, next, path) => {
    for (const direction of ['data', 'request', 'response'] as const) {
      const changes = told(between(old, next, { mode: 'backward', direction }));
      expect([direction, changes]).toEqual([
        direction,
        expect.arrayContaining([`! property_removed $.properties.${path}`]),
      ]);
    }
  });

  test('with a value that shows it', () => {
    const { changes } = between(inThen, inOneBranch);
    expect(changes[0]?.description).toBe(
      '`$.properties.p`: the property is no longer described in all values that may have it, for example {"k":0,"p":""}; consumers may no longer find it',
    );
  });

  const kept: readonly (readonly [string, Json, Json])[] = [
    [
      'each variant has it',
      object({ k: { enum: ['a', 'b'] }, p: whole }, ['k']),
      { anyOf: [kind('a', { p: whole }), kind('b', { p: whole })] },
    ],
    [
      'then and else have it',
      object({ k: whole, p: text }),
      withMore(
        object({ k: whole }),
        JSON.parse(
          '{"if": {"required": ["k"]}, "then": {"properties": {"p": {}}}, "else": {"properties": {"p": {}}}}',
        ),
      ),
    ],
    [
      'a variant gets one more',
      { anyOf: [kind('a', { p: whole }), kind('b')] },
      { anyOf: [kind('a', { p: whole, q: text }), kind('b')] },
    ],
    [
      'it moves into a part that always applies',
      both,
      { allOf: [object({ k: text }), object({ p: whole })] },
    ],
  ];
  test.each(kept)('but not where %s', (_name, old, next) => {
    expect(between(old, next).isBreaking).toBe(false);
  });
});

describe('A variant of a response that forbids what another one keeps breaks', () => {
  test.each(forbidden)('by %s', (_name, having, next) => {
    for (const union of ['anyOf', 'oneOf'] as const) {
      const [was, is] = [inVariants(union, having), inVariants(union, next)];
      const path = `$.${union}[1].properties.p`;
      expect(told(between(was, is, response))).toContain(`! property_removed ${path}`);
      const back = between(is, was, { mode: 'forward', direction: 'response' });
      expect(told(back)).toContain(`! property_added ${path}`);
    }
  });

  test('and one of which nobody knows whether it can', () => {
    for (const union of ['anyOf', 'oneOf'] as const) {
      const [was, is] = unsure(union);
      expect(between(was, is, response).isBreaking).toBe(true);
    }
  });

  test('and also the last one of sixty', () => {
    const variants = (last: JsonObject, most: number): Json => {
      const named = Array.from({ length: 60 }, (_, index) => `k${index}`);
      const kindOf = (name: string) =>
        kind(name, { q: { type: 'string', maxLength: most }, p: whole });
      return { oneOf: [...named.map(kindOf), withMore(kindOf('last'), last)] };
    };
    const [old, next] = [variants({}, 9), variants({ not: { required: ['p'] } }, 8)];
    const breaking = told(between(old, next, response)).filter((each) => each.startsWith('!'));
    expect(breaking).toEqual(['! property_removed $.oneOf[60].properties.p']);
    const back = told(between(next, old, { direction: 'response', mode: 'forward' }));
    expect(back).toContain('! property_added $.oneOf[60].properties.p');
  });

  test.each<readonly [string, Json, Json]>([
    [
      'goes as a whole',
      inVariants('oneOf', kind('b', { p: whole })),
      { oneOf: [kind('a', { p: whole })] },
    ],
    [
      'has no value any more',
      inVariants('oneOf', kind('b', { p: whole })),
      inVariants('oneOf', object({ k: { const: 'b' }, p: whole, z: false }, ['k', 'z'])),
    ],
    [
      'leaves it to what all have',
      inVariants('oneOf', kind('b', { p: whole })),
      object({ p: whole }, [], { oneOf: [kind('a'), kind('b')] }),
    ],
  ])('but not one that %s', (_name, old, next) => {
    expect(between(old, next, response).isBreaking).toBe(false);
  });
});

describe('An open object that becomes one with names', () => {
  const open = object({ a: { type: 'object' } });
  test.each([
    ['whatever they hold', object({ a: object({ b: {} }) })],
    ['of which there are none', object({ a: object({}) })],
  ])('breaks what is kept or sent, %s', (_name, next) => {
    const change = '! schema_narrowed $.properties.a';
    for (const direction of ['data', 'request'] as const) {
      expect(told(between(open, next, { direction }))).toContain(change);
    }
    expect(between(open, next, { direction: 'response' }).isBreaking).toBe(false);
    expect(between(open, next, { mode: 'forward' }).isBreaking).toBe(false);
    expect(between(open, next, { mode: 'full' }).isBreaking).toBe(true);
  });
});

describe('An open part of a value that a further branch or part describes', () => {
  const open = { type: 'object' };
  const unions: readonly (readonly [string, (branch: Json) => Json])[] = [
    ['a property', (branch) => object({ c: branch })],
    ['an item', (items) => ({ type: 'array', items })],
    ['a property of an item', (branch) => list({ type: 'object', properties: { c: branch } })],
  ];
  test.each(unions)('breaks what is kept or sent, where it is %s', (_name, holding) => {
    const parts = [holding(open), holding(object({ b: text }))];
    for (const direction of ['data', 'request'] as const) {
      for (const union of ['anyOf', 'allOf'] as const) {
        const old = { [union]: [holding(open)] };
        for (const next of [parts, parts.toReversed()]) {
          expect(between(old, { [union]: next }, { direction }).isBreaking).toBe(true);
        }
        const same = { [union]: [holding(open), holding(open)] };
        expect(between(old, same, { direction }).isBreaking).toBe(false);
      }
    }
  });
});

describe('Where additionalProperties: true takes every key, unevaluatedProperties describes none', () => {
  const taking = { type: 'object', additionalProperties: true, unevaluatedProperties: text };
  const settings: readonly Setting[] = [
    { direction: 'data' },
    { direction: 'request' },
    { direction: 'response' },
  ];
  test.each(settings)('so that a field that goes breaks %o', (setting) => {
    const old = { ...taking, properties: { p: text, q: text } };
    const next = { ...taking, properties: { q: text } };
    expect(told(between(old, next, setting))).toContain('! property_removed $.properties.p');
  });

  test.each(settings)('so that a field that goes to another variant breaks %o', (setting) => {
    const [a, b] = [{ const: 'a' }, { const: 'b' }];
    const variants = (inA: JsonObject, inB: JsonObject): Json => ({
      ...{ ...taking, unevaluatedProperties: false },
      anyOf: [
        { properties: { k: a, ...inA }, required: ['k'] },
        { properties: { k: b, ...inB }, required: ['k'] },
      ],
    });
    const comparison = between(variants({ p: text }, {}), variants({}, { p: text }), setting);
    expect(comparison.isBreaking).toBe(true);
  });
});

test('Of keys that a branch takes in any case, unevaluatedProperties describes none', () => {
  const old = object({ x: text });
  const taking = { additionalProperties: true };
  const many = Array.from({ length: 8 }, (_, at) => ({ properties: { [`k${at}`]: text } }));
  for (const others of [[{ properties: { c: {} } }], many]) {
    const next = { type: 'object', anyOf: [...others, taking], unevaluatedProperties: text };
    expect(between(old, next).isBreaking).toBe(true);
  }
});

describe('A change that one step may not make is refused in one of several steps', () => {
  test.each(chains)('where %s', (_name, setting, steps) => {
    const isRefused = steps.slice(1).map((next, at) => between(steps[at] ?? null, next, setting));
    expect(isRefused.some(({ isBreaking }) => isBreaking)).toBe(true);
    expect(between(steps[0] ?? null, steps.at(-1) ?? null, setting).isBreaking).toBe(true);
  });

  test('and the reader is told what a later version may do', () => {
    const [old, next] = [
      object({ p: whole }, [], { additionalProperties: false }),
      object({ p: whole }),
    ];
    expect(between(old, next, response).changes.map(({ description }) => description)).toEqual([
      '`$.additionalProperties`: undeclared keys may have any value now; {"extra":null} is accepted now: a compatible version may add it later, and a consumer that has the old schema would refuse it',
    ]);
  });
});

describe('A demand for a name that nothing describes', () => {
  test.each(besideDemands)('does not hide what changes: %s', (_name, old, next) => {
    for (const direction of ['data', 'request', 'response'] as const) {
      for (const mode of ['backward', 'forward'] as const) {
        expect([direction, mode, between(old, next, { direction, mode }).isBreaking]).toEqual([
          ...[direction, mode, true],
        ]);
      }
    }
  });

  test('does not hide that a listed object goes which has one', () => {
    const listing = (...values: Json[]): Json => ({
      ...{ type: 'object', properties: { p: text } },
      enum: values,
    });
    const old = listing({ p: 'a' }, { p: 'a', z: 1 });
    for (const direction of ['data', 'request'] as const) {
      const next = listing({ p: 'a' });
      expect(told(between(old, next, { direction }))).toEqual(['! enum_values_removed $']);
      expect(between(next, old, { direction }).isBreaking).toBe(false);
      const forward = between(next, old, { direction, mode: 'forward' });
      expect(forward.isBreaking).toBe(true);
    }
  });

  test('lets a response get an optional property, and a place stay open', () => {
    const next = object({ p: whole, q: text }, ['z']);
    expect(between(object({ p: whole }, ['z']), next, response).isBreaking).toBe(false);
    expect(between(object({ p: whole }, ['z']), next).isBreaking).toBe(false);
    const open = (more: JsonObject) => object({ a: { type: 'object', required: ['z'], ...more } });
    expect(between(open({}), open({ minProperties: 1 })).isBreaking).toBe(false);
  });
});

describe('A response still may, without asking,', () => {
  const branches = (more: { readonly [key: string]: Json }): Json => ({
    oneOf: [object({ a: whole, ...more }, ['a']), object({ b: whole }, ['b'])],
  });
  test.each<readonly [string, Json, Json]>([
    ['get an optional property', both, object({ k: text, p: whole, q: text })],
    [
      'get one in a variant of several kinds',
      { oneOf: [kind('a'), kind('b')] },
      { oneOf: [kind('a', { q: text }), kind('b')] },
    ],
    ['get one in a branch that others overlap', branches({}), branches({ q: text })],
    ['get one inside a list', list({}), list({ items: object({ k: text, p: whole, q: text }) })],
    ['become strict', both, withMore(both, { additionalProperties: false })],
    ['demand what was optional', both, withMore(both, { required: ['p'] })],
  ])('%s', (_name, old, next) => {
    expect(between(old, next, response).isBreaking).toBe(false);
  });
});

/** Objects of two keys with few values, so that the truth can be counted out. */
const leaf = fc.constantFrom<Json>(whole, text, {}, { type: ['integer', 'string'] });
const kindOf = fc.constantFrom<Json>(
  { const: 'a' },
  { const: 'b' },
  { enum: ['a', 'b'] },
  text,
  {},
);
const members = fc.record({ k: kindOf, p: leaf, q: leaf }, { requiredKeys: [] });
const keyedWith = (demandable: (properties: JsonObject) => readonly string[]) =>
  members.chain((properties) =>
    fc.subarray([...demandable(properties)]).map(
      (required): JsonObject => ({
        properties,
        ...(required.length === 0 ? {} : { required }),
      }),
    ),
  );
const asked = fc.constantFrom<JsonObject>(
  { required: ['k'] },
  { required: ['p'] },
  { properties: { k: { const: 'a' } } },
  { properties: { k: { const: 'a' } }, required: ['k'] },
  {},
);
const conditionalOf = (keyed: fc.Arbitrary<JsonObject>) =>
  fc.oneof(
    fc.constant<JsonObject>({}),
    fc
      .array(fc.oneof(keyed, fc.constant<JsonObject>({})), { minLength: 1, maxLength: 2 })
      .map((anyOf): JsonObject => ({ anyOf })),
    fc.array(keyed, { minLength: 2, maxLength: 2 }).map((oneOf): JsonObject => ({ oneOf })),
    fc
      .tuple(asked, keyed, fc.option(keyed))
      .map(
        ([condition, whenTrue, whenFalse]): JsonObject =>
          Object.fromEntries([
            ['if', condition],
            ['then', whenTrue],
            ...(whenFalse === null ? [] : [['else', whenFalse]]),
          ]),
      ),
    keyed.map((schema): JsonObject => ({ dependentSchemas: { k: schema } })),
    keyed.map((schema): JsonObject => ({ allOf: [schema] })),
  );
const openOf = (keyed: fc.Arbitrary<JsonObject>) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: keyed },
        { weight: 1, arbitrary: fc.constant<JsonObject>({}) },
      ),
      conditionalOf(keyed),
    )
    .map(([own, more]): Json => ({ type: 'object', ...own, ...more }));
const anyOpen = openOf(keyedWith(() => ['k', 'p']));
/** Variants told apart by their kind: what the other modes and directions are held to as well. */
const tagged = fc
  .tuple(members, members, members, fc.subarray(['p', 'q']), fc.boolean())
  .map(([{ k: _, ...own }, ofA, ofB, demanded, isUnion]): Json => {
    const properties = { k: { enum: ['a', 'b'] }, ...own };
    const required = ['k', ...demanded.filter((key) => Object.hasOwn(own, key))];
    const variant = (name: string, more: JsonObject): Json =>
      kind(name, { ...more, k: { const: name } });
    return {
      ...{ type: 'object', properties, required },
      ...(isUnion ? { anyOf: [variant('a', ofA), variant('b', ofB)] } : {}),
    };
  });
const shutting = fc.constantFrom<JsonObject>(
  {},
  {},
  { not: { required: ['p'] } },
  { propertyNames: { enum: ['k', 'q'] } },
  { maxProperties: 1 },
  { additionalProperties: false },
  { dependentSchemas: { p: { required: ['q'] } } },
  { dependentRequired: { p: ['k'] } },
);
const anyObject = fc.tuple(anyOpen, shutting).map(([schema, more]): Json => withMore(schema, more));

const poolSize = 12;
/** Each pair of a pool is compared; `make verify` asks for more pools. */
const poolCount = Number(process.env.LAW_POOLS ?? 2);

type Comparison = ReturnType<typeof between>;

/**
 * Whether a step is compatible. Under forward, data and requests are held to it as long as no step
 * removes a property: what is removed may come back with another type.
 */
function isStep(old: Json, next: Json, { isBreaking, changes }: Comparison, setting: Setting) {
  if (isBreaking) return false;
  if (setting.mode !== 'forward' || setting.direction === 'response') return true;
  return (
    changes.every(({ type }) => type !== 'property_removed') &&
    declaredIn(old).isSubsetOf(declaredIn(next))
  );
}

/** Under forward, a new property may become required in a later step: the old schema still reads it. */
function isOnlyDemanding({ changes }: Comparison): boolean {
  return changes.every(
    ({ breaking, type, witness }) =>
      !breaking || (type === 'required_added' && witness === undefined),
  );
}

/** Two schemas that steps lead between, and of which one step is refused with a reason. */
function circumvented(pool: readonly Json[], setting: Setting) {
  const all = pool.map((old) =>
    pool.map((next) => {
      const comparison = between(old, next, setting);
      return { old, next, comparison, isStep: isStep(old, next, comparison, setting) };
    }),
  );
  for (const [first, fromFirst] of all.entries()) {
    for (const [second, one] of fromFirst.entries()) {
      if (!one.isStep) continue;
      for (const [third, two] of (all[second] ?? []).entries()) {
        const comparison = all[first]?.[third]?.comparison;
        if (!two.isStep || comparison === undefined) continue;
        const isRefused = comparison.isBreaking && !isOnlyDemanding(comparison);
        if (isRefused && comparison.undecidedCount === 0) {
          const chain = [one.old, one.next, two.next].map((each) => JSON.stringify(each));
          return { chain, changes: told(comparison) };
        }
      }
    }
  }
  return null;
}

describe('What n compatible steps allow, one compatible step allows', () => {
  const settings: readonly (readonly [Setting, fc.Arbitrary<Json>])[] = [
    [{ mode: 'backward', direction: 'data' }, anyObject],
    [{ mode: 'backward', direction: 'request' }, anyObject],
    [{ mode: 'backward', direction: 'response' }, anyObject],
    [{ mode: 'forward', direction: 'response' }, anyObject],
    [{ mode: 'forward', direction: 'data' }, anyObject],
    [{ mode: 'backward', direction: 'response' }, tagged],
    [{ mode: 'forward', direction: 'response' }, tagged],
  ];
  test.each(settings)(
    'under %j',
    (setting, schema) => {
      const pool = fc.array(schema, { minLength: poolSize, maxLength: poolSize });
      for (const each of fc.sample(pool, { numRuns: poolCount, seed: 20_261_125 })) {
        expect(circumvented(each, setting)).toBeNull();
      }
    },
    600_000,
  );
});

const world: readonly JsonObject[] = ['a', 'b', 1, null].flatMap((k) =>
  [1, 's', null].flatMap((p) =>
    [1, 's', null].map(
      (q): JsonObject => ({
        ...(k === null ? {} : { k }),
        ...(p === null ? {} : { p }),
        ...(q === null ? {} : { q }),
      }),
    ),
  ),
);

/** A name that is demanded, and described by nothing, is one that the object declares. */
function withDemandsDeclared(schema: Json, declared: ReadonlySet<string>): Json {
  if (Array.isArray(schema)) return schema.map((each: Json) => withDemandsDeclared(each, declared));
  if (!isJsonObject(schema)) return schema;
  const parts = Object.entries(schema).map(([key, value]): [string, Json] => [
    key,
    withDemandsDeclared(value, declared),
  ]);
  const { properties, required = [] } = Object.fromEntries(parts);
  if (properties === undefined || !isJsonObject(properties) || !Array.isArray(required)) {
    return Object.fromEntries(parts);
  }
  const names = required.map(String).filter((name) => !declared.has(name));
  const added = Object.fromEntries(names.map((name): [string, Json] => [name, {}]));
  return { ...Object.fromEntries(parts), properties: { ...added, ...properties } };
}

function written(schema: Json): readonly JsonObject[] {
  const { root } = parseSchema(withDemandsDeclared(schema, declaredIn(schema)));
  return world.filter((value) => validate(root, value, { closed: true }) === 'accepted');
}

/** The names of the object itself; what stands under `not` and `if` declares none. */
function declaredIn(schema: Json): ReadonlySet<string> {
  if (Array.isArray(schema)) return new Set(schema.flatMap((each: Json) => [...declaredIn(each)]));
  if (!isJsonObject(schema)) return new Set();
  const { properties = {}, not: _, if: __, propertyNames: ___, ...others } = schema;
  const inside = Object.entries(others).flatMap(([, value]) => [...declaredIn(value)]);
  return new Set([...(isJsonObject(properties) ? Object.keys(properties) : []), ...inside]);
}

test('a compatible response still has values with each declared property that it had', () => {
  fc.assert(
    fc.property(anyObject, anyObject, (old, next) => {
      if (between(old, next, response).isBreaking) return;
      for (const key of declaredIn(old)) {
        const had = written(old).some((value) => Object.hasOwn(value, key));
        const has = written(next).some((value) => Object.hasOwn(value, key));
        if (had) expect([key, has]).toEqual([key, true]);
      }
    }),
    { numRuns: Number(process.env.LAW_RUNS ?? 750), seed: 20_261_125 },
  );
}, 600_000);
