// Held against the standard's own schema, as it is published: what we export it accepts, and what it
// accepts we read.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OdcsExport, toOdcsDocument } from '../../../src/core/export/export-odcs.ts';
import { toContractTerms } from '../../../src/core/import/candidate.ts';
import { parseDbtManifest } from '../../../src/core/import/dbt/dbt.ts';
import { parseOdcs } from '../../../src/core/import/odcs/odcs.ts';
import { isSameJson } from '../../../src/core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { pythonPackage } from '../../support/tools.ts';

let official: JsonObject;
let accepts: ValidateFunction;

beforeAll(async () => {
  const folder = pythonPackage('open-data-contract-standard', '3.2.0', 'wheel');
  const file = join(folder, 'open_data_contract_standard/schema.json');
  official = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv2019({ strict: false, allErrors: true });
  addFormats.default(ajv);
  accepts = ajv.compile(official as AnySchemaObject);
});

function problemsOf(document: Json): readonly string[] {
  if (accepts(document)) return [];
  return (accepts.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function enumAt(definition: string, property: string): readonly string[] {
  const found = Object(official.$defs)[definition].properties[property].enum;
  if (!Array.isArray(found)) throw new Error(`${definition}.${property} names no values.`);
  return found;
}

const contract: Omit<OdcsExport, 'terms'> = {
  id: '0190b5a0-0000-7000-8000-000000000001',
  version: '2.1.0',
  status: 'active',
  fqn: 'db.public.orders',
  environment: 'staging',
  format: 'jsonschema',
  ownerTeamName: 'orders-team',
  ownerUserEmail: 'ada@example.com',
  tags: ['finance'],
  consumers: [{ team: 'bi', purpose: 'dashboards' }, { team: 'ml' }],
};

const guarantees = {
  freshness: { max_staleness_minutes: 60, measured_by: 'at' },
  volume: { min_rows: 5, max_row_delta_pct: 10 },
  nullability: { id: 'never' },
  accepted_values: { status: ['a', 'b'] },
  custom: [
    { type: 'unique', column: 'id', config: {} },
    { type: 'dbt_utils.not_constant', column: 'id', config: { a: [1] } },
    { type: 'singular', name: 'totals', sql: 'select 1' },
  ],
};

describe('What is exported', () => {
  test.each(['active', 'deprecated', 'archived'] as const)('is accepted, %s', (status) => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer', minimum: 1, maximum: 10 },
        status: { type: ['string', 'null'], enum: ['a', 'b', null] },
        at: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        lines: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', properties: { sku: { type: 'string', pattern: '^a' } } },
        },
      },
    };
    const terms = {
      schema,
      guarantees,
      compatibilityMode: 'full' as const,
      direction: 'data' as const,
    };
    expect(problemsOf(toOdcsDocument({ ...contract, status, terms }))).toEqual([]);
  });

  test('of every asset of a genuine manifest is accepted, and comes back as it was', () => {
    const file = new URL('../../fixtures/import/dbt-before.json', import.meta.url);
    const { candidates } = parseDbtManifest(JSON.parse(readFileSync(file, 'utf8')));
    const exported = candidates.filter(({ terms }) => terms !== null);
    expect(exported.length).toBeGreaterThan(5);
    for (const { fqn, terms } of exported) {
      if (terms === null) continue;
      const whole = toContractTerms(terms, null);
      const document = toOdcsDocument({ ...contract, fqn, format: 'dbt', terms: whole });
      expect(problemsOf(document), fqn).toEqual([]);
      const [back] = parseOdcs(document).candidates;
      expect(back?.fqn).toBe(fqn);
      expect(isSameJson(back?.terms?.schema ?? null, whole.schema)).toBe(true);
      expect(isSameJson(back?.terms?.guarantees ?? null, whole.guarantees)).toBe(true);
    }
  });

  test('law: whatever the schema, what is exported is accepted', () => {
    const scalar = fc.constantFrom<Json>(
      ...[true, false, {}, { $ref: '#' }, { const: 1 }, { enum: ['a', null, 1] }],
      ...['string', 'integer', 'number', 'boolean', 'null'].map((type) => ({ type })),
      ...['date', 'date-time', 'time', 'uuid', 'odd'].map((format) => ({ type: 'string', format })),
      ...[{ type: 'string', minLength: 1, maxLength: 9 }, { type: ['string', 'integer'] }],
    );
    const { schema: anySchema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b c', 'Ü', 'd.e'), tie('schema')),
          required: fc.constantFrom<Json>([], ['a']),
        }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      ),
    }));
    const law = fc.property(
      anySchema,
      fc.constantFrom('backward', 'forward', 'full', 'none'),
      fc.constantFrom(null, guarantees),
      (schema, compatibilityMode, promised) => {
        const terms = {
          schema,
          compatibilityMode,
          guarantees: promised,
          direction: 'data',
        } as const;
        expect(problemsOf(toOdcsDocument({ ...contract, terms }))).toEqual([]);
      },
    );
    fc.assert(law, { numRuns: 200 });
  });
});

describe('What the standard accepts', () => {
  const documentOf = (property: JsonObject, apiVersion = 'v3.2.0'): JsonObject => ({
    apiVersion,
    kind: 'DataContract',
    id: 'c-1',
    name: 'sales',
    version: '1.0.0',
    status: 'active',
    schema: [{ name: 'orders', properties: [{ name: 'a', ...property }] }],
  });

  test('in each version 3 of it is read', () => {
    const versions = Object(official.properties).apiVersion.enum as readonly string[];
    const read = versions.filter((version) => version.startsWith('v3.'));
    expect(read.length).toBeGreaterThan(3);
    for (const version of read) {
      const document = documentOf({ logicalType: 'integer' }, version);
      expect(problemsOf(document)).toEqual([]);
      expect(parseOdcs(document)).toMatchObject({
        candidates: [{ fqn: 'sales.orders' }],
        problems: [],
      });
    }
  });

  test('as a logical type has a meaning, each of them', () => {
    const types = enumAt('SchemaBaseProperty', 'logicalType');
    for (const logicalType of types) {
      const text = { logicalType: 'string' };
      const more = logicalType === 'map' ? { map: { key: text, value: text } } : {};
      const document = documentOf({ logicalType, required: true, ...more });
      expect(problemsOf(document), logicalType).toEqual([]);
      const { candidates, problems } = parseOdcs(document);
      expect(problems, logicalType).toEqual([]);
      const schema = Object(candidates[0]?.terms?.schema).properties.a;
      expect(schema.type, logicalType).toMatch(/^(?:string|number|integer|object|array|boolean)$/);
    }
  });

  test('as a metric is a guarantee, each of them', () => {
    for (const metric of enumAt('DataQualityLibrary', 'metric')) {
      const document = documentOf({ logicalType: 'string', quality: [{ metric, mustBe: 0 }] });
      expect(problemsOf(document), metric).toEqual([]);
      const [candidate] = parseOdcs(document).candidates;
      expect(candidate?.terms?.guarantees, metric).not.toBeNull();
    }
  });
});
