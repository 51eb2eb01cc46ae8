// The JSON Schema of manifests for editors, judged by ajv: it takes the examples, and marks what is wrong.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { run } from '../../cli/support.ts';

const root = join(import.meta.dirname, '../../..');

const printed = await run(['crds', '--json-schema']);
const schema: JsonObject = JSON.parse(printed.stdout);
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  formats: { 'date-time': true, int64: true },
});
const isValid = ajv.compile(schema);

/** Where it is wrong, and how. */
function faultsIn(manifest: unknown): readonly string[] {
  return isValid(manifest)
    ? []
    : (isValid.errors ?? [])
        .filter(({ keyword }) => keyword !== 'if')
        .map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

const examples = globSync('examples/**/*.yaml', { cwd: root, exclude: ['**/testdata'] }).flatMap(
  (file) =>
    parseAllDocuments(readFileSync(join(root, file), 'utf8'))
      .map((each) => each.toJS())
      .filter((each) => String(each?.apiVersion).startsWith('concordat.dev/'))
      .map((each) => [file, each] as const),
);

test('the command prints a schema, and every kind stands in the examples', () => {
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  const kinds = new Set(examples.map(([, { kind }]) => kind));
  expect([...kinds]).toEqual(expect.arrayContaining(['DataContract', 'ContractRegistration']));
});

test.each(examples)('%s', (_file, manifest) => {
  expect(faultsIn(manifest)).toEqual([]);
});

describe('marks', () => {
  const contract = (spec: JsonObject): JsonObject => ({
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'orders' } },
    spec: { fqn: 'shop.public.orders', schema: { type: 'object', anything: [1] }, ...spec },
  });

  test('nothing in a manifest that is right', () => {
    expect(faultsIn(contract({ compatibilityMode: 'Backward' }))).toEqual([]);
    expect(faultsIn(contract({ guarantees: { freshness: { maxStalenessMinutes: 5 } } }))).toEqual(
      [],
    );
  });

  test.each<readonly [string, JsonObject, string]>([
    ['a misspelt field', contract({ compatibilityMod: 'Backward' }), '/spec additionalProperties'],
    [
      'a misspelt guarantee',
      contract({ guarantees: { freshnes: {} } }),
      '/spec/guarantees additionalProperties',
    ],
    ['a wrong choice', contract({ compatibilityMode: 'Sideways' }), '/spec/compatibilityMode enum'],
    ['a wrong type', contract({ fqn: 1 }), '/spec/fqn type'],
    ['a kind that is none', { ...contract({}), kind: 'DataContrakt' }, '/kind enum'],
    ['a member beside spec', { ...contract({}), sepc: {} }, ' additionalProperties'],
    ['another version', { ...contract({}), apiVersion: 'concordat.dev/v9' }, '/apiVersion const'],
  ])('%s', (_what, manifest, fault) => {
    expect(faultsIn(manifest)).toContain(fault);
  });
});
