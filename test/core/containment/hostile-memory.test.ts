// The worst questions, as a program is asked them: it answers each, ends well, and never holds more
// than 700 MB. What none of them does alone they do to each other: unions, huge bounds, exploding
// patterns, very many properties and values, unevaluated parts, dynamic references.

import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/value/json.ts';
import { ask, patterns, questionsOf } from './support/hostile-patterns.ts';

const memoryLimitKilobytes = 700_000;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

function byName(count: number, prefix: string, value: (index: number) => Json): Json {
  return Object.fromEntries(range(count).map((index) => [`${prefix}${index}`, value(index)]));
}

function nest(depth: number, wrap: (inner: Json) => Json, core: Json): Json {
  let schema = core;
  for (let level = 0; level < depth; level++) schema = wrap(schema);
  return schema;
}

const choices = (type: string) =>
  range(16).map((index) => ({
    anyOf: ['a', 'b'].map((side) => ({
      properties: { [`${side}${index}`]: { type } },
      required: [`${side}${index}`],
    })),
  }));

function everything(type: string, most: number): Json {
  return {
    type: 'object',
    $dynamicAnchor: 'node',
    allOf: choices(type),
    properties: byName(50_000, 'q', (index) =>
      index % 100 === 0 ? { $dynamicRef: '#node' } : { type: ['integer', 'string'] },
    ),
    patternProperties: { '(a|b)*a(a|b){60}': { maxLength: most } },
    propertyNames: { not: { pattern: '(a|b)*b(a|b){60}' } },
    dependentSchemas: byName(30, 'q', () => ({ properties: { z: { minItems: 1e9 } } })),
    unevaluatedProperties: { enum: range(10_000) },
  };
}

/** By reference to the next, so that text need not nest. */
function chain(link: (next: Json) => Json, core: Json): Json {
  const length = 30_000;
  const links = byName(length, 'k', (index) => link({ $ref: `#/$defs/k${index + 1}` }));
  return { $ref: '#/$defs/k0', $defs: { ...(links as object), [`k${length}`]: core } };
}

function alike(make: (type: string) => Json): { readonly a: Json; readonly b: Json } {
  return { a: make('string'), b: make('integer') };
}

const pairs: readonly { readonly a: Json; readonly b: Json }[] = [
  { a: everything('integer', 1e15), b: everything('number', 1e15 - 1) },
  alike((type) => nest(200, (inner) => ({ oneOf: [inner, { const: 1 }] }), { type })),
  alike((type) => nest(16, (inner) => ({ if: inner, else: { not: inner } }), { type })),
  alike((type) =>
    nest(14, (inner) => ({ anyOf: [inner, true], unevaluatedItems: inner }), { type }),
  ),
  alike((type) => ({
    allOf: range(10_000).map((index) => ({ properties: { [`p${index}`]: { type } } })),
  })),
  alike((type) => nest(6, (items) => ({ type: 'array', minItems: 1_000, items }), { type })),
  ...[
    (next: Json): Json => ({ allOf: [next] }),
    (next: Json): Json => ({ not: next }),
    (items: Json): Json => ({ type: 'array', items, minItems: 1 }),
    (next: Json): Json => ({ anyOf: [next, { prefixItems: [true] }], unevaluatedItems: next }),
  ].map((link) => alike((type) => chain(link, { type }))),
  ...['('.repeat(10_000) + ')'.repeat(10_000), 'a{1000}{1000}', '(?=a)'.repeat(5_000)].map(
    (pattern) => ({ a: { type: 'string', pattern, minLength: 9 }, b: { pattern: '^(a|aa)+$' } }),
  ),
];

async function expectAnswers(questions: readonly Json[]): Promise<void> {
  const { answers, kilobytes } = await ask(questions);
  expect(answers.length).toBe(questions.length);
  expect(kilobytes).toBeLessThan(memoryLimitKilobytes);
}

test('the worst questions are each answered, and take less than 700 MB', async () => {
  for (const { a, b } of pairs) {
    await expectAnswers([
      { a, b },
      { a, b, closed: true },
    ]);
  }
});

test.each(patterns.map((pattern) => [pattern.slice(0, 40), pattern] as const))(
  'the worst patterns too, of texts and of keys: %s',
  async (_name, pattern) => {
    await expectAnswers(questionsOf(pattern));
  },
  600_000,
);

test('texts that are excluded by the ten thousands cost steps before they cost memory', async () => {
  const texts = range(20_000).map((index) => `${index}`.padStart(200, 'a'));
  await expectAnswers([
    { a: { type: 'string', pattern: '^[a0-9]*$' }, b: { not: { enum: texts } } },
    { a: { type: 'string', pattern: '^[a0-9]*$', not: { enum: texts } }, b: { maxLength: 9 } },
  ]);
});
