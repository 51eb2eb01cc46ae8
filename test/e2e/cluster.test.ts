// The chart on a real cluster, with the image of the Dockerfile: two replicas, a Postgres beside
// them, and what an operator meets: upgrades, ends of pods, outages, and the end of the release.

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { applyObjects, type Cluster, kubectlOk } from '../../scripts/kubernetes/cluster.ts';
import {
  helm,
  namespace,
  namespaceObject,
  openNodePort,
  release,
  rolledOut,
} from '../../scripts/kubernetes/installation.ts';
import { definitionsYaml } from '../../src/controller/crd/kinds.ts';
import { createClient } from '../../src/wire/client.ts';
import { bootstrapKey, describeCluster, images, install, installDatabase } from './installation.ts';
import { startLoad } from './load.ts';
import { startCluster } from './start-cluster.ts';

const patience = { timeout: 120_000, interval: 250 };
const shop = 'shop';
const finance = 'finance';

let cluster: Cluster;
let url: string;

beforeAll(async () => {
  cluster = await startCluster();
  console.warn(`The cluster: ${cluster.description}.`);
  await installDatabase(cluster);
});

afterAll(async () => {
  await cluster?.stop();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.warn(await describeCluster(cluster));
});

const client = () => createClient({ baseUrl: url, key: bootstrapKey });

const contract = (...columns: string[]) => ({
  apiVersion: 'concordat.dev/v1',
  kind: 'DataContract',
  metadata: { name: 'orders', namespace: shop },
  spec: {
    fqn: 'shop.orders',
    schema: {
      type: 'object',
      properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
    },
  },
});

const registration = (acknowledgements: readonly object[] = []) => ({
  apiVersion: 'concordat.dev/v1',
  kind: 'ContractRegistration',
  metadata: { name: 'orders', namespace: finance },
  spec: { fqn: 'shop.orders', acknowledgements },
});

const fieldOf = (object: string, inNamespace: string, path: string) =>
  kubectlOk(cluster, ['get', object, '-n', inNamespace, '-o', `jsonpath={${path}}`]);

const until = (object: string, inNamespace: string, reason: string, version: string) =>
  vi.waitFor(async () => {
    const ready = '.status.conditions[?(@.type=="Ready")].reason';
    const found = await fieldOf(object, inNamespace, `${ready}} {.status.version`);
    expect(found).toBe(`${reason} ${version}`);
  }, patience);

/** Publishes one column more, and waits until the registry has it. */
async function expectReconciled(version: string, ...columns: string[]): Promise<void> {
  await applyObjects(cluster, [contract(...columns)]);
  await until('datacontract/orders', shop, 'Published', version);
}

const podsOf = async (path: string) =>
  (
    await kubectlOk(cluster, [
      ...['get', 'pods', '-n', namespace, '-l', 'app.kubernetes.io/name=concordat'],
      ...['-o', `jsonpath={range .items[*]}{${path}}{"\\n"}{end}`],
    ])
  ).split('\n');

const restarts = () => podsOf('.status.containerStatuses[0].restartCount');

test('helm install: two replicas, under the restricted standard', async () => {
  // The chart of the last release: what follows upgrades it to this one.
  await install(cluster, images.first, 'test/fixtures/previous-chart');
  // With the program of this one, whose statuses have fields that the last release did not know.
  const apply = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
  const applied = await cluster.kubectl(apply, definitionsYaml());
  expect(applied.code, applied.stderr).toBe(0);
  url = await openNodePort(cluster);
  expect(await podsOf('.status.phase')).toEqual(['Running', 'Running']);
  await vi.waitFor(async () => {
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  }, patience);
  const page = await fetch(url);
  expect(await page.text()).toContain('<div id="');
});

test('a pod of the release is nobody in particular, and can write nowhere but where it should', async () => {
  const inside = (...command: string[]) =>
    cluster.kubectl(['exec', '-n', namespace, `deployment/${release}`, '--', ...command]);
  expect((await inside('id', '-u')).stdout.trim()).toBe('10001');
  expect((await inside('touch', '/app/x')).stderr).toContain('Read-only file system');
  expect((await inside('touch', '/tmp/x', '/data/x')).code).toBe(0);
  const status = await inside('grep', '-E', '^(CapEff|NoNewPrivs|Seccomp):', '/proc/1/status');
  expect(status.stdout.replace(/\s+/g, ' ')).toBe(
    'CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 ',
  );
  // One process, which hears signals itself.
  const { stdout } = await inside('cat', '/proc/1/cmdline');
  const flags = ['--max-semi-space-size=32'];
  expect(stdout.split('\0')).toEqual(['node', ...flags, '/app/bin/concordat.js', 'serve', '']);
});

