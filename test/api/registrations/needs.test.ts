// Needs: what a team says that it reads, and who may say it.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import type { TestClient } from '../../support/client/client.ts';
import {
  createAsset,
  issueKey,
  must,
  mustRefuse,
  openRegistryForFile,
  orderSchema,
  type Party,
  publishedAsset,
  publishOk,
  register,
  uniqueName,
  widerSchema,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();
const digest = expect.stringMatching(/^[0-9a-f]{64}$/);

const id = { fields: ['$.id'] };
const idSchema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };

/** A registration of the consumer, without needs. */
async function registered(party: Party = world.consumer) {
  const published = await publishedAsset(world.producer);
  const { id: registration_id } = await register(party, published.contractId);
  return { ...published, params: { registration_id } };
}

type Update = NonNullable<Parameters<TestClient['updateRegistration']>[0]['body']>;
type Needs = NonNullable<Update['needs']>;

function setNeeds(client: TestClient, registration_id: string, needs: Needs | null, more = {}) {
  return client.updateRegistration({
    params: { registration_id },
    body: { needs, ...more },
  });
}

async function needsOf(registration_id: string) {
  return must(await world.admin.getRegistration({ params: { registration_id } }), 200).needs;
}

async function changesOf(registration_id: string) {
  const listed = await world.admin.listEvents({
    query: { entity_id: registration_id, event_type: 'registration.needs_changed' },
  });
  return must(listed, 200).results.map(({ metadata }) => metadata);
}

describe('A need', () => {
  test('of fields is kept as it was stated and as a schema, with an event', async () => {
    const { params } = await registered();
    const changed = must(await setNeeds(world.consumer.client, params.registration_id, id), 200);
    const needs = { stated: id, schema: idSchema, digest, status: 'met' };
    expect(changed.needs).toEqual(needs);
    expect(await needsOf(params.registration_id)).toEqual(changed.needs);
    expect(await changesOf(params.registration_id)).toMatchObject([
      { from: null, to: changed.needs?.digest, status: 'met', contract_version: '1.0.0' },
    ]);
  });

  test('may come with the registration', async () => {
    const { id: assetId } = await createAsset(world.producer);
    const guarantees = { freshness: { max_staleness_minutes: 60 } };
    const first = { schema: orderSchema, guarantees };
    const contractId = await publishOk(world.producer.client, assetId, first);
    const needs = { schema: { properties: { id: { type: 'number' } } }, guarantees: ['freshness'] };
    const made = await world.consumer.client.registerConsumer({
      body: { contract_id: contractId, consumer_team_id: world.consumer.teamId, needs },
    });
    const registration = must(made, 201);
    const kept = { stated: needs, schema: needs.schema, digest, status: 'met' };
    expect(registration.needs).toEqual(kept);
    expect(await needsOf(registration.id)).toEqual(kept);
  });

  test('is widened, narrowed and removed, each with both digests', async () => {
    const { params } = await registered();
    const { registration_id } = params;
    const steps: readonly (Needs | null)[] = [id, { fields: ['$'] }, { fields: [] }, null];
    const digests: (string | null)[] = [null];
    for (const needs of steps) {
      const changed = must(await setNeeds(world.consumer.client, registration_id, needs), 200);
      digests.push(changed.needs?.digest ?? null);
    }
    expect(await needsOf(registration_id)).toBeUndefined();
    const told = (await changesOf(registration_id)).map(({ from, to }) => [from, to]).reverse();
    expect(told).toEqual(steps.map((_step, index) => [digests[index], digests[index + 1]]));
    expect(new Set(digests).size).toBe(4);
  });

  test('that is stated again changes nothing', async () => {
    const { params } = await registered();
    const first = must(await setNeeds(world.consumer.client, params.registration_id, id), 200);
    const again = must(await setNeeds(world.consumer.client, params.registration_id, id), 200);
    expect(again).toEqual(first);
    expect(await changesOf(params.registration_id)).toHaveLength(1);
  });

  test('is not in lists, and stays when something else changes', async () => {
    const { contractId, params } = await registered();
    must(await setNeeds(world.consumer.client, params.registration_id, id), 200);
    must(
      await world.consumer.client.updateRegistration({ params, body: { notes: 'Invoices.' } }),
      200,
    );
    const query = { contract_id: contractId };
    const [listed] = must(await world.admin.listRegistrations({ query }), 200).results;
    expect(listed).not.toHaveProperty('needs');
    expect(await needsOf(params.registration_id)).toMatchObject({ stated: id });
  });

  test('is checked against the contract in force, not the one that the team reads', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const added = Object.keys(widerSchema.properties).find(
      (key) => key !== 'id' && key !== 'total',
    );
    const needs = { fields: [`$.${added}`] };
    const made = await world.consumer.client.registerConsumer({
      body: { contract_id: contractId, consumer_team_id: world.consumer.teamId, needs },
    });
    expect(must(made, 201).needs?.status).toBe('met');
  });
});

