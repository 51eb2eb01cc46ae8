// What holds for every pair of schemas. The pairs are small but nasty; `make soak` runs more of them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { canonicalText, isSameTerms } from '../../../src/core/diff/canonical.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { anySchema, anyValue, schemaPair } from './support/schemas.ts';
import { isValid } from './support/second-opinion.ts';
import { between, directions, modes, termsOf } from './support/terms.ts';

const runs = Number(process.env.LAW_RUNS ?? 150);
const setting = fc.record({
  mode: fc.constantFrom(...modes),
  direction: fc.constantFrom(...directions),
});

test('diff(a, a) is empty', () => {
  fc.assert(
    fc.property(anySchema, setting, (schema, each) => {
      expect(between(schema, structuredClone(schema), each)).toMatchObject({
        changes: [],
        isBreaking: false,
        breaksBackward: false,
        bump: 'none',
      });
    }),
    { numRuns: runs },
  );
});

test('a breaking verdict has a breaking change, and the reverse', () => {
  fc.assert(
    fc.property(schemaPair, setting, ([old, next], each) => {
      const { changes, isBreaking } = between(old, next, each);
      expect(changes.some((change) => change.breaking)).toBe(isBreaking);
      if (each.mode === 'none') expect(isBreaking).toBe(false);
    }),
    { numRuns: runs },
  );
});

test('a minor or a major has a change that is no annotation, under every mode', () => {
  const oneOfLost = [
    { oneOf: [{ type: 'string' }, { const: 'a' }] },
    { oneOf: [{ type: 'string' }, { type: 'string' }] },
  ] as const;
  const holds = ([old, next]: readonly [Json, Json], each: Parameters<typeof between>[2]) => {
    const { changes, bump } = between(old, next, each);
    if (bump !== 'minor' && bump !== 'major') return;
    expect(changes.some(({ type }) => type !== 'annotation_changed')).toBe(true);
  };
  for (const mode of modes) holds(oneOfLost, { mode, direction: 'data' });
  fc.assert(fc.property(schemaPair, setting, holds), { numRuns: runs });
});

test('the same input gives the same answer', () => {
  fc.assert(
    fc.property(schemaPair, setting, ([old, next], each) => {
      const again = between(structuredClone(old), structuredClone(next), each);
      expect(between(old, next, each)).toEqual(again);
    }),
    { numRuns: runs },
  );
});

test('what breaks comes first, and every change is told once', () => {
  fc.assert(
    fc.property(schemaPair, setting, ([old, next], each) => {
      const { changes } = between(old, next, each);
      const firstCompatible = changes.findIndex((change) => !change.breaking);
      const rest = firstCompatible < 0 ? [] : changes.slice(firstCompatible);
      expect(rest.filter((change) => change.breaking)).toEqual([]);
      const texts = changes.map(({ type, path, description }) => `${type} ${path} ${description}`);
      expect(texts).toEqual([...new Set(texts)]);
    }),
    { numRuns: runs },
  );
});

test('a witness is a value of one side that the other refuses', () => {
  fc.assert(
    fc.property(
      schemaPair,
      fc.constantFrom('backward' as const, 'forward' as const),
      ([old, next], mode) => {
        const { changes } = between(old, next, { mode, direction: 'request' });
        for (const { witness, breaking } of changes) {
          if (witness === undefined) continue;
          const isOfOld = isValid(old, witness);
          // What does not break is shown by a value of the other direction, if by any.
          if (breaking) expect([witness, isOfOld]).toEqual([witness, mode === 'backward']);
          expect([witness, isValid(next, witness)]).toEqual([witness, !isOfOld]);
        }
      },
    ),
    { numRuns: runs },
  );
});

test('a compatible verdict is never refuted by a value that old emits', () => {
  fc.assert(
    fc.property(schemaPair, fc.array(anyValue, { maxLength: 20 }), ([old, next], values) => {
      if (between(old, next).isBreaking) return;
      const emitter = parseSchema(old).root;
      for (const value of values) {
        if (validate(emitter, value, { closed: true }) !== 'accepted') continue;
        expect([value, isValid(next, value)]).toEqual([value, true]);
      }
    }),
    { numRuns: runs },
  );
});

