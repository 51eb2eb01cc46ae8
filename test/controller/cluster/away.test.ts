// A controller that was cut off from its API server while much changed there, and one whose objects
// always have another writer.

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { objectPath } from '../../../src/controller/cluster/resources.ts';
import { configOf } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

const namespace = 'away';

let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  cluster = await openClusterController(registry, { namespaces: { [namespace]: 'checkout' } });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

beforeEach(() => {
  cluster.errors.length = 0;
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const fqnOf = (name: string) => `away.${name.replaceAll('-', '_')}`;

const put = (names: readonly string[], ...columns: string[]) =>
  cluster.apply({
    apiVersion: 'v1',
    kind: 'List',
    items: names.map((name) => ({
      apiVersion: 'concordat.dev/v1',
      kind: 'DataContract',
      metadata: { name, namespace },
      spec: { fqn: fqnOf(name), schema: table(...columns) },
    })),
  });

/** All versions of each of these assets, and the number of events about them. */
async function published(names: readonly string[]): Promise<Record<string, string>> {
  const rows = await registry.database.query(
    `select fqn, string_agg(version, ' ' order by ordinal) as versions,
       (select count(*) from audit_event where event_type = 'contract.published'
         and metadata ->> 'asset_id' = asset.id::text) as events
     from contract join asset on asset.id = contract.asset_id
     where fqn = any($1) group by asset.id order by fqn`,
    [names.map(fqnOf)],
  );
  return Object.fromEntries(
    rows.map(({ fqn, versions, events }) => [String(fqn), `${versions}, ${events} events`]),
  );
}

const all = (names: readonly string[], versions: string) =>
  Object.fromEntries([...names].sort().map((name) => [fqnOf(name), versions]));

test('what happened while the history was compacted away is followed, each change once', async () => {
  const kept = ['kept-1', 'kept-2', 'kept-3'];
  const changed = ['changed-1', 'changed-2', 'changed-3'];
  // First, because the watch would not be continued, but the list read, if the newest known change
  // were of an object that is gone.
  for (const names of [['deleted'], [...kept, ...changed]]) {
    await put(names, 'id');
    for (const name of names) await cluster.until('DataContract', name, 'Published');
  }
  cluster.proxy.refuse();
  await vi.waitFor(() => expect(cluster.errors.length).toBeGreaterThan(0), patience);
  await put(changed, 'id', 'more');
  await put(['new'], 'id');
  await cluster.remove('DataContract', 'deleted');
  await cluster.address.compactEtcd();
  // The API server's own cache would still contain the history.
  await cluster.address.killApiServer();
  await cluster.address.startApiServer();
  cluster.proxy.letThrough();

  for (const name of changed) await cluster.until('DataContract', name, 'Published', /1\.1\.0/);
  await cluster.until('DataContract', 'new', 'Published', /1\.0\.0/);
  await cluster.untilGone('DataContract', 'deleted');
  expect(cluster.errors.join('\n')).toMatch(/following .*datacontracts: .*410/);
  expect(await published([...kept, ...changed, 'new', 'deleted'])).toEqual({
    ...all([...kept, 'new', 'deleted'], '1.0.0, 1 events'),
    ...all(changed, '1.0.0 1.1.0, 2 events'),
  });
  await vi.waitFor(async () => {
    const deleted = await registry.ports.reads.findAssetByName(fqnOf('deleted'), 'production');
    expect(deleted).toMatchObject({ managedBy: null });
  }, patience);
});

test('a second writer that never stops keeps no change from being made, and none is made twice', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `shared-${index}`);
  const client = new ApiClient(configOf(cluster.address));
  const stopping = new AbortController();
  const annotate = async () => {
    for (let writes = 0; !stopping.signal.aborted; writes++) {
      const metadata = { annotations: { 'example.org/touched': String(writes) } };
      await client.request({
        method: 'PATCH',
        path: objectPath('DataContract', namespace, names[writes % names.length] ?? ''),
        contentType: 'application/merge-patch+json',
        body: { metadata },
      });
    }
  };
  // Refused because of the other writer's change in between.
  const isRefused = async () =>
    (await cluster.writes()).some((write) => /shared-\d 409$/.test(write));
  const fields = ['id'];
  const versions: string[] = [];
  await put(names, ...fields);
  const writing = annotate();
  try {
    for (;;) {
      const version = `1.${versions.length}.0`;
      const said = new RegExp(version.replaceAll('.', '\\.'));
      for (const name of names) await cluster.until('DataContract', name, 'Published', said);
      versions.push(version);
      if (await isRefused()) break;
      fields.push(`more${versions.length}`);
      await put(names, ...fields);
    }
  } finally {
    stopping.abort();
    await writing;
    client.close();
  }
  expect(await published(names)).toEqual(
    all(names, `${versions.join(' ')}, ${versions.length} events`),
  );
});
