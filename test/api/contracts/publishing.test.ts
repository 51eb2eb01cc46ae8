// Publishing: versions, proposals and refusals.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  orderSchema,
  proposedAsset,
  publish,
  publishedAsset,
  publishOk,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';

async function versionsOf(assetId: string) {
  const listed = await world.admin.listAssetContracts({ params: { asset_id: assetId } });
  return must(listed, 200).results.map((contract) => [contract.version, contract.status]);
}

describe('Publishing', () => {
  test('a first contract answers 201 published, backward, version 1.0.0', async () => {
    const asset = await createAsset(world.producer);
    const result = await publish(world.producer.client, asset.id, { schema: orderSchema });
    expect(result).toMatchObject({
      action: 'published',
      contract: { version: '1.0.0', status: 'active', compatibility_mode: 'backward' },
      changes: [],
      breaking_changes: [],
      change_type: 'initial',
    });
    const contract = must(
      await world.admin.getAssetContract({ params: { asset_id: asset.id, version: 'latest' } }),
      200,
    );
    expect(contract).toMatchObject({
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      schema: orderSchema,
      guarantees: null,
      published_by: world.producer.teamId,
      published_by_actor: { type: 'api_key' },
      previous_contract_id: null,
      source: 'api',
    });
  });

  test('a compatible change answers 201 published with its changes, and deprecates the old one', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const result = await publish(world.producer.client, assetId, { schema: widerSchema });
    expect(result).toMatchObject({
      action: 'published',
      contract: { version: '1.1.0', status: 'active', previous_contract_id: contractId },
      changes: [{ type: 'property_added', path: '$.properties.note', breaking: false }],
      change_type: 'minor',
    });
    expect(await versionsOf(assetId)).toEqual([
      ['1.1.0', 'active'],
      ['1.0.0', 'deprecated'],
    ]);
  });

  test.each([
    ['half of a surrogate pair', '^[^\\ud83d]*$'],
    ['a NUL', '^[^\\u0000]*$'],
  ])('a break that only %s shows is proposed without an example', async (_what, pattern) => {
    const schema = { type: 'string', maxLength: 1 };
    const { id: assetId } = await createAsset(world.producer);
    await register(world.consumer, await publishOk(world.producer.client, assetId, { schema }));
    const result = await publish(world.producer.client, assetId, {
      schema: { ...schema, pattern },
    });
    expect(result).toMatchObject({
      action: 'proposal_created',
      breaking_changes: [{ breaking: true }],
    });
    expect(JSON.stringify(result)).not.toContain('witness');
  });

  test('a breaking change answers 201 proposal_created and publishes nothing', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const response = await world.producer.client.publishContract({
      params: { asset_id: assetId },
      body: { schema: narrowerSchema },
    });
    const result = must(response, 201);
    expect(result).toMatchObject({
      action: 'proposal_created',
      proposal: {
        status: 'pending',
        breaking_changes: [{ type: 'property_removed', path: '$.properties.total' }],
        total_consumers: 1,
      },
      change_type: 'major',
    });
    expect(await versionsOf(assetId)).toEqual([['1.0.0', 'active']]);
  });

  test('a breaking change carries a witness', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const result = await publish(world.producer.client, assetId, {
      schema: {
        ...orderSchema,
        properties: { id: { type: 'integer' }, total: { type: 'string' } },
      },
    });
    expect(result.action).toBe('proposal_created');
    expect(result.breaking_changes.some((change) => change.witness !== undefined)).toBe(true);
  });

  test('the same schema again answers 200 unchanged with empty changes', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const { type, ...rest } = orderSchema;
    const respelt = { ...rest, type: [type] };
    for (const schema of [orderSchema, respelt]) {
      const again = await world.producer.client.publishContract({
        params: { asset_id: assetId },
        body: { schema },
      });
      expect(must(again, 200)).toMatchObject({
        action: 'unchanged',
        contract: { id: contractId, version: '1.0.0', status: 'active' },
        changes: [],
      });
    }
  });

  test('omitted mode and guarantees keep those of the active contract; null removes guarantees', async () => {
    const asset = await createAsset(world.producer);
    const guarantees = { nullability: { id: 'never' } };
    await publishOk(world.producer.client, asset.id, {
      schema: orderSchema,
      compatibility_mode: 'forward',
      guarantees,
    });
    await publishOk(world.producer.client, asset.id, {
      schema: { ...orderSchema, description: 'Orders.' },
    });
    const params = { asset_id: asset.id, version: 'latest' };
    const kept = must(await world.admin.getAssetContract({ params }), 200);
    expect(kept).toMatchObject({ compatibility_mode: 'forward', guarantees });
    const removed = await publish(world.producer.client, asset.id, {
      schema: { ...orderSchema, description: 'Orders.' },
      guarantees: null,
    });
    expect(removed.action).toBe('published');
    expect(must(await world.admin.getAssetContract({ params }), 200).guarantees).toBeNull();
  });

  test('dry_run answers like the real call, with null ids, and writes nothing', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const dry = async (schema: typeof orderSchema | typeof narrowerSchema) =>
      publish(world.producer.client, assetId, { schema, dry_run: true });
    expect(await dry(widerSchema)).toMatchObject({
      action: 'published',
      dry_run: true,
      contract: { id: null, version: '1.1.0' },
    });
    expect(await dry(narrowerSchema)).toMatchObject({
      action: 'proposal_created',
      dry_run: true,
      proposal: { id: null },
    });
    expect(await dry(orderSchema)).toMatchObject({ action: 'unchanged', dry_run: true });
    expect(await versionsOf(assetId)).toEqual([['1.0.0', 'active']]);
    const query = { asset_id: assetId };
    expect(must(await world.admin.listProposals({ query }), 200).total).toBe(0);
  });

  test('the answer names who is asked, and a mode that changes, also in a dry run', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const publishAs = (compatibility_mode: 'none' | 'full', dry_run: boolean) =>
      publish(world.producer.client, assetId, { schema: orderSchema, compatibility_mode, dry_run });
    expect(await publishAs('full', true)).toMatchObject({
      action: 'published',
      mode_change: { from: 'backward', to: 'full' },
    });
    await register(world.consumer, contractId);
    const { teamId: team_id, name: team_name } = world.consumer;
    for (const isDry of [true, false]) {
      expect(await publishAs('none', isDry)).toMatchObject({
        action: 'proposal_created',
        proposal: { total_consumers: 1, affected_consumers: [{ team_id, team_name }] },
        mode_change: { from: 'backward', to: 'none' },
      });
    }
    const unmoved = await publish(world.producer.client, assetId, { schema: widerSchema });
    expect(unmoved).not.toHaveProperty('mode_change');
  });

  test('accepts an explicit version that is high enough', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const { client } = world.producer;
    const ask = (schema: typeof orderSchema, version: string) =>
      client.publishContract({ params: { asset_id: assetId }, body: { schema, version } });
    mustRefuse(await ask(widerSchema, '1.0.1'), 422, 'VERSION_TOO_SMALL');
    mustRefuse(await ask(widerSchema, '0.9.0'), 409, 'VERSION_CONFLICT');
    mustRefuse(await ask(widerSchema, '1.0.0'), 409, 'VERSION_CONFLICT');
    mustRefuse(await ask(widerSchema, 'v2'), 400, 'VALIDATION_ERROR');
    expect(must(await ask(widerSchema, '3.0.0'), 201)).toMatchObject({
      action: 'published',
      contract: { version: '3.0.0' },
    });
  });

  test('accepts any version for a first contract', async () => {
    const asset = await createAsset(world.producer);
    const result = await publish(world.producer.client, asset.id, {
      schema: orderSchema,
      version: '7.3.1',
    });
    expect(result).toMatchObject({ contract: { version: '7.3.1' } });
  });

  test.each<[JsonObject, string]>([
    [{ type: 'objekt' }, 'INVALID_SCHEMA'],
    [{ type: 'object', properties: [] }, 'INVALID_SCHEMA'],
    [{ $schema: 'https://example.com/my-dialect' }, 'UNSUPPORTED_DIALECT'],
    [{ $schema: 'toString' }, 'UNSUPPORTED_DIALECT'],
    [{ type: 'object', description: 'x'.repeat(1024 * 1024 + 1) }, 'SCHEMA_TOO_LARGE'],
    [nested(65), 'SCHEMA_TOO_LARGE'],
  ])('refuses what is no schema that it can keep: case %#', async (schema, code) => {
    const asset = await createAsset(world.producer);
    const published = await world.producer.client.publishContract({
      params: { asset_id: asset.id },
      body: { schema },
    });
    mustRefuse(published, 422, code);
    const impact = await world.producer.client.assessImpact({
      params: { asset_id: asset.id },
      body: { proposed_schema: schema },
    });
    mustRefuse(impact, 422, code);
  });

  test('gives the location of an invalid keyword in a schema', async () => {
    const asset = await createAsset(world.producer);
    const schema = { type: 'object', properties: { a: { type: 'objekt' } } };
    const published = await world.producer.client.publishContract({
      params: { asset_id: asset.id },
      body: { schema },
    });
    const refusal = mustRefuse(published, 422, 'INVALID_SCHEMA');
    expect(JSON.stringify(refusal)).toMatch(/properties.{1,3}a.{1,3}type/);
  });

  test('a schema whose type is not object is 400', async () => {
    const asset = await createAsset(world.producer);
    const response = await checkedFetch(`${registry.url}/api/v1/assets/${asset.id}/contracts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.producer.key}`,
        'content-type': 'application/json',
      },
      body: '{"schema":"string"}',
    });
    expect(response.status).toBe(400);
  });

  test('for an asset that does not exist is 404', async () => {
    const published = await world.admin.publishContract({
      params: { asset_id: nobody },
      body: { schema: orderSchema },
    });
    mustRefuse(published, 404, 'ASSET_NOT_FOUND');
  });

  test('during an open proposal, the same change returns that proposal; another one is 409, or supersedes it', async () => {
    const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const { client } = world.producer;
    const params = { asset_id: assetId };
    const again = must(
      await client.publishContract({ params, body: { schema: narrowerSchema } }),
      200,
    );
    expect(again).toMatchObject({ action: 'proposal_created', proposal: { id: proposalId } });
    const versioned = (version: string) =>
      client.publishContract({ params, body: { schema: narrowerSchema, version } });
    mustRefuse(await versioned('9.0.0'), 409, 'PROPOSAL_PENDING');
    mustRefuse(await versioned('0.0.1'), 409, 'VERSION_CONFLICT');
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    mustRefuse(await client.publishContract({ params, body: { schema } }), 409, 'PROPOSAL_PENDING');
    const next = must(
      await client.publishContract({ params, body: { schema, supersede: true } }),
      201,
    );
    if (next.action !== 'proposal_created') throw new Error('It should have been proposed.');
    const old = must(await client.getProposal({ params: { proposal_id: proposalId } }), 200);
    expect(old).toMatchObject({ status: 'withdrawn', superseded_by: next.proposal.id });
  });

  test('a compatible change does not wait for a pending proposal', async () => {
    const { assetId } = await proposedAsset(world.producer, [world.consumer]);
    const result = await publish(world.producer.client, assetId, { schema: widerSchema });
    expect(result.action).toBe('published');
  });

  test('writes contract.published and contract.deprecated with the FQN and the version', async () => {
    const { fqn, assetId, contractId } = await publishedAsset(world.producer);
    const next = await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const historyOf = async (id: string) => {
      const params = { entity_type: 'contract', entity_id: id } as const;
      return must(await world.admin.listEntityHistory({ params }), 200).results;
    };
    expect((await historyOf(contractId)).map((event) => event.event_type)).toEqual([
      'contract.deprecated',
      'contract.published',
    ]);
    expect((await historyOf(next))[0]).toMatchObject({
      event_type: 'contract.published',
      actor_type: 'api_key',
      metadata: { asset_fqn: fqn, asset_id: assetId, version: '1.1.0' },
    });
  });
});

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let i = 0; i < levels; i++) schema = { type: 'array', items: schema };
  return schema;
}
