// Objections of teams that a proposal does not ask: who may object, who is told, and that nothing is
// held back.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../../notify/receiver.ts';
import {
  issueKey,
  must,
  mustRefuse,
  openRegistryForFile,
  type Party,
  proposedAsset,
  register,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const reason = 'We plan to read it from June on.';

let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
  must(await world.admin.createWebhook({ body: { url: receiver.url } }), 201);
});
afterAll(() => receiver.stop());

const object = (
  { client }: Pick<Party, 'client'>,
  proposalId: string,
  body: Parameters<Party['client']['objectToProposal']>[0]['body'] = { reason },
) => client.objectToProposal({ params: { proposal_id: proposalId }, body });

const get = async (proposalId: string) =>
  must(await world.admin.getProposal({ params: { proposal_id: proposalId } }), 200);

describe('An objection', () => {
  test('is shown with the proposal, changed, and taken back, each told to the producer', async () => {
    const { consumer, other, producer } = world;
    const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
    const objected = must(await object(other, proposalId, { reason: ` ${reason}\n` }), 200);
    const { client: _, key: __, ...named } = other;
    expect(objected.objections).toEqual([
      {
        ...{ team_id: named.teamId, team_name: named.name, reason, round: 1 },
        ...{ objected_at: aTime, objected_by: { type: 'api_key', id: anId, name: anyText } },
      },
    ]);
    expect(await get(proposalId)).toEqual(objected);
    const query = { asset_id: assetId };
    const listed = must(await world.admin.listProposals({ query }), 200).results;
    expect(listed.map(({ objection_count }) => objection_count)).toEqual([1]);
    const params = { proposal_id: proposalId };
    const status = must(await world.admin.getProposalStatus({ params }), 200);
    expect(status).toMatchObject({ objection_count: 1, total_consumers: 1, remaining: 1 });

    const second = 'We read it already, unregistered.';
    must(await object(other, proposalId, { reason: second }), 200);
    // Said twice, it is told once.
    const changed = must(await object(other, proposalId, { reason: second }), 200);
    expect(changed.objections).toMatchObject([{ team_id: other.teamId, reason: second }]);
    const back = must(await object(other, proposalId, { reason: null }), 200);
    expect(back).not.toHaveProperty('objections');
    expect(await get(proposalId)).toEqual(back);

    const told = () =>
      receiver.received.filter(
        ({ body }) => body.asset.id === assetId && body.type === 'proposal.objected',
      );
    await expect.poll(() => told().length).toBe(3);
    expect(told().map(({ body }) => body.teams.map(({ name }) => name))).toEqual(
      Array(3).fill([producer.name]),
    );
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'proposal', entity_id: proposalId },
    });
    const events = must(history, 200).results.filter(
      ({ event_type }) => event_type === 'proposal.objected',
    );
    expect(events.map(({ metadata }) => metadata.reason)).toEqual([null, second, reason]);
    expect(events[0]?.metadata).toMatchObject({
      ...{ from: 'pending', to: 'pending', round: 1 },
      ...{ objecting_team_id: other.teamId, objecting_team_name: other.name },
    });
  });

  test('is no answer, and holds nothing back: not a publish, and not one by itself', async () => {
    const { consumer, other, producer } = world;
    for (const auto_publish of [false, true]) {
      const { proposalId } = await proposedAsset(producer, [consumer], { auto_publish });
      const params = { proposal_id: proposalId };
      expect(must(await object(other, proposalId), 200)).toMatchObject({
        ...{ status: 'pending', can_publish: false, total_consumers: 1, acknowledgment_count: 0 },
        consumers: [{ team_id: consumer.teamId, acknowledged: false }],
      });
      mustRefuse(await producer.client.publishProposal({ params }), 409, 'PROPOSAL_NOT_READY');
      must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
      if (!auto_publish) must(await producer.client.publishProposal({ params }), 200);
      await expect.poll(async () => (await get(proposalId)).status).toBe('published');
      expect((await get(proposalId)).objections).toMatchObject([{ reason }]);
    }
  });

  test('leaves an approval, and does not reopen it', async () => {
    const { consumer, other, producer } = world;
    const { proposalId } = await proposedAsset(producer, [consumer]);
    const params = { proposal_id: proposalId };
    must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    must(await producer.client.approveProposal({ params }), 200);
    expect(must(await object(other, proposalId), 200)).toMatchObject({
      ...{ status: 'approved', can_publish: true, acknowledgment_count: 1 },
    });
    must(await producer.client.publishProposal({ params }), 200);
  });

  test('stays when its team registers and is asked, until that team takes it back', async () => {
    const { consumer, other, producer } = world;
    const { contractId, proposalId } = await proposedAsset(producer, [consumer]);
    must(await object(other, proposalId), 200);
    await register(other, contractId);
    expect(await get(proposalId)).toMatchObject({ total_consumers: 2, acknowledgment_count: 0 });
    const refused = mustRefuse(
      await object(other, proposalId, { reason: 'We still object.' }),
      403,
      'FORBIDDEN',
    );
    expect(refused.message).toContain('It can answer "blocked"');
    expect((await get(proposalId)).objections).toHaveLength(1);
    const back = must(await object(other, proposalId, { reason: null }), 200);
    expect(back).not.toHaveProperty('objections');
  });

  test('stays through a new round, and a withdrawn proposal takes no other one', async () => {
    const { consumer, other, producer } = world;
    const { proposalId } = await proposedAsset(producer, [consumer]);
    const params = { proposal_id: proposalId };
    must(await object(other, proposalId), 200);
    must(await producer.client.rebaseProposal({ params }), 200);
    expect(await get(proposalId)).toMatchObject({ round: 2, objections: [{ round: 1, reason }] });
    must(await producer.client.withdrawProposal({ params, body: { reason: 'Not needed.' } }), 200);
    expect((await get(proposalId)).objections).toHaveLength(1);
    mustRefuse(await object(other, proposalId, { reason: null }), 409, 'PROPOSAL_NOT_PENDING');
  });
});

const anyText = expect.any(String);

describe('Who may object:', () => {
  test('not the owner, and not a team that is asked', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    for (const party of [world.producer, world.consumer]) {
      mustRefuse(await object(party, proposalId), 403, 'FORBIDDEN');
      const body = { reason, team_id: party.teamId };
      mustRefuse(await object({ client: world.admin }, proposalId, body), 403, 'FORBIDDEN');
    }
  });

  test('only for a team that exists, which a key of several teams names', async () => {
    const { consumer, other, producer, admin } = world;
    const { proposalId } = await proposedAsset(producer, [consumer]);
    const key = await issueKey(admin, {
      team_ids: [other.teamId, producer.teamId],
      scopes: ['write'],
    });
    const several = { client: admin.as(key) };
    const field = { field: 'team_id' };
    expect(mustRefuse(await object(several, proposalId), 400, 'VALIDATION_ERROR')).toMatchObject(
      field,
    );
    const named = { reason, team_id: other.teamId };
    must(await object(several, proposalId, named), 200);
    const gone = { reason, team_id: '0190b5a2-0000-7000-8000-000000000000' };
    expect(
      mustRefuse(await object({ client: admin }, proposalId, gone), 404, 'TEAM_NOT_FOUND'),
    ).toMatchObject(field);
  });

  test('only with a reason', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    mustRefuse(await object(world.other, proposalId, { reason: 'No.' }), 400, 'VALIDATION_ERROR');
  });
});
