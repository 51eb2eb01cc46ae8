// ContractChecks on a real API server and a real registry: the CronJob and the Jobs that the controller
// makes, and the outcome of the real program on a real table.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { objectPath } from '../../../src/controller/cluster/resources.ts';
import { checkRights, controllerRights } from '../../../src/controller/cluster/rights.ts';
import type { ContractCheck, DataContract } from '../../../src/controller/crd/resources.ts';
import { parseSchedule } from '../../../src/core/checks/schedule.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import {
  openProcess,
  openRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import { issueKey, must, openWorld, type World } from '../../support/client/client-world.ts';
import { configOf, kubectlOk, type TestCluster } from '../../support/kubernetes/kubernetes.ts';
import { startKubernetesWithKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { openFolder } from '../../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { startTlsPostgres } from '../../support/postgres/postgres-tls.ts';
import { patience } from '../support/open-controller.ts';
import { at, endedWith, endJob, jobsPath, runPod } from '../support/run-job.ts';

let cluster: TestCluster;
let admin: ApiClient;
let registry: TestRegistry;
let world: World;
let shop: DataSource;
let folder: string;
let settings: Readonly<Record<string, string>>;

interface DataSource {
  readonly database: TestDatabase;
  /** Its address, without the password. */
  readonly url: string;
}

const namespace = 'shop';
const fqn = 'shop.orders';
const orders = {
  fqn,
  schema: { type: 'object', properties: { id: { type: 'integer' }, state: { enum: ['open'] } } },
};

beforeAll(async () => {
  [cluster, folder] = await Promise.all([
    startKubernetesWithKinds(),
    openFolder('concordat-checks-'),
  ]);
  admin = new ApiClient(configOf(cluster));
  const config = configOf(cluster, 'controller').exportConfig();
  await writeFile(join(folder, 'kubeconfig'), config);
  const rules = [...controllerRights, ...checkRights];
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name: 'controller' };
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'controller' };
  const subjects = [{ apiGroup, kind: 'User', name: 'controller' }];
  const rbac = { apiVersion: `${apiGroup}/v1`, metadata };
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await apply({ ...rbac, kind: 'ClusterRole', rules });
  await apply({ ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects });
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'concordat' } });
  settings = {
    KUBERNETES: 'kubeconfig',
    KUBECONFIG: join(folder, 'kubeconfig'),
    CHECK_IMAGE: 'registry.example/concordat:1',
    CHECK_REGISTRY_URL: 'http://registry.data.svc:80',
  };
  registry = await openRegistry(settings);
  world = await openWorld(registry.url, registry.bootstrapKey);
  const slug = await slugOf(world.producer.teamId);
  const labels = { 'concordat.dev/team': slug, ...restricted };
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
  const other = { 'concordat.dev/team': await slugOf(world.other.teamId) };
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'thief', labels: other } });

  const database = await openDatabase();
  const address = new URL(database.url);
  const { password } = address;
  address.password = '';
  shop = { database, url: address.href };
  await database.query('create table orders (id int, state text)');
  await database.query(`insert into orders values (1, 'open'), (2, 'lost')`);
  const stringData = { token: world.producer.key, password };
  await apply({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'check', namespace }, stringData },
  });
  await put('DataContract', 'orders', orders);
  await vi.waitFor(async () => {
    const { status } = (await get('DataContract', 'orders')) as unknown as DataContract;
    expect(status?.version).toBe('1.0.0');
  }, patience);
});

afterAll(async () => {
  await registry?.stop();
  await shop?.database.drop();
  admin?.close();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

const slugOf = async (teamId: string) => {
  const { results } = must(await world.admin.listTeams({ query: { page_size: 100 } }), 200);
  return results.find(({ id }) => id === teamId)?.slug ?? '';
};

const apply = (manifest: object) =>
  kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(manifest) });

const put = (
  kind: 'DataContract' | 'ContractCheck',
  name: string,
  spec: object,
  more: object = {},
) =>
  admin.expect({
    method: 'PATCH',
    path: objectPath(kind, namespace, name),
    query: { fieldManager: 'kubectl', fieldValidation: 'Strict', force: true },
    contentType: 'application/apply-patch+yaml',
    body: {
      ...{ apiVersion: 'concordat.dev/v1', kind, spec },
      metadata: { namespace, name, ...more },
    },
  });

