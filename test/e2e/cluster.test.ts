// The chart on a real cluster, with the image of the Dockerfile: two replicas, a Postgres beside
// them, and what operators encounter: upgrades, deleted pods, outages, uninstalling, and a rebuilt
// cluster.

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
import { kinds, toDefinitionYaml } from '../../src/controller/crd/kinds.ts';
import { createClient } from '../../src/wire/client.ts';
import {
  addressOf,
  bootstrapKey,
  buildImages,
  databasePassword,
  describeCluster,
  dumpDatabase,
  images,
  install,
  installDatabase,
  restoreDatabase,
  runSql,
} from './installation.ts';
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
  await installDatabase(cluster, await buildImages(cluster));
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
    compatibilityMode: 'Backward',
    guarantees: { freshness: { maxStalenessMinutes: 60 }, nullability: { id: 'never' } },
    guaranteeMode: 'Notify',
    publishPolicy: 'Automatic',
    deletionPolicy: 'Retain',
    addConsumers: [{ team: 'search', purpose: 'The index of the shop.' }],
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
    expect(found).toBe(`${reason} ${version}`.trim());
  }, patience);

const waitForReady = (object: string, inNamespace: string) =>
  kubectlOk(cluster, [
    ...['wait', '--for=condition=Ready', object, '-n', inNamespace, '--timeout=120s'],
  ]);

/**
 * Publishes a version with these columns, and waits, as a pipeline does, until the registry has it.
 */
async function expectReconciled(version: string, ...columns: string[]): Promise<void> {
  await applyObjects(cluster, [contract(...columns)]);
  await waitForReady('datacontract/orders', shop);
  await until('datacontract/orders', shop, 'Published', version);
}

async function consumersOfOrders(): Promise<readonly string[]> {
  const asset_id = await fieldOf('datacontract/orders', shop, '.status.assetId');
  const listed = await client().listRegistrations({ query: { asset_id } });
  if (!listed.ok) throw new Error(listed.refusal.message);
  return listed.body.results.map(({ consumer_team_name: name }) => name).sort();
}

const podsOf = async (path: string) =>
  (
    await kubectlOk(cluster, [
      ...['get', 'pods', '-n', namespace, '-l', 'app.kubernetes.io/name=concordat'],
      ...['-o', `jsonpath={range .items[*]}{${path}}{"\\n"}{end}`],
    ])
  ).split('\n');

/** The columns of the contract after the tests of upgrades and users. */
const columnsSoFar = ['id', 'note', 'upgraded', 'anybody'];

const restarts = () => podsOf('.status.containerStatuses[0].restartCount');

test('helm install: two replicas, under the restricted standard', async () => {
  // The chart of the last release; a later test upgrades it to this one.
  await install(cluster, images.first, 'test/fixtures/previous-chart');
  // The program is this release's, whose statuses have fields that the last release's kinds lack.
  const apply = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
  // Kinds that the last release lacks are left to Helm, which takes over nothing that others made.
  const newKinds = ['ContractCheck', 'Team'];
  const known = kinds.filter(({ kind }) => !newKinds.includes(kind)).map(toDefinitionYaml);
  const applied = await cluster.kubectl(apply, known.join('---\n'));
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
  // A single process, which receives signals itself.
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
  await waitForReady('creg/orders', finance);
  expect(await fieldOf('creg/orders', finance, '.status.contractVersion')).toBe('1.1.0');
  const teams = await client().listTeams({ query: {} });
  const search = teams.ok ? teams.body.results.find(({ slug }) => slug === 'search') : undefined;
  const team_id = search?.id ?? '';

  // Until the webhook's certificate is in place, objects are applied without warnings.
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
  await waitForReady('datacontract/orders', shop);
  await until('datacontract/orders', shop, 'Published', '2.0.0');
  await waitForReady(`cprop/${proposal}`, shop);
  expect(await fieldOf(`cprop/${proposal}`, shop, '.status.publishedVersion')).toBe('2.0.0');
});

test('a registration that is renamed in git, the new one applied before the old one is pruned, never lapses', async () => {
  const { metadata, ...rest } = registration();
  await applyObjects(cluster, [{ ...rest, metadata: { ...metadata, name: 'renamed' } }]);
  const reasonOf = (name: string) =>
    fieldOf(`creg/${name}`, finance, '.status.conditions[?(@.type=="Ready")].reason');
  await vi.waitFor(async () => expect(await reasonOf('renamed')).toBe('Conflict'), patience);
  await kubectlOk(cluster, ['delete', 'creg/orders', '-n', finance]);
  await waitForReady('creg/renamed', finance);
  expect(await reasonOf('renamed')).toBe('UpToDate');
  expect(await consumersOfOrders()).toEqual(['finance', 'search']);
});

