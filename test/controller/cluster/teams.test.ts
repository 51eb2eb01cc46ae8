// Teams in a real cluster: GitOps starts from an empty registry.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { verbs } from '../../../src/registry/verbs.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  cluster = await openClusterController(registry, {
    name: 'teams',
    namespaces: { shop: 'checkout', bills: 'billing', depot: 'stock' },
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

const findTeam = async (slug: string) => {
  const [team] = await registry.ports.reads.listTeamsBySlug([slug]);
  return team;
};

const managedBy = (slug: string) => ({ source: 'kubernetes', reference: `${slug} in teams` });

const put = (slug: string, spec: object, metadata = {}) =>
  cluster.put('Team', `/${slug}`, spec, metadata);
const until = (slug: string, reason: string, message?: RegExp) =>
  cluster.until('Team', `/${slug}`, reason, message);

describe('A Team', () => {
  test('that is applied together with a DataContract becomes ready with no call to the API', async () => {
    await cluster.put('DataContract', 'orders', { fqn: 'shop.orders', schema: {} });
    const where = /No team has the slug.*in the label concordat\.dev\/team of namespace shop/;
    await cluster.until('DataContract', 'shop/orders', 'TeamNotFound', where);
    await put('checkout', { name: 'Checkout', metadata: { slack: '#checkout' } });
    const { status } = await until('checkout', 'UpToDate');
    await cluster.until('DataContract', 'shop/orders', 'Published');
    const team = await findTeam('checkout');
    expect(team).toMatchObject({
      ...{ id: status?.teamId, name: 'Checkout', metadata: { slack: '#checkout' } },
      managedBy: managedBy('checkout'),
    });
    const events = await registry.database.query(
      `select event_type, actor_type, metadata from audit_event where entity_id = $1`,
      [team?.id],
    );
    expect(events).toMatchObject([
      {
        ...{ event_type: 'team.created', actor_type: 'controller' },
        metadata: { actor_name: 'Team checkout', managed_by: 'kubernetes (checkout in teams)' },
      },
    ]);
  });

  test('is changed by its object; what an administrator overrode stays until the spec changes', async () => {
    await put('checkout', { name: 'Checkout', metadata: { slack: '#pay' } });
    await vi.waitFor(async () => {
      expect((await findTeam('checkout'))?.metadata).toEqual({ slack: '#pay' });
    }, patience);
    const { id = '' } = (await findTeam('checkout')) ?? {};
    const change = { teamId: id, metadata: { slack: '#other' } };
    const refused = await verbs.updateTeam(registry.ports, registry.admin, change);
    expect(refused).toMatchObject({ ok: false, failure: { code: 'TEAM_MANAGED_ELSEWHERE' } });
    const overridden = { ...change, override: true, reason: 'The channel moved today.' };
    accepted(await verbs.updateTeam(registry.ports, registry.admin, overridden));
    await vi.waitFor(async () => {
      const { status } = await cluster.get('Team', '/checkout');
      const drifted = status?.conditions?.find(({ type }) => type === 'Drifted');
      expect(drifted?.message).toContain('metadata.slack');
    }, patience);
    expect((await findTeam('checkout'))?.metadata).toEqual({ slack: '#other' });
    await put('checkout', { name: 'Checkout', metadata: { slack: '#new' } });
    await vi.waitFor(async () => {
      expect((await findTeam('checkout'))?.metadata).toEqual({ slack: '#new' });
    }, patience);
  });

  test('that people made is ManagedElsewhere until an administrator hands it over', async () => {
    const { id } = await registry.team('billing');
    await put('billing', { name: 'Bills', deletionPolicy: 'Delete' });
    await until(
      'billing',
      'ManagedElsewhere',
      /hands it over through the API, to kubernetes \(billing in teams\)\.$/,
    );
    expect((await findTeam('billing'))?.name).toBe('billing');
    const handed = { teamId: id, managedBy: managedBy('billing') };
    accepted(await verbs.updateTeam(registry.ports, registry.admin, handed));
    await until('billing', 'UpToDate');
    expect(await findTeam('billing')).toMatchObject({ id, name: 'Bills' });
  });

  test('with the name of another team, or one that another source manages, is in conflict until that is over', async () => {
    const held = await registry.team('stock');
    const elsewhere = { source: 'git', reference: 'stock/stock in git-1' };
    const change = { teamId: held.id, managedBy: elsewhere };
    accepted(await verbs.updateTeam(registry.ports, registry.admin, change));
    await put('stock', {});
    await until(
      'stock',
      'Conflict',
      /managed by git \(stock\/stock in git-1\).*gone for good.*to kubernetes \(stock in teams\), with override/,
    );
    await put('twin', { name: 'CHECKOUT' });
    await until('twin', 'Conflict', /name "CHECKOUT" already exists/);
    const handed = { override: true, reason: 'That repository is gone.' };
    const next = { teamId: held.id, managedBy: managedBy('stock'), ...handed };
    accepted(await verbs.updateTeam(registry.ports, registry.admin, next));
    await until('stock', 'UpToDate');
    await put('twin', { name: 'Twin' });
    await until('twin', 'UpToDate');
  });

  test('goes with its object only where the policy says so, and only without assets', async () => {
    await cluster.put('DataContract', 'bills/bill', { fqn: 'bills.bill', schema: {} });
    await cluster.until('DataContract', 'bills/bill', 'Published');
    const { id: ownerTeamId = '' } = (await findTeam('billing')) ?? {};
    const desk = { name: 'billing-desk', ownerTeamId };
    const service = accepted(await verbs.createService(registry.ports, registry.admin, desk));
    await cluster.remove('Team', '/billing');
    await until('billing', 'DeletionBlocked', /owns 1 asset and 1 service\. Give them to another/);
    const asset = await registry.ports.reads.findAssetByName('bills.bill', 'production');
    const { id: heir = '' } = (await findTeam('checkout')) ?? {};
    const given = { assetId: asset?.id ?? '', ownerTeamId: heir };
    const overriding = { override: true, reason: 'Checkout has it now.' };
    await cluster.put('DataContract', 'orders', { fqn: 'shop.orders', schema: {} });
    await cluster.put('ContractRegistration', 'bills/orders', { fqn: 'shop.orders' });
    await cluster.until('ContractRegistration', 'bills/orders', 'UpToDate');
    accepted(await verbs.updateAsset(registry.ports, registry.admin, { ...given, ...overriding }));
    await until('billing', 'DeletionBlocked', /owns 1 service\. Give them to another team/);
    const kept = { serviceId: service.id, ownerTeamId: heir };
    accepted(await verbs.updateService(registry.ports, registry.admin, kept));
    await until('billing', 'DeletionBlocked', /a consumer of 1 asset, such as shop\.orders/);
    await cluster.remove('ContractRegistration', 'bills/orders');
    await cluster.untilGone('Team', '/billing');
    expect(await findTeam('billing')).toBeUndefined();
    await cluster.remove('Team', '/twin');
    await cluster.untilGone('Team', '/twin');
    expect(await findTeam('twin')).toMatchObject({ name: 'Twin', managedBy: null });
  });

  test('that was deleted while nobody watched is let go at the next start', async () => {
    await cluster.stop();
    await cluster.remove('Team', '/stock');
    await cluster.start();
    await cluster.untilGone('Team', '/stock');
    expect(await findTeam('stock')).toMatchObject({ managedBy: null });
  });
});
