// Many simultaneous requests to two server processes on one database: every response is true.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openClient, type TestClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  narrowerSchema,
  openWorld,
  orderSchema,
  type Party,
  proposedAsset,
  publishedAsset,
  register,
  type World,
} from '../../support/client/client-world.ts';

let registry: TestRegistry;
let beside: ProcessRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry();
  beside = await openProcess(registry.database.serviceUrl);
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await beside.stop();
  await registry.stop();
});

/** Alternates between the two processes. */
function at(index: number, key: string): TestClient {
  return openClient(index % 2 === 0 ? registry.url : beside.url, key);
}

function rounds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

describe('32 simultaneous publishes for one asset', () => {
  test('leave one active contract, versions without gaps or duplicates, and correct responses', async () => {
    const asset = await createAsset(world.producer);
    const answers = await Promise.all(
      rounds(32).map((i) =>
        at(i, world.producer.key).publishContract({
          params: { asset_id: asset.id },
          body: {
            schema: {
              ...orderSchema,
              properties: { ...orderSchema.properties, [`field_${i}`]: { type: 'string' } },
            },
            compatibility_mode: 'none',
          },
        }),
      ),
    );
    const listed = await world.admin.listAssetContracts({
      params: { asset_id: asset.id },
      query: { page_size: 100 },
    });
    const contracts = must(listed, 200).results;
    expect(contracts.filter((contract) => contract.status === 'active')).toHaveLength(1);

    const told = answers.map((answer) => {
      const body = must(answer, 201);
      if (body.action !== 'published') throw new Error(`It was told ${body.action}.`);
      return body.contract;
    });
    const byId = new Map(contracts.map((contract) => [contract.id, contract]));
    expect(contracts).toHaveLength(32);
    expect(new Set(told.map((contract) => contract.id)).size).toBe(32);
    for (const contract of told) {
      expect(byId.get(contract.id ?? '')?.version).toBe(contract.version);
    }
    expect(new Set(contracts.map((contract) => contract.version)).size).toBe(32);
    // Each version follows exactly one other: a single line without branches.
    const previous = contracts.map((contract) => contract.previous_contract_id);
    expect(new Set(previous).size).toBe(32);
    expect(hasGap(contracts.map((contract) => contract.version))).toBe(false);
  });

  test('of the same schema publish it once, and answer unchanged to the others', async () => {
    const asset = await createAsset(world.producer);
    const answers = await Promise.all(
      rounds(32).map((i) =>
        at(i, world.producer.key).publishContract({
          params: { asset_id: asset.id },
          body: { schema: orderSchema },
        }),
      ),
    );
    const actions = answers.map((answer) => (answer.ok ? answer.body.action : answer.refusal.code));
    expect(actions.filter((action) => action === 'published')).toHaveLength(1);
    expect(actions.filter((action) => action === 'unchanged')).toHaveLength(31);
  });
});

describe('A breaking publish during a registration', () => {
  test('loses no consumer: a registered team is asked, in either order', async () => {
    for (const i of rounds(8)) {
      const { assetId, contractId } = await publishedAsset(world.producer);
      const [proposed, registered] = await Promise.all([
        at(i, world.producer.key).publishContract({
          params: { asset_id: assetId },
          body: { schema: narrowerSchema },
        }),
        at(i + 1, world.consumer.key).registerConsumer({
          body: { contract_id: contractId, consumer_team_id: world.consumer.teamId },
        }),
      ]);
      must(registered, 201);
      const result = must(proposed, 201);
      if (result.action !== 'proposal_created') throw new Error('It should have been proposed.');
      const status = await world.admin.getProposalStatus({
        params: { proposal_id: result.proposal.id ?? '' },
      });
      expect(must(status, 200)).toMatchObject({ total_consumers: 1, can_publish: false });
    }
  });
});

describe('Acknowledging and withdrawing at once', () => {
  test('ends withdrawn, and a late acknowledgement is refused', async () => {
    for (const i of rounds(8)) {
      const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
      const params = { proposal_id: proposalId };
      const [acknowledged, withdrawn] = await Promise.all([
        at(i, world.consumer.key).acknowledgeProposal({ params, body: {} }),
        at(i + 1, world.producer.key).withdrawProposal({
          params,
          body: { reason: 'It has to be.' },
        }),
      ]);
      must(withdrawn, 200);
      expect([200, 409]).toContain(acknowledged.status);
      const proposal = must(await world.admin.getProposal({ params }), 200);
      expect(proposal.status).toBe('withdrawn');
      expect(proposal.acknowledgment_count).toBe(acknowledged.ok ? 1 : 0);
    }
  });
});

