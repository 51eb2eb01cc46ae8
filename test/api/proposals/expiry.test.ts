// Proposals that nobody pursues: when they may be ended, and that nothing is published for it.

import { describe, expect, test } from 'vitest';
import {
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publishOk,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const dayMs = 24 * 60 * 60 * 1000;

/** Moves what was written so many days back, of one column of the proposal. */
async function age(proposalId: string, column: string, days: number): Promise<void> {
  await registry.database.query(
    `update proposal set ${column} = ${column} - $2::integer * interval '1 day' where id = $1`,
    [proposalId, days],
  );
}

describe('An expiry', () => {
  test('publishes nothing, also if all consumers have agreed and the asset publishes by itself', async () => {
    const { consumer, producer, admin } = world;
    const { assetId, proposalId, contractId } = await proposedAsset(producer, [consumer]);
    const params = { proposal_id: proposalId };
    must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    must(await producer.client.approveProposal({ params }), 200);
    await age(proposalId, 'proposed_at', 30);
    const ended = must(await producer.client.expireProposal({ params }), 200);
    expect(ended).toMatchObject({
      status: 'withdrawn',
      reason: 'Expired: its consumers were last asked more than 30 days ago.',
      published_contract_id: null,
      consumers: [{ team_id: consumer.teamId, acknowledged: true }],
    });
    expect(must(await admin.getProposal({ params }), 200)).toEqual(ended);
    const of = { params: { asset_id: assetId } };
    const contracts = must(await admin.listAssetContracts(of), 200).results;
    expect(contracts.map(({ id, status }) => [id, status])).toEqual([[contractId, 'active']]);
    const history = await admin.listEntityHistory({
      params: { entity_type: 'proposal', entity_id: proposalId },
    });
    expect(must(history, 200).results[0]).toMatchObject({
      event_type: 'proposal.withdrawn',
      metadata: { from: 'approved', to: 'withdrawn', reason: ended.reason },
    });
    mustRefuse(await producer.client.publishProposal({ params }), 409, 'PROPOSAL_NOT_PENDING');
  });

  test('waits for 30 days after the consumers were asked or reminded last', async () => {
    const { client } = world.producer;
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const asked = must(await client.getProposal({ params }), 200);
    expect(Date.parse(asked.may_expire_at) - Date.parse(asked.proposed_at)).toBe(30 * dayMs);
    await age(proposalId, 'proposed_at', 29);
    mustRefuse(await client.expireProposal({ params }), 409, 'PROPOSAL_NOT_OVERDUE');
    await age(proposalId, 'proposed_at', 1);
    must(await client.remindConsumers({ params }), 200);
    mustRefuse(await client.expireProposal({ params }), 409, 'PROPOSAL_NOT_OVERDUE');
    await age(proposalId, 'reminded_at', 30);
    must(await client.expireProposal({ params }), 200);
  });

  test('waits for the end of the last day for answers, however long ago it was proposed', async () => {
    const { client } = world.producer;
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const today = new Date().toISOString().slice(0, '2026-01-31'.length);
    const tomorrow = new Date(Date.parse(today) + dayMs).toISOString();
    must(await client.updateProposal({ params, body: { answer_by: today } }), 200);
    await age(proposalId, 'proposed_at', 60);
    expect(must(await client.getProposal({ params }), 200).may_expire_at).toBe(tomorrow);
    mustRefuse(await client.expireProposal({ params }), 409, 'PROPOSAL_NOT_OVERDUE');
    await registry.database.query(`update proposal set answer_by = $2::date - 1 where id = $1`, [
      proposalId,
      today,
    ]);
    const { reason } = must(await client.expireProposal({ params }), 200);
    expect(reason).toMatch(/^Expired: \d{4}-\d\d-\d\d, its last day for answers, is over\.$/);
  });

  test('waits for what a rebase asks anew, whatever was asked before it', async () => {
    const { client } = world.producer;
    const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, '2026-01-31'.length);
    for (const answerBy of [null, yesterday]) {
      const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
      const params = { proposal_id: proposalId };
      await age(proposalId, 'proposed_at', 60);
      await registry.database.query('update proposal set answer_by = $2 where id = $1', [
        proposalId,
        answerBy,
      ]);
      await publishOk(client, assetId, { schema: widerSchema });
      must(await client.rebaseProposal({ params }), 200);
      mustRefuse(await client.expireProposal({ params }), 409, 'PROPOSAL_NOT_OVERDUE');
      await age(proposalId, 'asked_at', 30);
      const { reason } = must(await client.expireProposal({ params }), 200);
      if (answerBy === null) expect(reason).toMatch(/last asked more than 30 days ago/);
    }
  });

  test('is for the owner team and administrators', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    await age(proposalId, 'proposed_at', 30);
    for (const { client } of [world.consumer, world.other]) {
      mustRefuse(await client.expireProposal({ params }), 403, 'FORBIDDEN');
    }
    must(await world.admin.expireProposal({ params }), 200);
  });
});
