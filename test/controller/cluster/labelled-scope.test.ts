// A controller that reconciles the namespaces with certain labels, on a real API server.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { parseLabelSelector } from '../../../src/controller/cluster/label-selector.ts';
import { configOf, kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'label-shop': 'checkout', 'label-billing': 'billing', 'label-other': 'checkout' },
    selector: 'contracts in (yes, soon)',
  });
  await label('label-shop', 'contracts=yes');
  await label('label-billing', 'contracts=soon');
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

const label = (namespace: string, value: string) =>
  kubectlOk(cluster.address, ['label', '--overwrite', 'namespace', namespace, value]);

const schema = { type: 'object', properties: { id: { type: 'string' } } };
const unseen = { observedGeneration: -1 };

const managerOf = async (fqn: string) =>
  (await registry.ports.reads.findAssetByName(fqn, 'production'))?.managedBy?.reference;

test('a selector is read as the API server reads it', async () => {
  const labelled = {
    'selector-a': { tier: 'gold', 'example.org/owner': 'us' },
    'selector-b': { tier: '' },
    'selector-c': { tier: 'silver', paused: '' },
    'selector-d': {},
  };
  for (const [name, labels] of Object.entries(labelled)) {
    const metadata = { name, labels: { ...labels, 'selector-test': '' } };
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  const selectors = [
    ...['tier', '!tier', 'tier=gold', 'tier==gold', 'tier = gold', 'tier!=gold', 'tier=', 'tier!='],
    ...['tier in (gold,silver)', 'tier in ( gold )', 'tier notin (gold,silver)', 'tier in ()'],
    ...['tier in (gold,)', 'tier,!paused', 'tier in (gold,silver),paused', '! tier', 'paused='],
    ...['example.org/owner=us', 'example.org/owner notin (us)', 'in', 'in in (in)', 'notin!=in'],
    ...['tier in gold', 'tier=gold silver', '=gold', 'tier in', 'tier,,paused', 'tier=a=b', '!'],
    ...['tier!', 'EXAMPLE.org/owner', '-tier', 'tier=-a', 'tier in (a b)', 'tier(gold)'],
  ];
  const api = new ApiClient(configOf(cluster.address));
  for (const selector of selectors) {
    const labelSelector = `selector-test,${selector}`;
    const query = { labelSelector };
    const { status, body } = await api.request({
      method: 'GET',
      path: '/api/v1/namespaces',
      query,
    });
    const { items } = body as { readonly items?: readonly { metadata: { name: string } }[] };
    const parsed = parseLabelSelector(labelSelector);
    const selected = Object.entries(labelled)
      .filter(([, labels]) => parsed.ok && parsed.value({ ...labels, 'selector-test': '' }))
      .map(([name]) => name);
    const expected = status === 200 ? items?.map(({ metadata }) => metadata.name) : null;
    expect([selector, parsed.ok ? selected : null]).toEqual([selector, expected]);
  }
  api.close();
});

test('only objects in namespaces with the labels are reconciled, from the moment they are set', async () => {
  await cluster.put('DataContract', 'label-other/left', { fqn: 'label.left', schema });
  await cluster.put('DataContract', 'label-shop/orders', { fqn: 'label.orders', schema });
  await cluster.until('DataContract', 'label-shop/orders', 'Published');
  await cluster.put('ContractRegistration', 'label-billing/reads', { fqn: 'label.orders' });
  await cluster.until('ContractRegistration', 'label-billing/reads', 'UpToDate');
  expect((await cluster.get('DataContract', 'label-other/left')).status).toEqual(unseen);
  await label('label-other', 'contracts=yes');
  await cluster.until('DataContract', 'label-other/left', 'Published');
  expect(cluster.errors).toEqual([]);
});

test('a break asks a consumer whose namespace has the label by now, of which the watch has told nothing', async () => {
  const contract = { fqn: 'label.hung' };
  await cluster.put('DataContract', 'label-shop/hung', { ...contract, schema });
  await cluster.until('DataContract', 'label-shop/hung', 'Published', /1\.0\.0/);
  cluster.hang('Namespace');
  const hungAtMs = performance.now();
  await cluster.put('ContractRegistration', 'label-billing/hung', { fqn: 'label.none' });
  await cluster.until('ContractRegistration', 'label-billing/hung', 'AssetNotFound');
  // So no registration ends because its successor is in a namespace that was not told.
  const hungForMs = performance.now() - hungAtMs;
  expect(cluster.reading()?.msAgo).toBeGreaterThanOrEqual(hungForMs);
  const labels = { 'concordat.dev/team': 'billing', contracts: 'yes' };
  const metadata = { name: 'label-hung', labels };
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
  await cluster.put('ContractRegistration', 'label-hung/hung', contract);
  await cluster.put('DataContract', 'label-shop/hung', { ...contract, schema: { type: 'object' } });
  await cluster.until('DataContract', 'label-shop/hung', 'ProposalPending', /waiting for billing/);
  expect(cluster.errors.join('\n')).toContain('label-hung/hung could not be read yet');
  cluster.errors.length = 0;
});

test('an object that is applied together with its namespace waits for no second change', async () => {
  const labels = { 'concordat.dev/team': 'checkout', contracts: 'yes' };
  const metadata = { name: 'label-new', labels };
  const at = { name: 'first', namespace: 'label-new' };
  const configMapKeyRef = { name: 'late', key: 'a.json' };
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
  await cluster.put('DataContract', 'label-new/first', {
    fqn: 'label.first',
    schemaFrom: { configMapKeyRef },
  });
  await cluster.until('DataContract', 'label-new/first', 'SourceNotFound');
  const data = { 'a.json': JSON.stringify(schema) };
  const named = { ...at, name: 'late' };
  await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data });
  await cluster.until('DataContract', 'label-new/first', 'Published');
});