describe('Publishing and forcing at once', () => {
  test('publishes once: one succeeds, the other is 409', async () => {
    for (const i of rounds(8)) {
      const { proposalId, assetId } = await proposedAsset(world.producer, [world.consumer]);
      const params = { proposal_id: proposalId };
      must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
      const [published, forced] = await Promise.all([
        at(i, world.producer.key).publishProposal({ params }),
        at(i + 1, registry.bootstrapKey).forceProposal({
          params,
          body: { reason: 'It has to be.' },
        }),
      ]);
      expect([published.status, forced.status].sort()).toEqual([200, 409]);
      const status = must(await world.admin.getProposal({ params }), 200).status;
      expect(status).toBe(published.ok ? 'published' : 'force_published');
      const listed = await world.admin.listAssetContracts({ params: { asset_id: assetId } });
      expect(must(listed, 200).results.map((contract) => contract.version)).toEqual([
        '2.0.0',
        '1.0.0',
      ]);
    }
  });
});

describe('Two simultaneous proposals', () => {
  test('create one: the other call returns it, or is refused', async () => {
    for (const i of rounds(8)) {
      const { assetId, contractId } = await publishedAsset(world.producer);
      await register(world.consumer, contractId);
      const propose = (index: number, type: string) =>
        at(index, world.producer.key).publishContract({
          params: { asset_id: assetId },
          body: { schema: { type: 'object', properties: { id: { type } } } },
        });
      const answers = await Promise.all([propose(i, 'string'), propose(i + 1, 'boolean')]);
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
      const same = await Promise.all([0, 1].map((offset) => propose(i + offset, 'string')));
      expect(same.every((answer) => [200, 409].includes(answer.status))).toBe(true);
      const query = { asset_id: assetId };
      expect(must(await world.admin.listProposals({ query }), 200).total).toBe(1);
    }
  });

  test('with the same schema are one proposal', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const answers = await Promise.all(
      rounds(8).map((i) =>
        at(i, world.producer.key).publishContract({
          params: { asset_id: assetId },
          body: { schema: narrowerSchema },
        }),
      ),
    );
    const ids = answers.map((answer) =>
      answer.ok && answer.body.action === 'proposal_created' ? answer.body.proposal.id : null,
    );
    expect(new Set(ids).size).toBe(1);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  });
});

