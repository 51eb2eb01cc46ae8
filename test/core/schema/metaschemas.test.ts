// The metaschemas are those of the dialects: ajv's copies say the same, as the engine sees it.

import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import draft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import draft04 from 'ajv-draft-04/dist/refs/json-schema-draft-04.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Json } from '../../../src/core/value/json.ts';

// Where the published metaschemas were amended later, the copies are brought up to date.
const string = { type: 'string' };
const amended04 = {
  ...draft04,
  properties: { ...draft04.properties, id: string, $schema: string, format: string },
};
const writeOnly = { type: 'boolean', default: false };
const amended07 = {
  ...draft07,
  properties: { ...draft07.properties, enum: { type: 'array' }, writeOnly },
};

const copies: readonly (readonly [string, Json])[] = [
  ['http://json-schema.org/draft-04/schema#', amended04],
  ['http://json-schema.org/draft-06/schema#', draft06],
  ['http://json-schema.org/draft-07/schema#', amended07],
];

for (const [uri, copy] of copies) {
  test(`a reference to ${uri} means what the metaschema says`, () => {
    const reference = { $schema: uri, $ref: uri };
    expect(contains({ a: reference, b: copy })).toMatchObject({ verdict: 'yes' });
    expect(contains({ a: copy, b: reference })).toMatchObject({ verdict: 'yes' });
  });
}

test('a reference into a metaschema leads to its part', () => {
  const a = { $ref: 'http://json-schema.org/draft-07/schema#/properties/title' };
  expect(contains({ a, b: { type: 'string' } }).verdict).toBe('yes');
  expect(contains({ a: { type: 'string' }, b: a }).verdict).toBe('yes');
});

for (const draft of ['2019-09', '2020-12']) {
  test(`the metaschema of ${draft} takes schemas, and nothing else`, () => {
    const b = { $ref: `https://json-schema.org/draft/${draft}/schema` };
    const verdictOf = (value: Json) => contains({ a: { const: value }, b }).verdict;
    expect(verdictOf({ type: 'object', properties: { a: { items: false } } })).toBe('yes');
    expect(verdictOf({ properties: { a: { type: 'text' } } })).toBe('no');
    expect(verdictOf({ allOf: [] })).toBe('no');
    expect(verdictOf(5)).toBe('no');
  });
}
