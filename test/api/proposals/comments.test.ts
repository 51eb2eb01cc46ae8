// Comments on a proposal: who may write them, who is told, and how they are read.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../../notify/receiver.ts';
import {
  issueKey,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  type Party,
  proposedAsset,
  register,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/);

let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
  must(await world.admin.createWebhook({ body: { url: receiver.url } }), 201);
});
afterAll(() => receiver.stop());

type Body = Parameters<Party['client']['commentOnProposal']>[0]['body'];

async function comment(party: Pick<Party, 'client'>, proposalId: string, body: Body) {
  const params = { proposal_id: proposalId };
  return must(await party.client.commentOnProposal({ params, body }), 201);
}

async function list(proposalId: string, query = {}) {
  return must(await world.admin.listComments({ params: { proposal_id: proposalId }, query }), 200);
}

describe('A comment', () => {
  test('of a consumer and the reply of the producer are read in order, page by page', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const asked = await comment(world.consumer, proposalId, { text: ' Which column then?\n' });
    expect(asked).toEqual({
      id: anId,
      proposal_id: proposalId,
      reply_to: null,
      round: 1,
      team_id: world.consumer.teamId,
      team_name: world.consumer.name,
      text: 'Which column then?',
      written_at: aTime,
      written_by: { type: 'api_key', id: anId, name: expect.any(String) },
    });
    must(await world.producer.client.rebaseProposal({ params: { proposal_id: proposalId } }), 200);
    const said = await comment(world.producer, proposalId, {
      text: 'amount_cents.',
      reply_to: asked.id,
    });
    expect(said).toMatchObject({ reply_to: asked.id, round: 2, team_name: world.producer.name });
    expect(await list(proposalId)).toMatchObject({ total: 2, results: [asked, said] });
    const first = await list(proposalId, { page_size: 1 });
    expect(first.results).toEqual([asked]);
    const second = await list(proposalId, { page_size: 1, cursor: first.next_cursor });
    expect([second.results, second.next_cursor]).toEqual([[said], null]);
    const newest = await list(proposalId, { sort: '-written_at' });
    expect(newest.results).toEqual([said, asked]);
  });

  test('is an event, and the other teams are told', async () => {
    const { consumer, other, producer } = world;
    const { assetId, proposalId } = await proposedAsset(producer, [consumer, other]);
    const asked = await comment(consumer, proposalId, { text: 'Why?' });
    await comment(producer, proposalId, { text: 'The law.', reply_to: asked.id });
    const told = () =>
      receiver.received.filter(
        ({ body }) => body.asset.id === assetId && body.type === 'proposal.commented',
      );
    await expect.poll(() => told().length, { timeout: 20_000 }).toBe(2);
    const names = (teams: readonly { readonly name: string }[]) =>
      teams.map(({ name }) => name).sort();
    expect(told().map(({ body }) => names(body.teams))).toEqual([
      names([producer, other]),
      names([consumer, other]),
    ]);
    expect(told()[0]?.body.event.metadata).toMatchObject({
      comment_id: asked.id,
      reply_to: null,
      text: 'Why?',
      comment_team_id: consumer.teamId,
      comment_team_name: consumer.name,
    });
  });

  test('leaves the proposal and its ETag as they are', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const before = await world.consumer.client.getProposal({ params });
    await comment(world.producer, proposalId, { text: 'Please answer soon.' });
    const after = await world.consumer.client.getProposal({ params });
    expect(must(after, 200)).toEqual(must(before, 200));
  });

  test('is possible on a proposal that is withdrawn, and by a team that was asked', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const reason = { reason: 'Not needed.' };
    must(await world.producer.client.withdrawProposal({ params, body: reason }), 200);
    await comment(world.consumer, proposalId, { text: 'Thank you!' });
    expect((await list(proposalId)).total).toBe(1);
  });
});