describe('A need that the contract in force does not meet', () => {
  test('is 422 with the field, or with a value that shows it', async () => {
    const { params } = await registered();
    const { client } = world.consumer;
    const noField = await setNeeds(client, params.registration_id, {
      fields: ['$.id', '$.colour'],
    });
    expect(mustRefuse(noField, 422, 'NEED_NOT_MET')).toMatchObject({
      field: 'needs',
      path: '$.colour',
      message: expect.stringContaining('has no field `$.colour`'),
    });
    const schema = { properties: { id: { type: 'string' } } };
    const refused = await setNeeds(client, params.registration_id, { schema });
    expect(mustRefuse(refused, 422, 'NEED_NOT_MET')).toMatchObject({ witness: { id: 0 } });
    expect(await needsOf(params.registration_id)).toBeUndefined();
  });

  test('is kept as unmet with allow_unmet', async () => {
    const { params } = await registered();
    const needs = { fields: ['$.colour'] };
    const more = { allow_unmet: true };
    const kept = await setNeeds(world.consumer.client, params.registration_id, needs, more);
    expect(must(kept, 200).needs).toMatchObject({ stated: needs, status: 'unmet' });
    expect(await changesOf(params.registration_id)).toMatchObject([{ status: 'unmet' }]);
  });
});

describe('A need is refused', () => {
  test.each([
    ['that is no schema', { schema: { type: 'strng' } }, 'INVALID_SCHEMA', 422],
    ['past the limits', { schema: { title: 'x'.repeat(1_048_577) } }, 'SCHEMA_TOO_LARGE', 422],
    ['of an unknown dialect', { schema: { $schema: 'urn:x' } }, 'UNSUPPORTED_DIALECT', 422],
    ['of what is no field', { fields: ['id'] }, 'VALIDATION_ERROR', 400],
    [
      'of ten thousand fields',
      { fields: Array.from({ length: 10_001 }, () => '$.id') },
      'VALIDATION_ERROR',
      400,
    ],
    ['of both', { fields: [], schema: {} }, 'VALIDATION_ERROR', 400],
  ])('%s', async (_what, needs, code, status) => {
    const { params } = await registered();
    const sent = needs as unknown as Needs;
    const refused = await setNeeds(world.consumer.client, params.registration_id, sent);
    mustRefuse(refused, status, code);
    expect(await needsOf(params.registration_id)).toBeUndefined();
  });
});

