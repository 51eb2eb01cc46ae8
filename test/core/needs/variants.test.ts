// Contracts of several variants that lose fields: a consumer of a field that a variant loses is never
// unaffected, whatever else goes at the same time.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/value/json.ts';
import { object, termsOf } from '../diff/support/terms.ts';
import { verdictFor } from './support.ts';

const names = ['p', 'q', 'r', 's'] as const;
const some = fc.subarray([...names]);

interface Change {
  readonly union: 'oneOf' | 'anyOf';
  readonly place: 'root' | 'property' | 'items';
  readonly before: readonly (readonly string[])[];
  readonly dropped: readonly (readonly string[])[];
  /** Fields of all variants that go, which no consumer reads. */
  readonly goes: readonly string[];
  readonly field: string;
  /** Each variant forbids what it does not describe. */
  readonly isStrict: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  union: fc.constantFrom('oneOf', 'anyOf'),
  place: fc.constantFrom('root', 'property', 'items'),
  before: fc.array(some, { minLength: 2, maxLength: 3 }),
  dropped: fc.array(fc.subarray([...names], { minLength: 1, maxLength: 2 }), {
    minLength: 3,
    maxLength: 3,
  }),
  goes: fc.subarray(['x', 'y']),
  field: fc.constantFrom(...names),
  isStrict: fc.boolean(),
});

function schemaOf(
  { union, place, isStrict }: Change,
  variants: Change['before'],
  all: readonly string[],
) {
  const fieldsOf = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key): [string, Json] => [key, { type: 'number' }]));
  const members = variants.map((keys, index) => ({
    ...(object({ kind: { const: `k${index}` }, ...fieldsOf(isStrict ? [...keys, ...all] : keys) }, [
      'kind',
    ]) as object),
    ...(isStrict && { additionalProperties: false }),
  }));
  const whole: Json = {
    ...(object({ kind: { type: 'string' }, ...fieldsOf(all) }) as object),
    [union]: members,
  };
  if (place === 'root') return whole;
  return object({ n: place === 'items' ? { type: 'array', items: whole } : whole });
}

test('a consumer of a field that a variant loses is not unaffected, and others are', () => {
  const paths = { root: '$.', property: '$.n.', items: '$.n[*].' };
  const tally = { lost: 0, kept: 0, strict: 0 };
  for (const each of fc.sample(change, { numRuns: 200, seed: 25 })) {
    const { before, dropped, goes, place, field } = each;
    if (!before.some((keys) => keys.includes(field))) continue;
    const after = before.map((keys, index) => keys.filter((key) => !dropped[index]?.includes(key)));
    const isLost = before.some((keys, at) => keys.includes(field) && !after[at]?.includes(field));
    const { verdict } = verdictFor(
      termsOf(schemaOf(each, before, ['z', ...goes])),
      termsOf(schemaOf(each, after, ['z'])),
      { fields: [`${paths[place]}${field}`] },
    );
    expect([verdict === 'unaffected', each]).toEqual([!isLost, each]);
    tally[isLost ? 'lost' : 'kept']++;
    if (isLost && each.isStrict) tally.strict++;
  }
  expect(Math.min(tally.lost, tally.kept, tally.strict)).toBeGreaterThan(20);
});
