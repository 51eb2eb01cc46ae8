// Faults explain what the validator alone decides. ajv names the same places.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkValue } from '../../../src/core/checks/find-faults.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { stepText } from '../../../src/core/value/json-path.ts';
import { errorsOfAjv } from '../laws/ajv.ts';
import { anyRoot, dialects } from '../laws/schemas.ts';
import { valuesFor } from '../laws/values.ts';

const told: readonly [name: string, schema: JsonObject, value: Json, faults: readonly string[]][] =
  [
    ['a type', { type: ['integer', 'null'] }, 'x', ['$ must be an integer or null']],
    [
      'the type alone, where the value has another',
      { type: 'string', enum: ['a'], minLength: 2 },
      7,
      ['$ must be a string'],
    ],
    [
      'all keywords that fail',
      { minimum: 3, multipleOf: 2 },
      1,
      ['$ must be at least 3', '$ must be a multiple of 2'],
    ],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { const: 1 } } }, 2, ['$ must be 1']],
    [
      'the alternative of its type',
      { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 1 }] },
      'ab',
      ['$ must have at most 1 character'],
    ],
    [
      'several alternatives at once',
      { oneOf: [{ minimum: 0 }, { maximum: 9 }] },
      5,
      ['$ matches alternatives 1 and 2, but only one may match'],
    ],
    [
      'a condition',
      { if: { required: ['a'] }, else: { required: ['b'] } },
      { c: 1 },
      ['$.b is required, but missing'],
    ],
    [
      'a name that nothing describes',
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, b: 2 },
      ['$.b is not a property of the schema'],
    ],
    [
      'a name that no branch describes',
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      ['$.b is not a property of the schema'],
    ],
    [
      'a place in a list of lists',
      { items: { items: { type: 'integer' } } },
      [[1], [1, 'x']],
      ['$[1][1] must be an integer'],
    ],
    [
      'a property that others demand',
      { dependentRequired: { card: ['address'] } },
      { card: 1 },
      ['$.address is required beside "card", but missing'],
    ],
    ['what is excluded', { not: { type: 'string' } }, 'x', ['$ is excluded by the schema']],
  ];

test.each(told)('tells %s', (_name, schema, value, faults) => {
  const checked = checkValue(parseSchema(schema).root, value);
  expect(checked.verdict).toBe('invalid');
  expect(checked.faults.map(({ path, message }) => `${path} ${message}`)).toEqual(faults);
});

const question = fc
  .constantFrom(...dialects)
  .chain((dialect) =>
    fc.record({ dialect: fc.constant(dialect), schema: anyRoot(dialect), seed: fc.nat() }),
  );

test('a value has faults only if the validator rejects it, and ajv names the same places', () => {
  let named = 0;
  let unnamed = 0;
  fc.assert(
    fc.property(question, ({ dialect, schema, seed }) => {
      const { root } = parseSchema(schema, dialect);
      const errorsOf = errorsOfAjv(dialect, schema);
      for (const value of valuesFor(schema, schema, seed, 4)) {
        const { verdict, faults } = checkValue(root, value);
        expect(verdict === 'invalid').toBe(validate(root, value) === 'rejected');
        expect(faults.length > 0).toBe(verdict === 'invalid');
        for (const { rule } of faults) rule === 'schema' ? unnamed++ : named++;
        const errors = errorsOf?.(value) ?? null;
        if (errors === null || faults.some(({ rule }) => rule === 'format')) continue;
        const places = errors.flatMap((error) => placesOf(error, value));
        for (const { path, rule } of faults) {
          // A fault without a rule stands around the place that ajv names.
          const isNamed = places.some((place) =>
            rule === 'schema' ? place.startsWith(path) : place === path,
          );
          expect({ path, rule, isNamed }).toEqual({ path, rule, isNamed: true });
        }
      }
    }),
    { numRuns: 400 },
  );
  expect(named).toBeGreaterThan(500);
  expect(unnamed).toBeLessThan(named / 20);
});

/** Where an error of ajv stands: the value that it names, and the member if it names one. */
function placesOf(
  { instancePath, params }: { readonly instancePath: string; readonly params: object },
  value: Json,
): readonly string[] {
  let at: Json | undefined = value;
  let path = '$';
  for (const token of instancePath.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path += stepText(Array.isArray(at) ? Number(key) : key);
    if (Array.isArray(at)) at = at[Number(key)];
    else at = at !== undefined && at !== null && isJsonObject(at) ? at[key] : undefined;
  }
  const members = Object.values(params).filter((each) => typeof each === 'string');
  return [path, ...members.map((each) => `${path}${stepText(each)}`)];
}

describe('Personal data is not repeated', () => {
  const pii = { 'x-classification': 'pii' };
  const secret = 'ada@example.com';
  test.each<readonly [string, JsonObject]>([
    ['marked at the property', { properties: { p: { ...pii, maxLength: 3 } } }],
    [
      'marked behind a reference',
      { properties: { p: { $ref: '#/$defs/e', maxLength: 3 } }, $defs: { e: pii } },
    ],
    [
      'marked by one of two schemas, and refused by the other',
      { properties: { p: pii }, allOf: [{ properties: { p: { maxLength: 3 } } }] },
    ],
    [
      'marked, and refused by a condition',
      {
        properties: { p: pii },
        if: { required: ['p'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { p: { const: 'x' } } },
      },
    ],
    [
      'marked by a pattern of names',
      { patternProperties: { '^p': pii }, properties: { p: { maxLength: 3 } } },
    ],
    ['marked for all further names', { additionalProperties: { ...pii, maxLength: 3 } }],
    ['within what is marked', { ...pii, properties: { p: { maxLength: 3 } } }],
    [
      'in a branch that does not apply',
      { properties: { p: { anyOf: [{ ...pii, type: 'integer' }, { maxLength: 3 }] } } },
    ],
  ])('%s', (_name, schema) => {
    const { verdict, faults } = checkValue(parseSchema(schema).root, { p: secret });
    expect(verdict).toBe('invalid');
    expect(JSON.stringify(faults)).not.toContain(secret);
    const shown = checkValue(
      parseSchema(JSON.parse(JSON.stringify(schema).replaceAll('pii', 'none'))).root,
      {
        p: secret,
      },
    );
    expect(JSON.stringify(shown.faults)).toContain(secret);
  });
});
