// The published JSON-Schema-Test-Suite, which every validator is measured by: put to the validator,
// and to the search as "is this one value in the schema?". A package of the Python index carries it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/containment/containment.types.ts';
import { contains } from '../../../src/core/containment/contains.ts';
import { validate } from '../../../src/core/containment/validator.ts';
import { isJsonObject, type Json, parseJson } from '../../../src/core/json.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { pythonPackage } from '../../support/tools.ts';

const folders: readonly (readonly [Dialect, string])[] = [
  ['draft-04', 'draft4'],
  ['draft-06', 'draft6'],
  ['draft-07', 'draft7'],
  ['2019-09', 'draft2019-09'],
  ['2020-12', 'draft2020-12'],
];

/** Schemas of other documents, which are never fetched, and metaschemas of one's own. */
const isApart = (file: string, group: Json): boolean =>
  file === 'vocabulary.json' || JSON.stringify(group).includes('http://localhost:1234/');

interface Asked {
  readonly name: string;
  readonly schema: Json;
  readonly data: Json;
  readonly valid: boolean;
}

function readAsked(folder: string): readonly Asked[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => groupsOf(join(folder, file)).flatMap((group) => askedOf(file, group)));
}

function groupsOf(file: string): readonly Json[] {
  const parsed = parseJson(readFileSync(file, 'utf8'));
  return parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
}

function askedOf(file: string, group: Json): readonly Asked[] {
  if (!isJsonObject(group) || !Array.isArray(group.tests) || isApart(file, group)) return [];
  const { schema = true, description = '' } = group;
  return group.tests.filter(isJsonObject).map((each) => ({
    name: `${file}: ${String(description)}: ${String(each.description)}`,
    schema,
    data: each.data ?? null,
    valid: each.valid === true,
  }));
}

const tests = join(pythonPackage('jsonschema', '4.26.0', 'source'), 'json', 'tests');

describe.each(folders)('%s', (dialect, folder) => {
  test.each([
    ['its keywords', '', 500],
    ['its formats', 'optional/format', 100],
  ])('%s mean what the published suite says', (_name, inside, atLeast) => {
    const asked = readAsked(join(tests, folder, inside));
    expect(asked.length).toBeGreaterThan(atLeast);
    const formats = inside !== '';
    const wrong = asked.filter(({ schema, data, valid }) => {
      const own = validate(parseSchema(schema, dialect).root, data, { formats });
      const answer = contains({ a: { enum: [data] }, b: schema, dialect, formats });
      // 1.0 is in the list of a value 1, and is no integer of draft-04: then it is left open.
      const isOpen = dialect === 'draft-04' && valid && answer.verdict === 'undecided';
      if (isOpen && /\d/.test(JSON.stringify(data))) return own !== 'accepted';
      return own !== (valid ? 'accepted' : 'rejected') || answer.verdict !== (valid ? 'yes' : 'no');
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
