// A controller that reconciles only some namespaces, with a Role in each, on a real API server.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { kubectlOk, listConfigMapWatches } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;
let watched = ['scope-shop', 'scope-billing'];

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'scope-shop': 'checkout', 'scope-billing': 'billing', 'scope-other': 'checkout' },
    watched: () => watched,
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

const schema = { type: 'object' };

/** The namespaces of this file whose ConfigMaps were ever watched. */
async function watchedConfigMaps(): Promise<readonly string[]> {
  const watches = await listConfigMapWatches(cluster.address);
  const namespaces = watches.map(({ namespace }) => namespace);
  return [...new Set(namespaces)].filter((one) => one === '' || one.startsWith('scope-')).sort();
}

test('only objects of the watched namespaces are reconciled, with rights in no other', async () => {
  await cluster.put('DataContract', 'scope-other/left', { fqn: 'scope.left', schema });
  await cluster.put('DataContract', 'scope-shop/orders', { fqn: 'scope.orders', schema });
  await cluster.until('DataContract', 'scope-shop/orders', 'Published');
  await cluster.put('ContractRegistration', 'scope-billing/reads', { fqn: 'scope.orders' });
  await cluster.until('ContractRegistration', 'scope-billing/reads', 'UpToDate');
  expect((await cluster.get('DataContract', 'scope-other/left')).status).toEqual({
    observedGeneration: -1,
  });
  expect(cluster.errors).toEqual([]);
  expect(await watchedConfigMaps()).toEqual([]);
});

test('the label of a watched namespace, and a ConfigMap in it, are followed', async () => {
  const schemaFrom = { configMapKeyRef: { name: 'late', key: 'a.json' } };
  await cluster.put('DataContract', 'scope-shop/from', { fqn: 'scope.from', schemaFrom });
  await cluster.until('DataContract', 'scope-shop/from', 'SourceNotFound', /does not exist/);
  const create = ['create', 'configmap', 'late', '-n', 'scope-shop', '--from-literal=a.json={}'];
  await kubectlOk(cluster.address, create);
  await cluster.until('DataContract', 'scope-shop/from', 'Published');
  expect(await watchedConfigMaps()).toEqual(['scope-shop']);
  const label = (value: string) =>
    kubectlOk(cluster.address, [
      ...['label', '--overwrite', 'namespace', 'scope-shop', `concordat.dev/team=${value}`],
    ]);
  await label('nobody');
  await cluster.until('DataContract', 'scope-shop/from', 'TeamNotFound');
  await label('checkout');
  await cluster.until('DataContract', 'scope-shop/from', 'UpToDate');
});

test('a ConfigMap that may not be read is told, with what is missing', async () => {
  const role = ['role', 'controller', '-n', 'scope-billing'];
  const found = JSON.parse(await kubectlOk(cluster.address, ['get', ...role, '-o', 'json']));
  const index = found.rules.findIndex((rule: { resources: string[] }) =>
    rule.resources.includes('configmaps'),
  );
  const patch = JSON.stringify([{ op: 'remove', path: `/rules/${index}` }]);
  await kubectlOk(cluster.address, ['patch', ...role, '--type=json', '-p', patch]);
  const schemaFrom = { configMapKeyRef: { name: 'late', key: 'a.json' } };
  // The API server applies a role a moment after storing it.
  await vi.waitFor(async () => {
    const can = ['auth', 'can-i', 'get', 'configmaps', '-n', 'scope-billing', '--as=controller'];
    await expect(kubectlOk(cluster.address, can)).rejects.toThrow('ended with 1');
  }, patience);
  await cluster.put('DataContract', 'scope-billing/from', { fqn: 'scope.theirs', schemaFrom });
  await cluster.until('DataContract', 'scope-billing/from', 'SourceNotFound', /may not be read/);
});

test('what is watched no longer is left as it is, and not taken for deleted', async () => {
  await cluster.stop();
  watched = ['scope-billing'];
  await cluster.start();
  await cluster.put('ContractRegistration', 'scope-billing/reads', {
    fqn: 'scope.orders',
    purpose: 'Still.',
  });
  await cluster.until('ContractRegistration', 'scope-billing/reads', 'UpToDate');
  const asset = await registry.ports.reads.findAssetByName('scope.orders', 'production');
  expect(asset?.managedBy?.reference).toMatch(/^scope-shop\/orders in /);
});
