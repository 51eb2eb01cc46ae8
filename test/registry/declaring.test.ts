import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeclareContract } from '../../src/core/decide/commands.ts';
import type { Team } from '../../src/core/team.ts';
import { newUuid } from '../../src/ops/uuid.ts';
import {
  accepted,
  codeOf,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
  memberOf,
  newName,
  openWorld,
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

describe('a name and its first version', () => {
  test('are created in one transaction, each with its event', async () => {
    const { ports, database } = world;
    const team = await makeTeam(ports);
    const command = declaring(team);
    const actor = memberOf(team);
    const { asset, published } = accepted(
      await verbs.declareContract(ports, contextOf(actor), command),
    );
    if (published === null || !published.ok) throw new Error('nothing was published');
    const { contract } = published.value;
    expect(published.value).toMatchObject({ action: 'published', changeType: 'initial' });
    expect(contract).toMatchObject({ version: '1.0.0', status: 'active', assetId: asset.id });
    expect(await ports.reads.getContract(contract.id ?? '')).toEqual(contract);
    expect(await ports.reads.getAsset(command.assetId)).toEqual({
      ...asset,
      activeContractId: contract.id,
      activeContractVersion: '1.0.0',
    });
    expect(await historyOf(ports, asset.id)).toMatchObject([{ eventType: 'asset.created' }]);
    const [told] = await historyOf(ports, contract.id ?? '');
    expect(told).toMatchObject({ eventType: 'contract.published', actorId: actor.id });
    const [row] = await database.query(`
      select asset.xmin = contract.xmin as "isOne"
      from asset join contract on contract.asset_id = asset.id where asset.id = '${asset.id}'`);
    expect(row).toEqual({ isOne: true });
  });

  test('are independent: if the contract is refused, the name is still claimed', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const wrong = { ...declaring(team), contract: { schema: { type: 'nothing' } } };
    const { asset, published } = accepted(await verbs.declareContract(ports, contextOf(), wrong));
    expect(published).toMatchObject({ ok: false, failure: { code: 'INVALID_SCHEMA' } });
    expect(await ports.reads.getAsset(asset.id)).toEqual(asset);
    const early = { ...declaring(team), contract: { schema: true, version: 'one' } };
    const other = accepted(await verbs.declareContract(ports, contextOf(), early));
    expect(other.published).toMatchObject({ ok: false, failure: { code: 'VALIDATION_ERROR' } });
    expect((await ports.reads.getAsset(other.asset.id))?.activeContractId).toBeNull();
  });

  test('continue the versions of a deleted name: the next version is compared', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const before = await makeAsset(ports, team);
    const contract = await published(ports, before.id, schemaOf('id'));
    const deletion = { assetId: before.id, force: false };
    accepted(await verbs.deleteAsset(ports, contextOf(), deletion));
    const again = declaring(team, before.fqn);
    const { asset, published: first } = accepted(
      await verbs.declareContract(ports, contextOf(), again),
    );
    expect(first).toBeNull();
    expect(await ports.reads.getAsset(again.assetId)).toEqual(asset);
    expect((await ports.reads.getContract(contract.id))?.assetId).toBe(again.assetId);
  });

  test('are not created for a taken name, or for another team', async () => {
    const { ports } = world;
    const [team, other] = [await makeTeam(ports), await makeTeam(ports)];
    const { fqn } = await makeAsset(ports, team);
    const taken = declaring(team, fqn);
    expect(codeOf(await verbs.declareContract(ports, contextOf(), taken))).toBe('ASSET_EXISTS');
    const foreign = declaring(other);
    const member = contextOf(memberOf(team));
    expect(codeOf(await verbs.declareContract(ports, member, foreign))).toBe('FORBIDDEN');
    for (const { assetId } of [taken, foreign]) {
      expect(await ports.reads.getAsset(assetId)).toBeNull();
    }
  });
});

function declaring(team: Team, fqn = newName('shop.orders')): DeclareContract {
  return {
    assetId: newUuid(),
    asset: { fqn, ownerTeamId: team.id },
    contract: { schema: schemaOf('id') },
  };
}