test('a namespace that loses the label is left as it is, and goes on when it has it again', async () => {
  const registrations = async () => {
    const asset = await registry.ports.reads.findAssetByName('label.orders', 'production');
    const page = { page: 1, pageSize: 5, includeTotal: false };
    const assetId = asset?.id ?? '';
    const listed = await registry.ports.reads.listRegistrations({ assetId, ...page });
    return listed.ok ? listed.value.results.length : -1;
  };
  await label('label-shop', 'contracts-');
  await label('label-billing', 'contracts-');
  await vi.waitFor(() => {
    expect(cluster.knows('DataContract/label-shop/orders')).toBe(false);
    expect(cluster.knows('ContractRegistration/label-billing/reads')).toBe(false);
  }, patience);
  // Without the finalizer it is gone at once, and nobody watches: its asset stays managed.
  await cluster.remove('DataContract', 'label-shop/orders');
  const narrower = { fqn: 'label.orders', schema: { type: 'object' } };
  await cluster.put('DataContract', 'label-shop/again', narrower);
  // A restart compares the managed assets with the objects.
  await cluster.stop();
  await cluster.start();
  await cluster.put('DataContract', 'label-other/left', { fqn: 'label.left', schema: {} });
  await cluster.until('DataContract', 'label-other/left', 'Published');
  expect((await cluster.get('DataContract', 'label-shop/again')).status).toEqual(unseen);
  expect(await managerOf('label.orders')).toMatch(/^label-shop\/orders in /);
  expect(await registrations()).toBe(1);

  await label('label-billing', 'contracts=yes');
  await label('label-shop', 'contracts=yes');
  await cluster.until('ContractRegistration', 'label-billing/reads', 'UpToDate');
  expect(await registrations()).toBe(1);
  // The deleted object is found now, and the waiting object gets its asset and proposes its change.
  await cluster.until('DataContract', 'label-shop/again', 'ProposalPending', /billing/);
  expect(await managerOf('label.orders')).toMatch(/^label-shop\/again in /);
});
