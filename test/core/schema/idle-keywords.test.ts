// What a valid schema says to nobody.

import { expect, test } from 'vitest';
import { checkSchema } from '../../../src/core/schema/check-schema.ts';
import { findIdleKeywords } from '../../../src/core/schema/idle-keywords.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { stepsOf } from '../../../src/core/value/json-path.ts';
import { anyPair } from '../laws/any-keyword.ts';
import { differenceOf } from '../laws/judge-any.ts';

test.each<[string, JsonObject, readonly string[]]>([
  [
    'a bound that was left when a number became a string',
    { type: 'string', minimum: 0 },
    ['$.minimum'],
  ],
  ['a length of an integer or null', { type: ['integer', 'null'], maxLength: 3 }, ['$.maxLength']],
  ['properties of a list', { type: 'array', properties: {} }, ['$.properties']],
  ['what concerns one of several types', { type: ['string', 'integer'], minimum: 0 }, []],
  ['what concerns any type, and no type', { type: 'string', enum: ['a'], format: 'date' }, []],
  ['no type', { minimum: 0, maxLength: 3 }, []],
  ['another dialect’s keyword', { type: 'string', nullable: true }, ['$.nullable']],
  ['a branch without a condition', { else: true }, ['$.else']],
  ['a number of nothing', { minContains: 2 }, ['$.minContains']],
  [
    'what stands beside a reference in an older dialect',
    {
      ...{ $schema: 'http://json-schema.org/draft-07/schema#', definitions: { a: {} } },
      properties: { a: { $ref: '#/definitions/a', title: 'A', minLength: 1 } },
    },
    ['$.properties.a.minLength'],
  ],
  ['the same where it counts', { $defs: { a: {} }, $ref: '#/$defs/a', minLength: 1 }, []],
  [
    'places within lists and maps, in their order',
    {
      properties: {
        b: { items: { type: 'null', pattern: 'a' } },
        'a b': { type: 'string', maximum: 1 },
      },
      anyOf: [{}, { not: { type: 'object', items: {} } }],
    },
    ['$.properties.b.items.pattern', '$.properties["a b"].maximum', '$.anyOf[1].not.items'],
  ],
  [
    'what only looks like a schema',
    { default: { type: 'string', minimum: 0 }, enum: [{ type: 'string', minimum: 0 }] },
    [],
  ],
])('%s', (_what, schema, paths) => {
  expect(checkSchema(schema)).toEqual([]);
  expect(findIdleKeywords(schema).map(({ path }) => path)).toEqual(paths);
});

test.each([
  ['requred', 'required'],
  ['minlength', 'minLength'],
  ['proprieties', null],
  ['propertie', 'properties'],
  ['item', 'items'],
  ['example', null],
  ['colour', null],
  ['x-items', null],
  ['fi', null],
])('%s is taken for %s', (name, keyword) => {
  const meant = findIdleKeywords({ [name]: [] }).map(
    ({ message }) => /mean "(\w+)"/.exec(message)?.[1],
  );
  expect(meant).toEqual(keyword === null ? [] : [keyword]);
});

test('a remark says what to do', () => {
  expect(findIdleKeywords({ type: 'string', minimum: 0 })).toEqual([
    {
      path: '$.minimum',
      message:
        'It says nothing, because values have the type "string" here, and "minimum" is about the type "number". Remove it.',
    },
  ]);
});

test('no more are told than anybody reads', () => {
  const items = Array.from({ length: 500 }, () => ({ type: 'string', minimum: 0 }));
  expect(findIdleKeywords({ anyOf: items })).toHaveLength(100);
});

test('who removes what says nothing changes nothing', () => {
  let removed = 0;
  for (let number = 0; number < 3_000; number++) {
    const { dialect, a: schema } = anyPair(number);
    if (checkSchema(schema, { dialect }).length > 0) continue;
    for (const { path, message } of findIdleKeywords(schema, dialect)) {
      if (message.includes('Did you mean')) continue;
      const next = { dialect, schema: without(schema, stepsOf(path)) };
      // A reference may lead to what was removed.
      if (checkSchema(next.schema, { dialect }).length > 0) continue;
      removed++;
      const difference = differenceOf({ dialect, schema }, next);
      expect({ schema, path, difference }).toEqual({ schema, path, difference: undefined });
    }
  }
  expect(removed).toBeGreaterThan(300);
});

function without(at: Json, [step, ...more]: readonly (string | number)[]): Json {
  if (Array.isArray(at))
    return at.map((item, index) => (index === step ? without(item, more) : item));
  const entries = Object.entries(at as JsonObject);
  return Object.fromEntries(
    more.length === 0
      ? entries.filter(([key]) => key !== step)
      : entries.map(([key, value]) => [key, key === step ? without(value, more) : value]),
  );
}
