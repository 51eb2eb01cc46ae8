// Archived versions and deleted assets: their consumers are still asked.

import {
  createAsset,
  must,
  narrowerSchema,
  orderSchema,
  propose,
  publish,
  publishOk,
  register,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { consumedAsset, publishProposal, type Way } from './way.ts';

/** The version that a team consumes, archived by an administrator. */
async function forceArchived(world: World) {
  const consumed = await consumedAsset(world);
  const params = { contract_id: consumed.contractId };
  const body = { status: 'archived' as const, force: true, reason: 'The warehouse was shut down.' };
  must(await world.admin.updateContract({ params, body }), 200);
  return consumed;
}

/** Deleted with a registration that was made inactive; another asset took its name. */
async function sleepingOnDeleted(world: World) {
  const { producer, consumer } = world;
  const consumed = await consumedAsset(world);
  const params = { registration_id: consumed.registrationId };
  must(await consumer.client.updateRegistration({ params, body: { status: 'inactive' } }), 200);
  const named = { fqn: consumed.fqn, owner_team_id: producer.teamId };
  const staged = must(
    await producer.client.createAsset({ body: { ...named, environment: 'staging' } }),
    201,
  );
  await publishOk(producer.client, staged.id, { schema: narrowerSchema });
  must(await producer.client.deleteAsset({ params: { asset_id: consumed.assetId } }), 204);
  const moving = { params: { asset_id: staged.id }, body: { environment: 'production' } };
  must(await producer.client.updateAsset(moving), 200);
  return { ...consumed, params };
}

export const retired: readonly Way[] = [
  {
    way: 'force-archive the version that a team reads, then break',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId } = await forceArchived(world);
      const body = await publish(world.producer.client, assetId, { schema: narrowerSchema });
      return { ok: true, status: 201, body };
    },
  },
  {
    way: 'force-archive the newest version, then publish the one before it again',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { producer, consumer, admin } = world;
      const { id: assetId } = await createAsset(producer);
      await publishOk(producer.client, assetId, { schema: narrowerSchema });
      const contractId = await publishOk(producer.client, assetId, { schema: orderSchema });
      await register(consumer, contractId);
      const params = { contract_id: contractId };
      const body = { status: 'archived' as const, force: true, reason: 'It was never filled.' };
      must(await admin.updateContract({ params, body }), 200);
      const again = await publish(producer.client, assetId, { schema: narrowerSchema });
      return { ok: true, status: 201, body: again };
    },
  },
  {
    way: 'force-archive it while they are asked, and publish without their answer',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId } = await forceArchived(world);
      return publishProposal(world, await propose(world.producer.client, assetId, narrowerSchema));
    },
  },
  {
    way: 'force-archive it, then delete the asset as its owner',
    refusedBy: '409 ASSET_HAS_CONSUMERS',
    attempt: async (world) => {
      const { assetId } = await forceArchived(world);
      return world.producer.client.deleteAsset({ params: { asset_id: assetId } });
    },
  },
  {
    way: 'force-archive it, then lower the guarantee mode',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { assetId } = await forceArchived(world);
      const body = { guarantee_mode: 'ignore' as const };
      return world.producer.client.updateAsset({ params: { asset_id: assetId }, body });
    },
  },
  {
    way: 'break for those who stayed on an archived version, once the others moved on',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId } = await forceArchived(world);
      await publishOk(world.producer.client, assetId, { schema: widerSchema });
      const proposalId = await propose(world.producer.client, assetId, narrowerSchema);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'wake as a consumer of a deleted asset whose name another asset has by now',
    refusedBy: '404 ASSET_NOT_FOUND',
    attempt: async (world) => {
      const { params } = await sleepingOnDeleted(world);
      return world.consumer.client.updateRegistration({ params, body: { status: 'active' } });
    },
  },
  {
    way: 'move a narrower asset into the name that consumers of a deleted one read',
    refusedBy: '409 ASSET_EXISTS',
    attempt: async (world) => {
      const { admin, producer } = world;
      const environment = 'staging';
      const { assetId, fqn } = await consumedAsset(world, { environment });
      const query = { force: true, reason: 'Nobody reads it any more.' };
      must(await admin.deleteAsset({ params: { asset_id: assetId }, query }), 204);
      const body = { fqn, owner_team_id: producer.teamId };
      const { id } = must(await producer.client.createAsset({ body }), 201);
      await publishOk(producer.client, id, { schema: narrowerSchema });
      return producer.client.updateAsset({ params: { asset_id: id }, body: { environment } });
    },
  },
  {
    way: 'move a registration of a deleted asset to another of its versions',
    refusedBy: '404 ASSET_NOT_FOUND',
    attempt: async (world) => {
      const { params, contractId } = await sleepingOnDeleted(world);
      const body = { contract_id: contractId, notes: 'Here still.' };
      return world.consumer.client.updateRegistration({ params, body });
    },
  },
  {
    way: 'take a block back once the asset is deleted, and publish on it',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { assetId } = await consumedAsset(world);
      const proposalId = await propose(world.producer.client, assetId, narrowerSchema);
      const params = { proposal_id: proposalId };
      const { client } = world.consumer;
      const body = { response: 'blocked' as const, notes: 'Not yet.' };
      must(await client.acknowledgeProposal({ params, body }), 200);
      const query = { force: true, reason: 'Its table was dropped.' };
      must(await world.admin.deleteAsset({ params: { asset_id: assetId }, query }), 204);
      return client.acknowledgeProposal({ params, body: {} });
    },
  },
  {
    way: 'force a blocked proposal of a deleted asset',
    refusedBy: '404 ASSET_NOT_FOUND',
    attempt: async (world) => {
      const { assetId } = await consumedAsset(world);
      const proposalId = await propose(world.producer.client, assetId, narrowerSchema);
      const params = { proposal_id: proposalId };
      const body = { response: 'blocked' as const, notes: 'Not yet.' };
      must(await world.consumer.client.acknowledgeProposal({ params, body }), 200);
      const query = { force: true, reason: 'Its table was dropped.' };
      must(await world.admin.deleteAsset({ params: { asset_id: assetId }, query }), 204);
      return world.admin.forceProposal({ params, body: { reason: 'It has to go today.' } });
    },
  },
];