const now = (value: string) => ({ annotations: { 'concordat.dev/reconcile-at': value } });

const get = (kind: 'DataContract' | 'ContractCheck', name: string, inNamespace = namespace) =>
  admin.expect({ method: 'GET', path: objectPath(kind, inNamespace, name) });

const list = async (path: string): Promise<readonly JsonObject[]> => {
  const { items } = await admin.expect({ method: 'GET', path });
  return Array.isArray(items) ? (items as readonly JsonObject[]) : [];
};

/** The Jobs or CronJobs of a check, oldest first. */
const madeFor = async (check: string, plural = 'jobs') =>
  (await list(`/apis/batch/v1/namespaces/${namespace}/${plural}`)).filter(
    (one) => at(one, 'metadata', 'annotations', 'concordat.dev/check-name') === check,
  );

const jobOf = (check: string, count = 1) =>
  vi.waitFor(async () => {
    const jobs = await madeFor(check);
    expect(jobs).toHaveLength(count);
    const status = await statusOf(check);
    const known = jobs.find((job) => at(job, 'metadata', 'uid') === status?.lastRun?.jobUid);
    expect(status?.lastRun?.state).toBe('Running');
    if (known === undefined) throw new Error('the status knows an older Job');
    return known;
  }, patience);

const statusOf = async (name: string, inNamespace = namespace) =>
  ((await get('ContractCheck', name, inNamespace)) as unknown as ContractCheck).status;

type Expected = Readonly<Record<'Ready' | 'DataMatches', string>>;

/** Waits until the conditions have these reasons, and returns the status. */
const until = (name: string, expected: Partial<Expected>, message = /./) =>
  vi.waitFor(async () => {
    const check = (await get('ContractCheck', name)) as unknown as ContractCheck;
    const conditions = check.status?.conditions ?? [];
    const found = Object.fromEntries(conditions.map(({ type, reason }) => [type, reason]));
    expect([check.status?.observedGeneration, found]).toEqual([
      check.metadata.generation,
      expect.objectContaining(expected),
    ]);
    expect(conditions.map((one) => one.message).join(' ')).toMatch(message);
    return check.status;
  }, patience);

const secret = (key: string) => ({ secretKeyRef: { name: 'check', key } });

const check = (more: object = {}, source: object = {}) => ({
  contractRef: { name: 'orders' },
  source: { url: shop.url, passwordFrom: secret('password'), table: 'orders', ...source },
  registryKey: secret('token'),
  ...more,
});

const runIn = (job: JsonObject) => runPod(admin, job, { registry: registry.url, cwd: folder });

