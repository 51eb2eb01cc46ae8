// The validator against two others, which share nothing with it. Where they are known to be wrong, or
// to read a dialect otherwise, they are not asked.

import { createRequire } from 'node:module';
import { validate as askHyperjump, registerSchema } from '@hyperjump/json-schema/draft-2020-12';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-04';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/containment/containment.types.ts';
import { validate } from '../../../src/core/containment/validator.ts';
import type { Json } from '../../../src/core/json.ts';
import { isJsonObject } from '../../../src/core/json.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { anyRoot, dialects } from '../laws/schemas.ts';
import { valuesFor } from '../laws/values.ts';

const draft06 = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-06.json');
const options = {
  strict: false,
  validateFormats: false,
  logger: false,
  multipleOfPrecision: 9,
} as const;

/** Both overflow on references that loop, and ajv crashes on some schemas: that is no opinion. */
function opinion(ask: () => boolean): 'accepted' | 'rejected' | null {
  try {
    return ask() ? 'accepted' : 'rejected';
  } catch {
    return null;
  }
}

/** A second opinion, or nothing where ajv does not take the schema. */
function ajvOf(dialect: Dialect, schema: Json): ((value: Json) => boolean) | null {
  if (!mayAskAjv(dialect, schema)) return null;
  try {
    const ajv = makeAjv(dialect);
    return ajv === null ? null : (ajv.compile(schema as object) as (value: Json) => boolean);
  } catch {
    return null;
  }
}

function makeAjv(dialect: Dialect) {
  switch (dialect) {
    case '2020-12':
      return new Ajv2020(options);
    case '2019-09':
      return new Ajv2019(options);
    case 'draft-07':
      return new Ajv(options);
    case 'draft-06':
      return new Ajv(options).addMetaSchema(draft06);
    case 'draft-04':
      return new AjvDraft04.default(options);
    default:
      return null;
  }
}

/**
 * ajv is wrong on `contains` beside `prefixItems` (an empty list passes) and on what it evaluates for
 * `unevaluatedItems`, marks what a condition that failed would have evaluated, follows references with
 * a fixed idea of what they evaluate, and counts what stands beside `$ref` in every dialect.
 */
function mayAskAjv(dialect: Dialect, schema: Json): boolean {
  const text = JSON.stringify(schema);
  if (text.includes('"contains"') && /prefixItems|"items":|"unevaluatedItems"/.test(text))
    return false;
  if (text.includes('"unevaluated') && /ref"|"if"/i.test(text)) return false;
  return dialect.startsWith('20') || !hasRefSiblings(schema);
}

function hasRefSiblings(at: Json): boolean {
  if (Array.isArray(at)) return at.some(hasRefSiblings);
  if (!isJsonObject(at)) return false;
  const names = Object.keys(at).filter((name) => name !== '$ref' && name !== 'definitions');
  return (at.$ref !== undefined && names.length > 0) || Object.values(at).some(hasRefSiblings);
}

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
        const theirs = opinion(() => second(value));
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
        const theirs = opinion(() => second(value as never).valid);
        if (theirs === null) continue;
        compared++;
        expect({ value, own }).toEqual({ value, own: theirs });
      }
    }),
    { numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(1000);
});
