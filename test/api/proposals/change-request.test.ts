// A proposal as a change request: what the producer says, and who may change it.

import { describe, expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  proposedAsset,
  publish,
  publishedAsset,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const request = {
  reason: 'Finance needs amounts in cents.',
  contact: 'Ada Byron, #orders',
  answer_by: '2099-05-03',
  migration: 'Read `cents` and divide by 100.',
  migrate_by: '2099-08-01',
};
const nothing = {
  reason: null,
  contact: null,
  answer_by: null,
  migration: null,
  migrate_by: null,
};

async function consumed() {
  const { assetId, contractId } = await publishedAsset(world.producer);
  await register(world.consumer, contractId);
  return { assetId, contractId };
}

async function get(proposalId: string) {
  return must(await world.admin.getProposal({ params: { proposal_id: proposalId } }), 200);
}

async function eventsOf(proposalId: string) {
  const params = { entity_type: 'proposal', entity_id: proposalId } as const;
  return must(await world.admin.listEntityHistory({ params }), 200).results.toReversed();
}

function today(days = 0): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, '2026-01-31'.length);
}

describe('A request comes with', () => {
  test('a breaking publish, and is shown by the proposal, the list and the event', async () => {
    const { assetId } = await consumed();
    const params = { asset_id: assetId };
    const body = { schema: narrowerSchema, request: { ...request, contact: '  Ada  ' } };
    const made = must(await world.producer.client.publishContract({ params, body }), 201);
    if (made.action !== 'proposal_created') throw new Error('It must be proposed.');
    const id = made.proposal.id ?? '';
    const said = { ...request, contact: 'Ada' };
    expect((await get(id)).request).toEqual(said);
    const listed = must(await world.admin.listProposals({ query: { asset_id: assetId } }), 200);
    expect(listed.results.map((one) => one.request)).toEqual([said]);
    const [created] = await eventsOf(id);
    expect(created).toMatchObject({ event_type: 'proposal.created', metadata: { request: said } });
  });

  test('a deprecation, and a move of an asset', async () => {
    const { assetId, contractId } = await consumed();
    const deprecating = must(
      await world.producer.client.updateContract({
        params: { contract_id: contractId },
        body: { status: 'deprecated', request: { reason: request.reason } },
      }),
      200,
    );
    if (!('action' in deprecating)) throw new Error('It must be proposed.');
    expect((await get(deprecating.proposal.id ?? '')).request).toEqual({
      ...nothing,
      reason: request.reason,
    });
    const moving = must(
      await world.producer.client.updateAsset({
        params: { asset_id: assetId },
        body: { environment: 'staging', supersede: true, request: { contact: 'Bob' } },
      }),
      200,
    );
    if (!('action' in moving)) throw new Error('It must be proposed.');
    expect((await get(moving.proposal.id ?? '')).request).toEqual({ ...nothing, contact: 'Bob' });
  });

  test('a compatible publish too, which needs none of it', async () => {
    const { id: assetId } = await createAsset(world.producer);
    const params = { asset_id: assetId };
    const body = { schema: widerSchema, request };
    const made = must(await world.producer.client.publishContract({ params, body }), 201);
    expect(made.action).toBe('published');
  });

  test('a dry run, which refuses a day that is over', async () => {
    const { assetId } = await consumed();
    const params = { asset_id: assetId };
    const over = { schema: narrowerSchema, dry_run: true, request: { answer_by: today(-2) } };
    expect(
      mustRefuse(
        await world.producer.client.publishContract({ params, body: over }),
        400,
        'VALIDATION_ERROR',
      ),
    ).toMatchObject({ field: 'request.answer_by' });
  });
});

