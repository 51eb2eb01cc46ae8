// No way around review: one test for each way.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Team } from '../../src/core/team.ts';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
  memberOf,
  newName,
  openWorld,
  proposed,
  publish,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function makeConsumed() {
  const { ports } = world;
  const [owner, consumer] = [await makeTeam(ports), await makeTeam(ports)];
  const asset = await makeAsset(ports, owner);
  const first = await published(ports, asset.id, schemaOf('a', 'b'));
  const registration = await consume(ports, first.id, consumer);
  return { ports, owner, consumer, asset, first, registration };
}

async function updateAsset(assetId: string, patch: object) {
  return verbs.updateAsset(world.ports, contextOf(), { assetId, ...patch });
}

async function publishNow(proposalId: string, team: Team) {
  const command = { proposalId, response: 'approved' as const };
  accepted(await verbs.acknowledgeProposal(world.ports, contextOf(memberOf(team)), command));
  return accepted(await verbs.publishProposal(world.ports, contextOf(), { proposalId }));
}

describe('No way around review:', () => {
  test('loosening the mode and breaking in one step is judged under the old mode', async () => {
    const { ports, asset } = await makeConsumed();
    const proposal = await proposed(ports, asset.id, schemaOf('a'), { compatibilityMode: 'none' });
    expect(proposal.breakingChanges.map(({ type }) => type)).toEqual([
      'compatibility_mode_relaxed',
      'property_removed',
    ]);
  });

  test('relaxing the mode alone asks the consumers; tightening it is a patch', async () => {
    const { ports, asset } = await makeConsumed();
    const same = schemaOf('a', 'b');
    expect(await published(ports, asset.id, same, { compatibilityMode: 'full' })).toMatchObject({
      version: '1.0.1',
      compatibilityMode: 'full',
    });
    await proposed(ports, asset.id, same, { compatibilityMode: 'backward' });
  });

  test('an explicit version skips no review', async () => {
    const { ports, asset } = await makeConsumed();
    await proposed(ports, asset.id, schemaOf('a'), { version: '2.0.0' });
  });

  test('without an active contract a publish is compared with the newest that is not archived', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const first = await published(ports, asset.id, schemaOf('a', 'b'));
    const deprecating = { contractId: first.id, status: 'deprecated' as const };
    expect(accepted(await verbs.updateContract(ports, contextOf(), deprecating))).toMatchObject({
      action: 'updated',
      contract: { status: 'deprecated' },
    });
    expect((await ports.reads.getAsset(asset.id))?.activeContractId).toBeNull();
    const proposal = await proposed(ports, asset.id, schemaOf('a'));
    expect(proposal.baseContractId).toBe(first.id);
  });

  test('with everything archived it is compared with the newest of all', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const first = await published(ports, asset.id, schemaOf('a', 'b'));
    const archiving = { contractId: first.id, status: 'archived' as const };
    accepted(await verbs.updateContract(ports, contextOf(), archiving));
    const proposal = await proposed(ports, asset.id, schemaOf('a'));
    expect(proposal.baseContractId).toBe(first.id);
    const deprecating = { ...archiving, status: 'deprecated' as const };
    expect(codeOf(await verbs.updateContract(ports, contextOf(), deprecating))).toBe(
      'CONTRACT_ARCHIVED',
    );
  });

  test('deprecating the active contract asks the consumers, and makes no contract', async () => {
    const { ports, owner, consumer, asset, first } = await makeConsumed();
    const command = { contractId: first.id, status: 'deprecated' as const };
    const context = contextOf(memberOf(owner));
    const result = accepted(await verbs.updateContract(ports, context, command));
    if (result.action !== 'proposal_created' || result.proposal.id === null) throw new Error();
    expect(result.proposal).toMatchObject({
      kind: 'deprecation',
      breakingChanges: [{ type: 'contract_deprecated' }],
    });
    expect((await ports.reads.getContract(first.id))?.status).toBe('active');
    const done = await publishNow(result.proposal.id, consumer);
    expect(done).toMatchObject({ contract: null, proposal: { status: 'published' } });
    expect((await ports.reads.getContract(first.id))?.status).toBe('deprecated');
    expect((await ports.reads.getAsset(asset.id))?.activeContractId).toBeNull();
  });

  test('archiving a pinned version is refused, unless an admin forces it', async () => {
    const { ports, owner, first } = await makeConsumed();
    const command = { contractId: first.id, status: 'archived' as const };
    const context = contextOf(memberOf(owner));
    expect(codeOf(await verbs.updateContract(ports, context, command))).toBe('CONTRACT_PINNED');
    const forced = { ...command, force: true, reason: 'It has to be.' };
    expect(codeOf(await verbs.updateContract(ports, context, forced))).toBe('FORBIDDEN');
    expect(codeOf(await verbs.updateContract(ports, contextOf(), forced))).toBe('ok');
    const event = (await historyOf(ports, first.id)).at(-1);
    expect(event).toMatchObject({ eventType: 'contract.archived', metadata: { forced: true } });
  });

  test('moving the asset to another owner or environment asks the consumers', async () => {
    const { ports, consumer, asset } = await makeConsumed();
    const heir = await makeTeam(ports);
    const move = { environment: 'staging', ownerTeamId: heir.id };
    const result = accepted(await updateAsset(asset.id, { ...move, metadata: { note: 'soon' } }));
    if (result.action !== 'proposal_created' || result.proposal.id === null) throw new Error();
    expect(result.proposal.breakingChanges).toMatchObject([
      { type: 'asset_moved', path: '$.environment', old: 'production', new: 'staging' },
      { type: 'asset_moved', path: '$.owner_team_id', old: asset.ownerTeamId, new: heir.id },
    ]);
    // A change that takes nothing from consumers is made at once.
    expect(await ports.reads.getAsset(asset.id)).toMatchObject({
      environment: 'production',
      ownerTeamId: asset.ownerTeamId,
      metadata: { note: 'soon' },
    });
    await publishNow(result.proposal.id, consumer);
    expect(await ports.reads.getAsset(asset.id)).toMatchObject(move);
  });

  test('lowering the guarantee mode asks the consumers; raising it does not', async () => {
    const { ports, consumer, asset } = await makeConsumed();
    const raised = accepted(await updateAsset(asset.id, { guaranteeMode: 'strict' }));
    expect(raised).toMatchObject({ action: 'updated', asset: { guaranteeMode: 'strict' } });
    const lowered = accepted(await updateAsset(asset.id, { guaranteeMode: 'ignore' }));
    if (lowered.action !== 'proposal_created' || lowered.proposal.id === null) throw new Error();
    expect((await ports.reads.getAsset(asset.id))?.guaranteeMode).toBe('strict');
    await publishNow(lowered.proposal.id, consumer);
    expect((await ports.reads.getAsset(asset.id))?.guaranteeMode).toBe('ignore');
  });

  test('a guarantee relaxed under strict is breaking', async () => {
    const { ports, asset } = await makeConsumed();
    const guarantees = { freshness: { max_staleness_minutes: 10 } };
    await published(ports, asset.id, schemaOf('a', 'b'), { guarantees });
    await updateAsset(asset.id, { guaranteeMode: 'strict' });
    await proposed(ports, asset.id, schemaOf('a', 'b'), { guarantees: null });
  });

  test('a deleted and recreated name continues with its versions and its consumers', async () => {
    const { ports, owner, consumer, asset, first, registration } = await makeConsumed();
    const deleting = { assetId: asset.id, force: false };
    const context = contextOf(memberOf(owner));
    expect(codeOf(await verbs.deleteAsset(ports, context, deleting))).toBe('ASSET_HAS_CONSUMERS');
    const forced = { ...deleting, force: true, reason: 'It has to be.' };
    expect(codeOf(await verbs.deleteAsset(ports, context, forced))).toBe('FORBIDDEN');
    accepted(await verbs.deleteAsset(ports, contextOf(), forced));
    expect(await ports.reads.getAsset(asset.id)).toBeNull();
    const again = await makeAsset(ports, owner, { fqn: asset.fqn });
    expect(again).toMatchObject({ activeContractId: first.id, activeContractVersion: '1.0.0' });
    expect(again.id).not.toBe(asset.id);
    expect(await ports.reads.getAsset(again.id)).toEqual(again);
    const proposal = await proposed(ports, again.id, schemaOf('a'));
    expect(proposal.consumers.map(({ teamId }) => teamId)).toEqual([consumer.id]);
    expect(await published(ports, again.id, schemaOf('a', 'b', 'c'))).toMatchObject({
      version: '1.1.0',
      previousContractId: first.id,
    });
    expect(await ports.reads.getRegistration(registration.id)).toMatchObject({
      assetId: again.id,
      contractVersion: '1.1.0',
    });
  });

  test('a recreated name keeps the guarantee mode that its consumers were promised', async () => {
    const { ports, owner, asset } = await makeConsumed();
    accepted(await updateAsset(asset.id, { guaranteeMode: 'strict' }));
    accepted(
      await verbs.deleteAsset(ports, contextOf(), {
        assetId: asset.id,
        force: true,
        reason: 'It has to be.',
      }),
    );
    const again = await makeAsset(ports, owner, { fqn: asset.fqn });
    expect(again.guaranteeMode).toBe('strict');
    expect((await ports.reads.getAsset(again.id))?.guaranteeMode).toBe('strict');
  });

  test('a restored name includes what happened under it since', async () => {
    const { ports, owner, asset } = await makeConsumed();
    accepted(
      await verbs.deleteAsset(ports, contextOf(), {
        assetId: asset.id,
        force: true,
        reason: 'It has to be.',
      }),
    );
    const between = await makeAsset(ports, owner, { fqn: asset.fqn });
    await published(ports, between.id, schemaOf('a', 'b', 'c'));
    const restoring = { assetId: asset.id };
    expect(codeOf(await verbs.restoreAsset(ports, contextOf(), restoring))).toBe('ASSET_EXISTS');
    accepted(
      await verbs.deleteAsset(ports, contextOf(), {
        assetId: between.id,
        force: true,
        reason: 'It has to be.',
      }),
    );
    const restored = accepted(await verbs.restoreAsset(ports, contextOf(), restoring));
    expect(restored).toMatchObject({ id: asset.id, activeContractVersion: '1.1.0' });
    const proposal = await proposed(ports, asset.id, schemaOf('a'));
    expect(proposal.progress.totalConsumers).toBe(1);
  });

  test('another asset cannot take a deleted name that has consumers', async () => {
    const { ports, owner, asset } = await makeConsumed();
    accepted(
      await verbs.deleteAsset(ports, contextOf(), {
        assetId: asset.id,
        force: true,
        reason: 'It has to be.',
      }),
    );
    const staged = await makeAsset(ports, owner, { fqn: asset.fqn, environment: 'staging' });
    expect(codeOf(await updateAsset(staged.id, { environment: 'production' }))).toBe(
      'ASSET_EXISTS',
    );
  });

  test('deleting the asset withdraws its open proposal', async () => {
    const { ports, asset } = await makeConsumed();
    const proposal = await proposed(ports, asset.id, schemaOf('a'));
    accepted(
      await verbs.deleteAsset(ports, contextOf(), {
        assetId: asset.id,
        force: true,
        reason: 'It has to be.',
      }),
    );
    expect(await ports.reads.getProposal(proposal.id)).toMatchObject({
      status: 'withdrawn',
      reason: 'asset deleted',
      progress: { totalConsumers: 1 },
    });
  });

  test('only the consumer or an admin deletes or deactivates a registration', async () => {
    const { ports, owner, registration } = await makeConsumed();
    const context = contextOf(memberOf(owner));
    const command = { registrationId: registration.id };
    expect(codeOf(await verbs.deleteRegistration(ports, context, command))).toBe('FORBIDDEN');
    const off = { ...command, status: 'inactive' as const };
    expect(codeOf(await verbs.updateRegistration(ports, context, off))).toBe('FORBIDDEN');
    const asked = { ...command, reason: 'They asked us to.' };
    expect(codeOf(await verbs.deleteRegistration(ports, contextOf(), asked))).toBe('ok');
  });

  test('reversing the direction of a contract asks the consumers', async () => {
    const { ports, asset } = await makeConsumed();
    await proposed(ports, asset.id, schemaOf('a', 'b'), { direction: 'request' });
  });

  test('the direction of a contract is that of the contract compared with', async () => {
    const { ports, asset } = await makeConsumed();
    await proposed(ports, asset.id, schemaOf('a'), { direction: 'request' });
  });

  test('an asset that is managed elsewhere is not changed here, unless an admin overrides', async () => {
    const { ports } = world;
    const owner = await makeTeam(ports);
    const managedBy = { source: 'kubernetes', reference: 'shop/orders' };
    const command = { fqn: newName('shop.managed'), ownerTeamId: owner.id, managedBy };
    const asset = accepted(await verbs.createAsset(ports, contextOf(), command));
    const actor = memberOf(owner);
    expect(codeOf(await publish(ports, asset.id, schemaOf('a'), { actor }))).toBe(
      'ASSET_MANAGED_ELSEWHERE',
    );
    expect(
      codeOf(
        await publish(ports, asset.id, schemaOf('a'), {
          actor,
          override: true,
          reason: 'It has to be.',
        }),
      ),
    ).toBe('FORBIDDEN');
    expect(
      codeOf(
        await publish(ports, asset.id, schemaOf('a'), { override: true, reason: 'It has to be.' }),
      ),
    ).toBe('ok');
  });
});