test('a compatible response is never refuted by a value that new emits', () => {
  fc.assert(
    fc.property(schemaPair, fc.array(anyValue, { maxLength: 20 }), ([old, next], values) => {
      if (between(old, next, { direction: 'response' }).isBreaking) return;
      const emitter = parseSchema(next).root;
      for (const value of values) {
        if (validate(emitter, value, { closed: true }) !== 'accepted') continue;
        expect([value, isValid(old, value)]).toEqual([value, true]);
      }
    }),
    { numRuns: runs },
  );
});

test('no change means the same canonical text but for annotations, and the reverse', () => {
  fc.assert(
    fc.property(schemaPair, setting, ([old, next], each) => {
      if (canonicalText(old) !== canonicalText(next)) return;
      expect(between(old, next, each).changes).toEqual([]);
      expect(isSameTerms(termsOf(old, each), termsOf(next, each))).toBe(true);
    }),
    { numRuns: runs },
  );
});

/** Other spellings of a schema that mean the same, applied everywhere they can be. */
const respellings: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  'the order of keys': (schema) => Object.fromEntries(Object.entries(schema).reverse()),
  'the order of lists': (schema) => ({
    ...schema,
    ...(Array.isArray(schema.required) ? { required: schema.required.toReversed() } : {}),
    ...(Array.isArray(schema.enum) ? { enum: schema.enum.toReversed() } : {}),
    ...(Array.isArray(schema.type) ? { type: schema.type.toReversed() } : {}),
  }),
  'a list of one type': (schema) =>
    typeof schema.type === 'string' ? { ...schema, type: [schema.type] } : schema,
  'an allOf around it': ({ $defs, ...schema }) => ({
    // An additionalProperties of {} says nothing; one with an allOf in it says something.
    ...(Object.keys(schema).length === 0 ? {} : { allOf: [schema] }),
    ...($defs === undefined ? {} : { $defs }),
  }),
  'const for an enum of one': ({ enum: values, ...schema }) =>
    Array.isArray(values) && values.length === 1
      ? { ...schema, const: values[0] ?? null }
      : { ...schema, ...(values === undefined ? {} : { enum: values }) },
  'a null branch for a nullable type': (schema) => {
    const { type, description, default: preset, $defs, ...rest } = schema;
    if (!Array.isArray(type) || type.length !== 2 || !type.includes('null')) return schema;
    if ('enum' in rest || 'not' in rest || 'const' in rest) return schema;
    const other = type.find((name: Json) => name !== 'null') ?? 'null';
    const outer = { description, default: preset, $defs };
    const kept = Object.entries(outer).filter(([, value]) => value !== undefined);
    return {
      anyOf: [{ ...rest, type: other }, { type: 'null' }],
      ...Object.fromEntries(kept),
    } as JsonObject;
  },
  'exclusiveMinimum on integers': ({ minimum, ...schema }) =>
    schema.type === 'integer' && typeof minimum === 'number' && Number.isInteger(minimum)
      ? { ...schema, exclusiveMinimum: minimum - 1 }
      : { ...schema, ...(minimum === undefined ? {} : { minimum }) },
};

function respelt(schema: Json, respell: (schema: JsonObject) => JsonObject): Json {
  if (Array.isArray(schema)) return schema.map((each: Json) => respelt(each, respell));
  if (typeof schema !== 'object' || schema === null) return schema;
  const object = schema as JsonObject;
  const inner = Object.entries(object).map(([key, value]): [string, Json] => {
    if (
      ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items', 'not', 'additionalProperties'].includes(
        key,
      )
    ) {
      return [key, respelt(value, respell)];
    }
    if (!['properties', 'patternProperties', '$defs'].includes(key)) return [key, value];
    const members = Object.entries(value as JsonObject);
    return [key, Object.fromEntries(members.map(([name, each]) => [name, respelt(each, respell)]))];
  });
  return respell(Object.fromEntries(inner));
}

for (const [name, respell] of Object.entries(respellings)) {
  test(`another spelling is no change: ${name}`, () => {
    fc.assert(
      fc.property(anySchema, setting, (schema, each) => {
        const other = respelt(schema, respell);
        expect(between(schema, other, each).changes).toEqual([]);
        expect(between(other, schema, each).changes).toEqual([]);
        expect(canonicalText(other)).toBe(canonicalText(schema));
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });
}
