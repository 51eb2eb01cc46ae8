// The readiness of a replica that leads but cannot read its objects.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { controllerRights, type Right } from '../../../src/controller/cluster/rights.ts';
import { readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { configOf, kubectlOk, type TestCluster } from '../../support/kubernetes/kubernetes.ts';
import { startKubernetesWithKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { patience } from '../support/open-controller.ts';

let cluster: TestCluster;
let database: TestDatabase;
let folder: string;
const servers: RunningServer[] = [];

beforeAll(async () => {
  [cluster, database] = await Promise.all([startKubernetesWithKinds(), openDatabase()]);
  folder = await mkdtemp(join(tmpdir(), 'concordat-readiness-'));
  await writeFile(join(folder, 'kubeconfig'), configOf(cluster, 'controller').exportConfig());
  await kubectlOk(cluster, ['create', 'namespace', 'concordat']);
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  await database?.drop();
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

async function serve(): Promise<RunningServer> {
  const read = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    ADMIN_EMAIL: 'admin@example.org',
    ADMIN_PASSWORD: 'correct horse battery',
    KUBERNETES: 'kubeconfig',
    KUBECONFIG: join(folder, 'kubeconfig'),
    // Missing rights on Jobs hold up the checks, and no contract.
    CHECK_IMAGE: 'concordat:1',
    CHECK_REGISTRY_URL: 'http://registry',
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
