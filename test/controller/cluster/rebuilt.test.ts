// A cluster that is gone for good, and its replacement: a new etcd with the same registry.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { verbs } from '../../../src/registry/verbs.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { accepted, openTestRegistry, type TestRegistry } from '../support/open-controller.ts';

let registry: TestRegistry;
const clusters: TestClusterController[] = [];

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
});

afterAll(() => registry?.stop());

beforeEach(() => registry.database.query('delete from controller_lease'));

afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.close()));
});

/** Opens a cluster with a new etcd. */
async function openCluster(name?: string): Promise<TestClusterController> {
  const cluster = await openClusterController(registry, {
    namespaces: { 'rebuilt-shop': 'checkout', 'rebuilt-billing': 'billing' },
    ...(name !== undefined && { name }),
    isNew: true,
  });
  clusters.push(cluster);
  return cluster;
}

const destroy = async (cluster: TestClusterController) => {
  clusters.splice(clusters.indexOf(cluster), 1);
  await cluster.close();
};

const expire = () =>
  registry.database.query(
    "update controller_lease set renewed_at = renewed_at - interval '61 seconds'",
  );

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const put = async (cluster: TestClusterController, fqn: string, ...columns: string[]) => {
  await cluster.put('DataContract', 'orders', { fqn, schema: table(...columns) });
};
const reads = 'rebuilt-billing/orders';
const register = (cluster: TestClusterController, fqn: string) =>
  cluster.put('ContractRegistration', reads, { fqn });

async function published(cluster: TestClusterController, fqn: string): Promise<void> {
  await put(cluster, fqn, 'id', 'amount');
  await cluster.until('DataContract', 'orders', 'Published', /1\.0\.0/);
  await register(cluster, fqn);
  await cluster.until('ContractRegistration', reads, 'UpToDate');
}

const consumersOf = async (fqn: string) => {
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  const facts = await registry.ports.reads.getAssetFacts(asset?.id ?? '');
  return facts?.consumers.map(({ teamName }) => teamName);
};

const takeOver = (command: { dryRun: boolean; assetId?: string }, from: string, to: string) =>
  verbs.takeOverSource(registry.ports, registry.admin, {
    sourceId: from,
    toSourceId: to,
    reason: 'The cluster was rebuilt.',
    ...command,
  });

test('another cluster takes over what a cluster had that is gone, and no consumer lapses', async () => {
  const fqn = 'rebuilt.orders';
  const old = await openCluster();
  await published(old, fqn);
  const [from] = await registry.ports.reads.listSources();
  await destroy(old);
  const cluster = await openCluster();
  await put(cluster, fqn, 'id', 'amount');
  await register(cluster, fqn);
  await cluster.until('DataContract', 'orders', 'ManagedElsewhere', /concordat take-over/);
  await cluster.until('ContractRegistration', reads, 'Conflict', /concordat take-over/);
  const to = (await registry.ports.reads.listSources()).find(({ id }) => id !== from?.id);
  const ids = [from?.id ?? '', to?.id ?? ''] as const;

  expect(await takeOver({ dryRun: true }, ...ids)).toMatchObject({
    ok: false,
    failure: { code: 'SOURCE_ALIVE' },
  });
  await expire();
  const preview = accepted(await takeOver({ dryRun: true }, ...ids));
  const reference = (identity: string | undefined) => `rebuilt-shop/orders in ${identity}`;
  expect(preview).toMatchObject({
    dryRun: true,
    assets: [{ from: reference(from?.identity), to: reference(to?.identity) }],
    registrations: [{ consumerTeamName: 'billing', claims: [from?.identity, to?.identity] }],
    hasMore: false,
  });
  const before = await registry.ports.reads.findAssetByName(fqn, 'production');
  expect(before?.managedBy?.reference).toBe(reference(from?.identity));

  accepted(await takeOver({ dryRun: false }, ...ids));
  await cluster.until('DataContract', 'orders', 'UpToDate');
  await cluster.until('ContractRegistration', reads, 'UpToDate');
  expect(await consumersOf(fqn)).toEqual(['billing']);
  await put(cluster, fqn, 'id');
  await cluster.until('DataContract', 'orders', 'ProposalPending', /waiting for billing/);
  const events = await registry.database.query(
    `select event_type, metadata ->> 'reason' as reason from audit_event
     where metadata ->> 'reason' = 'The cluster was rebuilt.' order by event_type`,
  );
  expect(events.map(({ event_type }) => event_type)).toEqual([
    'asset.updated',
    'registration.updated',
    'source.taken_over',
  ]);
  // A leader of the old cluster that was only frozen can no longer write.
  const fence = await registry.database.query('select fence from controller_lease where id = $1', [
    from?.id,
  ]);
  expect(Number(fence[0]?.fence)).toBe(2);
});

test('spec.adopt takes one asset from a source that is gone, and none from one that lives', async () => {
  const fqn = 'rebuilt.adopted';
  const old = await openCluster();
  await published(old, fqn);
  await destroy(old);
  const cluster = await openCluster();
  const adopt = (annotations: object = {}) =>
    cluster.put(
      'DataContract',
      'orders',
      { fqn, schema: table('id', 'amount'), adopt: true },
      { annotations },
    );
  await put(cluster, fqn, 'id', 'amount');
  await cluster.until('DataContract', 'orders', 'ManagedElsewhere', /set spec\.adopt to true/);
  await adopt();
  await cluster.until('DataContract', 'orders', 'ManagedElsewhere', /that source is alive/);
  await expire();
  await adopt({ 'concordat.dev/reconcile-at': 'now' });
  await cluster.until('DataContract', 'orders', 'UpToDate');
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  expect(asset?.managedBy?.reference).toMatch(/^rebuilt-shop\/orders in /);
  expect(asset?.activeContractVersion).toBe('1.0.0');
  expect(await consumersOf(fqn)).toEqual(['billing']);
});

test('spec.adopt takes nothing of another team', async () => {
  const fqn = 'rebuilt.theirs';
  const old = await openCluster();
  await published(old, fqn);
  await destroy(old);
  await expire();
  const cluster = await openCluster();
  const spec = { fqn, schema: table('id'), adopt: true };
  await cluster.put('DataContract', 'rebuilt-billing/orders', spec);
  await cluster.until('DataContract', 'rebuilt-billing/orders', 'NotPermitted');
});

test('a rebuilt cluster of the same name goes on by itself', async () => {
  const fqn = 'rebuilt.named';
  const old = await openCluster('eu-west');
  await published(old, fqn);
  await destroy(old);
  await expire();
  const cluster = await openCluster('eu-west');
  await put(cluster, fqn, 'id', 'amount');
  await register(cluster, fqn);
  await cluster.until('DataContract', 'orders', 'UpToDate');
  await cluster.until('ContractRegistration', reads, 'UpToDate');
  expect(await consumersOf(fqn)).toEqual(['billing']);
  await put(cluster, fqn, 'id');
  await cluster.until('DataContract', 'orders', 'ProposalPending', /waiting for billing/);
});
