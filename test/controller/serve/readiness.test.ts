// The readiness of a replica that leads but cannot read its objects.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  controllerRights,
  namespaceRight,
  type Right,
} from '../../../src/controller/cluster/rights.ts';
import { readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { openStore } from '../../../src/store/store.ts';
import { configOf, kubectlOk, type TestCluster } from '../../support/kubernetes/kubernetes.ts';
import { startKubernetesWithKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { patience } from '../support/open-controller.ts';

const key = 'bootstrap-key-of-the-tests';

let cluster: TestCluster;
let database: TestDatabase;
let folder: string;
const servers: RunningServer[] = [];
const databases: TestDatabase[] = [];

beforeAll(async () => {
  [cluster, database] = await Promise.all([startKubernetesWithKinds(), openDatabase()]);
  folder = await mkdtemp(join(tmpdir(), 'concordat-readiness-'));
  await writeFile(join(folder, 'kubeconfig'), configOf(cluster, 'controller').exportConfig());
  await kubectlOk(cluster, ['create', 'namespace', 'concordat']);
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

afterAll(async () => {
  for (const one of [database, ...databases]) await one?.drop();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function allow(rules: readonly Right[]): Promise<void> {
  const named = (kind: string, more: object) =>
    JSON.stringify({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'controller' },
      ...more,
    });
  const apply = ['apply', '--server-side', '-f', '-'];
  await kubectlOk(cluster, apply, { input: named('ClusterRole', { rules }) });
  const apiGroup = 'rbac.authorization.k8s.io';
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'controller' };
  const subjects = [{ apiGroup, kind: 'User', name: 'controller' }];
  await kubectlOk(cluster, apply, { input: named('ClusterRoleBinding', { roleRef, subjects }) });
}

async function allowIn(namespace: string, rules: readonly Right[]): Promise<void> {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'controller' };
  const subjects = [{ apiGroup: roleRef.apiGroup, kind: 'User', name: 'controller' }];
  const named = {
    apiVersion: `${roleRef.apiGroup}/v1`,
    metadata: { name: 'controller', namespace },
  };
  const items = [
    { ...named, kind: 'Role', rules },
    { ...named, kind: 'RoleBinding', roleRef, subjects },
  ];
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], { input });
}

async function serve(more: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const read = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    BOOTSTRAP_KEY: key,
    LOG_LEVEL: 'silent',
    ADMIN_EMAIL: 'admin@example.org',
    ADMIN_PASSWORD: 'correct horse battery',
    KUBERNETES: 'kubeconfig',
    KUBECONFIG: join(folder, 'kubeconfig'),
    // Missing rights on Jobs hold up the checks, and no contract.
    CHECK_IMAGE: 'concordat:1',
    CHECK_REGISTRY_URL: 'http://registry',
    ...more,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const server = await start(read.config);
  servers.push(server);
  return server;
}

async function readinessOf(server: RunningServer) {
  const response = await fetch(`${server.url}/health/ready`);
  return [response.status, await response.json()];
}

const ready = [
  200,
  { status: 'ready', checks: { database: 'ok', migrations: 'ok', controller_cache: 'ok' } },
];
const filling = [
  503,
  {
    status: 'not_ready',
    checks: { database: 'ok', migrations: 'ok', controller_cache: 'failing' },
  },
];

test('whoever leads is ready once everything was read, whoever does not at once', async () => {
  // All rights except those on the objects: it may lead, but cannot read anything.
  await allow(controllerRights.filter(({ apiGroups }) => apiGroups[0] !== 'concordat.dev'));
  const leader = await serve();
  await vi.waitFor(async () => expect(await readinessOf(leader)).toEqual(filling), patience);
  const other = await serve();
  expect(await readinessOf(other)).toEqual(ready);
  expect(await readinessOf(leader)).toEqual(filling);
  expect((await fetch(`${leader.url}/health/live`)).status).toBe(200);

  await allow(controllerRights);
  await vi.waitFor(async () => expect(await readinessOf(leader)).toEqual(ready), patience);
});

/** A registry and an election of its own, with the same rights. */
async function another(more: Readonly<Record<string, string>>) {
  const own = await openDatabase();
  databases.push(own);
  const LEASE_NAME = `concordat-${databases.length}`;
  return { own, settings: { DATABASE_URL: own.url, LEASE_NAME, ...more } };
}

test('a namespace without rights is told by metric, page and API, which go on', async () => {
  await allow([
    namespaceRight,
    ...controllerRights.filter(({ resources }) => resources[0] === 'leases'),
  ]);
  await kubectlOk(cluster, ['create', 'namespace', 'readable']);
  await kubectlOk(cluster, ['create', 'namespace', 'closed']);
  await allowIn('readable', controllerRights);
  const { settings } = await another({ WATCH_NAMESPACES: 'readable,closed' });
  const server = await serve(settings);
  await vi.waitFor(async () => expect(await readinessOf(server)).toEqual(ready), patience);
  const headers = { authorization: `Bearer ${key}` };
  const problemOf = async () => {
    const answer = await fetch(`${server.url}/api/v1/sources`, { headers });
    const { results } = (await answer.json()) as { results: { problem: string | null }[] };
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const gauge = /concordat_source_suspicious\{[^}]*source="cluster"[^}]*\} (\d)/.exec(metrics);
    return [results[0]?.problem ?? null, gauge?.[1]];
  };
  const problem = /Namespace closed may not be read.*Restore the Role/;
  await vi.waitFor(
    async () => expect(await problemOf()).toEqual([expect.stringMatching(problem), '1']),
    patience,
  );
  await allowIn('closed', controllerRights);
  await vi.waitFor(async () => expect(await problemOf()).toEqual([null, '0']), patience);
});

test('an object whose cluster waits for its name says so, until the other cluster is gone', async () => {
  await allow(controllerRights);
  const { own, settings } = await another({ CLUSTER_NAME: 'main' });
  const store = await openStore({ url: own.url, rowChecks: 'every' });
  const old = { identity: 'main', kind: 'cluster', place: 'https://old', cluster: 'old' } as const;
  await store.fences.take(old, 'old');
  await store.stop();
  await own.query("update controller_lease set renewed_at = renewed_at + interval '1 hour'");
  await kubectlOk(cluster, ['create', 'namespace', 'named']);
  const server = await serve(settings);
  const manifest = {
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'orders', namespace: 'named' },
    spec: { fqn: 'named.orders', schema: { type: 'object' } },
  };
  await kubectlOk(cluster, ['apply', '-f', '-'], { input: JSON.stringify(manifest) });
  const until = (reason: string, message: RegExp) =>
    vi.waitFor(async () => {
      const args = ['get', 'datacontract', 'orders', '-n', 'named', '-o', 'json'];
      const { status } = JSON.parse(await kubectlOk(cluster, args));
      expect(status.conditions?.[0]).toMatchObject({
        type: 'Ready',
        reason,
        message: expect.stringMatching(message),
      });
    }, patience);
  await until('RegistryUnavailable', /Another cluster is named main.*nothing is reconciled here/);
  expect(await readinessOf(server)).toEqual(ready);
  await own.query("update controller_lease set renewed_at = renewed_at - interval '2 hours'");
  await until('TeamNotResolved', /acts for no/);
});
