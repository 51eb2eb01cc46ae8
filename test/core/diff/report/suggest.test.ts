// Edits that would make a new schema compatible, each tried and compared again.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../../../src/core/comparison.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { suggestCompatible } from '../../../../src/core/diff/suggest.ts';
import { checkSchema } from '../../../../src/core/schema/check-schema.ts';
import type { Json } from '../../../../src/core/value/json.ts';
import { plainPair } from '../../laws/plain-schemas.ts';

const termsOf = (schema: Json, more: Partial<ContractTerms> = {}): ContractTerms => ({
  ...{ schema, compatibilityMode: 'backward', guarantees: null, direction: 'data' },
  ...more,
});

const suggest = (old: Json, next: Json, more: Partial<ContractTerms> = {}) =>
  suggestCompatible(termsOf(old, more), termsOf(next, more), {});

const object = (properties: Record<string, Json>, required: string[] = []): Json => ({
  ...{ type: 'object', properties },
  ...(required.length > 0 && { required }),
});

test('a reference that is not percent-encoded is followed as it is written', () => {
  const withText = (text: Json): Json => ({
    type: 'object',
    properties: { id: { $ref: '#/$defs/%FF' } },
    $defs: { '%FF': text },
  });
  const old = withText(object({ a: { type: 'string' } }));
  const suggested = suggest(old, withText(object({ a: { type: 'integer' } })));
  expect(suggested?.edits.length ?? 0).toBeGreaterThan(0);
});

describe('The edit for', () => {
  const text = { type: 'string' };
  test.each<[string, Json, Json, string[], Json]>([
    [
      'a property that went keeps it, marked as deprecated',
      object({ id: text, gone: { type: 'number' } }),
      object({ id: text }),
      ['keep `gone`, and mark it as deprecated'],
      object({ id: text, gone: { type: 'number', deprecated: true } }),
    ],
    [
      'a property that is demanded now does not demand it',
      object({ id: text }, ['id']),
      object({ id: text, note: text }, ['id', 'note']),
      ['do not require `note`'],
      object({ id: text, note: text }, ['id']),
    ],
    [
      'values that went keeps them',
      object({ state: { enum: ['a', 'b'] } }),
      object({ state: { enum: ['a'] } }),
      ['let `state` be what it was as well as what it is'],
      object({ state: { enum: ['a', 'b'] } }),
    ],
    [
      'another type allows both',
      object({ id: text }),
      object({ id: { type: 'integer' } }),
      ['let `id` be what it was as well as what it is'],
      object({ id: { type: ['integer', 'string'] } }),
    ],
    [
      'a narrower bound takes the old one back',
      object({ id: { type: 'string', maxLength: 9 } }),
      object({ id: { type: 'string', maxLength: 3 } }),
      ['keep `id` as it was'],
      object({ id: { type: 'string', maxLength: 9 } }),
    ],
    [
      'a shared definition is made there',
      {
        properties: { a: { $ref: '#/$defs/line' } },
        $defs: { line: object({ sku: text, n: text }) },
      },
      { properties: { a: { $ref: '#/$defs/line' } }, $defs: { line: object({ n: text }) } },
      ['keep `a.sku`, and mark it as deprecated'],
      {
        properties: { a: { $ref: '#/$defs/line' } },
        $defs: { line: object({ n: text, sku: { type: 'string', deprecated: true } }) },
      },
    ],
  ])('%s', (_what, old, next, edits, schema) => {
    expect(suggest(old, next)).toEqual({ edits, schema, isWhole: true });
  });
});

test('nothing is suggested where nothing breaks, or where no edit helps', () => {
  const id = object({ id: { type: 'string' } });
  expect(suggest(id, object({ id: { type: 'string' }, note: {} }))).toBeNull();
  expect(suggest({ type: 'string' }, false)).toMatchObject({ edits: ['keep `(root)` as it was'] });
});

test('what is compatible with the edits is a schema, and compares as compatible', () => {
  let count = 0;
  fc.assert(
    fc.property(plainPair, ({ a, b }) => {
      const isValid = (schema: Json) => checkSchema(schema, {}).length === 0;
      const found = isValid(a) && isValid(b) ? suggest(a, b) : null;
      if (found === null) return;
      count += 1;
      expect(checkSchema(found.schema, {})).toEqual([]);
      const { isBreaking } = compare(termsOf(a), termsOf(found.schema), {});
      expect(isBreaking).toBe(!found.isWhole);
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(count).toBeGreaterThan(50);
});