test('the program finds what is broken, the status names the rule, and mended data passes', async () => {
  await put('ContractCheck', 'orders', check({ severity: 'Critical' }));
  const job = await jobOf('orders');
  await until('orders', { Ready: 'UpToDate', DataMatches: 'NotChecked' });
  const ran = await runIn(job);
  expect([ran.code, ran.stderr]).toEqual([1, '']);
  await endJob(admin, job, endedWith(1));
  const failed = await until('orders', { Ready: 'UpToDate', DataMatches: 'Failed' }, /1\.0\.0/);
  const [run] = (await runsOf()).filter(({ run_id }) => run_id === at(job, 'metadata', 'uid'));
  expect(run).toMatchObject({ status: 'failed', triggered_by: 'ContractCheck shop/orders' });
  expect(failed?.lastRun).toEqual({
    job: at(job, 'metadata', 'name'),
    jobUid: at(job, 'metadata', 'uid'),
    state: 'Failed',
    startedAt: at(job, 'metadata', 'creationTimestamp'),
    finishedAt: expect.stringMatching(/Z$/),
    qualityRunId: run?.id,
    contractVersion: '1.0.0',
    failedRules: [{ name: '$.state enum', rows: 1 }],
  });
  const shown = await kubectlOk(cluster, ['get', 'ccheck', 'orders', '-n', namespace]);
  expect(
    shown
      .trim()
      .split('\n')[1]
      ?.split(/\s{2,}/),
  ).toEqual(expect.arrayContaining(['orders', 'Failed', '$.state enum', 'True', 'UpToDate']));

  await shop.database.query(`update orders set state = 'open'`);
  await put('ContractCheck', 'orders', check({ severity: 'Critical' }), now('mended'));
  const again = await jobOf('orders', 2);
  expect((await runIn(again)).code).toBe(0);
  await endJob(admin, again, 'Complete');
  const passed = await until('orders', { Ready: 'UpToDate', DataMatches: 'Passed' });
  expect([passed?.lastRun?.failedRules, passed?.lastHandledReconcileAt]).toEqual([
    undefined,
    'mended',
  ]);
  await vi.waitFor(async () => {
    const events = await kubectlOk(cluster, [
      ...['get', 'events.events.k8s.io', '-n', namespace, '-o'],
      'jsonpath={range .items[?(@.regarding.name=="orders")]}{.type} {.reason}{"\\n"}{end}',
    ]);
    expect(events.split('\n')).toEqual(
      expect.arrayContaining(['Warning Failed', 'Normal Passed', 'Normal UpToDate']),
    );
  }, patience);
  const metrics = await (await fetch(`${registry.url}/metrics`)).text();
  expect(metrics).toContain('concordat_check_runs_total{state="failed",severity="critical"} 1');
  expect(metrics).toContain('concordat_check_runs_total{state="passed",severity="critical"} 1');
  expect(metrics).toContain('concordat_check_runs_total{state="error",severity="warning"} 0');
});

const runsOf = async () => {
  const { status } = (await get('DataContract', 'orders')) as unknown as DataContract;
  const params = { asset_id: status?.assetId ?? '' };
  return must(await world.producer.client.listQualityRuns({ params, query: {} }), 200).results;
};

