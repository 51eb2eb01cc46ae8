// Reminders: who may remind, how often, and who is told.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../../notify/receiver.ts';
import {
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publishedAsset,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile({
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
});

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
  must(await world.admin.createWebhook({ body: { url: receiver.url } }), 201);
});
afterAll(() => receiver.stop());

/** As if the last reminder had been sent so many hours earlier. */
async function age(proposalId: string, hours: number): Promise<void> {
  await registry.database.query(
    `update proposal set reminded_at = reminded_at - make_interval(hours => $2) where id = $1`,
    [proposalId, hours],
  );
}

describe('A reminder', () => {
  test('tells only the consumers that have not answered', async () => {
    const { consumer, other, producer } = world;
    const { assetId, proposalId } = await proposedAsset(producer, [consumer, other]);
    const params = { proposal_id: proposalId };
    must(await other.client.acknowledgeProposal({ params, body: {} }), 200);
    const reminded = must(await producer.client.remindConsumers({ params }), 200);
    expect(reminded.reminded_at).toEqual(aTime);
    expect(must(await world.admin.getProposal({ params }), 200)).toEqual(reminded);
    const told = () =>
      receiver.received.filter(
        ({ body }) => body.asset.id === assetId && body.type === 'proposal.reminded',
      );
    await expect.poll(() => told().length, { timeout: 20_000 }).toBe(1);
    expect(told()[0]?.body.teams.map(({ name }) => name)).toEqual([consumer.name]);
    expect(told()[0]?.body.event.metadata).toMatchObject({ awaiting: [consumer.name], round: 1 });
  });

  test('is refused for 12 hours after another, with the time of the next one', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    must(await client.remindConsumers({ params }), 200);
    await age(proposalId, 11);
    const refused = mustRefuse(await client.remindConsumers({ params }), 409, 'REMINDED_RECENTLY');
    expect(refused).toMatchObject({ reminded_at: aTime, next_at: aTime });
    await age(proposalId, 1);
    must(await client.remindConsumers({ params }), 200);
  });

  test('is refused if everybody has answered, or nobody is waited for', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    mustRefuse(await client.remindConsumers({ params }), 409, 'NOBODY_TO_REMIND');
    const block = { response: 'blocked', notes: 'We read it.' } as const;
    must(await world.consumer.client.acknowledgeProposal({ params, body: block }), 200);
    mustRefuse(await client.remindConsumers({ params }), 409, 'PROPOSAL_NOT_PENDING');
  });

  test('is for the owner team and administrators', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    for (const { client } of [world.consumer, world.other]) {
      mustRefuse(await client.remindConsumers({ params }), 403, 'FORBIDDEN');
    }
    must(await world.admin.remindConsumers({ params }), 200);
  });
});

describe('on_deadline of an asset', () => {
  test('is nothing until its owner sets it, which asks no consumer', async () => {
    const { assetId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { asset_id: assetId };
    expect(must(await world.admin.getAsset({ params }), 200).on_deadline).toBe('nothing');
    const body = { on_deadline: 'escalate' } as const;
    mustRefuse(await world.consumer.client.updateAsset({ params, body }), 403, 'FORBIDDEN');
    const set = must(await world.producer.client.updateAsset({ params, body }), 200);
    expect(set).toMatchObject(body);
    expect(must(await world.admin.getAsset({ params }), 200)).toMatchObject(body);
  });

  test('is set with a new asset', async () => {
    const { assetId } = await publishedAsset(world.producer, { on_deadline: 'remind' });
    const params = { asset_id: assetId };
    expect(must(await world.admin.getAsset({ params }), 200).on_deadline).toBe('remind');
  });
});
