// Which events cause notifications, and for whom.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/value/json.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  must,
  narrowerSchema,
  openParty,
  openWorld,
  orderSchema,
  type Party,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  type World,
  widerSchema,
} from '../support/client/client-world.ts';
import { isSignedBy, openReceiver, type Received, type Receiver } from './receiver.ts';

let registry: TestRegistry;
let world: World;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  registry = await openRegistry({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  world = await openWorld(registry.url, registry.bootstrapKey);
  receiver = await openReceiver();
  const made = await world.admin.createWebhook({ body: { url: receiver.url } });
  secret = must(made, 201).secret ?? '';
});
afterAll(async () => {
  await registry.stop();
  await receiver.stop();
});

const waiting = { timeout: 20_000 };

/** The notifications about the asset until the nth `last`, in order of arrival. */
async function toldOf(assetId: string, last: string, times = 1): Promise<readonly Received[]> {
  const own = () => receiver.received.filter(({ body }) => body.asset.id === assetId);
  const came = () => own().filter(({ body }) => body.type === last).length;
  await expect.poll(came, waiting).toBe(times);
  return own();
}

function shown(told: readonly Received[]) {
  return told.map(({ body }) => [body.type, body.teams.map(({ name }) => name).sort()]);
}

/**
 * A replaced version is deprecated. Its notification shows that any earlier one has already
 * arrived.
 */
async function replace(assetId: string, schema: JsonObject = widerSchema): Promise<void> {
  await publishOk(world.producer.client, assetId, { schema });
}

test('Consumers are notified of a breaking proposal, the producer of their answers', async () => {
  const { producer, consumer, other } = world;
  const { assetId, fqn, proposalId } = await proposedAsset(producer, [consumer, other]);
  const params = { proposal_id: proposalId };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  const blocked = { response: 'blocked' as const, notes: 'we read it' };
  must(await other.client.acknowledgeProposal({ params, body: blocked }), 200);
  const told = await toldOf(assetId, 'proposal.rejected');
  expect(shown(told)).toEqual([
    ['proposal.created', [consumer.name, other.name]],
    ['proposal.acknowledged', [producer.name]],
    ['proposal.rejected', [producer.name]],
  ]);
  const [first] = told;
  if (first === undefined) throw new Error('It was told.');
  expect(isSignedBy(secret, first)).toBe(true);
  expect(isSignedBy('another secret', first)).toBe(false);
  expect(first.headers).toMatchObject({
    'concordat-event': 'proposal.created',
    'concordat-delivery': first.body.id,
    'content-type': 'application/json; charset=utf-8',
  });
  expect(first.body).toMatchObject({ gap: false, replay: false, asset: { id: assetId, fqn } });
  expect(first.body.event).toMatchObject({
    event_type: 'proposal.created',
    metadata: { breaking_changes_count: 1, changes: ['property_removed: $.properties.total'] },
  });
  const event = await world.admin.getEvent({ params: { event_id: first.body.event.id } });
  expect(must(event, 200)).toMatchObject(first.body.event);
});

test('Compatible versions cause no notification; deprecating the previous version notifies its consumers', async () => {
  const { producer, consumer } = world;
  const { assetId, contractId } = await publishedAsset(producer);
  await register(consumer, contractId);
  await replace(assetId);
  const told = await toldOf(assetId, 'contract.deprecated');
  expect(shown(told)).toEqual([['contract.deprecated', [consumer.name]]]);
});

test.each(['none', 'forward'] as const)(
  'Under mode %s, only versions that would break under backward cause a notification',
  async (mode) => {
    const { producer, consumer } = world;
    const asset = await createAsset(producer);
    const body = { schema: orderSchema, compatibility_mode: mode };
    const contractId = await publishOk(producer.client, asset.id, body);
    await register(consumer, contractId);
    await replace(asset.id, widerSchema);
    await replace(asset.id, narrowerSchema);
    expect(shown(await toldOf(asset.id, 'contract.published'))).toEqual([
      ['contract.deprecated', [consumer.name]],
      ['contract.deprecated', [consumer.name]],
      ['contract.published', [consumer.name]],
    ]);
  },
);

test('A forced version that would have broken under backward causes a notification', async () => {
  const { producer, consumer } = world;
  const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
  const params = { proposal_id: proposalId };
  must(await world.admin.forceProposal({ params, body: { reason: 'It has to be.' } }), 200);
  const told = await toldOf(assetId, 'contract.published');
  expect(shown(told)).toEqual([
    ['proposal.created', [consumer.name]],
    ['contract.deprecated', [consumer.name]],
    ['contract.published', [consumer.name]],
  ]);
  expect(told.at(-1)?.body.event.metadata).toMatchObject({ breaks_backward: true });
});

test.each([
  ['move', { environment: 'staging' }],
  ['guarantee_mode', { guarantee_mode: 'ignore' as const }],
])('A forced %s is told to its consumers', async (kind, change) => {
  const { producer, consumer, other } = world;
  const { assetId, contractId } = await publishedAsset(producer);
  for (const party of [consumer, other]) await register(party, contractId);
  const asked = await producer.client.updateAsset({ params: { asset_id: assetId }, body: change });
  const answer = must(asked, 200);
  if (!('proposal' in answer)) throw new Error('It was not proposed.');
  const params = { proposal_id: answer.proposal.id ?? '' };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  must(await world.admin.forceProposal({ params, body: { reason: 'It has to be.' } }), 200);
  const told = await toldOf(assetId, 'proposal.force_published');
  expect(shown(told)).toEqual([
    ['proposal.created', [consumer.name, other.name]],
    ['proposal.acknowledged', [producer.name]],
    ['proposal.force_published', [consumer.name, other.name]],
  ]);
  expect(told.at(-1)?.body.event.metadata).toMatchObject({
    kind,
    reason: 'It has to be.',
    not_agreed: [other.name],
  });
});