test('the pod may nothing but check, and no credential stands in the Job', async () => {
  const url = 'postgres://reader@db/shop';
  const query = "select '$(CONCORDAT_KEY)' as id -- $$";
  await put(
    'ContractCheck',
    'strict',
    check({ timeoutSeconds: 60 }, { url, table: undefined, query }),
  );
  const [job] = await vi.waitFor(async () => {
    const jobs = await madeFor('strict');
    expect(jobs).toHaveLength(1);
    return jobs;
  }, patience);
  const spec = at(job, 'spec');
  expect([at(spec, 'activeDeadlineSeconds'), at(spec, 'backoffLimit')]).toEqual([60, 2]);
  const pod = at(spec, 'template', 'spec');
  expect(at(pod, 'automountServiceAccountToken')).toBe(false);
  expect(at(pod, 'containers', '0', 'securityContext')).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  // A variable of the pod in the query stays text.
  expect(at(pod, 'containers', '0', 'args')).toContain(
    "--query=select '$$(CONCORDAT_KEY)' as id -- $$$$",
  );
  expect(at(pod, 'containers', '0', 'image')).toBe('registry.example/concordat:1');
  const env = { name: 'CONCORDAT_URL', value: 'http://registry.data.svc:80' };
  expect(at(pod, 'containers', '0', 'env')).toContainEqual(env);
  expect(JSON.stringify(job)).not.toContain(world.producer.key);
  // The API server takes the pod under the restricted standard.
  await apply({
    ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  });
  const made = await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods`,
    query: { dryRun: 'All' },
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: pod },
  });
  expect([made.status, at(made.body, 'message')]).toEqual([201, undefined]);
});

test('a schedule is a CronJob that follows the check: changed, mended, suspended, taken away', async () => {
  await put('ContractCheck', 'nightly', check({ schedule: '30 5 * * *' }));
  const status = await until('nightly', { Ready: 'UpToDate', DataMatches: 'NotChecked' });
  expect(status?.nextRunAt).toMatch(/T05:30:00Z$/);
  const [cronJob, ...more] = await madeFor('nightly', 'cronjobs');
  expect([more, at(cronJob, 'metadata', 'name')]).toEqual([[], status?.cronJob]);
  const { spec } = (cronJob ?? {}) as { spec?: JsonObject };
  expect(spec).toMatchObject({
    ...{ schedule: '30 5 * * *', timeZone: 'Etc/UTC', suspend: false, concurrencyPolicy: 'Forbid' },
    ...{ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 3 },
  });
  const { uid } = ((await get('ContractCheck', 'nightly')) as unknown as ContractCheck).metadata;
  expect(at(cronJob, 'metadata', 'ownerReferences', '0')).toMatchObject({ uid, controller: true });
  expect(await madeFor('nightly')).toEqual([]);

  // A Job of the CronJob, as its controller makes it.
  const template = at(spec, 'jobTemplate');
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', controller: true };
  const { name, uid: cronUid } = at(cronJob, 'metadata') as { name: string; uid: string };
  await admin.expect({
    method: 'POST',
    path: jobsPath(namespace),
    body: {
      ...{ apiVersion: 'batch/v1', kind: 'Job', spec: at(template, 'spec') },
      metadata: {
        ...(at(template, 'metadata') as object),
        ...{ name: `${name}-1`, ownerReferences: [{ ...owner, name, uid: cronUid }] },
      },
    },
  });
  const job = await jobOf('nightly');
  expect((await runIn(job)).code).toBe(0);
  // The run alone settles it: its pod may be gone before the Job is.
  await until('nightly', { DataMatches: 'Passed' });

  await put('ContractCheck', 'nightly', check({ schedule: '@hourly' }));
  const untilCron = (expected: object) =>
    vi.waitFor(async () => {
      const [now] = await madeFor('nightly', 'cronjobs');
      expect(at(now, 'spec')).toMatchObject(expected);
    }, patience);
  await untilCron({ schedule: '@hourly' });
  const path = `/apis/batch/v1/namespaces/${namespace}/cronjobs/${name}`;
  const contentType = 'application/merge-patch+json';
  await admin.expect({
    method: 'PATCH',
    path,
    contentType,
    body: { spec: { schedule: '1 1 1 1 *' } },
  });
  await untilCron({ schedule: '@hourly' });
  await admin.expect({ method: 'DELETE', path });
  await untilCron({ schedule: '@hourly', suspend: false });
  await put('ContractCheck', 'nightly', check({ schedule: '@hourly', suspend: true }), now('x'));
  await untilCron({ suspend: true });
  const suspended = await until('nightly', {
    Suspended: 'Suspended',
    DataMatches: 'Passed',
  } as object);
  expect(suspended?.nextRunAt).toBeUndefined();
  await put('ContractCheck', 'nightly', check({ schedule: '@hourly' }), now('x'));
  await untilCron({ suspend: false });
  expect(await madeFor('nightly')).toHaveLength(1);
  await put('ContractCheck', 'nightly', check());
  await untilCron({ suspend: true });
});

test('a schedule has a time zone', async () => {
  const timeZone = 'Asia/Kolkata';
  await put('ContractCheck', 'zoned', check({ schedule: '0 9 * * *', timeZone }));
  const status = await until('zoned', { Ready: 'UpToDate' }, /at "0 9 \* \* \*" \(Asia\/Kolkata\)/);
  expect(status?.nextRunAt).toMatch(/T03:30:00Z$/);
  const [cronJob] = await madeFor('zoned', 'cronjobs');
  expect(at(cronJob, 'spec', 'timeZone')).toBe(timeZone);
});

test('certificates for the TLS of a source are files of the pod', async () => {
  const server = await startTlsPostgres();
  try {
    const address = new URL(server.url('certified'));
    const { password } = address;
    address.password = '';
    const { authority, certificate, key } = server.files;
    const [ca = '', cert = '', certKey = ''] = await Promise.all(
      [authority, certificate, key].map((path) => readFile(path, 'utf8')),
    );
    const metadata = { name: 'tls', namespace };
    const stringData = { password, ca, cert, key: certKey };
    await apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData });
    const of = (name: string) => ({ secretKeyRef: { name: 'tls', key: name } });
    const source = {
      ...{ url: address.href, passwordFrom: of('password'), table: undefined },
      query:
        "select 1 as id, 'open' as state from pg_stat_ssl where pid = pg_backend_pid() and ssl",
    };
    const certificates = { caFrom: of('ca'), certFrom: of('cert'), keyFrom: of('key') };
    await put('ContractCheck', 'tls', check({}, { ...source, ...certificates }));
    const job = await jobOf('tls');
    expect(await runIn(job)).toMatchObject({ code: 0, stderr: '' });
    await until('tls', { Ready: 'UpToDate', DataMatches: 'Passed' });
    // Without them the server takes nobody.
    await put('ContractCheck', 'tls', check({}, source));
    const refused = await runIn(await jobOf('tls', 2));
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/^SOURCE_REFUSED/)]);
    const alone = put('ContractCheck', 'tls', check({}, { ...source, certFrom: of('cert') }));
    await expect(alone).rejects.toThrow(/give certFrom and keyFrom together/);
  } finally {
    await server.stop();
  }
});

test('without a schedule the data is checked once for each change of what is checked', async () => {
  await put('ContractCheck', 'once', check({ suspend: true }));
  await until('once', { Suspended: 'Suspended' } as object);
  expect(await madeFor('once')).toEqual([]);
  // Suspended from the start, it has not run yet.
  await put('ContractCheck', 'once', check());
  await jobOf('once');
  await put('ContractCheck', 'once', check({ severity: 'Critical' }));
  await until('once', { Ready: 'UpToDate' });
  expect(await madeFor('once')).toHaveLength(1);
  await put('ContractCheck', 'once', check({}, { redact: ['state'] }));
  await jobOf('once', 2);
  await until('once', { Ready: 'UpToDate' });
  await put('ContractCheck', 'once', check());
  await jobOf('once', 3);
});

test('what was found of one asset says nothing of the next that the check names', async () => {
  const { schema } = orders;
  await put('DataContract', 'second', { fqn: 'shop.second', schema });
  await put('ContractCheck', 'moving', check({ schedule: '@yearly' }), now('1'));
  const job = await jobOf('moving');
  await runIn(job);
  await endJob(admin, job, 'Complete');
  await until('moving', { DataMatches: 'Passed' }, /shop\.orders 1\.0\.0/);
  const contractRef = { name: 'second' };
  await put('ContractCheck', 'moving', check({ schedule: '@yearly', contractRef }), now('1'));
  const status = await until('moving', { Ready: 'UpToDate', DataMatches: 'NotChecked' });
  expect(status?.lastRun).toBeUndefined();
  expect(status?.conditions?.[0]?.message).toContain('shop.second');
});

test.each([
  [
    'no schedule',
    { schedule: '30 25 * * *' },
    {},
    'InvalidSpec',
    /"30 25 \* \* \*" is no schedule/,
  ],
  ['a time that never comes', { schedule: '0 0 30 2 *' }, {}, 'InvalidSpec', /names no time/],
  [
    ...([
      'an unknown zone',
      { schedule: '@daily', timeZone: 'Mars/Base' },
      {},
      'InvalidSpec',
    ] as const),
    /"Mars\/Base" is no time zone/,
  ],
  ['a zone of nothing', { timeZone: 'Europe/Berlin' }, {}, 'InvalidSpec', /no schedule/],
  ['the window of a table', {}, { window: '2h' }, 'InvalidSpec', /only a topic has one/],
  ['nothing of a database', {}, { table: undefined }, 'InvalidSpec', /a table or a query/],
  ['a table of a topic', {}, { url: 'kafka://a/b' }, 'InvalidSpec', /are for a Postgres/],
  ['an unknown asset', { contractRef: undefined, fqn: 'a.b' }, {}, 'AssetNotFound', /a\.b/],
  ['a contract to come', { contractRef: { name: 'later' } }, {}, 'ContractNotFound', /later/],
  ['another team', { team: 'nobodys' }, {}, 'NotPermitted', /nobodys/],
] as const)(
  'a check with %s makes no Job, and says why',
  async (what, more, source, reason, message) => {
    const name = what.replaceAll(' ', '-');
    await put('ContractCheck', name, check(more, source));
    await until(name, { Ready: reason }, message);
    expect([await madeFor(name), await madeFor(name, 'cronjobs')]).toEqual([[], []]);
    await admin.expect({ method: 'DELETE', path: objectPath('ContractCheck', namespace, name) });
  },
);

test("a namespace checks no other team's contract, and nobody runs on after a check is refused", async () => {
  const path = objectPath('ContractCheck', 'thief', 'orders');
  const spec = { ...check(), contractRef: undefined, fqn };
  const body = {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'ContractCheck', spec },
    metadata: { namespace: 'thief', name: 'orders' },
  };
  const contentType = 'application/apply-patch+yaml';
  await admin.expect({ method: 'PATCH', path, query: { fieldManager: 'x' }, contentType, body });
  await vi.waitFor(async () => {
    const status = await statusOf('orders', 'thief');
    expect(status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason: 'NotPermitted' });
  }, patience);
  expect(await list(jobsPath('thief'))).toEqual([]);

  await put('ContractCheck', 'turned', check({ schedule: '@daily' }));
  await until('turned', { Ready: 'UpToDate' });
  await put(
    'ContractCheck',
    'turned',
    check({ schedule: '@daily', contractRef: { name: 'none' } }),
  );
  await until('turned', { Ready: 'ContractNotFound' });
  const [cronJob] = await madeFor('turned', 'cronjobs');
  expect(at(cronJob, 'spec', 'suspend')).toBe(true);
});

const jobSpec = {
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } },
};

describe('a Job that checks nothing is no pass', () => {
  test.each([
    ['deadline', { reason: 'DeadlineExceeded', message: 'Too long.' }, /pod never started/],
    ['usage', endedWith(2), /spec\.source cannot be checked/],
    ['unreadable', endedWith(3), /could not be read/],
    ['backoff', { reason: 'BackoffLimitExceeded', message: 'Job has reached the limit' }, /limit/],
    ['silent', 'Complete', /without recording a result/],
  ] as const)('%s', async (name, end, message) => {
    await put('ContractCheck', name, check());
    await endJob(admin, await jobOf(name), end);
    const status = await until(name, { Ready: 'CheckFailed', DataMatches: 'NotChecked' }, message);
    expect(status?.lastRun).toMatchObject({ state: 'Error', finishedAt: expect.any(String) });
    expect(status?.conditions?.map(({ type }) => type)).toContain('Stalled');
  });

  test('a Job that is deleted while it runs', async () => {
    await put('ContractCheck', 'deleted', check());
    const job = await jobOf('deleted');
    const path = jobsPath(namespace, String(at(job, 'metadata', 'name')));
    const body = { propagationPolicy: 'Background' };
    await admin.expect({ method: 'DELETE', path, body });
    await until('deleted', { Ready: 'CheckFailed' }, /was deleted before it had ended/);
    expect(await madeFor('deleted')).toEqual([]);
  });

  test('a Job that the API server refuses', async () => {
    const spec = { hard: { 'count/jobs.batch': '0' } };
    const metadata = { name: 'none', namespace };
    const path = `/api/v1/namespaces/${namespace}/resourcequotas/none`;
    await apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec });
    // The controller of quotas would count.
    const status = { ...spec, used: { 'count/jobs.batch': '0' } };
    const contentType = 'application/merge-patch+json';
    await admin.expect({ method: 'PATCH', path: `${path}/status`, contentType, body: { status } });
    await vi.waitFor(async () => {
      const made = await admin.request({
        ...{ method: 'POST', path: jobsPath(namespace), query: { dryRun: 'All' } },
        body: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' }, spec: jobSpec },
      });
      expect(made.status).toBe(403);
    }, patience);
    await put('ContractCheck', 'refused', check());
    await until('refused', { Ready: 'JobRefused' }, /quota/);
    await admin.expect({ method: 'DELETE', path });
    await put('ContractCheck', 'refused', check(), now('again'));
    await jobOf('refused');
  });
});

test('of a run that is recorded twice the newest counts', async () => {
  await put('ContractCheck', 'twice', check());
  const job = await jobOf('twice');
  await runIn(job);
  await until('twice', { DataMatches: 'Passed' });
  // The pod was lost after it had recorded, and its successor finds other data.
  await shop.database.query(`insert into orders values (3, 'lost')`);
  await runIn(job);
  await shop.database.query('delete from orders where id = 3');
  const status = await until('twice', { DataMatches: 'Failed' });
  expect(status?.lastRun?.jobUid).toBe(at(job, 'metadata', 'uid'));
});

test('a name of 253 letters has a Job, and so has another one that begins alike', async () => {
  const long = `${'orders.'.repeat(35)}`.padEnd(252, 'x');
  for (const name of [`${long}a`, `${long}b`]) {
    await put('ContractCheck', name, check({ schedule: '@daily' }), now('1'));
    const { cronJob = '' } = (await until(name, { Ready: 'UpToDate' })) ?? {};
    const job = String(at(await jobOf(name), 'metadata', 'name'));
    expect([cronJob.length, job.length]).toEqual([52, 52]);
    expect(cronJob).toMatch(/^orders-orders-.*[a-z]-[0-9a-f]{10}$/);
  }
});

test('with two replicas there is one Job, and either of them reads its outcome', async () => {
  await put('ContractCheck', 'moved', check());
  const job = await jobOf('moved');
  const other = await openProcess(registry.database.serviceUrl, settings);
  try {
    await put('ContractCheck', 'moved-too', check());
    await jobOf('moved-too');
    await runIn(job);
    await until('moved', { DataMatches: 'Passed' });
    expect(await madeFor('moved')).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

test('a check waits for nothing when it is deleted', async () => {
  const path = objectPath('ContractCheck', namespace, 'moved');
  await admin.expect({ method: 'DELETE', path });
  expect((await admin.request({ method: 'GET', path })).status).toBe(404);
});

test('a key of another team records nothing', async () => {
  const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['write'] });
  const metadata = { name: 'foreign', namespace };
  await apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: key } });
  const registryKey = { secretKeyRef: { name: 'foreign', key: 'token' } };
  await put('ContractCheck', 'foreign', check({ registryKey }));
  const job = await jobOf('foreign');
  const { code, stdout } = await runIn(job);
  expect([code, stdout]).toEqual([2, '']);
  await endJob(admin, job, endedWith(code ?? 0));
  await until('foreign', { Ready: 'CheckFailed' }, /a key that may not record/);
});

test('a schedule that is taken here is taken by Kubernetes', async () => {
  const fields = ['*', '?', '0', '1', '5-7', '1-31', '*/15', '3/2', '1,2', 'jan', 'MON-fri', 'x'];
  const wild = [
    '60',
    '7',
    '24',
    '1-',
    '-1',
    '5-3',
    '*/0',
    ',',
    '1,',
    '1/',
    '*-2',
    'L',
    '5#2',
    '1.5',
  ];
  const texts = [
    ...[...fields, ...wild].flatMap((field) =>
      [0, 1, 2, 3, 4].map((place) => ['0', '0', '1', '1', '*'].with(place, field).join(' ')),
    ),
    ...['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly', '@Daily'],
    ...['@never', '* * * *', '* * * * * *', ''],
  ];
  const answers = await Promise.all(
    texts.map(async (schedule): Promise<readonly [string, boolean, boolean]> => {
      const _template = {
        spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] },
      };
      const { status } = await admin.request({
        method: 'POST',
        path: '/apis/batch/v1/namespaces/thief/cronjobs',
        query: { dryRun: 'All' },
        body: {
          ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'x' } },
          spec: { schedule, jobTemplate: { spec: jobSpec } },
        } satisfies Json,
      });
      return [schedule, parseSchedule(schedule) !== null, status === 201];
    }),
  );
  const differ = answers.filter(([, here, there]) => here !== there).map(([text]) => text);
  // Kubernetes overlooks what follows a star, and empty parts of a list.
  expect(differ.filter((text) => !/\*-2|,( |$)/.test(text))).toEqual([]);
});
