// Keys that had other rights before, agreed proposals with another use, and simultaneous requests.

import {
  createUser,
  issueKey,
  must,
  narrowerSchema,
  openParty,
  orderSchema,
  type Party,
  propose,
  publishedAsset,
  publishOk,
  register,
  signIn,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { agree, askedAsset, consumedAsset, publishProposal, type Way } from './way.ts';

async function keyOf({ admin }: World, key: Parameters<typeof issueKey>[1]) {
  return admin.as(await issueKey(admin, key));
}

const reason = 'We go on without them.';

/** What a key that may only acknowledge tries on an asset of its own team. */
const byAcknowledging =
  (
    attempt: (
      client: Awaited<ReturnType<typeof keyOf>>,
      asked: Awaited<ReturnType<typeof askedAsset>>,
      world: World,
    ) => ReturnType<Way['attempt']>,
  ): Way['attempt'] =>
  async (world) => {
    const scopes = ['acknowledge' as const];
    const client = await keyOf(world, { team_id: world.producer.teamId, scopes });
    return attempt(client, await askedAsset(world), world);
  };

async function agreedMove(world: World, owner: Party, body: { owner_team_id?: string }) {
  const published = await publishedAsset(owner);
  await register(world.consumer, published.contractId);
  const params = { asset_id: published.assetId };
  const moved = must(await owner.client.updateAsset({ params, body }), 200);
  const { proposal } = moved as { proposal?: { id: string | null } };
  const proposalId = proposal?.id ?? '';
  await agree(world.consumer, proposalId);
  return { ...published, proposalId };
}

async function agreedDeprecation(world: World) {
  const consumed = await consumedAsset(world);
  const params = { contract_id: consumed.contractId };
  const body = { status: 'deprecated' as const };
  const answer = must(await world.producer.client.updateContract({ params, body }), 200);
  const { proposal } = answer as { proposal?: { id: string | null } };
  const proposalId = proposal?.id ?? '';
  await agree(world.consumer, proposalId);
  await publishOk(world.producer.client, consumed.assetId, { schema: widerSchema });
  return { ...consumed, proposalId };
}

export const keysAndRaces: readonly Way[] = [
  {
    way: 'answer by a key of several teams of which one is left',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { admin, consumer } = world;
      const { proposalId } = await askedAsset(world);
      const leaving = await openParty(admin, 'leaving');
      const team_ids = [leaving.teamId, consumer.teamId];
      const client = await keyOf(world, { team_ids, scopes: ['write'] });
      must(await admin.deleteTeam({ params: { team_id: leaving.teamId } }), 204);
      const body = { team_id: consumer.teamId };
      return client.acknowledgeProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'answer by the key of a user of the producer who joined the consumer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { admin, producer, consumer } = world;
      const { proposalId } = await askedAsset(world);
      const user = await createUser(admin, { team_id: producer.teamId, role: 'editor' });
      const key = { team_id: producer.teamId, user_id: user.id, scopes: ['write' as const] };
      const client = await keyOf(world, key);
      const params = { user_id: user.id };
      must(await admin.updateUser({ params, body: { team_id: consumer.teamId } }), 200);
      const body = { team_id: consumer.teamId };
      return client.acknowledgeProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'answer by the session of a user of the consumer who joined the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const { admin, consumer, producer } = world;
      const user = await createUser(admin, { team_id: consumer.teamId, role: 'editor' });
      const client = admin.signedIn(await signIn(admin, user.email));
      const params = { user_id: user.id };
      must(await admin.updateUser({ params, body: { team_id: producer.teamId } }), 200);
      return client.acknowledgeProposal({ params: { proposal_id: proposalId }, body: {} });
    },
  },
  {
    way: 'publish what was agreed to once it refuses more of a wider version',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const { client } = world.producer;
      const listing = (...values: string[]) => ({
        ...orderSchema,
        properties: { ...orderSchema.properties, state: { enum: values } },
      });
      const { assetId } = await consumedAsset(world);
      await publishOk(client, assetId, { schema: listing('open', 'closed') });
      const proposalId = await propose(client, assetId, listing('open'));
      await agree(world.consumer, proposalId);
      await publishOk(client, assetId, { schema: listing('open', 'closed', 'paid') });
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'answer by a read key of the consumer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const client = await keyOf(world, { team_id: world.consumer.teamId, scopes: ['read'] });
      return client.acknowledgeProposal({ params: { proposal_id: proposalId }, body: {} });
    },
  },
  {
    way: 'answer for a consumer by a key that only acknowledges for the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: byAcknowledging((client, { proposalId }, { consumer }) =>
      client.acknowledgeProposal({
        params: { proposal_id: proposalId },
        body: { team_id: consumer.teamId },
      }),
    ),
  },
  {
    way: 'end a registration by a key that only acknowledges for the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: byAcknowledging((client, { registrationId }) =>
      client.deleteRegistration({ params: { registration_id: registrationId } }),
    ),
  },
  {
    way: 'publish by a key that only acknowledges',
    refusedBy: '403 FORBIDDEN',
    attempt: byAcknowledging((client, { proposalId }) =>
      client.publishProposal({ params: { proposal_id: proposalId } }),
    ),
  },
  {
    way: 'withdraw by a key that only acknowledges',
    refusedBy: '403 FORBIDDEN',
    attempt: byAcknowledging((client, { proposalId }) =>
      client.withdrawProposal({ params: { proposal_id: proposalId }, body: { reason } }),
    ),
  },
  {
    way: 'send a break under the idempotency key of what was published',
    refusedBy: '422 IDEMPOTENCY_MISMATCH',
    attempt: async (world) => {
      const { client } = world.producer;
      const params = { asset_id: (await consumedAsset(world)).assetId };
      const headers = { 'Idempotency-Key': params.asset_id };
      must(await client.publishContract({ params, headers, body: { schema: widerSchema } }), 201);
      return client.publishContract({ params, headers, body: { schema: narrowerSchema } });
    },
  },
  {
    way: 'repeat an agreement under its idempotency key after the team blocked the change',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const { client } = world.consumer;
      const agreement = {
        params: { proposal_id: proposalId },
        headers: { 'Idempotency-Key': proposalId },
        body: { response: 'approved' as const },
      };
      must(await client.acknowledgeProposal(agreement), 200);
      const block = { response: 'blocked' as const, notes: 'We found a reader.' };
      must(await client.acknowledgeProposal({ params: agreement.params, body: block }), 200);
      must(await client.acknowledgeProposal(agreement), 200);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'send the agreement of a consumer again, under its idempotency key, by the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const agreement = {
        params: { proposal_id: proposalId },
        headers: { 'Idempotency-Key': proposalId },
        body: { response: 'approved' as const, team_id: world.consumer.teamId },
      };
      must(await world.consumer.client.acknowledgeProposal(agreement), 200);
      return world.producer.client.acknowledgeProposal(agreement);
    },
  },
  {
    way: 'loosen the mode beside a schema that was agreed to',
    refusedBy: '409 PROPOSAL_PENDING',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      await agree(world.consumer, proposalId);
      const body = { schema: narrowerSchema, compatibility_mode: 'none' as const };
      return world.producer.client.publishContract({ params: { asset_id: assetId }, body });
    },
  },
  {
    way: 'give the asset away while a break is agreed to',
    refusedBy: '409 PROPOSAL_PENDING',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      await agree(world.consumer, proposalId);
      const body = { owner_team_id: world.other.teamId };
      return world.producer.client.updateAsset({ params: { asset_id: assetId }, body });
    },
  },
  {
    way: 'move to a team that was deleted since everybody agreed',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const heir = await openParty(world.admin, 'heir');
      const body = { owner_team_id: heir.teamId };
      const { proposalId } = await agreedMove(world, world.producer, body);
      must(await world.admin.deleteTeam({ params: { team_id: heir.teamId } }), 204);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'deprecate a newer version than the one that everybody agreed about',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => publishProposal(world, (await agreedDeprecation(world)).proposalId),
  },
  {
    way: 'rebase an agreed deprecation onto a newer version',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const params = { proposal_id: (await agreedDeprecation(world)).proposalId };
      return world.producer.client.rebaseProposal({ params });
    },
  },
  {
    way: 'archive the version that a team still migrates from',
    refusedBy: '409 CONTRACT_PINNED',
    attempt: async (world) => {
      const { proposalId, contractId } = await askedAsset(world);
      const body = { response: 'migrating' as const, until: '2999-01-01T00:00:00.000Z' };
      const params = { proposal_id: proposalId };
      must(await world.consumer.client.acknowledgeProposal({ params, body }), 200);
      must(await publishProposal(world, proposalId), 200);
      const archiving = {
        params: { contract_id: contractId },
        body: { status: 'archived' as const },
      };
      return world.producer.client.updateContract(archiving);
    },
  },
  {
    way: 'break while a team registers, and publish at once',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId, contractId } = await publishedAsset(world.producer);
      const [proposalId] = await Promise.all([
        propose(world.producer.client, assetId, narrowerSchema),
        register(world.consumer, contractId),
      ]);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'rebase while a team answers what it has read',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      const params = { proposal_id: proposalId };
      const { round } = must(await world.consumer.client.getProposal({ params }), 200);
      await publishOk(world.producer.client, assetId, { schema: widerSchema });
      await Promise.all([
        world.consumer.client.acknowledgeProposal({ params, body: { round } }),
        world.producer.client.rebaseProposal({ params }),
      ]);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'supersede an agreed break by two others at once, and publish it',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      await agree(world.consumer, proposalId);
      const schemas = [{ type: 'object' }, { type: 'object', required: ['id'] }];
      await Promise.all(
        schemas.map((schema) =>
          world.producer.client.publishContract({
            params: { asset_id: assetId },
            body: { schema, supersede: true },
          }),
        ),
      );
      return publishProposal(world, proposalId);
    },
  },
];