describe('Who may comment:', () => {
  test('not a team that neither owns nor consumes the asset', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client, teamId } = world.other;
    const text = 'Me too!';
    for (const body of [{ text }, { text, team_id: teamId }]) {
      mustRefuse(await client.commentOnProposal({ params, body }), 403, 'FORBIDDEN');
    }
    const named = { text, team_id: world.consumer.teamId };
    mustRefuse(await client.commentOnProposal({ params, body: named }), 403, 'FORBIDDEN');
    expect((await list(proposalId)).total).toBe(0);
  });

  test('not in the name of another team that the proposal concerns', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer, world.other]);
    const params = { proposal_id: proposalId };
    const body = { text: 'We agree.', team_id: world.other.teamId };
    mustRefuse(await world.consumer.client.commentOnProposal({ params, body }), 403, 'FORBIDDEN');
  });

  test('not by a key that may only read or acknowledge', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    for (const scope of ['read', 'acknowledge'] as const) {
      const key = await issueKey(world.admin, { team_id: world.consumer.teamId, scopes: [scope] });
      const client = world.admin.as(key);
      const refused = await client.commentOnProposal({ params, body: { text: 'Why?' } });
      mustRefuse(refused, 403, 'FORBIDDEN');
    }
  });

  test('an administrator, for no team, or for one that the proposal concerns', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const none = await comment({ client: world.admin }, proposalId, { text: 'Please agree.' });
    expect([none.team_id, none.team_name]).toEqual([null, null]);
    const named = { text: 'For them.', team_id: world.consumer.teamId };
    expect((await comment({ client: world.admin }, proposalId, named)).team_name).toBe(
      world.consumer.name,
    );
    const stranger = { text: 'For them.', team_id: world.other.teamId };
    mustRefuse(await world.admin.commentOnProposal({ params, body: stranger }), 403, 'FORBIDDEN');
  });

  test('a key of several concerned teams, which must choose one', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const team_ids = [world.producer.teamId, world.consumer.teamId];
    const key = await issueKey(world.admin, { team_ids, scopes: ['write'] });
    const client = world.admin.as(key);
    const refused = await client.commentOnProposal({ params, body: { text: 'Why?' } });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR')).toMatchObject({ field: 'team_id' });
    const body = { text: 'Why?', team_id: world.consumer.teamId };
    expect((await comment({ client }, proposalId, body)).team_name).toBe(world.consumer.name);
  });

  test('a consumer that registered after the proposal was made', async () => {
    const late = await openParty(world.admin, 'late');
    const { contractId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    await register(late, contractId);
    expect((await comment(late, proposalId, { text: 'Hello!' })).team_name).toBe(late.name);
  });
});

describe('Refused:', () => {
  test('a comment on nothing, a list of nothing, and a reply to nothing or elsewhere', async () => {
    const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
    const { client } = world.consumer;
    const params = { proposal_id: nobody };
    const body = { text: 'Why?' };
    mustRefuse(await client.commentOnProposal({ params, body }), 404, 'PROPOSAL_NOT_FOUND');
    mustRefuse(await client.listComments({ params }), 404, 'PROPOSAL_NOT_FOUND');
    const here = await proposedAsset(world.producer, [world.consumer]);
    const there = await proposedAsset(world.producer, [world.consumer]);
    const elsewhere = await comment(world.consumer, there.proposalId, body);
    for (const reply_to of [nobody, elsewhere.id]) {
      const replying = { params: { proposal_id: here.proposalId }, body: { ...body, reply_to } };
      const refused = mustRefuse(
        await client.commentOnProposal(replying),
        404,
        'COMMENT_NOT_FOUND',
      );
      expect(refused).toMatchObject({ field: 'reply_to' });
    }
  });

  test.each([
    ['blank', ' \n '],
    ['longer than 10,000 characters', 'x'.repeat(10_001)],
  ])('a text that is %s', async (_what, text) => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const refused = await world.consumer.client.commentOnProposal({ params, body: { text } });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR')).toMatchObject({ field: 'text' });
  });
});
