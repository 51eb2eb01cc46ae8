// Two writers at once, of whom only one may have its way. Either may come first, so each pair is
// tried a few times.

import { publishedAsset, type World } from '../../support/client/client-world.ts';
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
