// Who reads which field: what a producer asks before it removes one.

import { expect, test } from 'vitest';
import type { Client } from '../../../src/wire/client.ts';
import {
  createAsset,
  must,
  openRegistryForFile,
  publishedAsset,
  publishOk,
  register,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();
const { producer, consumer, other, admin } = world;

const fieldsOf = async (asset_id: string) =>
  must(await other.client.listAssetFields({ params: { asset_id } }), 200);

test('each field names the teams that read it, and those that read everything are apart', async () => {
  const asset = await createAsset(producer);
  const line = {
    type: 'object',
    properties: { sku: { type: 'string' }, note: { type: 'string' } },
  };
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      lines: { type: 'array', items: { $ref: '#/$defs/line' } },
      old: { type: 'string', deprecated: true, 'x-sunset': '2027-01-31' },
    },
    $defs: { line },
  };
  const contract_id = await publishOk(producer.client, asset.id, { schema });
  const needs = { fields: ['$.id', '$.lines[*].sku'] };
  const body = { contract_id, consumer_team_id: consumer.teamId, needs };
  const { id: registration_id } = must(await consumer.client.registerConsumer({ body }), 201);
  const everything = await register(other, contract_id);

  const team = { id: consumer.teamId, name: consumer.name };
  const reader = { team, registration_id, origin: 'declared' };
  const silent = { team: { id: other.teamId, name: other.name }, registration_id: everything.id };
  const listed = await fieldsOf(asset.id);
  const [one, two] = listed.consumers;
  expect(new Set([one, two])).toEqual(new Set([{ team, registration_id }, silent]));
  expect(listed).toEqual({
    consumers: [one, two],
    contract: { id: contract_id, version: '1.0.0' },
    fields: [
      { path: '$.id', deprecated: false, readers: [reader] },
      { path: '$.lines', deprecated: false, readers: [reader] },
      { path: '$.old', deprecated: true, sunset: '2027-01-31', readers: [] },
      { path: '$.lines[*].sku', deprecated: false, readers: [reader] },
      { path: '$.lines[*].note', deprecated: false, readers: [] },
    ],
    readers_of_everything: [silent],
    complete: true,
  });
});

test('a field says of each reader whether it was stated or found, and when it was last found', async () => {
  const { assetId, contractId } = await publishedAsset(producer);
  const body = {
    ...{ contract_id: contractId, consumer_team_id: consumer.teamId },
    needs: { fields: ['$.id'] },
  };
  const stated = must(await consumer.client.registerConsumer({ body }), 201).id;
  const silent = (await register(other, contractId)).id;
  const find = async (client: Client, registration_id: string, source: string, fields: string[]) =>
    must(
      await client.findNeeds({
        params: { registration_id },
        body: { origin: 'dbt', source, places: [{ place: 'models/a.sql', fields }] },
      }),
      200,
    ).found_needs?.places.find((each) => each.source === source)?.last_seen_at;
  const first = await find(consumer.client, stated, 'old', ['$.id', '$.total']);
  const second = await find(consumer.client, stated, 'new', ['$.id']);
  const third = await find(other.client, silent, 'old', ['$.total']);

  const listed = await fieldsOf(assetId);
  const readers = (path: string) =>
    listed.fields
      .find((each) => each.path === path)
      ?.readers.map(({ registration_id, origin, last_seen_at }) => [
        registration_id,
        origin,
        last_seen_at,
      ])
      .toSorted();
  expect(readers('$.id')).toEqual([[stated, 'declared', second]]);
  expect(readers('$.total')).toEqual(
    [
      [stated, 'found', first],
      [silent, 'found', third],
    ].toSorted(),
  );
  // What was found excuses nobody.
  expect(listed.readers_of_everything.map((each) => each.registration_id)).toEqual([silent]);
});

test('a schema that contains itself is listed once on each way', async () => {
  const asset = await createAsset(producer);
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  };
  await publishOk(producer.client, asset.id, { schema });
  const { fields, complete } = await fieldsOf(asset.id);
  expect(fields.map(({ path }) => path)).toEqual(['$.name', '$.children']);
  expect(complete).toBe(true);
});

test('a need that is not met counts as everything, and nothing was published in a new asset', async () => {
  const { assetId, contractId } = await publishedAsset(producer);
  const body = {
    ...{ contract_id: contractId, consumer_team_id: consumer.teamId, allow_unmet: true },
    needs: { fields: ['$.colour'] },
  };
  must(await consumer.client.registerConsumer({ body }), 201);
  const listed = await fieldsOf(assetId);
  expect(listed.readers_of_everything.map(({ team }) => team.id)).toEqual([consumer.teamId]);
  const empty = await createAsset(producer);
  expect(await fieldsOf(empty.id)).toMatchObject({ contract: null, fields: [] });
  expect(must(await admin.listAssetFields({ params: { asset_id: empty.id } }), 200)).toBeDefined();
});
