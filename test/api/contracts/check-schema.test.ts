// Whether a schema can be published, without an asset.

import { expect, test } from 'vitest';
import {
  createAsset,
  must,
  openRegistryForFile,
  orderSchema,
  publishedAsset,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

async function check(schema: unknown, more: { dialect?: 'draft-04' } = {}) {
  const body = { schema: schema as never, ...more };
  return must(await world.consumer.client.checkSchema({ body }), 200);
}

test('a schema that can be published has the digest that its contract would have', async () => {
  const { contractId } = await publishedAsset(world.producer);
  const params = { contract_id: contractId };
  const { schema_digest } = must(await world.consumer.client.getContract({ params }), 200);
  const turned = Object.fromEntries(Object.entries(orderSchema).reverse());
  expect(await check(turned)).toEqual({
    ...{ valid: true, dialect: '2020-12', problems: [], warnings: [], schema_digest },
  });
  expect(await check(true)).toMatchObject({ valid: true });
});

test('all that is wrong is told, with its place', async () => {
  const { valid, problems, schema_digest } = await check({
    properties: { a: { type: 'strng' }, b: { pattern: '(' }, c: { $ref: '#/$defs/none' } },
  });
  expect({ valid, schema_digest }).toEqual({ valid: false, schema_digest: null });
  expect(problems.map(({ path }) => path)).toEqual([
    ...['$.properties.a.type', '$.properties.b.pattern', '$.properties.c.$ref'],
  ]);
  expect(problems.every(({ message }) => message !== '')).toBe(true);
});

test('what a schema says to nobody is a warning', async () => {
  const { valid, warnings } = await check({ type: 'string', minimum: 0, maxlength: 3 });
  expect([valid, warnings.map(({ path }) => path)]).toEqual([true, ['$.minimum', '$.maxlength']]);
});

test.each([
  ['an unknown dialect', { $schema: 'urn:none' }, {}],
  ['a schema past the limits', { enum: ['x'.repeat(1_100_000)] }, {}],
  ['a keyword of another dialect', { exclusiveMinimum: 1 }, { dialect: 'draft-04' as const }],
  ['no schema', 7, {}],
])('%s is a problem, and no failure', async (_what, schema, more) => {
  const { valid, problems } = await check(schema, more);
  expect([valid, problems.length > 0]).toEqual([false, true]);
});

test.each([
  ['its own dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, {}, 'draft-07'],
  ['the stated dialect', { type: 'object' }, { dialect: 'draft-04' as const }, 'draft-04'],
  ['no dialect', { type: 'object' }, {}, '2020-12'],
  ['a dialect that nobody knows', { $schema: 'urn:none' }, {}, null],
  ['an unknown keyword', { type: 'object', colour: 'red' }, {}, '2020-12'],
  ['a wrong type', { type: 'strng' }, {}, '2020-12'],
  ['a pattern that is none', { pattern: '(' }, {}, '2020-12'],
  ['a reference to nothing', { $ref: '#/$defs/none' }, {}, '2020-12'],
  [
    'a keyword of a later draft',
    { exclusiveMinimum: 1 },
    { dialect: 'draft-04' as const },
    'draft-04',
  ],
])('a publish says the same of a schema with %s', async (_what, schema, more, dialect) => {
  const checked = await check(schema, more);
  const { id: asset_id } = await createAsset(world.producer);
  const body = { schema: schema as never, ...more };
  const published = await world.producer.client.publishContract({ params: { asset_id }, body });
  expect([checked.dialect, checked.valid]).toEqual([dialect, published.ok]);
});
