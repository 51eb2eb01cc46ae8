// The published JSON-Schema-Test-Suite, which every validator is measured by: put to the validator,
// and to the search as "is this one value in the schema?" and "is it the schema without this value?".
// A package of the Python index carries it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import { isJsonObject, type Json, parseJson } from '../../../src/core/value/json.ts';
import { pythonPackage } from '../../support/tools.ts';

const folders: readonly (readonly [Dialect, string])[] = [
  ['draft-04', 'draft4'],
  ['draft-06', 'draft6'],
  ['draft-07', 'draft7'],
  ['2019-09', 'draft2019-09'],
  ['2020-12', 'draft2020-12'],
];

/**
 * Metaschemas of one's own, content, which is an annotation here as it is from 2019-09 on, and 1.0
 * apart from 1: of two texts of one number none is known once they are read.
 */
const filesApart = new Set(['vocabulary.json', 'content.json', 'zeroTerminatedFloats.json']);

/** Schemas of other documents are never fetched. */
const isApart = (file: string, group: Json): boolean =>
  filesApart.has(file) || JSON.stringify(group).includes('http://localhost:1234/');

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

/**
 * What is undecided, where the suite is not: validators differ in it, as they do about keywords next
 * to `$ref` up to draft-07, or 1 might be 1.0 in draft-04.
 */
function mayBeOpen(dialect: Dialect, { name, data }: Asked): boolean {
  if (/^(dependencies-compatibility|idn-hostname|hostname)\.json/.test(name)) return true;
  if (name.startsWith('ref.json: ref overrides any sibling keywords: ')) return true;
  return dialect === 'draft-04' && /\d/.test(JSON.stringify(data));
}

describe.each(folders)('%s', (dialect, folder) => {
  test.each([
    ['its keywords', '', 500],
    ['its optional keywords', 'optional', 40],
    ['its formats', 'optional/format', 100],
  ])(
    '%s mean what the published suite says, on either side of a question',
    (_name, inside, atLeast) => {
      const asked = readAsked(join(tests, folder, inside));
      expect(asked.length).toBeGreaterThan(atLeast);
      const formats = inside.endsWith('format');
      const wrong = asked.filter((each) => {
        const { schema, data, valid } = each;
        const own = validate(parseSchema(schema, dialect).root, data, { formats });
        const value = { enum: [data] };
        const within = contains({ a: value, b: schema, dialect, formats }).verdict;
        const outside = contains({ a: schema, b: { not: value }, dialect, formats }).verdict;
        const right = valid ? ['accepted', 'yes', 'no'] : ['rejected', 'no', 'yes'];
        const answers = [own, within, outside];
        return answers.some((answer, index) => {
          const isOpen = answer === 'undecided' || answer === 'gave_up';
          return isOpen ? !mayBeOpen(dialect, each) : answer !== right[index];
        });
      });
      expect(wrong.map(({ name }) => name)).toEqual([]);
    },
  );
});
