// The discriminator of OpenAPI. Validators ignore it, but readers dispatch on its property.

import { expect, test } from 'vitest';
import { compare } from '../../../src/core/diff/compare.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { between, object, type Setting, termsOf, told } from './support/terms.ts';

const openapi: Setting = { dialect: 'openapi-3.1' };
const variant = (name: string) =>
  object({ kind: { type: 'string' }, sort: { type: 'string' }, [name]: {} }, [
    'kind',
    'sort',
    name,
  ]);
const [a, b] = [variant('a'), variant('b')];
const union = (discriminator: JsonObject | null, members: readonly Json[] = [a, b]): Json => ({
  oneOf: members,
  ...(discriminator === null ? {} : { discriminator }),
});
const [byKind, bySort] = [{ propertyName: 'kind' }, { propertyName: 'sort' }];
const inherited = (discriminator: JsonObject): Json => ({
  ...(object({ kind: { type: 'string' }, sort: { type: 'string' } }) as JsonObject),
  discriminator,
});

const conditional = (then: Json, not: Json = {}): Json => ({
  if: object({ k: { const: 1 } }, ['k']),
  ...{ then, else: not },
});
/** Places that the walk of both schemas does not enter. */
const within: readonly (readonly [string, (schema: Json) => Json, path: string])[] = [
  ['a condition', conditional, '$.then'],
  ['a dependency', (z) => ({ dependentSchemas: { z } }), '$.dependentSchemas.z'],
  ['an item that is asked for', (contains) => ({ contains }), '$.contains'],
  [
    'a union beside another one',
    (member) => ({
      anyOf: [member, { maxLength: 3 }],
      oneOf: [{ required: ['a'] }, { required: ['z'] }],
    }),
    '$.anyOf[0]',
  ],
  [
    'a property of an object with several maps',
    (p) => ({
      ...{ properties: { p }, patternProperties: { '^x': { maxLength: 3 } } },
      allOf: [{ additionalProperties: { type: 'object' } }],
    }),
    '$.properties.p',
  ],
];

const lost: readonly (readonly [string, Json, Json, string])[] = [
  ['names another property', union(byKind), union(bySort), '$'],
  ['is removed', union(byKind), union(null), '$'],
  ['names no property any more', union(byKind), union({}), '$'],
  [
    'names another property of variants in another order',
    union(byKind),
    union(bySort, [b, a]),
    '$',
  ],
  ['of a parent names another property', inherited(byKind), inherited(bySort), '$'],
  [
    'in a shared definition names another property',
    { ...(object({ p: { $ref: '#/$defs/u' } }) as JsonObject), $defs: { u: union(byKind) } },
    { ...(object({ p: { $ref: '#/$defs/u' }, z: {} }) as JsonObject), $defs: { u: union(bySort) } },
    '$.properties.p',
  ],
  ...within.map(([place, schemaOf, path]) => {
    const [old, next] = [schemaOf(union(byKind)), schemaOf(union(bySort))];
    return [`in ${place} names another property`, old, next, path] as const;
  }),
  [
    'goes to the other branch of a condition, which gives its own away',
    conditional(union(byKind), union(bySort)),
    conditional(union(bySort), union(byKind)),
    '$.then',
  ],
];

test.each(lost)('A discriminator that %s breaks', (_what, old, next, path) => {
  for (const direction of ['data', 'request', 'response'] as const) {
    for (const mode of ['backward', 'forward', 'full'] as const) {
      const comparison = between(old, next, { ...openapi, direction, mode });
      expect([direction, mode, told(comparison)]).toEqual([
        ...[direction, mode],
        expect.arrayContaining([`! schema_changed ${path}`]),
      ]);
      expect(comparison.bump).toBe('major');
    }
    const { isBreaking, breaksBackward } = between(old, next, {
      ...openapi,
      direction,
      mode: 'none',
    });
    expect({ isBreaking, breaksBackward }).toEqual({ isBreaking: false, breaksBackward: true });
  }
});

const described = object({ a: { type: 'string' } });
const kept: readonly (readonly [string, Json, Json, Setting])[] = [
  ['is added', union(null), union(byKind), openapi],
  ['gets a mapping', union(byKind), union({ ...byKind, mapping: { x: '#/oneOf/0' } }), openapi],
  ['moves into a part', union(byKind), { allOf: [union(byKind)] }, openapi],
  [
    'moves into a definition',
    conditional(union(byKind)),
    { ...(conditional({ $ref: '#/$defs/u' }) as JsonObject), $defs: { u: union(byKind) } },
    openapi,
  ],
  [
    'stands where nothing refers to it',
    { ...(described as JsonObject), $defs: { u: union(byKind) } },
    { ...(described as JsonObject), $defs: { u: union(bySort) } },
    openapi,
  ],
  ['means nothing in JSON Schema', union(byKind), union(bySort), {}],
];

test.each(kept)('A discriminator that %s does not', (_what, old, next, setting) => {
  expect(between(old, next, setting).isBreaking).toBe(false);
});

test('Its readers are named', () => {
  expect(between(union(byKind), union(bySort), openapi).changes).toMatchObject([
    {
      description:
        '`$`: discriminator.propertyName changed from "kind" to "sort"; readers told the variants apart by "kind"',
      old: byKind,
      new: bySort,
    },
  ]);
});

test('A discriminator breaks that means nothing any more in another dialect', () => {
  const [old, next] = (['openapi-3.1', '2020-12'] as const).map((dialect) =>
    termsOf(union(byKind), { dialect }),
  );
  if (!old || !next) throw new Error('There are two sides.');
  expect(told(compare(old, next))).toEqual(['! schema_changed $']);
});
