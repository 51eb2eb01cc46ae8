// Values held against a contract: is this row right, since which version, and for whom?

import { expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  openRegistryForFile,
  publishOk,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();
const { producer, consumer, other } = world;

const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    total: { type: 'number', minimum: 0 },
    email: { type: 'string', format: 'email', 'x-classification': 'pii' },
    state: { type: ['string', 'null'] },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
  },
  required: ['id', 'total'],
  $defs: { line: { type: 'object', properties: { sku: { minLength: 1 } }, required: ['sku'] } },
};
const guarantees = { nullability: { id: 'never' }, accepted_values: { state: ['open', 'paid'] } };

async function publishedOrders() {
  const asset = await createAsset(producer);
  const contract_id = await publishOk(producer.client, asset.id, { schema, guarantees });
  return { asset, contract_id };
}

test('each fault has its place, its rule and its value', async () => {
  const { contract_id } = await publishedOrders();
  const values = [
    { id: 1, total: 2, state: null, lines: [{ sku: 'a' }] },
    { id: 1, total: -1, state: 'lost', lines: [{ sku: 'a' }, { sku: '' }, {}] },
    'no object',
  ];
  const answer = must(
    await other.client.checkValues({ params: { contract_id }, body: { values } }),
    200,
  );
  expect(answer).toEqual({
    contract: { id: contract_id, version: '1.0.0' },
    valid: 1,
    invalid: 2,
    undecided: 0,
    results: [
      { verdict: 'valid', faults: [] },
      {
        verdict: 'invalid',
        faults: [
          { path: '$.total', rule: 'minimum', message: 'must be at least 0', value: -1 },
          {
            path: '$.lines[1].sku',
            rule: 'minLength',
            message: 'must have at least 1 character',
            value: '',
          },
          { path: '$.lines[2].sku', rule: 'required', message: 'is required, but missing' },
          {
            path: '$.state',
            rule: 'accepted_values',
            message: 'is guaranteed to be "open" or "paid"',
            value: 'lost',
          },
        ],
      },
      {
        verdict: 'invalid',
        faults: [{ path: '$', rule: 'type', message: 'must be an object', value: 'no object' }],
      },
    ],
  });
});

test('personal data is not repeated', async () => {
  const { contract_id } = await publishedOrders();
  const values = [{ id: 1, total: 1, email: 'ada at example' }];
  const { results } = must(
    await other.client.checkValues({ params: { contract_id }, body: { values } }),
    200,
  );
  expect(results).toEqual([
    {
      verdict: 'invalid',
      faults: [{ path: '$.email', rule: 'format', message: 'must have the format email' }],
    },
  ]);
});

test('the answer names the versions that accept a value', async () => {
  const { asset, contract_id } = await publishedOrders();
  const wider = { ...schema, properties: { ...schema.properties, total: { type: 'number' } } };
  await publishOk(producer.client, asset.id, { schema: wider, guarantees });
  const { results } = must(
    await other.client.checkValues({
      params: { contract_id },
      query: { versions: 'all' },
      body: { values: [{ id: 1, total: 0 }, { id: 1, total: -1 }, { total: 0 }] },
    }),
    200,
  );
  expect(results.map(({ versions }) => versions)).toEqual([['1.1.0', '1.0.0'], ['1.1.0'], []]);
});

test('the answer names the consumers that cannot read a value', async () => {
  const { contract_id } = await publishedOrders();
  const needs = { schema: { type: 'object', properties: { total: { minimum: -5 } } } };
  const body = { contract_id, consumer_team_id: consumer.teamId, needs };
  const { id: registration_id } = must(await consumer.client.registerConsumer({ body }), 201);
  const { results } = must(
    await other.client.checkValues({
      params: { contract_id },
      query: { consumers: 'all' },
      body: {
        values: [
          { id: 1, total: -1 },
          { id: 1, total: -9 },
        ],
      },
    }),
    200,
  );
  const who = { team: { id: consumer.teamId, name: consumer.name }, registration_id };
  expect(results.map((each) => each.unreadable_for)).toEqual([[], [who]]);
});

test('of an operation, the caller says which part the values are', async () => {
  const item = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const content = { 'application/json': { schema: item } };
  const spec = {
    openapi: '3.1.0',
    info: { title: 'checked', version: '1' },
    paths: { '/things': { get: { responses: { 200: { description: 'ok', content } } } } },
  };
  const body = { spec, owner_team_id: producer.teamId };
  const imported = must(await producer.client.importOpenapi({ body }), 200);
  const contract_id = imported.endpoints[0]?.contract_id ?? '';
  const check = (query: { part?: 'request' | 'response' }) =>
    other.client.checkValues({
      params: { contract_id },
      query,
      body: { values: [{ id: 1 }, { id: 'x' }] },
    });
  mustRefuse(await check({}), 400, 'VALIDATION_ERROR');
  const answered = must(await check({ part: 'response' }), 200);
  expect(answered.results.map(({ verdict }) => verdict)).toEqual(['valid', 'invalid']);
});

test('more values than 10,000 are refused', async () => {
  const { contract_id } = await publishedOrders();
  const values = Array.from({ length: 10_001 }, () => 1);
  mustRefuse(
    await other.client.checkValues({ params: { contract_id }, body: { values } }),
    400,
    'VALIDATION_ERROR',
  );
});

test('values may be sent one a line, and mean the same as in a list', async () => {
  const { contract_id } = await publishedOrders();
  const values = [{ id: 1, total: 2 }, { id: 'one', total: -1 }, 'no object'];
  const send = (body: string, type = 'application/x-ndjson') =>
    fetch(`${world.url}/api/v1/contracts/${contract_id}/validate`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${other.key}`, 'Content-Type': type },
      body,
    });
  const listed = must(
    await other.client.checkValues({ params: { contract_id }, body: { values } }),
    200,
  );
  const lines = values.map((value) => `${JSON.stringify(value)}\r\n`).join('\n');
  expect(await (await send(lines)).json()).toEqual(listed);

  const cut = await send('{"id": 1}\n{"id": ');
  expect([cut.status, await cut.json()]).toMatchObject([
    400,
    { detail: { code: 'INVALID_JSON', message: expect.stringMatching(/^Line 2 of the body /) } },
  ]);
  const tooMany = await send('1\n'.repeat(10_001));
  expect([tooMany.status, await tooMany.json()]).toMatchObject([
    400,
    { detail: { code: 'VALIDATION_ERROR' } },
  ]);
  expect((await send(lines, 'text/csv')).status).toBe(415);
});
