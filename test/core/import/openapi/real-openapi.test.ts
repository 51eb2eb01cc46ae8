// Documents as they were published: GitHub's, with more than a thousand operations, and that of
// Kubernetes, whose schemas refer to themselves.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { compare, shareComparisons } from '../../../../src/core/diff/compare.ts';
import { type Candidate, toContractTerms } from '../../../../src/core/import/candidate.ts';
import { type ParsedOpenApi, parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/core/value/json.ts';
import { checkSchema } from '../../../../src/engine/check-schema.ts';
import { toOpenApi } from '../../../support/swagger.ts';
import { npmPackage } from '../../../support/tools.ts';

async function github(version: string): Promise<JsonObject> {
  const folder = npmPackage('@octokit/openapi', version);
  return JSON.parse(readFileSync(join(folder, 'generated/api.github.com.json'), 'utf8'));
}

async function kubernetes(version: string): Promise<JsonObject> {
  const folder = npmPackage('kubernetes-client', '9.0.0');
  const packed = readFileSync(join(folder, `lib/specs/swagger-${version}.json.gz`));
  return toOpenApi(JSON.parse(gunzipSync(packed).toString('utf8')));
}

interface Real {
  readonly document: JsonObject;
  readonly parsed: ParsedOpenApi;
}

const sources = [
  { name: "GitHub's 19.0.0", read: () => github('19.0.0') },
  { name: "GitHub's 19.1.0", read: () => github('19.1.0') },
  { name: "Kubernetes' 1.10", read: () => kubernetes('1.10') },
  { name: "Kubernetes' 1.13", read: () => kubernetes('1.13') },
];

const loaded = new Map<string, Real>();

beforeAll(async () => {
  for (const { name, read } of sources) {
    const document = await read();
    loaded.set(name, { document, parsed: parseOpenApi(document) });
  }
});

function realOf(name: string): Real {
  const real = loaded.get(name);
  if (real === undefined) throw new Error(`${name} was not loaded.`);
  return real;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function operationsIn(document: JsonObject): readonly string[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    methods
      .filter((method) => isJsonObject(item) && method in item)
      .map((method) => `${method} ${path}`),
  );
}

function labelOf({ label }: Candidate): string {
  return label.kind === 'openapi' ? `${label.method} ${label.path}` : '';
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

describe.each(sources)('$name document', ({ name }) => {
  test('is read whole: each operation once, with a name of its own', () => {
    const { document, parsed } = realOf(name);
    expect(parsed.problems.filter(({ code }) => code !== 'FQN_COLLISION')).toEqual([]);
    expect(parsed.candidates.map(labelOf).sort()).toEqual([...operationsIn(document)].sort());
    const names = parsed.candidates.map(({ fqn }) => fqn);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(500);
  });

  test('becomes bundles that stand alone, smaller than the document that they are of', () => {
    const { document, parsed } = realOf(name);
    const whole = JSON.stringify(document).length;
    for (const { fqn, terms } of parsed.candidates) {
      if (terms === null) continue;
      const defs = (terms.schema as JsonObject).$defs ?? {};
      const missing = referencesIn(terms.schema).filter(
        (reference) => !(decodeURIComponent(reference.replace('#/$defs/', '')) in (defs as object)),
      );
      expect(
        missing.filter((reference) => !reference.includes('~1')),
        fqn,
      ).toEqual([]);
      expect(JSON.stringify(terms.schema).length).toBeLessThan(whole / 4);
    }
  });

  test('holds schemas that contracts may hold', () => {
    const unfit = realOf(name).parsed.candidates.flatMap(({ fqn, terms }) => {
      const checked = terms === null ? null : checkSchema(terms.schema, terms.dialect);
      return checked === null || checked.ok ? [] : [`${fqn}: ${checked.failure.message}`];
    });
    expect(unfit).toEqual([]);
  });
});

describe.each([
  ["GitHub's 19.0.0", "GitHub's 19.1.0"],
  ["Kubernetes' 1.10", "Kubernetes' 1.13"],
])('From %s to %s', (before, after) => {
  test('the operations that stay are compared, each verdict with what explains it', () => {
    const next = new Map(realOf(after).parsed.candidates.map((each) => [labelOf(each), each]));
    const sharing = shareComparisons();
    let [compared, changed] = [0, 0];
    const undecided: string[] = [];
    for (const old of realOf(before).parsed.candidates) {
      const same = next.get(labelOf(old));
      if (old.terms === null || same === undefined || same.terms === null) continue;
      const comparison = compare(
        toContractTerms(old.terms, null),
        toContractTerms(same.terms, null),
        {},
        sharing,
      );
      compared++;
      if (comparison.changes.length > 0) changed++;
      if (comparison.undecidedCount > 0) undecided.push(labelOf(old));
      expect(comparison.isBreaking).toBe(comparison.changes.some(({ breaking }) => breaking));
    }
    expect(compared).toBeGreaterThan(500);
    expect(changed).toBeGreaterThan(10);
    expect(undecided).toEqual([]);
  });
});

test('a document whose keys stand in another order is the same import', () => {
  const { document, parsed } = realOf("GitHub's 19.1.0");
  const turned = parseOpenApi(reversed(document) as JsonObject);
  const byName = new Map(turned.candidates.map((each) => [each.fqn, each]));
  for (const candidate of parsed.candidates.filter((_, index) => index % 25 === 0)) {
    const other = byName.get(candidate.fqn);
    if (candidate.terms === null || other?.terms === null || other === undefined) continue;
    const comparison = compare(
      toContractTerms(candidate.terms, null),
      toContractTerms(other.terms, null),
    );
    expect(comparison.changes).toEqual([]);
  }
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}