test('A forced deletion is told to its consumers', async () => {
  const { producer, consumer, other } = world;
  const { assetId, contractId } = await publishedAsset(producer);
  for (const party of [consumer, other]) await register(party, contractId);
  const params = { asset_id: assetId };
  const query = { force: true, reason: 'It has to be.' };
  must(await world.admin.deleteAsset({ params, query }), 204);
  const told = await toldOf(assetId, 'asset.deleted');
  expect(shown(told)).toEqual([['asset.deleted', [consumer.name, other.name]]]);
  expect(told.at(-1)?.body.event.metadata).toMatchObject({ forced: true, reason: 'It has to be.' });
});

test('A forced deprecation is told once, as the deprecation', async () => {
  const { producer, consumer } = world;
  const { assetId, contractId } = await publishedAsset(producer);
  await register(consumer, contractId);
  const body = { status: 'deprecated' as const };
  const asked = await producer.client.updateContract({ params: { contract_id: contractId }, body });
  const answer = must(asked, 200);
  if (!('proposal' in answer)) throw new Error('It was not proposed.');
  const params = { proposal_id: answer.proposal.id ?? '' };
  must(await world.admin.forceProposal({ params, body: { reason: 'It has to be.' } }), 200);
  expect(shown(await toldOf(assetId, 'contract.deprecated'))).toEqual([
    ['proposal.created', [consumer.name]],
    ['contract.deprecated', [consumer.name]],
  ]);
});

test('A forced version that breaks under its own mode alone is not', async () => {
  const { producer, consumer } = world;
  const asset = await createAsset(producer);
  const body = { schema: orderSchema, compatibility_mode: 'full' as const };
  await register(consumer, await publishOk(producer.client, asset.id, body));
  const params = { asset_id: asset.id };
  const asked = await producer.client.publishContract({ params, body: { schema: widerSchema } });
  const proposed = must(asked, 201);
  if (proposed.action !== 'proposal_created') throw new Error('Under full it is asked.');
  const forced = { proposal_id: proposed.proposal.id ?? '' };
  must(await world.admin.forceProposal({ params: forced, body: { reason: 'It has to be.' } }), 200);
  // A later notification shows that there was no other one before.
  const second = await producer.client.publishContract({ params, body: { schema: orderSchema } });
  must(second, 201);
  expect(shown(await toldOf(asset.id, 'proposal.created', 2)).map(([type]) => type)).toEqual([
    'proposal.created',
    'contract.deprecated',
    'proposal.created',
  ]);
});

test('Archiving a version by force notifies its consumers', async () => {
  const { producer, consumer } = world;
  const { assetId, contractId } = await publishedAsset(producer);
  await register(consumer, contractId);
  const body = { status: 'archived' as const, force: true, reason: 'It has to be.' };
  must(await world.admin.updateContract({ params: { contract_id: contractId }, body }), 200);
  const told = await toldOf(assetId, 'contract.archived');
  expect(shown(told)).toEqual([['contract.archived', [consumer.name]]]);
});

test('A team that registers after an approval is notified that the proposal asks it, too', async () => {
  const { producer, consumer, other } = world;
  const { assetId, contractId, proposalId } = await proposedAsset(producer, [consumer]);
  const params = { proposal_id: proposalId };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  must(await producer.client.approveProposal({ params }), 200);
  await register(other, contractId);
  const told = await toldOf(assetId, 'proposal.reopened');
  expect(shown(told).at(-1)).toEqual(['proposal.reopened', [other.name]]);
});

test('An agreed proposal causes a notification of the deprecation, not of the version', async () => {
  const { producer, consumer } = world;
  const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
  const params = { proposal_id: proposalId };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  must(await producer.client.publishProposal({ params }), 200);
  expect(shown(await toldOf(assetId, 'contract.deprecated')).map(([type]) => type)).toEqual([
    'proposal.created',
    'proposal.acknowledged',
    'contract.deprecated',
  ]);
});

test('A webhook with filters gets only matching events', async () => {
  const { producer, consumer, other } = world;
  const narrow = await openReceiver();
  const answered = await openParty(world.admin, 'answered');
  const hook = (body: {
    events?: ('proposal.created' | 'proposal.acknowledged')[];
    party: Party;
  }) =>
    world.admin.createWebhook({
      body: {
        url: `${narrow.url}/${body.party.name.replace(' ', '-')}`,
        ...(body.events !== undefined && { events: body.events }),
        team_ids: [body.party.teamId],
      },
    });
  must(await hook({ party: consumer, events: ['proposal.created'] }), 201);
  must(await hook({ party: answered }), 201);
  const first = await proposedAsset(producer, [other]);
  const second = await proposedAsset(producer, [consumer, other]);
  const third = await proposedAsset(answered, [consumer]);
  const params = { proposal_id: third.proposalId };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  await toldOf(third.assetId, 'proposal.acknowledged');
  await expect.poll(() => narrow.received.length, waiting).toBe(3);
  const seen = narrow.received.map(({ path, body }) => [path, body.type, body.asset.id]);
  const name = (party: Party) => `/hook/${party.name.replace(' ', '-')}`;
  expect(seen.sort()).toEqual(
    [
      [name(consumer), 'proposal.created', second.assetId],
      [name(consumer), 'proposal.created', third.assetId],
      [name(answered), 'proposal.acknowledged', third.assetId],
    ].sort(),
  );
  expect(first.assetId).not.toBe('');
  await narrow.stop();
});

test('Nothing stays in the outbox, with or without webhooks', async () => {
  const count = async () => (await registry.database.query('select id from outbox')).length;
  await expect.poll(count, waiting).toBe(0);
});
