// Proposals: their life, as section 6 of the specification and service.md 4.4 define it.

import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openParty,
  openRegistryForFile,
  orderSchema,
  propose,
  proposedAsset,
  publish,
  publishOk,
  register,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function get(proposalId: string) {
  return must(await world.admin.getProposal({ params: { proposal_id: proposalId } }), 200);
}

async function statusOf(proposalId: string) {
  const params = { proposal_id: proposalId };
  return must(await world.admin.getProposalStatus({ params }), 200);
}

async function eventsOf(proposalId: string) {
  const params = { entity_type: 'proposal', entity_id: proposalId } as const;
  return must(await world.admin.listEntityHistory({ params }), 200).results;
}

describe('A proposal', () => {
  test('is read in the shape of GET', async () => {
    const { proposalId, assetId, fqn, contractId } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    expect(await get(proposalId)).toEqual({
      id: proposalId,
      asset_id: assetId,
      asset_fqn: fqn,
      kind: 'schema',
      status: 'pending',
      change_type: 'major',
      breaking_changes_count: 1,
      total_consumers: 1,
      acknowledgment_count: 0,
      can_publish: false,
      proposed_at: aTime,
      proposed_by: world.producer.teamId,
      proposed: {
        kind: 'schema',
        compatibility_mode: 'backward',
        guarantees: null,
        version: null,
      },
      proposed_schema: narrowerSchema,
      changes: [expect.objectContaining({ type: 'property_removed' })],
      breaking_changes: [
        expect.objectContaining({
          type: 'property_removed',
          path: '$.properties.total',
          description: expect.any(String),
          breaking: true,
        }),
      ],
      consumers: [
        { team_id: world.consumer.teamId, team_name: world.consumer.name, acknowledged: false },
      ],
      proposed_by_actor: { type: 'api_key', id: anId, name: expect.any(String) },
      base_contract_id: contractId,
      round: expect.any(Number),
      request: {
        ...{ reason: null, contact: null, answer_by: null },
        ...{ migration: null, migrate_by: null },
      },
      reminded_at: null,
      may_expire_at: aTime,
      escalated_at: null,
      reason: null,
      force_requested: null,
      asks: 'affected',
      superseded_by: null,
      published_contract_id: null,
      resolved_at: null,
    });
  });

  test('is short with the first example of alike changes alone, and edited by its tag', async () => {
    const { client } = world.producer;
    const params = { proposal_id: await proposeAlike() };
    const whole = await client.getProposal({ params });
    const short = await client.getProposal({ params, query: { examples: 'first' } });
    const { changes, ...rest } = must(whole, 200);
    const withoutExample = ({ witness, ...change }: (typeof changes)[number]) => change;
    const [first, ...others] = changes;
    expect(changes.map(({ witness }) => witness)).toEqual(Array(3).fill(expect.anything()));
    const shortened = [first, ...others.map(withoutExample)];
    expect(must(short, 200)).toEqual({
      ...rest,
      changes: shortened,
      breaking_changes: shortened,
    });
    const edit = (contact: string, etag: string | null) =>
      client.updateProposal({ params, body: { contact }, headers: { 'if-match': etag ?? '' } });
    const etag = short.headers.get('etag');
    expect(etag).not.toBe(whole.headers.get('etag'));
    must(await edit('Ada', etag), 200);
    mustRefuse(await edit('Bob', etag), 412, 'PRECONDITION_FAILED');
  });

  test('is short without reading the examples that repeat, unless its row is of before', async () => {
    const id = await proposeAlike();
    const params = { proposal_id: id };
    const short = async () =>
      must(await world.admin.getProposal({ params, query: { examples: 'first' } }), 200).changes;
    const query = (set: string) =>
      registry.database.query(`update proposal set ${set} where id = $1`, [id]);
    const before = await short();
    // What is not read may be anything.
    await query(`changes = '[]'`);
    expect(await short()).toEqual(before);
    // The previous release writes a new round and knows no short list.
    await query(`round = 2`);
    expect(await short()).toEqual([]);
    await query(`round = 1, status = 'approved'`);
    expect(await short()).toEqual([]);
  });

  /** Three changes alike, whose examples are the whole object. */
  async function proposeAlike() {
    const { id } = await createAsset(world.producer);
    const fields = (type: string) => ({
      type: 'object',
      properties: { a: { type }, b: { type }, c: { type }, kept: { type: 'string' } },
      required: ['a', 'b', 'c', 'kept'],
    });
    const { client } = world.producer;
    await register(world.consumer, await publishOk(client, id, { schema: fields('string') }));
    return propose(client, id, fields('integer'));
  }

  test('is listed by asset, state, producer, and as an inbox', async () => {
    const asked = await openParty(world.admin, 'asked');
    const { proposalId, assetId } = await proposedAsset(world.producer, [asked]);
    const listed = async (query: Parameters<typeof world.admin.listProposals>[0]) =>
      must(await world.admin.listProposals(query), 200).results.map((one) => one.id);
    expect(await listed({ query: { asset_id: assetId } })).toEqual([proposalId]);
    expect(await listed({ query: { asset_id: assetId, status: 'published' } })).toEqual([]);
    expect(await listed({ query: { team_id: world.producer.teamId } })).toContain(proposalId);
    const inbox = { consumer_team_id: asked.teamId, awaiting: true };
    expect(await listed({ query: inbox })).toEqual([proposalId]);
    await acknowledge(asked, proposalId);
    expect(await listed({ query: inbox })).toEqual([]);
    expect(await listed({ query: { consumer_team_id: asked.teamId } })).toEqual([proposalId]);
  });

  test('is listed with the first teams that have not agreed, who blocks it before the others', async () => {
    const [agreed, ...others] = [
      await openParty(world.admin, 'a-agrees'),
      await openParty(world.admin, 'b-waits'),
      await openParty(world.admin, 'c-waits'),
      await openParty(world.admin, 'd-waits'),
      await openParty(world.admin, 'e-blocks'),
    ] as const;
    const [first, second, , blocker] = others;
    const { proposalId, assetId } = await proposedAsset(world.producer, [agreed, ...others]);
    await acknowledge(agreed, proposalId);
    const answer = { response: 'blocked' as const, notes: 'No.' };
    await acknowledge(blocker, proposalId, answer);
    const listed = async () => {
      const query = { asset_id: assetId };
      return must(await world.admin.listProposals({ query }), 200).results[0]?.not_agreed;
    };
    const named = ({ teamId, name }: typeof first) => ({ team_id: teamId, team_name: name });
    expect(await listed()).toEqual([
      { ...named(blocker), response: 'blocked' },
      named(first),
      named(second),
    ]);
    for (const other of others.toReversed()) await acknowledge(other, proposalId);
    expect(await listed()).toBeUndefined();
  });

  test('is listed by whether a newer one replaced it', async () => {
    const { proposalId, assetId } = await proposedAsset(world.producer, [world.consumer]);
    const made = await publish(world.producer.client, assetId, {
      schema: { type: 'object' },
      supersede: true,
    });
    const newer = made.action === 'proposal_created' ? made.proposal.id : null;
    const listed = async (superseded: boolean) => {
      const query = { asset_id: assetId, superseded };
      return must(await world.admin.listProposals({ query }), 200).results.map(({ id }) => id);
    };
    expect([await listed(true), await listed(false)]).toEqual([[proposalId], [newer]]);
  });

  test('is listed by its last day for answers, page by page; those without one last', async () => {
    const producer = await openParty(world.admin, 'due');
    const asked = await openParty(world.admin, 'due-to');
    const proposals: string[] = [];
    for (const answer_by of [undefined, '2999-02-20', '2999-02-10', undefined]) {
      const { proposalId } = await proposedAsset(producer, [asked]);
      const params = { proposal_id: proposalId };
      if (answer_by !== undefined) {
        must(await producer.client.updateProposal({ params, body: { answer_by } }), 200);
      }
      proposals.push(proposalId);
    }
    const [oldest, late, early, newest] = proposals;
    for (const of of [
      { team_id: producer.teamId },
      { consumer_team_id: asked.teamId, awaiting: true },
      { team_id: producer.teamId, status: 'pending' as const, kind: 'schema' as const },
    ]) {
      const listed: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const query = {
          ...of,
          sort: 'answer_by' as const,
          page_size: 1,
          ...(cursor && { cursor }),
        };
        const page = must(await world.admin.listProposals({ query }), 200);
        listed.push(...page.results.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(listed).toEqual([early, late, oldest, newest]);
    }
  });

  test('that does not exist is 404 for every act', async () => {
    const params = { proposal_id: nobody };
    const reason = { reason: 'It has to be.' };
    const { admin } = world;
    const team_id = world.consumer.teamId;
    for (const result of [
      await admin.getProposal({ params }),
      await admin.getProposalStatus({ params }),
      await admin.updateProposal({ params, body: {} }),
      await admin.remindConsumers({ params }),
      await admin.acknowledgeProposal({ params, body: { team_id, ...reason } }),
      await admin.approveProposal({ params }),
      await admin.publishProposal({ params }),
      await admin.rebaseProposal({ params }),
      await admin.forceProposal({ params, body: reason }),
      await admin.withdrawProposal({ params, body: reason }),
    ]) {
      mustRefuse(result, 404, 'PROPOSAL_NOT_FOUND');
    }
  });
});

type AcknowledgeBody = {
  response?: 'approved' | 'migrating' | 'blocked';
  notes?: string;
  until?: string;
};

async function acknowledge(
  party: { client: World['admin'] },
  proposalId: string,
  body: AcknowledgeBody = {},
) {
  const params = { proposal_id: proposalId };
  return must(await party.client.acknowledgeProposal({ params, body }), 200);
}

describe('Acknowledging', () => {
  test('returns how many answers are missing, and is recorded', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer, world.other]);
    expect(await acknowledge(world.consumer, proposalId, { notes: 'Fine.' })).toEqual({
      acknowledged: true,
      acknowledged_at: aTime,
      remaining_consumers: 1,
      proposal: { id: proposalId, status: 'pending' },
    });
    const proposal = await get(proposalId);
    expect(proposal.consumers).toContainEqual({
      team_id: world.consumer.teamId,
      team_name: world.consumer.name,
      acknowledged: true,
      acknowledged_at: aTime,
      response: 'approved',
      notes: 'Fine.',
    });
    expect(await statusOf(proposalId)).toEqual({
      status: 'pending',
      total_consumers: 2,
      acknowledged: 1,
      remaining: 1,
      can_publish: false,
      objection_count: 0,
    });
    expect((await eventsOf(proposalId)).map((event) => event.event_type)).toEqual([
      'proposal.acknowledged',
      'proposal.created',
    ]);
  });

  test('needs no body', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const response = await checkedFetch(
      `${registry.url}/api/v1/proposals/${proposalId}/acknowledge`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${world.consumer.key}` },
      },
    );
    expect(response.status).toBe(200);
  });

  test('by the last consumer makes it publishable', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer, world.other]);
    await acknowledge(world.consumer, proposalId);
    expect((await acknowledge(world.other, proposalId)).remaining_consumers).toBe(0);
    expect((await statusOf(proposalId)).can_publish).toBe(true);
  });

  test('twice by the same team updates the answer', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    await acknowledge(world.consumer, proposalId, { notes: 'One.' });
    const until = '2030-01-01T02:00:00+02:00';
    await acknowledge(world.consumer, proposalId, { response: 'migrating', until, notes: 'Two.' });
    expect((await get(proposalId)).consumers).toEqual([
      expect.objectContaining({
        acknowledged: true,
        response: 'migrating',
        until: '2030-01-01T00:00:00.000Z',
        notes: 'Two.',
      }),
    ]);
  });

  test('with a date in the past is refused, because the registration would move at once', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const body = { response: 'migrating' as const, until: new Date().toISOString() };
    const late = await world.consumer.client.acknowledgeProposal({ params, body });
    expect(mustRefuse(late, 400, 'VALIDATION_ERROR')).toMatchObject({
      field: 'until',
      message: 'The date in until has passed. Choose a future date, or answer "approved".',
    });
    expect((await statusOf(proposalId)).remaining).toBe(1);
  });

  test('with blocked needs notes, returns false and rejects it; taking it back reopens it', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.consumer;
    const mute = await client.acknowledgeProposal({ params, body: { response: 'blocked' } });
    expect(mustRefuse(mute, 400, 'VALIDATION_ERROR').field).toBe('notes');
    const blocked = await acknowledge(world.consumer, proposalId, {
      response: 'blocked',
      notes: 'No.',
    });
    expect(blocked).toMatchObject({ acknowledged: false, proposal: { status: 'rejected' } });
    const back = await acknowledge(world.consumer, proposalId);
    expect(back).toMatchObject({ acknowledged: true, proposal: { status: 'pending' } });
  });

  test('by a team that is not a consumer is 403', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    for (const party of [world.other, world.producer]) {
      mustRefuse(await party.client.acknowledgeProposal({ params, body: {} }), 403, 'FORBIDDEN');
    }
  });

  test('includes teams that register late, and excludes teams that leave', async () => {
    const { proposalId, contractId } = await proposedAsset(world.producer, [world.consumer]);
    const late = await register(world.other, contractId);
    expect(await statusOf(proposalId)).toMatchObject({ total_consumers: 2, remaining: 2 });
    await acknowledge(world.consumer, proposalId);
    must(
      await world.other.client.deleteRegistration({ params: { registration_id: late.id } }),
      204,
    );
    expect(await statusOf(proposalId)).toMatchObject({ total_consumers: 1, can_publish: true });
  });
});

describe('Publishing a proposal', () => {
  test('returns the proposal and the contract, a major version', async () => {
    const { proposalId, assetId } = await proposedAsset(world.producer, [world.consumer]);
    await acknowledge(world.consumer, proposalId);
    const params = { proposal_id: proposalId };
    const published = must(await world.producer.client.publishProposal({ params }), 200);
    expect(published).toMatchObject({
      proposal: { id: proposalId, status: 'published' },
      contract: {
        version: '2.0.0',
        status: 'active',
        schema: narrowerSchema,
        change_type: 'major',
      },
    });
    expect(await get(proposalId)).toMatchObject({
      status: 'published',
      published_contract_id: published.contract?.id,
      resolved_at: aTime,
      consumers: [{ acknowledged: true }],
    });
    const query = { asset_id: assetId };
    const [registration] = must(await world.admin.listRegistrations({ query }), 200).results;
    expect(registration?.contract_version).toBe('2.0.0');
    expect((await eventsOf(proposalId))[0]?.event_type).toBe('proposal.published');
  });

  test('is 409 PROPOSAL_NOT_READY while an answer is missing', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    mustRefuse(await world.producer.client.publishProposal({ params }), 409, 'PROPOSAL_NOT_READY');
    mustRefuse(await world.admin.publishProposal({ params }), 409, 'PROPOSAL_NOT_READY');
  });

  test('without consumers is possible at once', async () => {
    const { proposalId } = await proposedAsset(world.producer, []);
    expect(await statusOf(proposalId)).toMatchObject({ total_consumers: 0, can_publish: true });
    must(await world.producer.client.publishProposal({ params: { proposal_id: proposalId } }), 200);
  });

  test('happens automatically once the last awaited consumer agrees or leaves', async () => {
    const agreed = await proposedAsset(world.producer, [world.consumer], { auto_publish: true });
    await acknowledge(world.consumer, agreed.proposalId);
    await expect.poll(async () => (await get(agreed.proposalId)).status).toBe('published');
    const left = await proposedAsset(world.producer, [world.consumer], { auto_publish: true });
    const query = { asset_id: left.assetId };
    const [registration] = must(await world.admin.listRegistrations({ query }), 200).results;
    const params = { registration_id: registration?.id ?? '' };
    must(await world.consumer.client.deleteRegistration({ params }), 204);
    await expect.poll(async () => (await get(left.proposalId)).status).toBe('published');
    expect((await eventsOf(left.proposalId))[0]).toMatchObject({
      event_type: 'proposal.published',
      actor_type: 'system',
    });
  });

  test('compared with an older contract is 409 PROPOSAL_STALE until rebased, if the breaks differ', async () => {
    const { proposalId, assetId } = await proposedAsset(world.producer, [world.consumer]);
    await acknowledge(world.consumer, proposalId);
    await publishOk(world.producer.client, assetId, { schema: widerSchema });
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    mustRefuse(await client.publishProposal({ params }), 409, 'PROPOSAL_STALE');
    const forced = await world.admin.forceProposal({ params, body: { reason: 'It has to be.' } });
    mustRefuse(forced, 409, 'PROPOSAL_STALE');
    const rebased = must(await client.rebaseProposal({ params }), 200);
    expect(rebased).toMatchObject({ status: 'pending', consumers: [{ acknowledged: false }] });
    expect(rebased.breaking_changes.length).toBe(2);
    await acknowledge(world.consumer, proposalId);
    expect(must(await client.publishProposal({ params }), 200).contract?.version).toBe('2.0.0');
  });

  test('compared with an older contract keeps its answers, if the breaks are the same', async () => {
    const { proposalId, assetId } = await proposedAsset(world.producer, [world.consumer]);
    await acknowledge(world.consumer, proposalId);
    await publishOk(world.producer.client, assetId, {
      schema: { ...orderSchema, description: 'Orders of the shop.' },
    });
    const params = { proposal_id: proposalId };
    must(await world.producer.client.publishProposal({ params }), 200);
  });
});

describe('Approving', () => {
  test('leaves the publishing for later', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    mustRefuse(await client.approveProposal({ params }), 409, 'PROPOSAL_NOT_READY');
    await acknowledge(world.consumer, proposalId);
    expect(must(await client.approveProposal({ params }), 200).status).toBe('approved');
    must(await client.publishProposal({ params }), 200);
    expect((await eventsOf(proposalId)).map((event) => event.event_type)).toContain(
      'proposal.approved',
    );
  });
});

describe('Forcing', () => {
  test('publishes at once and records its reason', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const body = { reason: 'Legal wants it gone today.' };
    const forced = must(await world.admin.forceProposal({ params, body }), 200);
    expect(forced).toMatchObject({
      id: proposalId,
      status: 'force_published',
      reason: body.reason,
      contract: { version: '2.0.0', status: 'active' },
    });
    const [event] = await eventsOf(proposalId);
    expect(event).toMatchObject({
      event_type: 'proposal.force_published',
      metadata: { reason: body.reason },
    });
  });

  test('by the producer is 403; without a reason it is 400', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const byProducer = await world.producer.client.forceProposal({
      params,
      body: { reason: 'It has to be.' },
    });
    mustRefuse(byProducer, 403, 'FORBIDDEN');
    for (const reason of ['', ' ']) {
      mustRefuse(
        await world.admin.forceProposal({ params, body: { reason } }),
        400,
        'VALIDATION_ERROR',
      );
    }
  });
});

describe('Withdrawing', () => {
  test('by the producer returns the proposal with its reason', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const body = { reason: 'It has to be.' };
    const withdrawn = must(await world.producer.client.withdrawProposal({ params, body }), 200);
    expect(withdrawn).toMatchObject({ id: proposalId, status: 'withdrawn', reason: body.reason });
    expect((await eventsOf(proposalId))[0]).toMatchObject({
      event_type: 'proposal.withdrawn',
      metadata: { reason: body.reason },
    });
  });

  test('by a consumer or another team is 403', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    for (const party of [world.consumer, world.other]) {
      const withdrawn = await party.client.withdrawProposal({
        params,
        body: { reason: 'It has to be.' },
      });
      mustRefuse(withdrawn, 403, 'FORBIDDEN');
    }
  });

  test('by an admin acts for the producer, and the audit trail names the admin', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    must(await world.admin.withdrawProposal({ params, body: { reason: 'It has to be.' } }), 200);
    expect(JSON.stringify((await eventsOf(proposalId))[0])).toContain(world.producer.teamId);
  });

  test('allows another proposal', async () => {
    const { proposalId, assetId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    must(
      await world.producer.client.withdrawProposal({ params, body: { reason: 'It has to be.' } }),
      200,
    );
    expect(await propose(world.producer.client, assetId, narrowerSchema)).not.toBe(proposalId);
  });
});

describe('The consumers of an asset', () => {
  test('are asked whatever their version, and publishing loses none of them', async () => {
    const asset = await createAsset(world.producer);
    const first = await publishOk(world.producer.client, asset.id, { schema: orderSchema });
    await register(world.consumer, first);
    await publishOk(world.producer.client, asset.id, { schema: widerSchema });
    const result = await publish(world.producer.client, asset.id, { schema: narrowerSchema });
    expect(result).toMatchObject({
      action: 'proposal_created',
      proposal: { total_consumers: 1 },
    });
  });
});
