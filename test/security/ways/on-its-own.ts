// Proposals that publish themselves with the last answer, and many answers and registrations in one request.

import type { JsonObject } from '../../../src/core/value/json.ts';
import { must, type Party, publishOk, widerSchema } from '../../support/client/client-world.ts';
import { askedOfOne, foundIn, readsAll } from './needs.ts';
import { agree, askedAsset, publishProposal, type Way } from './way.ts';

const onItsOwn = { auto_publish: true };
const blocked = { response: 'blocked' as const, notes: 'We still read it.' };

const answerAll = ({ client }: Party, ...items: readonly JsonObject[]) =>
  client.bulkAcknowledgments({ body: { items: [...items] } });

export const selfPublishing: readonly Way[] = [
  {
    way: 'have the last answer publish it past a team whose need was widened',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, params } = await askedOfOne(world, onItsOwn);
      must(await world.other.client.updateRegistration({ params, body: { needs: readsAll } }), 200);
      await agree(world.consumer, proposalId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'have the last answer publish it past a team that was found to read it',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, params } = await askedOfOne(world, onItsOwn);
      must(await world.other.client.findNeeds({ params, body: foundIn(readsAll.fields) }), 200);
      await agree(world.consumer, proposalId);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'have it publish itself from now on, past a team whose need was widened',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { proposalId, params, assetId } = await askedOfOne(world);
      await agree(world.consumer, proposalId);
      must(await world.other.client.updateRegistration({ params, body: { needs: readsAll } }), 200);
      const asset = { params: { asset_id: assetId }, body: onItsOwn };
      must(await world.producer.client.updateAsset(asset), 200);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'have it publish itself between an agreement and a block in one bulk',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world, onItsOwn);
      const item = { proposal_id: proposalId };
      must(await answerAll(world.consumer, item, { ...item, ...blocked }), 200);
      const params = { proposal_id: proposalId };
      const { status } = must(await world.admin.getProposal({ params }), 200);
      if (status !== 'rejected') throw new Error(`It is ${status}.`);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'answer for a consumer in a bulk of the producer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const item = { proposal_id: proposalId, team_id: world.consumer.teamId };
      return answerAll(world.producer, item);
    },
  },
  {
    way: 'count an answer to the round before in a bulk',
    refusedBy: '409 PROPOSAL_CHANGED',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      await publishOk(world.producer.client, assetId, { schema: widerSchema });
      must(
        await world.producer.client.rebaseProposal({ params: { proposal_id: proposalId } }),
        200,
      );
      return answerAll(world.consumer, { proposal_id: proposalId, round: 1 });
    },
  },
  {
    way: 'send a bulk of answers with the ETag of the round before',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: async (world) => {
      const { proposalId } = await askedAsset(world);
      const read = await world.consumer.client.getProposal({ params: { proposal_id: proposalId } });
      const headers = { 'If-Match': read.headers.get('etag') ?? '' };
      const body = { items: [{ proposal_id: proposalId }] };
      return world.consumer.client.bulkAcknowledgments({ body, headers });
    },
  },
];
