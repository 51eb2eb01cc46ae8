// With FOUR_EYES: one person who acts as two administrators, or whose request is no longer about
// what the second one sees.

import type { TestClient } from '../../support/client/client.ts';
import {
  createUser,
  issueKey,
  must,
  narrowerSchema,
  propose,
  publishOk,
  signIn,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { agree, askedAsset, consumedAsset, publishProposal, type Way } from './way.ts';

const waits = 'waits for a second administrator';

interface Administrator {
  readonly userId: string;
  readonly email: string;
  /** Clients of the first and the second process. */
  readonly here: TestClient;
  readonly there: TestClient;
}

/** Calls of `there` go to the process that the administrators use. */
async function openAdministrator({ admin, producer }: World): Promise<Administrator> {
  const { id, email } = await createUser(admin, { role: 'admin' });
  const key = await issueKey(admin, { user_id: id, scopes: ['admin'] });
  return { userId: id, email, here: producer.client.as(key), there: admin.as(key) };
}

function force(client: TestClient, proposalId: string) {
  const params = { proposal_id: proposalId };
  return client.forceProposal({ params, body: { reason: 'Legal wants it gone.' } });
}

/** A proposal with one administrator's request to force it, and a second administrator. */
async function requestedForce(world: World) {
  const asked = await askedAsset(world);
  const [first, second] = [await openAdministrator(world), await openAdministrator(world)];
  must(await force(first.here, asked.proposalId), 202);
  return { ...asked, first, second, params: { proposal_id: asked.proposalId } };
}

const blocking = { response: 'blocked' as const, notes: 'We read it.' };

export const forcing: readonly Way[] = [
  {
    way: 'force alone',
    refusedBy: waits,
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      return force((await openAdministrator(world)).there, proposalId);
    },
  },
  {
    way: 'force twice as the same administrator',
    refusedBy: '409 SECOND_ADMINISTRATOR_NEEDED',
    attempt: async (world) => {
      const { first, proposalId } = await requestedForce(world);
      return force(first.there, proposalId);
    },
  },
  {
    way: 'force by two keys of one user',
    refusedBy: '409 SECOND_ADMINISTRATOR_NEEDED',
    attempt: async (world) => {
      const { first, proposalId } = await requestedForce(world);
      const key = await issueKey(world.admin, { user_id: first.userId, scopes: ['admin'] });
      return force(world.admin.as(key), proposalId);
    },
  },
  {
    way: 'force by a key and by the session of its user',
    refusedBy: '409 SECOND_ADMINISTRATOR_NEEDED',
    attempt: async (world) => {
      const { first, proposalId } = await requestedForce(world);
      return force(world.admin.signedIn(await signIn(world.admin, first.email)), proposalId);
    },
  },
  {
    way: 'confirm by the bootstrap key',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await requestedForce(world);
      return force(world.admin, proposalId);
    },
  },
  {
    way: 'confirm by a key that belongs to no user',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { first, proposalId } = await requestedForce(world);
      const key = await issueKey(first.here, { all_teams: true, scopes: ['admin'] });
      return force(world.admin.as(key), proposalId);
    },
  },
  {
    way: 'request by a key that belongs to no user, to confirm it in person',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const key = await issueKey(world.admin, { all_teams: true, scopes: ['admin'] });
      return force(world.admin.as(key), proposalId);
    },
  },
  {
    way: 'confirm as an administrator who was demoted',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { second, proposalId } = await requestedForce(world);
      const params = { user_id: second.userId };
      must(await world.admin.updateUser({ params, body: { role: 'editor' } }), 200);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm what was requested by somebody who was demoted since',
    refusedBy: waits,
    attempt: async (world) => {
      const { first, second, proposalId } = await requestedForce(world);
      const params = { user_id: first.userId };
      must(await world.admin.updateUser({ params, body: { role: 'editor' } }), 200);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm what was requested by somebody who was deactivated since',
    refusedBy: waits,
    attempt: async (world) => {
      const { first, second, proposalId } = await requestedForce(world);
      must(await world.admin.deactivateUser({ params: { user_id: first.userId } }), 204);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm in a new round what was requested in the one before',
    refusedBy: waits,
    attempt: async (world) => {
      const { assetId, params, second, proposalId } = await requestedForce(world);
      await publishOk(world.producer.client, assetId, { schema: widerSchema });
      must(await world.producer.client.rebaseProposal({ params }), 200);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm what a consumer has blocked since',
    refusedBy: waits,
    attempt: async (world) => {
      const { params, second, proposalId } = await requestedForce(world);
      must(await world.consumer.client.acknowledgeProposal({ params, body: blocking }), 200);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm what a consumer has blocked, and taken back, since',
    refusedBy: waits,
    attempt: async (world) => {
      const { params, second, proposalId } = await requestedForce(world);
      must(await world.consumer.client.acknowledgeProposal({ params, body: blocking }), 200);
      await agree(world.consumer, proposalId);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm what was withdrawn since',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { params, second, proposalId } = await requestedForce(world);
      const body = { reason: 'It was a mistake.' };
      must(await world.producer.client.withdrawProposal({ params, body }), 200);
      return force(second.there, proposalId);
    },
  },
  {
    way: 'confirm for a proposal what was requested for the one before it',
    refusedBy: waits,
    attempt: async (world) => {
      const { assetId, params, second } = await requestedForce(world);
      const body = { reason: 'It was a mistake.' };
      must(await world.producer.client.withdrawProposal({ params, body }), 200);
      return force(second.there, await propose(world.producer.client, assetId, narrowerSchema));
    },
  },
  {
    way: 'publish as the producer what one administrator has requested',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => publishProposal(world, (await requestedForce(world)).proposalId),
  },
  {
    way: 'force-delete the asset alone, and break what takes its name',
    refusedBy: 'asks the consumers',
    attempt: async (world) => {
      const { producer } = world;
      const { assetId, fqn } = await consumedAsset(world);
      const { there } = await openAdministrator(world);
      const query = { force: true, reason: 'Legal wants it gone.' };
      must(await there.deleteAsset({ params: { asset_id: assetId }, query }), 204);
      const body = { fqn, owner_team_id: producer.teamId };
      const asset = must(await producer.client.createAsset({ body }), 201);
      return producer.client.publishContract({
        params: { asset_id: asset.id },
        body: { schema: narrowerSchema },
      });
    },
  },
];
