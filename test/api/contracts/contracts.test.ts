// Contracts: impact, reading, comparing, and their states.

import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  orderSchema,
  proposedAsset,
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

describe('Impact', () => {
  test('returns what breaks, for which consumers, and the next version', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const impact = await world.other.client.assessImpact({
      params: { asset_id: assetId },
      body: { proposed_schema: narrowerSchema },
    });
    expect(must(impact, 200)).toMatchObject({
      is_breaking: true,
      breaking_changes: [{ type: 'property_removed', path: '$.properties.total' }],
      affected_consumers: [{ team_id: world.consumer.teamId, team_name: world.consumer.name }],
      change_type: 'major',
      proposed_version: '2.0.0',
    });
    expect(await versionsOf(assetId)).toEqual([['1.0.0', 'active']]);
  });

  test('of a compatible change affects nobody', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const impact = await world.other.client.assessImpact({
      params: { asset_id: assetId },
      body: { proposed_schema: widerSchema },
    });
    expect(must(impact, 200)).toMatchObject({
      is_breaking: false,
      breaking_changes: [],
      affected_consumers: [],
      change_type: 'minor',
      proposed_version: '1.1.0',
    });
  });

  test('for an asset that does not exist is 404', async () => {
    const impact = await world.admin.assessImpact({
      params: { asset_id: nobody },
      body: { proposed_schema: orderSchema },
    });
    mustRefuse(impact, 404, 'ASSET_NOT_FOUND');
  });
});

describe('Reading and comparing', () => {
  test('a version is read by its number or as latest', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const params = { asset_id: assetId, version: '1.0.0' };
    const contract = must(await world.admin.getAssetContract({ params }), 200);
    expect(contract.id).toBe(contractId);
    const byId = await world.admin.getContract({ params: { contract_id: contractId } });
    expect(must(byId, 200)).toEqual(contract);
    const missing = { asset_id: assetId, version: '9.9.9' };
    mustRefuse(await world.admin.getAssetContract({ params: missing }), 404, 'CONTRACT_NOT_FOUND');
    const wrong = { asset_id: assetId, version: 'newest' };
    mustRefuse(await world.admin.getAssetContract({ params: wrong }), 400, 'VALIDATION_ERROR');
  });

  test('the contracts of an asset are paged, newest first, with their schemas', async () => {
    const { assetId } = await publishedAsset(world.producer);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const listed = await world.admin.listAssetContracts({
      params: { asset_id: assetId },
      query: { page_size: 1 },
    });
    expect(must(listed, 200)).toMatchObject({
      results: [{ version: '1.1.0', status: 'active', schema: widerSchema }],
      total: 2,
      page: 1,
      page_size: 1,
    });
  });

  test('the contracts of an unknown asset are 404; an asset without contracts has an empty list', async () => {
    const params = { asset_id: nobody };
    mustRefuse(await world.admin.listAssetContracts({ params }), 404, 'ASSET_NOT_FOUND');
    const asset = await createAsset(world.producer);
    expect(await versionsOf(asset.id)).toEqual([]);
  });

  test('contracts are filtered by asset, state and version', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    for (const query of [
      { asset_id: assetId, status: 'deprecated' as const },
      { asset_id: assetId, version: '1.0.0' },
    ]) {
      const listed = must(await world.admin.listContracts({ query }), 200);
      expect(listed.results.map((contract) => contract.id)).toEqual([contractId]);
    }
  });

  test('no contract of a deleted asset is active, read or listed, until the asset is restored', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const params = { contract_id: contractId };
    const shown = async () => {
      const listed = async (status?: 'active' | 'deprecated' | 'archived') => {
        const query = { asset_id: assetId, ...(status !== undefined && { status }) };
        const { results, total } = must(await world.other.client.listContracts({ query }), 200);
        return [total, ...results.map((contract) => contract.status)];
      };
      return {
        got: must(await world.other.client.getContract({ params }), 200).status,
        all: await listed(),
        active: await listed('active'),
        deprecated: await listed('deprecated'),
        archived: await listed('archived'),
      };
    };
    const living = {
      got: 'active',
      all: [1, 'active'],
      active: [1, 'active'],
      deprecated: [0],
      archived: [0],
    };
    expect(await shown()).toEqual(living);
    must(await world.producer.client.deleteAsset({ params: { asset_id: assetId } }), 204);
    expect(await shown()).toEqual({
      got: 'deprecated',
      all: [1, 'deprecated'],
      active: [0],
      deprecated: [1, 'deprecated'],
      archived: [0],
    });
    must(await world.admin.restoreAsset({ params: { asset_id: assetId } }), 200);
    expect(await shown()).toEqual(living);
  });

  test('two contracts are compared by id, and two versions by number', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const next = await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const forth = must(
      await world.admin.compareContracts({ body: { from: contractId, to: next } }),
      200,
    );
    expect(forth).toMatchObject({
      from: { id: contractId, version: '1.0.0' },
      to: { id: next, version: '1.1.0' },
      is_breaking: false,
      change_type: 'minor',
      changes: [{ type: 'property_added' }],
    });
    const byVersion = await world.admin.diffAsset({
      params: { asset_id: assetId },
      query: { from: '1.0.0' },
    });
    expect(must(byVersion, 200)).toEqual(forth);
    const back = await world.admin.diffAsset({
      params: { asset_id: assetId },
      query: { from: 'latest', to: '1.0.0' },
    });
    expect(must(back, 200)).toMatchObject({ is_breaking: true, change_type: 'major' });
  });

  test('comparing with a missing contract is 404 with the field', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const compared = await world.admin.compareContracts({ body: { from: contractId, to: nobody } });
    expect(mustRefuse(compared, 404, 'CONTRACT_NOT_FOUND').field).toBe('to');
    const diffed = await world.admin.diffAsset({
      params: { asset_id: assetId },
      query: { from: '5.0.0' },
    });
    expect(mustRefuse(diffed, 404, 'CONTRACT_NOT_FOUND').field).toBe('from');
  });
});

