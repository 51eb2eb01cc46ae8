// The validator against two others, which share nothing with it. Where they are known to be wrong, or
// to read a dialect otherwise, they are not asked.

import { validate as askHyperjump, registerSchema } from '@hyperjump/json-schema/draft-2020-12';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-04';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { ajvOf, opinionOf } from '../laws/ajv.ts';
import { anyRoot, dialects } from '../laws/schemas.ts';
import { valuesFor } from '../laws/values.ts';

const asked = dialects.filter((dialect) => !dialect.startsWith('openapi'));
const question = fc
  .constantFrom(...asked)
  .chain((dialect) =>
    fc.record({ dialect: fc.constant(dialect), schema: anyRoot(dialect), seed: fc.nat() }),
  );

test('ajv says the same, but where it is known to be wrong', () => {
  let compared = 0;
  fc.assert(
    fc.property(question, ({ dialect, schema, seed }) => {
      const second = ajvOf(dialect, schema);
      if (second === null) return;
      const { root } = parseSchema(schema, dialect);
      for (const value of valuesFor(schema, schema, seed, 6)) {
        const own = validate(root, value, { formats: false });
        if (own === 'gave_up') continue;
        const theirs = second(value);
        if (theirs === null) continue;
        compared++;
        expect({ value, own }).toEqual({ value, own: theirs });
      }
    }),
    { numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(1500);
});

const dialectUris: Partial<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-04': 'http://json-schema.org/draft-04/schema#',
};

test('a third validator says the same', async () => {
  let compared = 0;
  let count = 0;
  await fc.assert(
    fc.asyncProperty(question, async ({ dialect, schema, seed }) => {
      const text = JSON.stringify(schema);
      // It reads a pattern by UTF-16 units where the flag u refuses it, and has a format of its own.
      if (!isJsonObject(schema) || text.includes('"format"') || text.includes('$id')) return;
      if (validate(parseSchema(schema, dialect).root, {}) === 'gave_up') return;
      const uri = `https://schemas.test/${++count}`;
      const $schema = dialectUris[dialect] ?? '';
      let second: Awaited<ReturnType<typeof askHyperjump>>;
      try {
        registerSchema(Object.assign({ $schema }, schema) as never, uri);
        second = await askHyperjump(uri);
      } catch {
        return;
      }
      const { root } = parseSchema(schema, dialect);
      for (const value of valuesFor(schema, schema, seed, 3)) {
        const own = validate(root, value, { formats: false });
        // A remainder of doubles is not exact.
        if (own === 'gave_up' || text.includes('"multipleOf":0.1')) continue;
        const theirs = opinionOf(() => second(value as never).valid);
        if (theirs === null) continue;
        compared++;
        expect({ value, own }).toEqual({ value, own: theirs });
      }
    }),
    { numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(1000);
});
