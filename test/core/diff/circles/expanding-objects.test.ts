// Objects that expand into each other, as those of payment APIs do: a field is an id, or the object.

import { expect, test } from 'vitest';
import { compare } from '../../../../src/core/diff/compare.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { cpuMsOf } from '../../import/cpu-time.ts';

const objectCount = 24;

/** A field of each object is an id, or one of two of the objects after it. */
function documentWith(first: Json): JsonObject {
  const name = (index: number) => `Object${index % objectCount}`;
  const expandable = (index: number) => ({
    anyOf: [
      { type: 'string' },
      { $ref: `#/$defs/${name(index)}` },
      { $ref: `#/$defs/${name(index + 1)}` },
    ],
  });
  const objects = Array.from({ length: objectCount }, (_, index) => {
    const fields = [1, 2, 3].map((by) => [`field_${by}`, expandable(index + by)] as const);
    const properties = { ...Object.fromEntries(fields), amount: index === 0 ? first : {} };
    return [name(index), { type: 'object', properties, required: ['amount'] }] as const;
  });
  return { $ref: `#/$defs/${name(0)}`, $defs: Object.fromEntries<Json>(objects) };
}

test('are compared in time that grows with their number, not with the ways between them', () => {
  const terms = (schema: Json) => ({
    schema,
    compatibilityMode: 'backward' as const,
    guarantees: null,
    direction: 'response' as const,
  });
  const [old, next] = [{ type: 'integer' }, { type: 'number' }].map(documentWith).map(terms);
  if (old === undefined || next === undefined) throw new Error('There are two.');
  const elapsedMs = cpuMsOf(() => {
    const { changes, isBreaking } = compare(old, next);
    expect([isBreaking, changes.length]).toEqual([true, 2]);
  });
  // It takes a tenth of this. Following every way, it did not end.
  expect(elapsedMs).toBeLessThan(20_000);
});
