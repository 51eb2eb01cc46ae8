// Proposals for assets that a cluster or a repository manages.

import { describe, expect, test } from 'vitest';
import {
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const reference = 'shop/orders in 5f2c';

/** An open proposal for an asset that has become managed; `proposer` is the name of its author. */
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

describe('A proposal for an asset that is managed elsewhere', () => {
  test('is not published automatically; publishing it approves it until the manager requests the same change', async () => {
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

  test('can be approved only after all consumers have acknowledged', async () => {
    const { params } = await managedProposal(null);
    mustRefuse(await world.producer.client.publishProposal({ params }), 409, 'PROPOSAL_NOT_READY');
    expect(await statusOf(params)).toBe('pending');
  });

  test('is published automatically if the manager made it, but not if another resource of the cluster did', async () => {
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

  test('cannot be withdrawn or forced through the API, unless an administrator overrides', async () => {
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

  test('is approved, rebased and answered as usual', async () => {
    const { params } = await managedProposal(null);
    await acknowledge(params);
    const { client } = world.producer;
    expect(must(await client.approveProposal({ params }), 200).status).toBe('approved');
    expect(must(await client.rebaseProposal({ params }), 200).status).toBe('pending');
  });
});

describe('Overriding external management', () => {
  const reason = 'The cluster is away, and the name is wrong.';
  type EventType = 'asset.updated' | 'contract.published' | 'proposal.created';
  const last = async (entity_id: string, event_type: EventType) => {
    const query = { entity_id, event_type, limit: 1 };
    return must(await world.admin.listEvents({ query }), 200).results[0]?.metadata;
  };

  async function managedAsset() {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await registry.database.query(
      "update asset set managed_source = 'kubernetes', managed_reference = $2 where id = $1",
      [assetId, reference],
    );
    return { assetId, contractId, params: { asset_id: assetId } };
  }

  test.each([undefined, 'too few'])('without a meaningful reason is refused: %s', async (said) => {
    const { params } = await managedAsset();
    const more = { override: true, ...(said !== undefined && { reason: said }) };
    const published = world.admin.publishContract({
      params,
      body: { schema: widerSchema, ...more },
    });
    const updated = world.admin.updateAsset({ params, body: { metadata: { a: 1 }, ...more } });
    for (const answer of [await published, await updated]) {
      expect(mustRefuse(answer, 400, 'VALIDATION_ERROR').field).toBe('reason');
    }
  });

  test('records its reason in the events of the version and of the asset', async () => {
    const { params, assetId } = await managedAsset();
    const more = { override: true, reason: ` ${reason} ` };
    const contractId = await publishOk(world.admin, assetId, { schema: widerSchema, ...more });
    must(await world.admin.updateAsset({ params, body: { metadata: { a: 1 }, ...more } }), 200);
    expect(await last(contractId, 'contract.published')).toMatchObject({ reason });
    expect(await last(assetId, 'asset.updated')).toMatchObject({
      reason,
      to: { metadata: { a: 1 } },
    });
  });

  const overridden = { override: true, reason: ` ${reason} ` };
  type Managed = Awaited<ReturnType<typeof managedAsset>>;
  test.each([
    [
      'a publish',
      ({ params }: Managed) =>
        world.admin.publishContract({ params, body: { schema: narrowerSchema, ...overridden } }),
    ],
    [
      'a move of the asset',
      ({ params }: Managed) =>
        world.admin.updateAsset({ params, body: { environment: 'staging', ...overridden } }),
    ],
    [
      'a deprecation',
      ({ contractId }: Managed) =>
        world.admin.updateContract({
          params: { contract_id: contractId },
          body: { status: 'deprecated', ...overridden },
        }),
    ],
  ])('records its reason in the event of the proposal that it becomes: %s', async (_what, ask) => {
    const managed = await managedAsset();
    await register(world.consumer, managed.contractId);
    const answer = await ask(managed);
    expect(answer).toMatchObject({ ok: true, body: { action: 'proposal_created' } });
    const query = { asset_id: managed.assetId };
    const { results } = must(await world.admin.listProposals({ query }), 200);
    expect(await last(results[0]?.id ?? '', 'proposal.created')).toMatchObject({
      consumers: [world.consumer.name],
      reason,
    });
  });

  test('records no reason if nothing was overridden', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const body = { metadata: { a: 1 }, reason };
    const answer = await world.producer.client.updateAsset({ params: { asset_id: assetId }, body });
    must(answer, 200);
    expect(await last(assetId, 'asset.updated')).not.toHaveProperty('reason');
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    expect(await last(proposalId, 'proposal.created')).not.toHaveProperty('reason');
  });
});
