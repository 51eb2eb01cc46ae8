// Changes that pass review once the consumers agree. Ways around review are in
// test/security/review-ways.test.ts.

import { describe, expect, test } from 'vitest';
import {
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  orderSchema,
  publish,
  publishedAsset,
  publishOk,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

/** An asset that one team consumes. */
async function consumedAsset(more: Record<string, unknown> = {}) {
  const published = await publishedAsset(world.producer, more);
  const registration = await register(world.consumer, published.contractId);
  return { ...published, registrationId: registration.id };
}

async function assetOf(assetId: string) {
  return must(await world.admin.getAsset({ params: { asset_id: assetId } }), 200);
}

async function consumersOf(assetId: string): Promise<string[]> {
  const query = { asset_id: assetId, status: 'active' } as const;
  const { results } = must(await world.admin.listRegistrations({ query }), 200);
  return results.map((registration) => registration.consumer_team_id);
}

async function agreeAndPublish(proposalId: string) {
  const params = { proposal_id: proposalId };
  must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  return must(await world.producer.client.publishProposal({ params }), 200);
}

function proposalIn(body: unknown): string {
  const { action, proposal } = body as { action?: string; proposal?: { id?: string } };
  if (action !== 'proposal_created' || proposal?.id === undefined) {
    throw new Error(`Expected a proposal: ${JSON.stringify(body)}`);
  }
  return proposal.id;
}

describe('Loosening the mode', () => {
  test.each(['none', 'forward'] as const)(
    'to %s and breaking in one step is judged under the old mode',
    async (compatibility_mode) => {
      const { assetId } = await consumedAsset();
      const result = await publish(world.producer.client, assetId, {
        schema: narrowerSchema,
        compatibility_mode,
      });
      expect(result.action).toBe('proposal_created');
      const types = result.breaking_changes.map((change) => change.type);
      expect(types).toContain('compatibility_mode_relaxed');
      expect(types).toContain('property_removed');
    },
  );

  test('alone asks the consumers, so the break cannot follow in a second step', async () => {
    const { assetId } = await consumedAsset();
    const result = await publish(world.producer.client, assetId, {
      schema: orderSchema,
      compatibility_mode: 'none',
    });
    const published = await agreeAndPublish(proposalIn(result));
    expect(published.contract).toMatchObject({ version: '2.0.0', compatibility_mode: 'none' });
    const broken = await publish(world.producer.client, assetId, { schema: narrowerSchema });
    expect(broken.action).toBe('published');
  });

  test('is not needed in reverse: tightening asks nobody and is a patch', async () => {
    const { assetId } = await consumedAsset();
    const result = await publish(world.producer.client, assetId, {
      schema: orderSchema,
      compatibility_mode: 'full',
    });
    expect(result).toMatchObject({ action: 'published', contract: { version: '1.0.1' } });
  });
});

describe('Deprecating the active contract', () => {
  test('asks the consumers, if there are any', async () => {
    const { assetId, contractId } = await consumedAsset();
    const updated = await world.producer.client.updateContract({
      params: { contract_id: contractId },
      body: { status: 'deprecated' },
    });
    const proposalId = proposalIn(must(updated, 200));
    expect((await assetOf(assetId)).active_contract_id).toBe(contractId);
    const proposal = must(
      await world.admin.getProposal({ params: { proposal_id: proposalId } }),
      200,
    );
    expect(proposal).toMatchObject({
      kind: 'deprecation',
      proposed: { kind: 'deprecation', contract_id: contractId },
    });
    expect((await agreeAndPublish(proposalId)).contract).toBeNull();
    expect((await assetOf(assetId)).active_contract_id).toBeNull();
  });
});

describe('Moving the asset', () => {
  test.each([
    ['to another environment', () => ({ environment: 'elsewhere' })],
    ['to another owner', () => ({ owner_team_id: world.other.teamId })],
  ])('%s asks the consumers, and changes nothing until they agree', async (_where, body) => {
    const { assetId } = await consumedAsset();
    const before = await assetOf(assetId);
    const moved = await world.producer.client.updateAsset({
      params: { asset_id: assetId },
      body: body(),
    });
    const proposalId = proposalIn(must(moved, 200));
    expect(await assetOf(assetId)).toEqual(before);
    const proposal = must(
      await world.admin.getProposal({ params: { proposal_id: proposalId } }),
      200,
    );
    expect(proposal).toMatchObject({ kind: 'move', proposed: body() });
    await agreeAndPublish(proposalId);
    expect(await assetOf(assetId)).toMatchObject(body());
    expect(await consumersOf(assetId)).toEqual([world.consumer.teamId]);
  });

  test('keeps the consumers and the versions', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const moved = await world.producer.client.updateAsset({
      params: { asset_id: assetId },
      body: { environment: 'moved' },
    });
    must(moved, 200);
    const result = await publish(world.producer.client, assetId, { schema: narrowerSchema });
    expect(result.action).toBe('proposal_created');
  });
});

