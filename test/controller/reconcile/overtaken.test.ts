// Another writer changes the same object each time just before the controller writes it.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/controller/clock.ts';
import { ApiClient, type ApiRequest } from '../../../src/controller/cluster/api-client.ts';
import { objectPath } from '../../../src/controller/cluster/resources.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { configOf, kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;
let admin: ApiClient;
let before: (asked: ApiRequest) => Promise<void> = async () => {};
let touches = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { shop: 'checkout' },
    before: (asked) => before(asked),
    clock: {
      ...systemClock,
      // Disables long delays: nothing here may depend on a later resync.
      after: (delayMs, call) => (delayMs < 20_000 ? systemClock.after(delayMs, call) : () => {}),
    },
  });
  admin = new ApiClient(configOf(cluster.address));
});

afterAll(async () => {
  admin?.close();
  await cluster?.close();
  await registry?.stop();
});

const schema = { type: 'object', properties: { id: { type: 'string' } } };
const pathOf = (name: string) => objectPath('DataContract', 'shop', name);

/** Writes an annotation, which changes the object but does not cause a reconcile. */
const touch = (name: string) =>
  admin.expect({
    method: 'PATCH',
    path: pathOf(name),
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { touched: String(++touches) } } },
  });

const reasonsTold = async (name: string) => {
  const of = ['--field-selector', `involvedObject.name=${name}`, '-o', 'json'];
  const { items } = JSON.parse(
    await kubectlOk(cluster.address, ['get', 'events', '-n', 'shop', ...of]),
  );
  return items.map(({ reason }: { reason: string }) => reason).sort();
};

test('a writer that never pauses keeps no finalizer from being set or taken off', async () => {
  const path = pathOf('busy');
  before = async (asked) => {
    if (asked.method === 'PATCH' && asked.path === path) await touch('busy');
  };
  await cluster.put('DataContract', 'busy', {
    fqn: 'overtaken.busy',
    schema,
    deletionPolicy: 'Delete',
  });
  const { metadata } = await cluster.until('DataContract', 'busy', 'Published');
  expect(metadata.finalizers).toEqual(['concordat.dev/registry']);
  await kubectlOk(cluster.address, [
    ...['patch', 'datacontract', 'busy', '-n', 'shop', '--type=json', '-p'],
    '[{"op": "add", "path": "/metadata/finalizers/0", "value": "test.dev/another"}]',
  ]);
  await cluster.remove('DataContract', 'busy');
  await vi.waitFor(async () => {
    const left = await cluster.get('DataContract', 'busy');
    expect(left.metadata.finalizers).toEqual(['test.dev/another']);
  }, patience);
  before = async () => {};
  await kubectlOk(cluster.address, [
    ...['patch', 'datacontract', 'busy', '-n', 'shop', '--type=merge', '-p'],
    '{"metadata": {"finalizers": []}}',
  ]);
  await cluster.untilGone('DataContract', 'busy');
});

test('a name that somebody takes at the same moment is no broken registry', async () => {
  const fqn = 'overtaken.taken';
  const [team] = await registry.ports.reads.listTeamsBySlug(['checkout']);
  before = async (asked) => {
    if (asked.method !== 'PATCH' || asked.path !== pathOf('taken')) return;
    before = async () => {};
    const command = { fqn, ownerTeamId: team?.id ?? '' };
    accepted(await verbs.createAsset(registry.ports, registry.admin, command));
  };
  await cluster.put('DataContract', 'taken', { fqn, schema, deletionPolicy: 'Delete' });
  await cluster.until('DataContract', 'taken', 'Published');
  await vi.waitFor(async () => expect(await reasonsTold('taken')).toEqual(['Published']), patience);
  expect(cluster.errors).toEqual([]);
});

test('a deletion that waits says so, though somebody wrote just before', async () => {
  const consumers = [{ team: 'billing' }];
  const spec = { fqn: 'overtaken.leaving', schema, consumers, deletionPolicy: 'Delete' };
  await cluster.put('DataContract', 'leaving', spec);
  await cluster.until('DataContract', 'leaving', 'Published');
  let conflicts = 0;
  before = async (asked) => {
    if (asked.path !== `${pathOf('leaving')}/status` || conflicts > 0) return;
    conflicts += 1;
    await touch('leaving');
  };
  await cluster.remove('DataContract', 'leaving');
  await cluster.until('DataContract', 'leaving', 'DeletionBlocked', /consumer/);
  expect(conflicts).toBe(1);
  expect(await cluster.writes()).toContain('patch datacontracts/status leaving 409');
});

test('what changed while nobody looked goes ahead of what did not', async () => {
  for (const name of ['a', 'b', 'z']) {
    await cluster.put('DataContract', `ahead-${name}`, { fqn: `overtaken.ahead_${name}`, schema });
    await cluster.until('DataContract', `ahead-${name}`, 'Published');
  }
  await cluster.stop();
  const more = { ...schema, description: 'Said better.' };
  await cluster.put('DataContract', 'ahead-z', { fqn: 'overtaken.ahead_z', schema: more });
  await cluster.start();
  await cluster.until('DataContract', 'ahead-z', 'Published', /1\.0\.1/);
  const places = ['z', 'a', 'b'].map((name) =>
    cluster.started().indexOf(`DataContract/shop/ahead-${name}`),
  );
  expect(places[0]).toBeLessThan(Math.min(...places.slice(1).map((at) => (at < 0 ? 1e9 : at))));
});

test('what is asked of the API server is counted, and each watch that is opened again', async () => {
  const count = async (series: string) => {
    const line = (await cluster.metrics.text()).split('\n').find((one) => one.startsWith(series));
    return Number(line?.slice(series.length) ?? 0);
  };
  const watches = 'concordat_watch_restarts_total{resource="datacontracts",why="failed"}';
  const before = await count(watches);
  cluster.proxy.cut();
  await vi.waitFor(async () => expect(await count(watches)).toBeGreaterThan(before), patience);
  const patches = 'rest_client_requests_total{code="200",method="PATCH"}';
  const counted = await count(patches);
  await cluster.put('DataContract', 'counted', { fqn: 'overtaken.counted', schema });
  await cluster.until('DataContract', 'counted', 'Published');
  // The status may be visible to others before the controller receives the response.
  await vi.waitFor(async () => expect(await count(patches)).toBeGreaterThan(counted), patience);
  expect(await count('rest_client_requests_total{code="409",method="PATCH"}')).toBeGreaterThan(0);
});