describe('Changing the request', () => {
  test('keeps what is left out, removes what is null, and is an event for the consumers', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    must(await client.updateProposal({ params, body: request }), 200);
    const body = { reason: null, answer_by: today(1), migrate_by: null };
    const changed = must(await client.updateProposal({ params, body }), 200);
    const after = { ...request, ...body };
    expect(changed.request).toEqual(after);
    expect(await get(proposalId)).toEqual(changed);
    expect((await eventsOf(proposalId)).map((one) => [one.event_type, one.metadata])).toEqual([
      ['proposal.created', expect.not.objectContaining({ request: expect.anything() })],
      ['proposal.updated', expect.objectContaining({ request })],
      ['proposal.updated', expect.objectContaining({ request: after, before: request })],
    ]);
  });

  test('to what it says already is no event', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    must(await world.producer.client.updateProposal({ params, body: { contact: null } }), 200);
    must(await world.producer.client.updateProposal({ params }), 200);
    expect(await eventsOf(proposalId)).toHaveLength(1);
  });

  test('is for the owner team and administrators', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    for (const { client } of [world.consumer, world.other]) {
      mustRefuse(await client.updateProposal({ params, body: request }), 403, 'FORBIDDEN');
    }
    must(await world.admin.updateProposal({ params, body: request }), 200);
  });

  test.each([
    ['a day that is over', { answer_by: today(-2) }, 'answer_by'],
    ['no day of the calendar', { answer_by: '2099-02-30' }, 'answer_by'],
    ['a time', { answer_by: '2099-05-03T10:00:00Z' }, 'answer_by'],
    ['a blank reason', { reason: ' \n ' }, 'reason'],
    ['a reason without end', { reason: 'x'.repeat(4_001) }, 'reason'],
    ['an old version that has ended', { migrate_by: today(-2) }, 'migrate_by'],
    ['a way to migrate without end', { migration: 'x'.repeat(4_001) }, 'migration'],
    ['a contact without end', { contact: 'x'.repeat(201) }, 'contact'],
  ])('refuses %s', async (_what, body, field) => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const refused = await world.producer.client.updateProposal({ params, body });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR')).toMatchObject({ field });
    expect((await get(proposalId)).request).toEqual(nothing);
  });

  test('is possible while a consumer blocks, and no longer once it is withdrawn', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    const block = { response: 'blocked', notes: 'We read it.' } as const;
    must(await world.consumer.client.acknowledgeProposal({ params, body: block }), 200);
    must(await client.updateProposal({ params, body: request }), 200);
    must(await client.withdrawProposal({ params, body: { reason: 'Not needed.' } }), 200);
    mustRefuse(
      await client.updateProposal({ params, body: { contact: 'Bob' } }),
      409,
      'PROPOSAL_NOT_PENDING',
    );
  });

  test('refuses an outdated If-Match, and survives a rebase', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    const { client } = world.producer;
    must(await client.updateProposal({ params, body: request }), 200);
    mustRefuse(
      await client.updateProposal({
        params,
        body: { contact: 'Bob' },
        headers: { 'if-match': '"no"' },
      }),
      412,
      'PRECONDITION_FAILED',
    );
    const rebased = must(await client.rebaseProposal({ params }), 200);
    expect([rebased.round, rebased.request]).toEqual([2, request]);
  });
});

test('Proposing the same again keeps the request, and replacing the proposal does not', async () => {
  const { assetId } = await consumed();
  const params = { asset_id: assetId };
  const { client } = world.producer;
  const first = must(
    await client.publishContract({ params, body: { schema: narrowerSchema, request } }),
    201,
  );
  const again = must(
    await client.publishContract({
      params,
      body: { schema: narrowerSchema, request: { contact: 'Bob' } },
    }),
    200,
  );
  if (first.action !== 'proposal_created' || again.action !== 'proposal_created') {
    throw new Error('They must be proposed.');
  }
  expect(again.proposal.id).toBe(first.proposal.id);
  expect((await get(again.proposal.id ?? '')).request).toEqual(request);
  const other = { type: 'object', properties: { id: { type: 'string' } } };
  const replaced = await publish(client, assetId, { schema: other, supersede: true });
  if (replaced.action !== 'proposal_created') throw new Error('It must be proposed.');
  expect((await get(replaced.proposal.id ?? '')).request.reason).toBeNull();
});