describe('Lowering the guarantee mode', () => {
  test('asks the consumers; raising it does not', async () => {
    const { assetId } = await consumedAsset({ guarantee_mode: 'notify' });
    const patch = async (guarantee_mode: 'ignore' | 'notify' | 'strict') =>
      must(
        await world.producer.client.updateAsset({
          params: { asset_id: assetId },
          body: { guarantee_mode },
        }),
        200,
      );
    expect(await patch('strict')).toMatchObject({ guarantee_mode: 'strict' });
    const proposalId = proposalIn(await patch('ignore'));
    expect((await assetOf(assetId)).guarantee_mode).toBe('strict');
    await agreeAndPublish(proposalId);
    expect((await assetOf(assetId)).guarantee_mode).toBe('ignore');
  });
});

describe('An outdated proposal', () => {
  test('does not ask again: rebasing it is 409 PROPOSAL_STALE, with the advice to withdraw it', async () => {
    const { assetId } = await consumedAsset({ guarantee_mode: 'strict' });
    const { client } = world.producer;
    const lower = async () =>
      must(
        await client.updateAsset({
          params: { asset_id: assetId },
          body: { guarantee_mode: 'ignore' },
        }),
        200,
      );
    const params = { proposal_id: proposalIn(await lower()) };
    const query = { asset_id: assetId };
    const [registration] = must(await world.admin.listRegistrations({ query }), 200).results;
    const leaving = { registration_id: registration?.id ?? '' };
    must(await world.consumer.client.deleteRegistration({ params: leaving }), 204);
    // Without consumers the same change needs no proposal.
    expect(await lower()).toMatchObject({ guarantee_mode: 'ignore' });
    const problem = mustRefuse(await client.rebaseProposal({ params }), 409, 'PROPOSAL_STALE');
    expect(problem.message).toContain('Withdraw it');
    must(await client.withdrawProposal({ params, body: { reason: 'Done otherwise.' } }), 200);
  });
});

describe('Deleting the asset', () => {
  test('and recreating it continues with its versions', async () => {
    const { assetId, fqn } = await publishedAsset(world.producer);
    const { client } = world.producer;
    must(await client.deleteAsset({ params: { asset_id: assetId } }), 204);
    const body = { fqn, owner_team_id: world.producer.teamId };
    const again = must(await client.createAsset({ body }), 201);
    const result = await publish(client, again.id, { schema: narrowerSchema });
    expect(result).toMatchObject({ action: 'proposal_created', change_type: 'major' });
    const compatible = await publish(client, again.id, { schema: widerSchema });
    expect(compatible).toMatchObject({ action: 'published', contract: { version: '1.1.0' } });
  });

  test('and recreating it continues with its consumers', async () => {
    const { assetId, fqn } = await consumedAsset();
    must(
      await world.admin.deleteAsset({
        params: { asset_id: assetId },
        query: { force: true, reason: 'It has to be.' },
      }),
      204,
    );
    const body = { fqn, owner_team_id: world.producer.teamId };
    const again = must(await world.producer.client.createAsset({ body }), 201);
    expect(await consumersOf(again.id)).toEqual([world.consumer.teamId]);
    const result = await publish(world.producer.client, again.id, { schema: narrowerSchema });
    expect(result).toMatchObject({
      action: 'proposal_created',
      proposal: { total_consumers: 1 },
    });
  });
});

describe('A deleted asset whose name another one with its own versions took', () => {
  const inProduction = { environment: 'production' };

  /** Both were in production; the one that moved there was deleted last. */
  async function twoLines() {
    const old = await publishedAsset(world.producer);
    const { client, teamId } = world.producer;
    must(await client.deleteAsset({ params: { asset_id: old.assetId } }), 204);
    const body = { fqn: old.fqn, owner_team_id: teamId, environment: 'staging' };
    const { id: movedId } = must(await client.createAsset({ body }), 201);
    const movedContractId = await publishOk(client, movedId, { schema: orderSchema });
    const moving = { params: { asset_id: movedId }, body: inProduction };
    must(await client.updateAsset(moving), 200);
    return { oldId: old.assetId, movedId, movedContractId };
  }

  async function forceDelete(assetId: string) {
    const deleting = {
      params: { asset_id: assetId },
      query: { force: true, reason: 'It has to be.' },
    };
    must(await world.admin.deleteAsset(deleting), 204);
  }

  test('is restored with its own versions', async () => {
    const { oldId, movedId } = await twoLines();
    await forceDelete(movedId);
    must(await world.admin.restoreAsset({ params: { asset_id: oldId } }), 200);
    const result = await publish(world.producer.client, oldId, { schema: widerSchema });
    expect(result).toMatchObject({ action: 'published', contract: { version: '1.1.0' } });
  });

  test('cannot be restored while teams consume the other one', async () => {
    const { oldId, movedId, movedContractId } = await twoLines();
    await register(world.consumer, movedContractId);
    await forceDelete(movedId);
    const restored = await world.admin.restoreAsset({ params: { asset_id: oldId } });
    const refusal = mustRefuse(restored, 409, 'ASSET_EXISTS');
    expect(refusal.message).toContain(movedId);
    must(await world.admin.restoreAsset({ params: { asset_id: movedId } }), 200);
    expect(await consumersOf(movedId)).toEqual([world.consumer.teamId]);
  });
});