describe('PATCH /contracts/{id}', () => {
  test('archives a deprecated version permanently', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const params = { contract_id: contractId };
    const { client } = world.producer;
    const archived = must(
      await client.updateContract({ params, body: { status: 'archived' } }),
      200,
    );
    expect(archived).toMatchObject({ id: contractId, status: 'archived' });
    const back = await client.updateContract({ params, body: { status: 'deprecated' } });
    mustRefuse(back, 409, 'CONTRACT_ARCHIVED');
    const registered = await world.consumer.client.registerConsumer({
      body: { contract_id: contractId, consumer_team_id: world.consumer.teamId },
    });
    mustRefuse(registered, 409, 'CONTRACT_ARCHIVED');
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'contract', entity_id: contractId },
    });
    expect(must(history, 200).results[0]?.event_type).toBe('contract.archived');
  });

  test('does not archive a version that a registration pins, unless an admin forces it', async () => {
    const { assetId, contractId, proposalId } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    const forced = await world.admin.forceProposal({
      params: { proposal_id: proposalId },
      body: { reason: 'It has to be.' },
    });
    must(forced, 200);
    const params = { contract_id: contractId };
    const body = { status: 'archived' as const };
    const { client } = world.producer;
    const pinned = await client.updateContract({ params, body });
    expect(mustRefuse(pinned, 409, 'CONTRACT_PINNED').message).toMatch(/ has 1 registration\. /);
    const byProducer = await client.updateContract({
      params,
      body: { ...body, force: true, reason: 'It has to be.' },
    });
    mustRefuse(byProducer, 403, 'FORBIDDEN');
    must(
      await world.admin.updateContract({
        params,
        body: { ...body, force: true, reason: 'It has to be.' },
      }),
      200,
    );
    expect((await versionsOf(assetId))[1]).toEqual(['1.0.0', 'archived']);
  });

  test('cannot publish the deprecation of a contract that was archived meanwhile; the proposal can only be withdrawn', async () => {
    const { client } = world.producer;
    const { contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const params = { contract_id: contractId };
    const asked = must(
      await client.updateContract({ params, body: { status: 'deprecated' } }),
      200,
    );
    if (!('proposal' in asked)) throw new Error('Nobody was asked.');
    const of = { params: { proposal_id: asked.proposal.id ?? '' } };
    const body = { status: 'archived' as const, force: true, reason: 'It has to be.' };
    must(await world.admin.updateContract({ params, body }), 200);
    must(await world.consumer.client.acknowledgeProposal({ ...of, body: {} }), 200);
    const published = await client.publishProposal(of);
    expect(mustRefuse(published, 409, 'PROPOSAL_STALE').message).toContain('has changed since');
    const rebased = await client.rebaseProposal(of);
    expect(mustRefuse(rebased, 409, 'PROPOSAL_STALE').message).toContain('Withdraw it.');
    const reason = 'It is archived.';
    must(await client.withdrawProposal({ ...of, body: { reason } }), 200);
  });

  test('deprecates the active contract if there are no consumers to ask', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const updated = await world.producer.client.updateContract({
      params: { contract_id: contractId },
      body: { status: 'deprecated' },
    });
    expect(must(updated, 200)).toMatchObject({ status: 'deprecated' });
    const asset = must(await world.admin.getAsset({ params: { asset_id: assetId } }), 200);
    expect(asset.active_contract_id).toBeNull();
  });

  test('cannot activate a contract', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const response = await checkedFetch(`${registry.url}/api/v1/contracts/${contractId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${world.producer.key}`,
        'content-type': 'application/json',
      },
      body: '{"status":"active"}',
    });
    expect(response.status).toBe(400);
  });

  test('of a contract that does not exist is 404', async () => {
    const updated = await world.admin.updateContract({
      params: { contract_id: nobody },
      body: { status: 'archived' },
    });
    mustRefuse(updated, 404, 'CONTRACT_NOT_FOUND');
  });
});
