// FOUR_EYES: one administrator's force waits for a second one, in two processes.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver, type Receiver } from '../../notify/receiver.ts';
import { openClient, type TestClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import {
  createUser,
  issueKey,
  must,
  mustRefuse,
  openWorld,
  proposedAsset,
  register,
  signIn,
  type World,
} from '../../support/client/client-world.ts';

const settings = { FOUR_EYES: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

let registry: TestRegistry;
let second: ProcessRegistry;
let world: World;
let receiver: Receiver;
let ada: Administrator;
let bob: Administrator;

interface Administrator {
  readonly id: string;
  readonly name: string;
  readonly client: TestClient;
}

/** Signed in at one of the processes. */
async function openAdministrator(url: string, name: string): Promise<Administrator> {
  const { id, email } = await createUser(world.admin, { role: 'admin', name });
  const visitor = openClient(url);
  return { id, name, client: visitor.signedIn(await signIn(visitor, email)) };
}

beforeAll(async () => {
  registry = await openRegistry(settings);
  second = await openProcess(registry.database.serviceUrl, settings);
  world = await openWorld(registry.url, registry.bootstrapKey);
  ada = await openAdministrator(registry.url, 'Ada');
  bob = await openAdministrator(second.url, 'Bob');
  receiver = await openReceiver();
  must(await world.admin.createWebhook({ body: { url: receiver.url } }), 201);
});
afterAll(async () => {
  await second.stop();
  await registry.stop();
  await receiver.stop();
});

function force({ client }: Pick<Administrator, 'client'>, proposalId: string, reason: string) {
  return client.forceProposal({ params: { proposal_id: proposalId }, body: { reason } });
}

async function proposalOf(proposalId: string) {
  return must(await world.admin.getProposal({ params: { proposal_id: proposalId } }), 200);
}

async function historyOf(proposalId: string) {
  const params = { entity_type: 'proposal' as const, entity_id: proposalId };
  return must(await world.admin.listEntityHistory({ params }), 200).results;
}

test('The first force is recorded and publishes nothing; the second one publishes, with both reasons', async () => {
  const { producer, consumer } = world;
  const { assetId, contractId, proposalId } = await proposedAsset(producer, [consumer]);
  const asked = await proposalOf(proposalId);
  expect(asked).toMatchObject({ status: 'pending', force_requested: null });

  const requested = must(await force(ada, proposalId, 'Legal wants it gone.'), 202);
  const request = {
    by: { type: 'user', id: ada.id, name: 'Ada' },
    user_id: ada.id,
    reason: 'Legal wants it gone.',
    requested_at: expect.any(String),
    round: 1,
  };
  expect(requested).toEqual({ ...asked, force_requested: request, contract: null });
  const { contract: _none, ...proposal } = requested;
  expect(await proposalOf(proposalId)).toEqual(proposal);
  const asset = must(await world.admin.getAsset({ params: { asset_id: assetId } }), 200);
  expect(asset.active_contract_id).toBe(contractId);

  const forced = must(await force(bob, proposalId, 'The regulator asked for it.'), 200);
  expect(forced).toMatchObject({
    status: 'force_published',
    reason: 'The regulator asked for it.',
    force_requested: request,
    contract: { version: '2.0.0' },
  });
  const [last, before] = await historyOf(proposalId);
  expect(last).toMatchObject({
    event_type: 'proposal.force_published',
    actor_id: bob.id,
    metadata: {
      reason: 'The regulator asked for it.',
      requested_by: ada.id,
      requested_by_name: 'Ada',
      requested_at: requested.force_requested?.requested_at,
      requested_reason: 'Legal wants it gone.',
    },
  });
  expect(before).toMatchObject({
    event_type: 'proposal.force_requested',
    actor_id: ada.id,
    metadata: {
      from: 'pending',
      to: 'pending',
      round: 1,
      not_agreed: [consumer.name],
      reason: 'Legal wants it gone.',
    },
  });
});

test('Owner and consumers are notified of a request', async () => {
  const { producer, consumer } = world;
  // A webhook may select only these events.
  const events = ['proposal.force_requested' as const];
  const only = must(await world.admin.createWebhook({ body: { url: receiver.url, events } }), 201);
  const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
  must(await force(ada, proposalId, 'Legal wants it gone.'), 202);
  const told = () =>
    receiver.received.find(
      ({ body }) => body.asset.id === assetId && body.type === 'proposal.force_requested',
    );
  await expect.poll(told, { timeout: 20_000 }).toBeDefined();
  expect(
    told()
      ?.body.teams.map(({ name }) => name)
      .sort(),
  ).toEqual([producer.name, consumer.name].sort());
  const params = { webhook_id: only.id };
  const { results } = must(await world.admin.listDeliveries({ params }), 200);
  expect(results.map(({ event_type }) => event_type)).toEqual(events);
});

test('The same administrator is refused, with a message that asks for a second one', async () => {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  must(await force(ada, proposalId, 'Legal wants it gone.'), 202);
  const again = await force(ada, proposalId, 'Legal wants it gone.');
  expect(mustRefuse(again, 409, 'SECOND_ADMINISTRATOR_NEEDED').message).toContain(
    'A second administrator must also force',
  );
  expect(await historyOf(proposalId)).toHaveLength(2);
});

test('The same request under one Idempotency-Key gets the same response', async () => {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const call = {
    params: { proposal_id: proposalId },
    body: { reason: 'Legal wants it gone.' },
    headers: { 'Idempotency-Key': proposalId },
  };
  const first = must(await ada.client.forceProposal(call), 202);
  expect(must(await ada.client.forceProposal(call), 202)).toEqual(first);
});

test('One person at both processes at once makes one request', async () => {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const key = await issueKey(world.admin, { user_id: ada.id, scopes: ['admin'] });
  const there = openClient(second.url, key);
  const answers = await Promise.all([
    force(ada, proposalId, 'Legal wants it gone.'),
    force({ client: there }, proposalId, 'Legal wants it gone.'),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect((await proposalOf(proposalId)).status).toBe('pending');
});

test('Two people at once: one requests, the other one publishes', async () => {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const answers = await Promise.all([
    force(ada, proposalId, 'Legal wants it gone.'),
    force(bob, proposalId, 'The regulator asked for it.'),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 202]);
  expect((await proposalOf(proposalId)).status).toBe('force_published');
});

test.each(['approved', 'rejected'] as const)('A request leaves the proposal %s', async (state) => {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const params = { proposal_id: proposalId };
  const body = state === 'rejected' ? { response: 'blocked' as const, notes: 'We read it.' } : {};
  must(await world.consumer.client.acknowledgeProposal({ params, body }), 200);
  if (state === 'approved') must(await world.producer.client.approveProposal({ params }), 200);
  const requested = must(await force(ada, proposalId, 'Legal wants it gone.'), 202);
  expect(requested).toMatchObject({ status: state, force_requested: { user_id: ada.id } });
  must(await force(bob, proposalId, 'The regulator asked for it.'), 200);
});

test('An answer that changes the state drops a request; any other answer keeps it', async () => {
  const { producer, consumer, other } = world;
  const { contractId, proposalId } = await proposedAsset(producer, [consumer]);
  await register(other, contractId);
  const params = { proposal_id: proposalId };
  must(await force(ada, proposalId, 'Legal wants it gone.'), 202);
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  expect((await proposalOf(proposalId)).force_requested).toMatchObject({ user_id: ada.id });
  const blocked = { response: 'blocked' as const, notes: 'We read it.' };
  must(await other.client.acknowledgeProposal({ params, body: blocked }), 200);
  expect((await proposalOf(proposalId)).force_requested).toBeNull();
});

test('A request does not hold for a consumer that came after it', async () => {
  const { producer, consumer, other } = world;
  const { contractId, proposalId } = await proposedAsset(producer, [consumer]);
  must(await force(ada, proposalId, 'Legal wants it gone.'), 202);
  await register(other, contractId);
  // So the page asks the next administrator for a request, and says that it publishes nothing.
  expect((await proposalOf(proposalId)).force_requested).toBeNull();
  must(await force(bob, proposalId, 'I have seen it as well.'), 202);
  expect(await proposalOf(proposalId)).toMatchObject({
    ...{ status: 'pending', force_requested: { user_id: bob.id } },
  });
  must(await force(ada, proposalId, 'Legal wants it gone.'), 200);
});

test('The identity shows whether two administrators are needed', async () => {
  expect(must(await ada.client.getIdentity(), 200)).toMatchObject({ four_eyes: true });
});