test('a breaking change: warned of, asked about, agreed to by both ways, published', async () => {
  for (const slug of ['shop', 'finance', 'search']) {
    expect(await client().createTeam({ body: { name: slug, slug } })).toMatchObject({ ok: true });
  }
  await applyObjects(cluster, [
    namespaceObject(shop, { 'concordat.dev/team': 'shop' }),
    namespaceObject(finance, { 'concordat.dev/team': 'finance' }),
  ]);
  await expectReconciled('1.0.0', 'id', 'amount');
  await expectReconciled('1.1.0', 'id', 'amount', 'note');
  await applyObjects(cluster, [registration()]);
  await vi.waitFor(async () => {
    expect(await fieldOf('creg/orders', finance, '.status.contractVersion')).toBe('1.1.0');
  }, patience);
  const contractId = await fieldOf('datacontract/orders', shop, '.status.contractId');
  const teams = await client().listTeams({ query: {} });
  const search = teams.ok ? teams.body.results.find(({ slug }) => slug === 'search') : undefined;
  const team_id = search?.id ?? '';
  const registered = await client().registerConsumer({
    body: { contract_id: contractId, consumer_team_id: team_id },
  });
  expect(registered).toMatchObject({ ok: true });

  // Until the webhook's certificate is where it is asked for, it is gone without.
  await vi.waitFor(async () => {
    const tried = await cluster.kubectl(
      ['apply', '--server-side', '--dry-run=server', '-f', '-'],
      JSON.stringify(contract('id', 'note')),
    );
    expect(tried.stderr).toMatch(/Warning: .*amount/);
  }, patience);
  await applyObjects(cluster, [contract('id', 'note')]);
  await until('datacontract/orders', shop, 'ProposalPending', '1.1.0');
  const proposal = await fieldOf('datacontract/orders', shop, '.status.proposal.name');
  const proposal_id = await fieldOf('datacontract/orders', shop, '.status.proposal.id');
  const digest = await vi.waitFor(async () => {
    const shown = await fieldOf(`cprop/${proposal}`, shop, '.status.digest');
    expect(shown).not.toBe('');
    return shown;
  }, patience);
  const proposalRef = { name: proposal };
  await applyObjects(cluster, [registration([{ proposalRef, digest, response: 'Approved' }])]);
  await vi.waitFor(async () => {
    const acknowledged = await fieldOf(
      'datacontract/orders',
      shop,
      '.status.proposal.acknowledged',
    );
    expect(acknowledged).toBe('1');
  }, patience);
  const answered = await client().acknowledgeProposal({
    params: { proposal_id },
    body: { team_id, response: 'approved', reason: 'The team agreed in a meeting.' },
  });
  expect(answered).toMatchObject({ ok: true });
  await until('datacontract/orders', shop, 'Published', '2.0.0');
  await vi.waitFor(async () => {
    expect(await fieldOf(`cprop/${proposal}`, shop, '.status.publishedVersion')).toBe('2.0.0');
  }, patience);
});

test('a registration that is renamed in git, the new one applied before the old one is pruned, never lapses', async () => {
  const { metadata, ...rest } = registration();
  await applyObjects(cluster, [{ ...rest, metadata: { ...metadata, name: 'renamed' } }]);
  const reasonOf = (name: string) =>
    fieldOf(`creg/${name}`, finance, '.status.conditions[?(@.type=="Ready")].reason');
  await vi.waitFor(async () => expect(await reasonOf('renamed')).toBe('Conflict'), patience);
  await kubectlOk(cluster, ['delete', 'creg/orders', '-n', finance]);
  await vi.waitFor(async () => expect(await reasonOf('renamed')).toBe('UpToDate'), patience);
  const wait = ['wait', '--for=condition=Ready', 'creg/renamed', '-n', finance];
  await kubectlOk(cluster, [...wait, '--timeout=60s']);
  const assetId = await fieldOf('datacontract/orders', shop, '.status.assetId');
  const listed = await client().listRegistrations({ query: { asset_id: assetId } });
  expect(listed.ok && listed.body.results.length).toBe(2);
});

