// A controller that reconciles only some namespaces, with a Role in each, on a real API server.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/controller/clock.ts';
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
    namespaces: {
      'scope-shop': 'checkout',
      'scope-billing': 'billing',
      'scope-other': 'checkout',
      'scope-ending': 'billing',
    },
    watched: () => watched,
    // What is looked at again each minute is looked at ten times a second.
    clock: {
      ...systemClock,
      after: (ms, call) => systemClock.after(ms === 60_000 ? 100 : ms, call),
    },
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

test('a ConfigMap that may not be read is told, with what is missing, and read once it may be', async () => {
  const role = ['role', 'controller', '-n', 'scope-billing'];
  const found = JSON.parse(await kubectlOk(cluster.address, ['get', ...role, '-o', 'json']));
  const index = found.rules.findIndex((rule: { resources: string[] }) =>
    rule.resources.includes('configmaps'),
  );
  const change = (patch: object) =>
    kubectlOk(cluster.address, ['patch', ...role, '--type=json', '-p', JSON.stringify([patch])]);
  const write = (document: string) => {
    const metadata = { name: 'late', namespace: 'scope-billing' };
    const data = { 'a.json': document };
    return cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  };
  const until = (reason: string, message: RegExp) =>
    cluster.until('DataContract', 'scope-billing/from', reason, message);
  await write('{}');
  const schemaFrom = { configMapKeyRef: { name: 'late', key: 'a.json' } };
  await cluster.put('DataContract', 'scope-billing/from', { fqn: 'scope.theirs', schemaFrom });
  await until('Published', /1\.0\.0/);
  await change({ op: 'remove', path: `/rules/${index}` });
  // The API server applies a role a moment after storing it.
  await vi.waitFor(async () => {
    const can = ['auth', 'can-i', 'get', 'configmaps', '-n', 'scope-billing', '--as=controller'];
    await expect(kubectlOk(cluster.address, can)).rejects.toThrow('ended with 1');
  }, patience);
  await write('{"type": "object"}');
  await until('SourceNotFound', /may not be read/);
  await change({ op: 'add', path: '/rules/0', value: found.rules[index] });
  await until('Published', /2\.0\.0/);
});

test('a namespace without rights holds up changes that break, and nothing else', async () => {
  const held = (...columns: string[]) => {
    const properties = Object.fromEntries(columns.map((column) => [column, { type: 'string' }]));
    const spec = { fqn: 'scope.held', schema: { type: 'object', properties } };
    return cluster.put('DataContract', 'scope-shop/held', spec);
  };
  await held('id', 'amount');
  await cluster.until('DataContract', 'scope-shop/held', 'Published', /1\.0\.0/);
  await cluster.put('ContractRegistration', 'scope-shop/moves', { fqn: 'scope.theirs' });
  await cluster.until('ContractRegistration', 'scope-shop/moves', 'UpToDate');
  await cluster.stop();
  const binding = ['rolebinding', 'controller', '-n', 'scope-billing'];
  const rights = await kubectlOk(cluster.address, ['get', ...binding, '-o', 'json']);
  await kubectlOk(cluster.address, ['delete', ...binding]);
  await cluster.put('ContractRegistration', 'scope-billing/held', { fqn: 'scope.held' });
  await cluster.start();
  await cluster.put('DataContract', 'scope-shop/beside', { fqn: 'scope.beside', schema });
  await cluster.until('DataContract', 'scope-shop/beside', 'Published');
  await held('id', 'amount', 'note');
  await cluster.until('DataContract', 'scope-shop/held', 'Published', /1\.1\.0/);
  await held('id');
  const why = /scope-billing may not be read.*Restore the Role/;
  await cluster.until('DataContract', 'scope-shop/held', 'RegistryUnavailable', why);
  await cluster.remove('ContractRegistration', 'scope-shop/moves');
  await cluster.until(
    'ContractRegistration',
    'scope-shop/moves',
    'DeletionBlocked',
    /once namespace scope-billing was read/,
  );
  const theirs = await registry.ports.reads.findAssetByName('scope.theirs', 'production');
  expect(theirs?.managedBy?.reference).toMatch(/^scope-billing\/from in /);
  const { metadata, ...rest } = JSON.parse(rights);
  const { name, namespace } = metadata;
  await cluster.apply({ ...rest, metadata: { name, namespace } });
  await cluster.until('DataContract', 'scope-shop/held', 'ProposalPending', /waiting for billing/);
  await cluster.untilGone('ContractRegistration', 'scope-shop/moves');
});

test('a namespace that does not exist, or is being deleted, holds up nothing', async () => {
  await cluster.stop();
  watched = ['scope-shop', 'scope-billing', 'scope-never', 'scope-ending'];
  const role = await kubectlOk(cluster.address, ['get', 'clusterrole', 'controller', '-o', 'json']);
  const { rules } = JSON.parse(role);
  await cluster.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'controller' },
    rules: rules.map((rule: { resourceNames?: string[] }) =>
      rule.resourceNames === undefined
        ? rule
        : { ...rule, resourceNames: ['kube-system', ...watched] },
    ),
  });
  await cluster.start();
  await cluster.put('DataContract', 'scope-shop/alone', { fqn: 'scope.alone', schema });
  await cluster.until('DataContract', 'scope-shop/alone', 'Published', /1\.0\.0/);
  await cluster.put('DataContract', 'scope-shop/alone', {
    fqn: 'scope.alone',
    schema: { type: 'string' },
  });
  await cluster.until('DataContract', 'scope-shop/alone', 'RegistryUnavailable', /scope-ending/);
  // Its Role cannot be restored any more.
  await kubectlOk(cluster.address, ['delete', 'namespace', 'scope-ending', '--wait=false']);
  await cluster.until('DataContract', 'scope-shop/alone', 'Published', /2\.0\.0/);
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