test('a registration that is renamed in git, the old one pruned before the new one is applied, never lapses', async () => {
  const { metadata, ...rest } = registration();
  // And back, because later tests use this name.
  for (const [old, name] of [
    ['renamed', 'orders'],
    ['orders', 'renamed'],
  ] as const) {
    await kubectlOk(cluster, ['delete', `creg/${old}`, '-n', finance]);
    await applyObjects(cluster, [{ ...rest, metadata: { ...metadata, name } }]);
    await waitForReady(`creg/${name}`, finance);
    expect(await consumersOfOrders()).toEqual(['finance', 'search']);
  }
});

test('a contract that is renamed in git goes on with its versions and its consumers', async () => {
  const { metadata, ...rest } = contract('id', 'note');
  const before = await fieldOf('datacontract/orders', shop, '.status.contractId');
  await applyObjects(cluster, [{ ...rest, metadata: { ...metadata, name: 'renamed' } }]);
  await until('datacontract/renamed', shop, 'FqnConflict', '');
  await kubectlOk(cluster, ['delete', 'datacontract/orders', '-n', shop]);
  await waitForReady('datacontract/renamed', shop);
  expect(await fieldOf('datacontract/renamed', shop, '.status.contractId')).toBe(before);
  // Renamed back, because later tests use this name.
  await applyObjects(cluster, [contract('id', 'note')]);
  await kubectlOk(cluster, ['delete', 'datacontract/renamed', '-n', shop]);
  await waitForReady('datacontract/orders', shop);
  expect(await fieldOf('datacontract/orders', shop, '.status.contractId')).toBe(before);
  expect(await consumersOfOrders()).toEqual(['finance', 'search']);
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

const check = (name: string, more: object = {}, table = 'orders') => ({
  apiVersion: 'concordat.dev/v1',
  kind: 'ContractCheck',
  metadata: { name, namespace: shop },
  spec: {
    contractRef: { name: 'orders' },
    source: { urlFrom: { secretKeyRef: { name: 'checks', key: 'uri' } }, table },
    registryKey: { secretKeyRef: { name: 'checks', key: 'key' } },
    ...more,
  },
});

test('a table that breaks its contract is found by a Job, and passes once it is mended', async () => {
  const registryUrl = `http://${await addressOf(cluster, release, namespace)}`;
  await install(cluster, images.second, undefined, [
    ...['checks.enabled=true', `checks.registryUrl=${registryUrl}`],
  ]);
  await kubectlOk(cluster, rolledOut(namespace, release));
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const teams = await client().listTeams({ query: { slug: 'shop' } });
  const team_id = teams.ok ? teams.body.results[0]?.id : undefined;
  const issued = await client().issueApiKey({
    body: { name: 'checks', team_id, scopes: ['write'] },
  });
  const postgres = await addressOf(cluster, 'postgres', 'database');
  const stringData = {
    key: issued.ok ? (issued.body.key ?? '') : '',
    uri: `postgres://concordat:${databasePassword}@${postgres}:5432/warehouse`,
  };
  await applyObjects(cluster, [
    namespaceObject(shop, { 'concordat.dev/team': 'shop', ...restricted }),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'checks', namespace: shop }, stringData },
  ]);
  await runSql(
    cluster,
    `create database warehouse;
     \\c warehouse
     create table orders (id text, note text, upgraded text);
     insert into orders values ('1', 'a', 'b'), (null, 'a', 'b');`,
  );
  const missing = { registryKey: { secretKeyRef: { name: 'none', key: 'key' } } };
  await applyObjects(cluster, [
    check('orders'),
    check('gone', {}, 'gone'),
    check('never', { ...missing, timeoutSeconds: 10 }),
  ]);
  const untilLast = (name: string, state: string) =>
    vi.waitFor(async () => {
      expect(await fieldOf(`ccheck/${name}`, shop, '.status.lastRun.state')).toBe(state);
    }, patience);
  await untilLast('orders', 'Failed');
  const failed = await fieldOf('ccheck/orders', shop, '.status.lastRun.failedRules[*].name');
  expect(failed).toBe('$.id null nullability.id');
  const runId = await fieldOf('ccheck/orders', shop, '.status.lastRun.jobUid');
  const asset_id = await fieldOf('datacontract/orders', shop, '.status.assetId');
  const runsOf = async () => {
    const listed = await client().listQualityRuns({ params: { asset_id }, query: {} });
    return listed.ok ? listed.body.results : [];
  };
  expect((await runsOf())[0]).toMatchObject({ status: 'failed', run_id: runId });

  // However many runs fail, the incident is told when it begins and when it ends.
  const incidents = async () => {
    const told = await client().listEvents({ query: { asset_id } });
    const found = told.ok ? told.body.results.map(({ metadata }) => metadata.incident) : [];
    return found.filter((each) => each !== undefined);
  };
  const again = 'concordat.dev/reconcile-at=again';
  await kubectlOk(cluster, ['annotate', 'ccheck/orders', '-n', shop, again]);
  await vi.waitFor(async () => expect(await runsOf()).toHaveLength(2), patience);
  expect(await incidents()).toEqual(['opened']);

  // What the job controller and the kubelet say of a Job that checks nothing.
  await untilLast('gone', 'Error');
  const messageOf = (name: string) =>
    fieldOf(`ccheck/${name}`, shop, '.status.conditions[?(@.type=="Ready")].message');
  expect(await messageOf('gone')).toContain('could not check the data: the data could not be read');
  await untilLast('never', 'Error');
  expect(await messageOf('never')).toContain('If its pod never started');

  await runSql(cluster, "\\c warehouse\nupdate orders set id = '2' where id is null;");
  await applyObjects(cluster, [check('orders', { schedule: '* * * * *' })]);
  await untilLast('orders', 'Passed');
  await kubectlOk(cluster, [
    ...['wait', '--for=condition=DataMatches', 'ccheck/orders', '-n', shop, '--timeout=120s'],
  ]);
  expect(await incidents()).toEqual(['closed', 'opened']);

  await kubectlOk(cluster, ['delete', 'ccheck', '--all', '-n', shop]);
  await vi.waitFor(async () => {
    expect(await kubectlOk(cluster, ['get', 'cronjobs,jobs', '-n', shop, '-o', 'name'])).toBe('');
  }, patience);
});

