// An approval without consumers, or with only a friendly one, does not cover later consumers: they
// are asked too, however they register.

import { expect } from 'vitest';
import {
  must,
  narrowerSchema,
  propose,
  publishedAsset,
  register,
  type World,
} from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';
import { agree, approve, askedAsset, publishProposal, type Way } from './way.ts';

/** Approved at once, because nobody consumes the asset. */
async function approvedForNobody(world: World) {
  const published = await publishedAsset(world.producer);
  const proposalId = await propose(world.producer.client, published.assetId, narrowerSchema);
  await approve(world, proposalId);
  return { ...published, proposalId };
}

async function approvedByFriend(world: World) {
  const asked = await askedAsset(world);
  await agree(world.consumer, asked.proposalId);
  await approve(world, asked.proposalId);
  return asked;
}

/** Through a manifest, which anyone who may write for the producer can send. */
async function declareConsumer({ producer, consumer }: World, fqn: string): Promise<void> {
  const name = fqn.split('.').at(-1) ?? fqn;
  const meta = { svc: { consumers: [{ team: consumer.name }] } };
  const body = {
    manifest: manifestOf('shop', [{ name, meta }]),
    owner_team_id: producer.teamId,
    auto_register_consumers: true,
  };
  expect(must(await producer.client.uploadBuildtool({ body }), 200).registrations.created).toBe(1);
}

export const afterApproval: readonly Way[] = [
  {
    way: 'approve while nobody consumes, publish once somebody registered',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { contractId, proposalId } = await approvedForNobody(world);
      await register(world.consumer, contractId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'approve with one friend, publish past a team that registered since',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { contractId, proposalId } = await approvedByFriend(world);
      await register(world.other, contractId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'approve while a registration is inactive, publish once it is active again',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { registrationId, proposalId } = await askedAsset(world);
      const params = { registration_id: registrationId };
      const { client } = world.consumer;
      must(await client.updateRegistration({ params, body: { status: 'inactive' } }), 200);
      await approve(world, proposalId);
      must(await client.updateRegistration({ params, body: { status: 'active' } }), 200);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'approve, and publish past a team that an import declared since',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { fqn, proposalId } = await approvedForNobody(world);
      await declareConsumer(world, fqn);
      return publishProposal(world, proposalId);
    },
  },
];
