// Answering for someone else, answering what nobody has read, and forcing without a reason.

import {
  issueKey,
  must,
  openParty,
  type Party,
  publishedAsset,
  publishOk,
  register,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';
import { agree, askedAsset, consumedAsset, type Way } from './way.ts';

/** A key that imports and publishes for all teams in CI. */
async function keyOfAllTeams({ admin }: World) {
  return admin.as(await issueKey(admin, { all_teams: true, scopes: ['write'] }));
}

async function keyOfSeveral({ admin }: World, ...parties: readonly Party[]) {
  const team_ids = parties.map(({ teamId }) => teamId);
  return admin.as(await issueKey(admin, { team_ids, scopes: ['write'] }));
}

/** In a second round, which nobody has read yet. */
async function rebased(world: World) {
  const asked = await askedAsset(world);
  const params = { proposal_id: asked.proposalId };
  const before = must(await world.consumer.client.getProposal({ params }), 200);
  await publishOk(world.producer.client, asked.assetId, { schema: widerSchema });
  const after = must(await world.producer.client.rebaseProposal({ params }), 200);
  return { ...asked, params, readRound: before.round, round: after.round };
}

/** Its consumer agreed to a break, and stays on its version until a date. */
async function migrating(world: World) {
  const asked = await askedAsset(world);
  const proposal = { proposal_id: asked.proposalId };
  const body = { response: 'migrating' as const, until: '2999-01-01T00:00:00.000Z' };
  must(await world.consumer.client.acknowledgeProposal({ params: proposal, body }), 200);
  must(await world.producer.client.publishProposal({ params: proposal }), 200);
  return { ...asked, params: { asset_id: asked.assetId } };
}

/** What a team reads decides about whether it is asked. */
const readsNothing = { needs: { fields: [] } };
const saying =
  (clientOf: (world: World) => Promise<Party['client']>): Way['attempt'] =>
  async (world) => {
    const { registrationId } = await consumedAsset(world);
    const params = { registration_id: registrationId };
    return (await clientOf(world)).updateRegistration({ params, body: readsNothing });
  };
const needs: readonly Way[] = [
  ['its producer', async ({ producer }: World) => producer.client],
  ['the key that publishes for all teams', keyOfAllTeams],
  ['a key of both teams', (world: World) => keyOfSeveral(world, world.producer, world.consumer)],
].map(([who, clientOf]) => ({
  way: `say that a consumer reads nothing, by ${who}`,
  refusedBy: '403 FORBIDDEN',
  attempt: saying(clientOf as typeof keyOfAllTeams),
}));

/** Registers for a team, with a need that excuses it. */
const registering: Way = {
  way: 'register a team that reads nothing, by the key that publishes for all teams',
  refusedBy: '403 FORBIDDEN',
  attempt: async (world) => {
    const { contractId } = await publishedAsset(world.producer);
    const consumer_team_id = world.consumer.teamId;
    const body = { contract_id: contractId, consumer_team_id, ...readsNothing };
    return (await keyOfAllTeams(world)).registerConsumer({ body });
  },
};

const filler = '\u3164'.repeat(20);

export const answering: readonly Way[] = [
  {
    way: 'answer for a consumer by the key that publishes for all teams',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const client = await keyOfAllTeams(world);
      const body = { team_id: world.consumer.teamId };
      return client.acknowledgeProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'answer for a consumer by a key of both teams that does not name the right',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const client = await keyOfSeveral(world, world.producer, world.consumer);
      const body = { team_id: world.consumer.teamId };
      return client.acknowledgeProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'end the registration of a consumer by the key that publishes for all teams',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { registrationId } = await consumedAsset(world);
      const client = await keyOfAllTeams(world);
      return client.deleteRegistration({ params: { registration_id: registrationId } });
    },
  },
  {
    way: 'switch the registration of a consumer off by the key that publishes for all teams',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { registrationId } = await consumedAsset(world);
      const client = await keyOfAllTeams(world);
      const params = { registration_id: registrationId };
      return client.updateRegistration({ params, body: { status: 'inactive' } });
    },
  },
  ...needs,
  registering,
  ...(['all teams', 'both teams'] as const).map(
    (teams): Way => ({
      way: `move a consumer to a forced break by the key that publishes for ${teams}`,
      refusedBy: '403 FORBIDDEN',
      attempt: async (world) => {
        const { proposalId, registrationId } = await askedAsset(world);
        const forcing = { params: { proposal_id: proposalId }, body: { reason: 'It has to go.' } };
        const { contract } = must(await world.admin.forceProposal(forcing), 200);
        const client =
          teams === 'all teams'
            ? await keyOfAllTeams(world)
            : await keyOfSeveral(world, world.producer, world.consumer);
        return client.updateRegistration({
          params: { registration_id: registrationId },
          body: { contract_id: contract?.id ?? '' },
        });
      },
    }),
  ),
  {
    way: 'move a consumer who migrates by the key that publishes for all teams, to archive its version',
    refusedBy: '409 CONTRACT_PINNED',
    attempt: async (world) => {
      const { contractId, params, registrationId } = await migrating(world);
      const asset = must(await world.admin.getAsset({ params }), 200);
      const moving = {
        params: { registration_id: registrationId },
        body: { contract_id: asset.active_contract_id ?? '' },
      };
      await (await keyOfAllTeams(world)).updateRegistration(moving);
      const body = { status: 'archived' as const };
      return world.producer.client.updateContract({ params: { contract_id: contractId }, body });
    },
  },
  {
    way: 'move a consumer who migrates by a manifest that names it, to archive its version',
    refusedBy: '409 CONTRACT_PINNED',
    attempt: async (world) => {
      const { contractId, fqn } = await migrating(world);
      const name = fqn.split('.').at(-1) ?? fqn;
      const meta = { svc: { consumers: [{ team: world.consumer.name }] } };
      const upload = {
        manifest: manifestOf('shop', [{ name, meta }]),
        owner_team_id: world.producer.teamId,
        auto_register_consumers: true,
        conflict_mode: 'overwrite' as const,
      };
      must(await world.producer.client.uploadBuildtool({ body: upload }), 200);
      const body = { status: 'archived' as const };
      return world.producer.client.updateContract({ params: { contract_id: contractId }, body });
    },
  },
  {
    way: 'answer for a consumer as its producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const body = { team_id: world.consumer.teamId };
      const params = { proposal_id: proposalId };
      return world.producer.client.acknowledgeProposal({ params, body });
    },
  },
  {
    way: 'answer as a team that does not consume the asset',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      return world.other.client.acknowledgeProposal({
        params: { proposal_id: proposalId },
        body: {},
      });
    },
  },
  {
    way: 'answer for a consumer as an administrator, without a word',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const body = { team_id: world.consumer.teamId };
      return world.admin.acknowledgeProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'take a consumer away as the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { registrationId } = await consumedAsset(world);
      const params = { registration_id: registrationId };
      return world.producer.client.deleteRegistration({ params });
    },
  },
  {
    way: 'switch a consumer off as the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { registrationId } = await consumedAsset(world);
      const params = { registration_id: registrationId };
      return world.producer.client.updateRegistration({ params, body: { status: 'inactive' } });
    },
  },
  {
    way: 'count an answer to the round before in the next one',
    refusedBy: '409 PROPOSAL_CHANGED',
    attempt: async (world) => {
      const { params, readRound } = await rebased(world);
      return world.consumer.client.acknowledgeProposal({ params, body: { round: readRound } });
    },
  },
  {
    way: 'count an answer to what the ETag of the round before was given for',
    refusedBy: '412 PRECONDITION_FAILED',
    attempt: async (world) => {
      const asked = await askedAsset(world);
      const params = { proposal_id: asked.proposalId };
      const read = await world.consumer.client.getProposal({ params });
      await publishOk(world.producer.client, asked.assetId, { schema: widerSchema });
      must(await world.producer.client.rebaseProposal({ params }), 200);
      const headers = { 'If-Match': read.headers.get('etag') ?? '' };
      return world.consumer.client.acknowledgeProposal({ params, body: {}, headers });
    },
  },
  {
    way: 'publish a rebased proposal by the answers to the round before',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const asked = await askedAsset(world);
      const params = { proposal_id: asked.proposalId };
      await agree(world.consumer, asked.proposalId);
      await publishOk(world.producer.client, asked.assetId, { schema: widerSchema });
      must(await world.producer.client.rebaseProposal({ params }), 200);
      return world.producer.client.publishProposal({ params });
    },
  },
  ...['', 'because', ' '.repeat(20), `x${'\u200b'.repeat(20)}`, filler].map(
    (reason): Way => ({
      way: `force with the reason ${JSON.stringify(reason)}`,
      refusedBy: '400 VALIDATION_ERROR',
      attempt: async (world) => {
        const { proposalId } = await askedAsset(world);
        return world.admin.forceProposal({ params: { proposal_id: proposalId }, body: { reason } });
      },
    }),
  ),
  {
    way: 'force as the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const body = { reason: 'It has to go today.' };
      return world.producer.client.forceProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'withdraw without a reason, to hide what was asked',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const body = { reason: filler };
      return world.producer.client.withdrawProposal({ params: { proposal_id: proposalId }, body });
    },
  },
  {
    way: 'force-archive what a team reads, without a reason',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { contractId } = await consumedAsset(world);
      const body = { status: 'archived' as const, force: true };
      return world.admin.updateContract({ params: { contract_id: contractId }, body });
    },
  },
  {
    way: 'force-delete what a team consumes, without a reason',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { assetId } = await consumedAsset(world);
      return world.admin.deleteAsset({ params: { asset_id: assetId }, query: { force: true } });
    },
  },
  {
    way: 'delete the team that is asked, as an administrator without a reason',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const leaving = await openParty(world.admin, 'leaving');
      await askedAsset({ ...world, consumer: leaving });
      return world.admin.deleteTeam({ params: { team_id: leaving.teamId } });
    },
  },
  ...(
    [
      ['move', 'contract_id'],
      ['end', 'status'],
      ['narrow the need of', 'needs'],
    ] as const
  ).map(
    ([what, field]): Way => ({
      way: `${what} the registration of another team, as an administrator without a reason`,
      refusedBy: '400 VALIDATION_ERROR',
      attempt: async (world) => {
        const { proposalId, registrationId } = await askedAsset(world);
        const forcing = { params: { proposal_id: proposalId }, body: { reason: 'It has to go.' } };
        const { contract } = must(await world.admin.forceProposal(forcing), 200);
        const body = {
          contract_id: contract?.id ?? '',
          status: 'inactive' as const,
          needs: { fields: [] },
        };
        return world.admin.updateRegistration({
          params: { registration_id: registrationId },
          body: { [field]: body[field] },
        });
      },
    }),
  ),
  {
    way: 'remove the registration of another team, as an administrator without a reason',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { registrationId } = await askedAsset(world);
      return world.admin.deleteRegistration({ params: { registration_id: registrationId } });
    },
  },
  {
    way: 'force-archive as the owner of the asset',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { contractId } = await consumedAsset(world);
      const body = { status: 'archived' as const, force: true, reason: 'It has to go today.' };
      return world.producer.client.updateContract({ params: { contract_id: contractId }, body });
    },
  },
  {
    way: 'archive the version that a team reads',
    refusedBy: '409 CONTRACT_PINNED',
    attempt: async (world) => {
      const { contractId } = await consumedAsset(world);
      const body = { status: 'archived' as const };
      return world.producer.client.updateContract({ params: { contract_id: contractId }, body });
    },
  },
  {
    way: 'be the consumer of the own asset, and answer for everybody',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, contractId } = await askedAsset(world);
      const { producer } = world;
      const body = { contract_id: contractId, consumer_team_id: producer.teamId, allow_self: true };
      must(await producer.client.registerConsumer({ body }), 201);
      await agree(producer, proposalId);
      return producer.client.publishProposal({ params: { proposal_id: proposalId } });
    },
  },
  {
    way: 'leave after agreeing, come back, and be counted twice',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, contractId, registrationId } = await askedAsset(world);
      await register(world.other, contractId);
      await agree(world.consumer, proposalId);
      const params = { registration_id: registrationId };
      must(await world.consumer.client.deleteRegistration({ params }), 204);
      await register(world.consumer, contractId);
      await agree(world.consumer, proposalId);
      return world.producer.client.publishProposal({ params: { proposal_id: proposalId } });
    },
  },
];
