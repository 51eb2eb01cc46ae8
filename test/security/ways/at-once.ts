// Two writers at once, of whom only one may have its way. Either may come first, so each pair is
// tried a few times.

import { must, publishedAsset, type World } from '../../support/client/client-world.ts';
import { askedOfOne, readsAll } from './needs.ts';
import { agree, askedAsset, publishProposal, type Way } from './way.ts';

interface Tried {
  readonly ok: boolean;
}

type Pair = (world: World) => Promise<readonly [Promise<Tried>, Promise<Tried>]>;

const tries = 4;

/** Which of a pair went through: always exactly one, or something else in some try. */
const oneOfTwo =
  (pair: Pair): Way['attempt'] =>
  async (world) => {
    let action = 'unchanged';
    for (let count = 0; count < tries; count++) {
      const through = (await Promise.all(await pair(world))).filter(({ ok }) => ok);
      if (through.length !== 1) action = `lets ${through.length} of two through`;
    }
    return { ok: true, status: 200, body: { action } };
  };

const joining = ({ consumer }: World, contract_id: string) =>
  consumer.client.registerConsumer({ body: { contract_id, consumer_team_id: consumer.teamId } });

async function agreed(world: World) {
  const { proposalId } = await askedAsset(world);
  await agree(world.consumer, proposalId);
  return { proposal_id: proposalId };
}

const blocking = { response: 'blocked' as const, notes: 'We still read it.' };

const pairs: Readonly<Record<string, Pair>> = {
  'delete the asset while a team registers': async (world) => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const params = { asset_id: assetId };
    return [world.producer.client.deleteAsset({ params }), joining(world, contractId)];
  },
  'archive the version while a team registers for it': async (world) => {
    const { contractId } = await publishedAsset(world.producer);
    const params = { contract_id: contractId };
    const body = { status: 'archived' as const };
    return [world.producer.client.updateContract({ params, body }), joining(world, contractId)];
  },
  'register a team twice at once, for two answers': async (world) => {
    const { contractId } = await publishedAsset(world.producer);
    return [joining(world, contractId), joining(world, contractId)];
  },
  'publish while the last team blocks after all': async (world) => {
    const params = await agreed(world);
    const { client } = world.consumer;
    const block = client.acknowledgeProposal({ params, body: blocking });
    return [publishProposal(world, params.proposal_id), block];
  },
  'publish while a bulk of answers blocks after all': async (world) => {
    const params = await agreed(world);
    const items = [{ ...params, ...blocking }];
    const block = world.consumer.client.bulkAcknowledgments({ body: { items } });
    return [publishProposal(world, params.proposal_id), block];
  },
  'publish a major version while a bulk registers readers of what goes': async (world) => {
    const { contractId, proposalId } = await askedAsset(world);
    await agree(world.consumer, proposalId);
    const { client, teamId } = world.other;
    const items = [{ contract_id: contractId, consumer_team_id: teamId, needs: readsAll }];
    return [publishProposal(world, proposalId), client.bulkRegistrations({ body: { items } })];
  },
  'have the last answer publish a major version while another team widens its need': async (
    world,
  ) => {
    const { proposalId, params } = await askedOfOne(world, { auto_publish: true });
    const published = async () => {
      await agree(world.consumer, proposalId);
      const found = await world.admin.getProposal({ params: { proposal_id: proposalId } });
      return { ok: must(found, 200).status === 'published' };
    };
    const body = { needs: readsAll };
    return [published(), world.other.client.updateRegistration({ params, body })];
  },
  'approve while the last team blocks after all': async (world) => {
    const params = await agreed(world);
    const { client } = world.consumer;
    const block = client.acknowledgeProposal({ params, body: blocking });
    return [world.producer.client.approveProposal({ params }), block];
  },
};

export const atOnce: readonly Way[] = Object.entries(pairs).map(([way, pair]) => ({
  way,
  refusedBy: 'changes nothing',
  attempt: oneOfTwo(pair),
}));