describe('Only the team itself or an administrator says what a team reads', () => {
  type Key = () => TestClient | Promise<TestClient>;
  const issue = async (key: Parameters<typeof issueKey>[1]) =>
    world.admin.as(await issueKey(world.admin, key));
  const both = () => [world.producer.teamId, world.consumer.teamId];

  const refused: readonly (readonly [string, Key])[] = [
    ['a key of the producer', () => world.producer.client],
    ['a key of a third team', () => world.other.client],
    ['a key that publishes for all teams', () => issue({ all_teams: true, scopes: ['write'] })],
    ['a key of both teams', () => issue({ team_ids: both(), scopes: ['write'] })],
    [
      'a key of the team that may only read',
      () => issue({ team_id: world.consumer.teamId, scopes: ['read'] }),
    ],
  ];

  test.each(refused)('not %s, on a registration', async (_who, keyOf) => {
    const { params } = await registered();
    const client = await keyOf();
    for (const needs of [{ fields: [] }, null]) {
      mustRefuse(await setNeeds(client, params.registration_id, needs), 403, 'FORBIDDEN');
    }
    expect(await needsOf(params.registration_id)).toBeUndefined();
  });

  test.each(refused)('not %s, on a new registration', async (_who, keyOf) => {
    const { contractId } = await publishedAsset(world.producer);
    const client = await keyOf();
    const body = {
      contract_id: contractId,
      consumer_team_id: world.consumer.teamId,
      needs: { fields: [] },
    };
    mustRefuse(await client.registerConsumer({ body }), 403, 'FORBIDDEN');
    const query = { contract_id: contractId };
    expect(must(await world.admin.listRegistrations({ query }), 200).total).toBe(0);
  });

  test.each<readonly [string, Key]>([
    ['a key of the team', () => world.consumer.client],
    ['an administrator', () => world.admin],
    [
      'a key of several teams that may answer for them',
      () => issue({ team_ids: both(), scopes: ['write', 'acknowledge'] }),
    ],
  ])('%s may', async (_who, keyOf) => {
    const { params } = await registered();
    const reason = { reason: 'They asked us to.' };
    must(await setNeeds(await keyOf(), params.registration_id, id, reason), 200);
    const [event] = must(
      await world.admin.listEvents({
        query: {
          entity_id: params.registration_id,
          event_type: 'registration.needs_changed',
        },
      }),
      200,
    ).results;
    expect(event?.metadata.actor_name).toEqual(expect.any(String));
  });

  test('the producer cannot end the registration and make it anew with a need', async () => {
    const { contractId, params } = await registered();
    const client = await issue({ all_teams: true, scopes: ['write'] });
    mustRefuse(await client.deleteRegistration({ params }), 403, 'FORBIDDEN');
    must(await world.consumer.client.deleteRegistration({ params }), 204);
    const body = { contract_id: contractId, consumer_team_id: world.consumer.teamId };
    const withNeed = { ...body, needs: { fields: [] } };
    mustRefuse(await client.registerConsumer({ body: withNeed }), 403, 'FORBIDDEN');
    expect(must(await client.registerConsumer({ body }), 201)).not.toHaveProperty('needs');
  });

  test('a registration that is made anew reads everything', async () => {
    const { contractId, params } = await registered();
    must(await setNeeds(world.consumer.client, params.registration_id, { fields: [] }), 200);
    must(await world.consumer.client.deleteRegistration({ params }), 204);
    const again = await register(world.consumer, contractId);
    expect(await needsOf(again.id)).toBeUndefined();
  });

  test('an import registers consumers without needs, and leaves those of others', async () => {
    const name = uniqueName('orders').replace(/\W/g, '_');
    const node = (columns: Record<string, JsonObject>, consumer: JsonObject): JsonObject => ({
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
      nodes: {
        [`model.shop.${name}`]: {
          ...{ resource_type: 'model', package_name: 'shop', name, alias: name },
          ...{ database: 'shop', schema: 'public', columns, depends_on: { nodes: [] } },
          meta: { concordat: { consumers: [consumer] } },
        },
      },
      sources: {},
    });
    const upload = (manifest: JsonObject) =>
      world.producer.client.uploadDbt({
        body: {
          ...{
            manifest,
            owner_team_id: world.producer.teamId,
            conflict_mode: 'overwrite' as const,
          },
          ...{ auto_publish_contracts: true, auto_register_consumers: true },
        },
      });
    const consumer = { team: world.consumer.name, needs: { fields: [] } };
    const columns = { id: { name: 'id', data_type: 'integer' } };
    must(await upload(node(columns, consumer)), 200);
    const query = { consumer_team_id: world.consumer.teamId, page_size: 100 };
    const listed = must(await world.admin.listRegistrations({ query }), 200).results;
    const mine = listed.find(({ asset_fqn }) => asset_fqn.endsWith(name));
    expect(await needsOf(mine?.id ?? '')).toBeUndefined();
    must(await setNeeds(world.consumer.client, mine?.id ?? '', id), 200);
    must(await upload(node({ ...columns, b: { name: 'b', data_type: 'text' } }, consumer)), 200);
    expect(await needsOf(mine?.id ?? '')).toMatchObject({ stated: id });
  });
});