test('a rolling upgrade from the last chart, under load, fails no request', async () => {
  const before = await podsOf('.metadata.name');
  const load = startLoad(url, 'upgrade');
  await vi.waitFor(() => expect(load.sent()).toBeGreaterThan(100), patience);
  const sentBefore = load.sent();
  await install(cluster, images.second);
  await kubectlOk(cluster, rolledOut(namespace, release));
  await vi.waitFor(async () => expect(await podsOf('.metadata.name')).toHaveLength(2), patience);
  const sent = load.sent();
  expect(await load.stop()).toEqual([]);
  console.warn(`${sent - sentBefore} requests during the upgrade, none failed.`);
  expect(sent - sentBefore).toBeGreaterThan(100);
  const after = await podsOf('.metadata.name');
  expect(after.filter((name) => before.includes(name))).toEqual([]);
  expect(new Set(await podsOf('.spec.containers[0].image'))).toEqual(new Set([images.second]));
  await expectReconciled('2.1.0', 'id', 'note', 'upgraded');
});

test('the pod that leads is deleted: another one leads', async () => {
  const holder = () => fieldOf(`lease/${release}`, namespace, '.spec.holderIdentity');
  const pods = await podsOf('.metadata.name');
  const leads = pods.find((name) => name !== '') ?? '';
  const leader = await holder();
  const name = pods.find((pod) => leader.startsWith(pod)) ?? leads;
  await kubectlOk(cluster, ['delete', 'pod', name, '-n', namespace, '--wait=false']);
  await expectReconciled('2.2.0', 'id', 'note', 'upgraded', 'led');
  await vi.waitFor(async () => {
    const now = await holder();
    expect(now).not.toBe(leader);
    const running = await podsOf('.metadata.name');
    expect(running.some((pod) => now.startsWith(pod))).toBe(true);
    // The one that was deleted is gone, too: what comes next counts pods.
    expect(running).toHaveLength(2);
  }, patience);
});

test('without an API server the registry goes on serving, and reconciles once it is back', async () => {
  await kubectlOk(cluster, rolledOut(namespace, release));
  await cluster.stopApiServer();
  const load = startLoad(url, 'outage');
  await vi.waitFor(() => expect(load.sent()).toBeGreaterThan(200), patience);
  expect(await load.stop()).toEqual([]);
  await cluster.startApiServer();
  await expectReconciled('2.3.0', 'id', 'note', 'upgraded', 'led', 'returned');
  expect(await restarts()).toEqual(['0', '0']);
});

test('Postgres ends and comes back: no replica is restarted, and nothing is lost', async () => {
  const postgres = (...command: string[]) =>
    cluster.kubectl(['exec', '-n', 'database', 'deployment/postgres', '--', ...command]);
  await postgres('pg_ctl', 'stop', '-m', 'immediate');
  await vi.waitFor(async () => {
    const restarted = await kubectlOk(cluster, [
      ...['get', 'pods', '-n', 'database', '-o'],
      'jsonpath={.items[0].status.containerStatuses[0].restartCount}',
    ]);
    expect(restarted).toBe('1');
  }, patience);
  await kubectlOk(cluster, rolledOut('database', 'postgres'));
  await vi.waitFor(async () => {
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  }, patience);
  await expectReconciled('2.4.0', 'id', 'note', 'upgraded', 'led', 'returned', 'kept');
  expect(await restarts()).toEqual(['0', '0']);
});

test('uninstall keeps the contracts, in the cluster and in the registry', async () => {
  const contractId = await fieldOf('datacontract/orders', shop, '.status.contractId');
  await helm(cluster, ['uninstall', release, '--wait', '--timeout', '3m']);
  expect(await fieldOf('datacontract/orders', shop, '.status.contractId')).toBe(contractId);
  await install(cluster, images.first);
  await expectReconciled('2.5.0', 'id', 'note', 'upgraded', 'led', 'returned', 'kept', 'again');
  const found = await client().getContract({ params: { contract_id: contractId } });
  expect(found).toMatchObject({ ok: true, body: { version: '2.4.0' } });
});