describe('Two simultaneous registrations of one team', () => {
  test('create one', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const answers = await Promise.all(
      rounds(8).map((i) =>
        at(i, world.consumer.key).registerConsumer({
          body: { contract_id: contractId, consumer_team_id: world.consumer.teamId },
        }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe('Two simultaneous assets with one name', () => {
  test('create one', async () => {
    const body = { fqn: 'race.for.one_name', owner_team_id: world.producer.teamId };
    const answers = await Promise.all(
      rounds(8).map((i) => at(i, world.producer.key).createAsset({ body })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe('Restoring and creating the same name at once', () => {
  test('leaves one asset, and the other call is refused because the name is taken', async () => {
    for (const i of rounds(8)) {
      const body = { fqn: `race.to.return_${i}`, owner_team_id: world.producer.teamId };
      const deleted = must(await world.producer.client.createAsset({ body }), 201);
      const params = { asset_id: deleted.id };
      must(await world.producer.client.deleteAsset({ params }), 204);
      const [restored, created] = await Promise.all([
        at(i, registry.bootstrapKey).restoreAsset({ params }),
        at(i + 1, world.producer.key).createAsset({ body }),
      ]);
      expect([restored.status, created.status]).toEqual(restored.ok ? [200, 409] : [409, 201]);
      const listed = await world.admin.listAssets({ query: { fqn: body.fqn } });
      expect(must(listed, 200).results.map((asset) => asset.id)).toEqual([
        restored.ok ? deleted.id : created.ok ? created.body.id : '',
      ]);
    }
  });
});

/** Without a notification, a process looks again after ten seconds. */
const untilNextLook = { timeout: 8_000, interval: 5 };

describe('A key that is revoked while in use', () => {
  test('is refused by both processes as soon as they are notified', async () => {
    const body = { name: 'revoked', team_id: world.other.teamId, scopes: ['read' as const] };
    const { id, key = '' } = must(await world.admin.issueApiKey({ body }), 201);
    const clients = [at(0, key), at(1, key)];
    for (const client of clients) must(await client.listTeams(), 200);
    must(await world.admin.revokeApiKey({ params: { api_key_id: id } }), 204);
    for (const client of clients) {
      await vi.waitFor(
        async () => expect((await client.listTeams()).status).toBe(401),
        untilNextLook,
      );
    }
  });
});

describe('While one process publishes a break, a team says through the other that it reads more', () => {
  type Learn = (
    client: TestClient,
    params: { readonly registration_id: string },
  ) => Promise<{ readonly ok: boolean }>;
  const places = [{ place: 'a.sql', fields: ['$.total'] }];

  test.each<readonly [string, Learn]>([
    [
      'by its need',
      (client, params) =>
        client.updateRegistration({ params, body: { needs: { fields: ['$.total'] } } }),
    ],
    [
      'by what is found of it',
      (client, params) =>
        client.findNeeds({ params, body: { origin: 'sql', source: 'reports', places } }),
    ],
    [
      'by taking its need back',
      (client, params) => client.updateRegistration({ params, body: { needs: null } }),
    ],
  ])('%s: it is asked, or was too late', async (_how, learn) => {
    const { admin, consumer, producer } = world;
    for (const round of rounds(6)) {
      const { assetId, contractId } = await publishedAsset(producer);
      const needs = { fields: ['$.id'] };
      const reads = { contract_id: contractId, consumer_team_id: consumer.teamId, needs };
      const { id } = must(await consumer.client.registerConsumer({ body: reads }), 201);
      const asset = { asset_id: assetId };
      const breakIt = at(round, producer.key).publishContract({
        ...{ params: asset, body: { schema: narrowerSchema } },
      });
      const learnIt = learn(at(round + 1, consumer.key), { registration_id: id });
      const [broken, learned] = await Promise.all([breakIt, learnIt]);
      if (!broken.ok) throw new Error(broken.refusal.message);
      if (broken.body.action === 'proposal_created') {
        const params = { proposal_id: broken.body.proposal.id ?? '' };
        const { consumers } = must(await admin.getProposal({ params }), 200);
        expect(consumers.map(({ team_id }) => team_id)).toEqual([consumer.teamId]);
        continue;
      }
      if (!learned.ok) continue;
      const { results } = must(await admin.listEvents({ query: asset }), 200);
      // The newest first: the version was there already.
      const types = results.map(({ event_type }) => event_type);
      const said = types.findIndex((type) => type.startsWith('registration.needs_'));
      expect(said, String(types)).toBeLessThan(types.indexOf('contract.published'));
    }
  });
});

describe('A change through one process', () => {
  test('is visible through the other one at once', async () => {
    const parties: Party[] = [world.producer, world.consumer];
    for (const i of rounds(10)) {
      const asset = must(
        await at(i, world.producer.key).createAsset({
          body: { fqn: `read.after.write_${i}`, owner_team_id: world.producer.teamId },
        }),
        201,
      );
      for (const party of parties) {
        const read = await at(i + 1, party.key).getAsset({ params: { asset_id: asset.id } });
        must(read, 200);
      }
    }
  });
});

/** Whether a version is more than one step after the previous one. */
function hasGap(versions: readonly string[]): boolean {
  const sorted = versions
    .map((version) => version.split('.').map(Number))
    .sort((a, b) => at3(a, 0) - at3(b, 0) || at3(a, 1) - at3(b, 1) || at3(a, 2) - at3(b, 2));
  return sorted.some((version, i) => {
    const before = sorted[i - 1];
    if (before === undefined) return false;
    const major = at3(version, 0) - at3(before, 0);
    const minor = at3(version, 1) - at3(before, 1);
    const patch = at3(version, 2) - at3(before, 2);
    if (major > 0) return !(major === 1 && at3(version, 1) === 0 && at3(version, 2) === 0);
    if (minor > 0) return !(minor === 1 && at3(version, 2) === 0);
    return patch !== 1;
  });
}

function at3(version: readonly number[], part: number): number {
  return version[part] ?? 0;
}
