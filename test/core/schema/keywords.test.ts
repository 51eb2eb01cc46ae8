// Every keyword of every dialect, one by one: it is read, or it says nothing of values; and where it is
// no keyword it is data.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import { constraintsOf, dialects, keywordsOf } from '../../../src/core/schema/keywords.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { loadEngine } from '../mutants/load-engine.ts';

const text = { type: 'string' };
const held = { type: 'integer' };

/** Schemas of one keyword, and what stands beside it, with a value that the keyword refuses. */
const samples: readonly (readonly [keyword: string, schema: JsonObject, refused: Json])[] = [
  ['$ref', { $ref: '#/definitions/a', $defs: { a: text }, definitions: { a: text } }, 1],
  ['$dynamicRef', { $dynamicRef: '#/$defs/a', $defs: { a: text } }, 1],
  [
    '$recursiveRef',
    { maxProperties: 1, additionalProperties: { $recursiveRef: '#' } },
    { a: { b: 1, c: 1 } },
  ],
  ['type', text, 1],
  ['nullable', { ...text, nullable: true }, 1],
  ['const', { const: 1 }, 2],
  ['enum', { enum: [1, 2] }, 3],
  ['multipleOf', { multipleOf: 2 }, 3],
  ['minimum', { minimum: 2 }, 1],
  ['maximum', { maximum: 2 }, 3],
  ['exclusiveMinimum', { minimum: 2, exclusiveMinimum: true }, 2],
  ['exclusiveMaximum', { maximum: 2, exclusiveMaximum: true }, 2],
  ['exclusiveMinimum', { exclusiveMinimum: 2 }, 2],
  ['exclusiveMaximum', { exclusiveMaximum: 2 }, 2],
  ['minLength', { minLength: 2 }, 'a'],
  ['maxLength', { maxLength: 1 }, 'ab'],
  ['pattern', { pattern: '^a' }, 'b'],
  ['format', { format: 'date' }, 'x'],
  ['items', { items: text }, [1]],
  ['items', { items: [text] }, [1]],
  ['additionalItems', { items: [{}], additionalItems: text }, ['a', 1]],
  ['prefixItems', { prefixItems: [text] }, [1]],
  ['contains', { contains: text }, [1]],
  ['minContains', { contains: text, minContains: 2 }, ['a', 1]],
  ['maxContains', { contains: text, maxContains: 1 }, ['a', 'b']],
  ['minItems', { minItems: 1 }, []],
  ['maxItems', { maxItems: 0 }, [1]],
  ['uniqueItems', { uniqueItems: true }, [1, 1]],
  ['unevaluatedItems', { unevaluatedItems: text }, [1]],
  ['properties', { properties: { a: text } }, { a: 1 }],
  ['patternProperties', { patternProperties: { a: text } }, { a: 1 }],
  ['additionalProperties', { additionalProperties: text }, { a: 1 }],
  ['unevaluatedProperties', { unevaluatedProperties: text }, { a: 1 }],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, { ab: 1 }],
  ['required', { required: ['a'] }, {}],
  ['minProperties', { minProperties: 1 }, {}],
  ['maxProperties', { maxProperties: 1 }, { a: 1, b: 1 }],
  ['dependencies', { dependencies: { a: ['b'] } }, { a: 1 }],
  ['dependencies', { dependencies: { a: { required: ['b'] } } }, { a: 1 }],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }],
  ['allOf', { allOf: [text] }, 1],
  ['anyOf', { anyOf: [text] }, 1],
  ['oneOf', { oneOf: [text] }, 1],
  ['not', { not: held }, 1],
  ['if', { if: held, else: text }, null],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of the schema under test.
  ['then', { if: held, then: { minimum: 2 } }, 1],
  ['else', { if: text, else: { minimum: 2 } }, 1],
];

/** Whether the value of a sample has the form that the keyword has in a dialect. */
function isOfForm(shape: string, value: Json | undefined): boolean {
  if (shape === 'flag') return typeof value === 'boolean';
  if (shape === 'number') return typeof value === 'number';
  return shape !== 'schema' || !Array.isArray(value);
}

describe.each(dialects)('%s', (dialect) => {
  const table = [...keywordsOf(dialect).values()];
  const constraints = constraintsOf(dialect);

  test('has a sample for each keyword that constrains values', () => {
    const sampled = new Set(samples.map(([keyword]) => keyword));
    expect([...constraints.keys()].filter((keyword) => !sampled.has(keyword))).toEqual([]);
  });

  test.each(samples)('%s in %j: %j', (keyword, schema, refused) => {
    const shape = keywordsOf(dialect).get(keyword)?.shape;
    const use = keywordsOf(dialect).get(keyword)?.use;
    const validity = validate(parseSchema(schema, dialect).root, refused);
    const isKeyword = shape !== undefined && constraints.has(keyword);
    if (use === 'disputed') expect(validity).toBe('gave_up');
    else if (isKeyword && isOfForm(shape, schema[keyword])) expect(validity).toBe('rejected');
    else if (!isKeyword) {
      // Data asks for nothing that the schema without it does not ask for.
      const { [keyword]: _, ...others } = schema;
      expect(validity).toBe(validate(parseSchema(others, dialect).root, refused));
      expect(contains({ a: others, b: schema, dialect }).verdict).toBe('yes');
    }
  });

  test.each(table.filter(({ name }) => !constraints.has(name)))(
    '$name says nothing of values',
    ({ name, use }) => {
      expect(['names', 'holds', 'annotates', 'former']).toContain(use);
      const value = name === '$schema' ? undefined : 'a';
      if (value === undefined) return;
      expect(contains({ a: {}, b: { [name]: value }, dialect }).verdict).toBe('yes');
    },
  );
});

test('a keyword that constrains values, and that nothing reads, never makes a yes', async () => {
  const { contains: engine } = await loadEngine({
    file: 'schema/read-keywords.ts',
    from: 'const reader = readers.get(keyword);',
    to: 'const reader = keyword === globalThis.unread ? undefined : readers.get(keyword);',
  });
  const ask = (keyword: string): unknown[] => {
    Object.assign(globalThis, { unread: keyword });
    return dialects.flatMap((dialect) =>
      samples
        .filter(([name]) => name === keyword && constraintsOf(dialect).has(name))
        .filter(([name]) => !(name === '$ref' && !keywordsOf(dialect).has('$anchor')))
        .map(([, b, refused]) => engine({ a: { enum: [refused] }, b, dialect }).verdict)
        .filter((verdict) => verdict === 'yes'),
    );
  };
  const wrong = samples.map(([keyword]) => [keyword, ask(keyword)]);
  Object.assign(globalThis, { unread: undefined });
  expect(wrong.filter(([, verdicts]) => (verdicts as unknown[]).length > 0)).toEqual([]);
});

test('no file but the table names a dialect', () => {
  const core = join(import.meta.dirname, '../../../src/core');
  const naming = ['schema', 'same', 'containment', 'diff'].flatMap((folder) =>
    readdirSync(join(core, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => {
        const code = readFileSync(file, 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
        return /'(draft(-0[467]?)?|20(19(-09)?|20(-12)?)|openapi(-(3(\.[01])?)?)?)'/.test(code);
      })
      .map((file) => relative(core, file)),
  );
  // The type that lists them with the URIs that name them, and the table.
  expect(naming.sort()).toEqual([...['schema/dialects.ts', 'schema/keywords.ts']]);
});
