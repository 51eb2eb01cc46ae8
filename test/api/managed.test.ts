// The proposals of an asset that a cluster or a repository manages.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client-registry.ts';
import { must, mustRefuse, openWorld, proposedAsset, type World } from '../support/client-world.ts';

let registry: TestRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(() => registry.stop());

const reference = 'shop/orders in 5f2c';

/** An open proposal of an asset that came to be managed, by whom it was made as a name. */
async function managedProposal(proposer: string | null) {
  const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
  await registry.database.query(
    "update asset set managed_source = 'kubernetes', managed_reference = $2, auto_publish = true where id = $1",
    [assetId, reference],
  );
  if (proposer !== null) {
    await registry.database.query(
      "update proposal set actor_type = 'controller', actor_name = $2 where id = $1",
      [proposalId, proposer],
    );
  }
  return { assetId, params: { proposal_id: proposalId } };
}

const acknowledge = async (params: { proposal_id: string }) =>
  must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);

const statusOf = async (params: { proposal_id: string }) =>
  must(await world.admin.getProposal({ params }), 200).status;

const code = 'ASSET_MANAGED_ELSEWHERE';

describe('A proposal of an asset that is managed elsewhere', () => {
  test('does not publish itself, and is parked by publish until the manager asks for the same', async () => {
    const { assetId, params } = await managedProposal(null);
    await acknowledge(params);
    expect(await statusOf(params)).toBe('pending');
    const { client } = world.producer;
    const parked = must(await client.publishProposal({ params }), 200);
    expect(parked).toMatchObject({ proposal: { status: 'approved' }, contract: null });
    expect(must(await client.publishProposal({ params }), 200)).toEqual(parked);
    const asset = must(await client.getAsset({ params: { asset_id: assetId } }), 200);
    expect(asset.active_contract_version).toBe('1.0.0');
    const byProducer = await client.publishProposal({
      params,
      query: { override: true, reason: 'It has to be.' },
    });
    mustRefuse(byProducer, 403, 'FORBIDDEN');
    const overridden = await world.admin.publishProposal({
      params,
      query: { override: true, reason: 'It has to be.' },
    });
    expect(must(overridden, 200)).toMatchObject({
      proposal: { status: 'published' },
      contract: { version: '2.0.0' },
    });
  });

  test('is parked only once everybody has acknowledged', async () => {
    const { params } = await managedProposal(null);
    mustRefuse(await world.producer.client.publishProposal({ params }), 409, 'PROPOSAL_NOT_READY');
    expect(await statusOf(params)).toBe('pending');
  });

  test('publishes itself where the manager made it, and no other resource of that cluster', async () => {
    const own = await managedProposal('DataContract shop/orders');
    await acknowledge(own.params);
    expect(await statusOf(own.params)).toBe('published');
    const other = await managedProposal('DataContract shop/other');
    await acknowledge(other.params);
    expect(await statusOf(other.params)).toBe('pending');
    const written = await managedProposal('ContractProposal shop/orders');
    await acknowledge(written.params);
    expect(await statusOf(written.params)).toBe('pending');
  });

  test('is withdrawn and forced there, unless an administrator overrides', async () => {
    const { params } = await managedProposal(null);
    const { client } = world.producer;
    const body = { reason: 'It has to be.' };
    mustRefuse(await client.withdrawProposal({ params, body }), 409, code);
    mustRefuse(await world.admin.withdrawProposal({ params, body }), 409, code);
    mustRefuse(await world.admin.forceProposal({ params, body }), 409, code);
    expect(await statusOf(params)).toBe('pending');
    const query = { override: true };
    mustRefuse(await client.withdrawProposal({ params, query, body }), 403, 'FORBIDDEN');
    must(await world.admin.withdrawProposal({ params, query, body }), 200);
    const forced = await managedProposal(null);
    const answer = await world.admin.forceProposal({ params: forced.params, query, body });
    expect(must(answer, 200)).toMatchObject({ status: 'force_published' });
  });

  test('is approved, rebased and answered as ever', async () => {
    const { params } = await managedProposal(null);
    await acknowledge(params);
    const { client } = world.producer;
    expect(must(await client.approveProposal({ params }), 200).status).toBe('approved');
    expect(must(await client.rebaseProposal({ params }), 200).status).toBe('pending');
  });
});
