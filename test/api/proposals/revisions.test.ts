// What is different since a consumer answered: the earlier rounds of a proposal.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publishOk,
  widerSchema,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function revisionsOf(proposalId: string) {
  return must(
    await world.consumer.client.listRevisions({ params: { proposal_id: proposalId } }),
    200,
  );
}

/** Answered in round 1; then a version with another field is published, and round 2 begins. */
async function rebasedAfterAnswer() {
  const { assetId, contractId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const params = { proposal_id: proposalId };
  const body = { response: 'migrating', notes: 'By May.' } as const;
  must(await world.consumer.client.acknowledgeProposal({ params, body }), 200);
  await publishOk(world.producer.client, assetId, { schema: widerSchema });
  must(await world.producer.client.rebaseProposal({ params }), 200);
  return { assetId, contractId, proposalId };
}

describe('The earlier rounds of a proposal', () => {
  test('are none until it is rebased', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    expect(await revisionsOf(proposalId)).toEqual({ round: 1, results: [] });
  });

  test('say what a later round adds, and what each team had answered', async () => {
    const { contractId, proposalId } = await rebasedAfterAnswer();
    const { round, results } = await revisionsOf(proposalId);
    expect(round).toBe(2);
    expect(results).toEqual([
      {
        proposal_id: proposalId,
        round: 1,
        base_contract_id: contractId,
        base_version: '1.0.0',
        added_count: 1,
        added: [expect.objectContaining({ type: 'property_removed', breaking: true })],
        removed_count: 0,
        removed: [],
        answers: [
          {
            team_id: world.consumer.teamId,
            team_name: world.consumer.name,
            response: 'migrating',
            notes: 'By May.',
            answered_at: aTime,
          },
        ],
      },
    ]);
    const params = { proposal_id: proposalId };
    const proposal = must(await world.admin.getProposal({ params }), 200);
    expect(proposal.changes).toContainEqual(results[0]?.added[0]);
    expect(proposal.breaking_changes).toHaveLength(2);
  });

  test('are newest first, and a round in which nothing changed differs in nothing', async () => {
    const { proposalId } = await rebasedAfterAnswer();
    const params = { proposal_id: proposalId };
    must(await world.producer.client.rebaseProposal({ params }), 200);
    const { round, results } = await revisionsOf(proposalId);
    expect(round).toBe(3);
    expect(
      results.map((one) => [one.round, one.added_count, one.removed_count, one.answers.length]),
    ).toEqual([
      [2, 0, 0, 0],
      [1, 1, 0, 1],
    ]);
  });

  test('stay once it is published', async () => {
    const { proposalId } = await rebasedAfterAnswer();
    const params = { proposal_id: proposalId };
    must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    must(await world.producer.client.publishProposal({ params }), 200);
    expect((await revisionsOf(proposalId)).results).toHaveLength(1);
  });

  test('include those of the proposals that it replaced, if they are of the same kind', async () => {
    const { assetId, proposalId } = await rebasedAfterAnswer();
    const params = { asset_id: assetId };
    const body = { response: 'blocked', notes: 'Not both.' } as const;
    const blocked = { params: { proposal_id: proposalId }, body };
    must(await world.consumer.client.acknowledgeProposal(blocked), 200);
    const revise = async (schema: JsonObject) => {
      const made = await world.producer.client.publishContract({
        params,
        body: { schema, supersede: true },
      });
      const answer = must(made, 201);
      if (answer.action !== 'proposal_created') throw new Error('It must be proposed.');
      return answer.proposal.id ?? '';
    };
    const second = await revise({ ...widerSchema, properties: { id: { type: 'integer' } } });
    const third = await revise({ type: 'object' });
    const { round, results } = await revisionsOf(third);
    expect([round, ...results.map((one) => [one.proposal_id, one.round])]).toEqual([
      1,
      [second, 1],
      [proposalId, 2],
      [proposalId, 1],
    ]);
    expect(results.map(({ answers }) => answers.map(({ response }) => response))).toEqual([
      [],
      ['blocked'],
      ['migrating'],
    ]);
    const moved = await world.producer.client.updateAsset({
      params,
      body: { environment: 'staging', supersede: true },
    });
    const move = must(moved, 200);
    if (!('action' in move)) throw new Error('It must be proposed.');
    expect((await revisionsOf(move.proposal.id ?? '')).results).toEqual([]);
  });

  test('of a proposal that does not exist are 404', async () => {
    const params = { proposal_id: '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99' };
    mustRefuse(await world.admin.listRevisions({ params }), 404, 'PROPOSAL_NOT_FOUND');
  });
});