test('on OpenShift a pod runs as whatever user its namespace has, under the restricted standard', async () => {
  // Helm recognizes OpenShift by this kind.
  await applyObjects(cluster, [securityConstraints]);
  await kubectlOk(cluster, [
    ...['wait', '--for=condition=Established', `crd/${securityConstraints.metadata.name}`],
  ]);
  try {
    await install(cluster, images.second);
    const security = await fieldOf(`deployment/${release}`, namespace, podSecurity);
    expect(JSON.parse(security)).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    // OpenShift's own admission writes this into each pod.
    const given = { runAsUser: 1_000_680_000, runAsGroup: 0, fsGroup: 1_000_680_000 };
    const patch = { spec: { template: { spec: { securityContext: given } } } };
    await kubectlOk(cluster, [
      ...['patch', `deployment/${release}`, '-n', namespace, '-p', JSON.stringify(patch)],
    ]);
    await kubectlOk(cluster, rolledOut(namespace, release));
    const inside = (...command: string[]) =>
      cluster.kubectl(['exec', '-n', namespace, `deployment/${release}`, '--', ...command]);
    expect((await inside('id', '-u')).stdout.trim()).toBe('1000680000');
    expect((await inside('id', '-g')).stdout.trim()).toBe('0');
    expect((await inside('touch', '/tmp/x', '/data/x')).code).toBe(0);
    await expectReconciled('2.2.0', 'id', 'note', 'upgraded', 'anybody');
  } finally {
    await kubectlOk(cluster, ['delete', 'crd', securityConstraints.metadata.name]);
  }
  await install(cluster, images.second);
  await kubectlOk(cluster, rolledOut(namespace, release));
  await vi.waitFor(async () => expect(await podsOf('.metadata.name')).toHaveLength(2), patience);
});

const podSecurity = '.spec.template.spec.securityContext';

const securityConstraints = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'securitycontextconstraints.security.openshift.io' },
  spec: {
    group: 'security.openshift.io',
    scope: 'Cluster',
    names: {
      kind: 'SecurityContextConstraints',
      plural: 'securitycontextconstraints',
      singular: 'securitycontextconstraint',
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
};

test('the pod that leads is deleted: another one leads', async () => {
  const holder = () => fieldOf(`lease/${release}`, namespace, '.spec.holderIdentity');
  const pods = await podsOf('.metadata.name');
  const leads = pods.find((name) => name !== '') ?? '';
  const leader = await holder();
  const name = pods.find((pod) => leader.startsWith(pod)) ?? leads;
  await kubectlOk(cluster, ['delete', 'pod', name, '-n', namespace, '--wait=false']);
  await expectReconciled('2.3.0', ...columnsSoFar, 'led');
  await vi.waitFor(async () => {
    const now = await holder();
    expect(now).not.toBe(leader);
    const running = await podsOf('.metadata.name');
    expect(running.some((pod) => now.startsWith(pod))).toBe(true);
    // The deleted pod must be gone as well, because later tests count pods.
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
  await expectReconciled('2.4.0', ...columnsSoFar, 'led', 'returned');
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
  await expectReconciled('2.5.0', ...columnsSoFar, 'led', 'returned', 'kept');
  expect(await restarts()).toEqual(['0', '0']);
});

test('uninstall keeps the contracts, in the cluster and in the registry', async () => {
  const contractId = await fieldOf('datacontract/orders', shop, '.status.contractId');
  await helm(cluster, ['uninstall', release, '--wait', '--timeout', '3m']);
  expect(await fieldOf('datacontract/orders', shop, '.status.contractId')).toBe(contractId);
  await install(cluster, images.first);
  await expectReconciled('2.6.0', ...columnsSoFar, 'led', 'returned', 'kept', 'again');
  const found = await client().getContract({ params: { contract_id: contractId } });
  expect(found).toMatchObject({ ok: true, body: { version: '2.5.0' } });
});

test('a cluster that is rebuilt under the same registry takes over what the old one had, and its consumers are still asked', async () => {
  const columns = [...columnsSoFar, 'led', 'returned', 'kept', 'again'];
  const [old] = await sourcesOf('cluster');
  const assetId = await fieldOf('datacontract/orders', shop, '.status.assetId');
  const database = await dumpDatabase(cluster);
  await cluster.stop();
  // A new etcd, with the same images and the same database contents.
  cluster = await startCluster();
  await installDatabase(cluster, await buildImages(cluster));
  await restoreDatabase(cluster, database);
  await install(cluster, images.first);
  url = await openNodePort(cluster);
  await vi.waitFor(async () => {
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  }, patience);
  const { metadata, ...reads } = registration();
  await applyObjects(cluster, [
    namespaceObject(shop, { 'concordat.dev/team': 'shop' }),
    namespaceObject(finance, { 'concordat.dev/team': 'finance' }),
    contract(...columns),
    { ...reads, metadata: { ...metadata, name: 'renamed' } },
  ]);
  await until('datacontract/orders', shop, 'ManagedElsewhere', '');
  await vi.waitFor(async () => {
    const told = await fieldOf('creg/renamed', finance, '.status.conditions[0].message');
    expect(told).toContain('concordat take-over');
  }, patience);

  const gone = old?.identity ?? '';
  const rebuilt = (await sourcesOf('cluster')).find(({ identity }) => identity !== gone);
  const takeOver = (...more: string[]) =>
    cluster.kubectl([
      ...['exec', '-n', namespace, `deployment/${release}`, '--', 'env'],
      ...[`CONCORDAT_KEY=${bootstrapKey}`, 'CONCORDAT_URL=http://127.0.0.1:8080'],
      ...['concordat', 'take-over', gone, '--to', rebuilt?.identity ?? ''],
      ...['--reason', 'The cluster was rebuilt.', ...more],
    ]);
  // A source counts as gone after a minute without renewal.
  await vi.waitFor(async () => {
    const shown = await takeOver();
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toContain('shop.orders');
  }, patience);
  const done = await takeOver('--yes');
  expect([done.code, done.stderr]).toEqual([0, '']);
  await waitForReady('datacontract/orders', shop);
  await waitForReady('creg/renamed', finance);
  expect(await fieldOf('datacontract/orders', shop, '.status.assetId')).toBe(assetId);
  expect(await consumersOfOrders()).toEqual(['finance', 'search']);
  await expectReconciled('2.7.0', ...columns, 'rebuilt');
  await applyObjects(cluster, [contract('id')]);
  await until('datacontract/orders', shop, 'ProposalPending', '2.7.0');
  const asked = await fieldOf('datacontract/orders', shop, '.status.conditions[0].message');
  expect(asked).toMatch(/0 of 2 consumers.* waiting for finance, search/);
});

async function sourcesOf(kind: string) {
  const listed = await client().listSources();
  if (!listed.ok) throw new Error(listed.refusal.message);
  return listed.body.results.filter((source) => source.kind === kind);
}
