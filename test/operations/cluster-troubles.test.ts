// What goes wrong between the registry and its cluster: kinds that nobody installed, and a token that
// was revoked. Each is told in a sentence, the API goes on, and what came meanwhile is published.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { createClient } from '../../src/wire/client.ts';
import { kubectlOk, startKubernetes, type TestCluster } from '../support/kubernetes/kubernetes.ts';
import { applyKinds } from '../support/kubernetes/kubernetes-setup.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const key = 'bootstrap-key-of-the-tests';
const patience = { timeout: 110_000, interval: 200 };
const account = ['serviceaccount', 'registry', '-n', 'data'];

let cluster: TestCluster;
let database: TestDatabase;
let server: RunningServer;
let tokenFile: string;
const logged: string[] = [];

beforeAll(async () => {
  [cluster, database] = await Promise.all([startKubernetes(), openDatabase()]);
  tokenFile = join(cluster.folder, 'token');
  await kubectlOk(cluster, ['create', 'namespace', 'data']);
  await kubectlOk(cluster, ['create', 'namespace', 'shop']);
  await kubectlOk(cluster, ['label', 'namespace', 'shop', 'concordat.dev/team=checkout']);
  const rights = ['--clusterrole=cluster-admin', '--serviceaccount=data:registry'];
  await kubectlOk(cluster, ['create', 'clusterrolebinding', 'registry', ...rights]);
  await giveToken();
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', DATABASE_URL: database.url, BOOTSTRAP_KEY: key },
    ...{ KUBERNETES: 'kubeconfig', KUBECONFIG: await writeKubeconfig(), LEASE_NAMESPACE: 'data' },
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const write = (line: string) => void logged.push(line);
  server = await start(read.config, pino({ level: 'warn' }, { write }));
});

afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await cluster?.stop();
});

/** As a cluster does: an account, and its token in a file. */
async function giveToken(): Promise<void> {
  await kubectlOk(cluster, ['create', ...account]);
  await writeFile(
    tokenFile,
    await kubectlOk(cluster, ['create', 'token', 'registry', '-n', 'data']),
  );
}

async function writeKubeconfig(): Promise<string> {
  const file = join(cluster.folder, 'kubeconfig-of-the-registry');
  const where = { server: cluster.server, 'certificate-authority': cluster.caFile };
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: where }],
    // As a pod has it.
    users: [{ name: 'x', user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  });
  await writeFile(file, text);
  return file;
}

const readiness = async () => {
  const response = await fetch(`${server.url}/health/ready`);
  return [response.status, await response.json()];
};

async function applyContract(name: string): Promise<void> {
  const contract = {
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name, namespace: 'shop' },
    spec: { fqn: `shop.${name}`, schema: { type: 'object' } },
  };
  const input = stringify(contract);
  await kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], { input });
}

const readyOf = (name: string) => {
  const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}';
  return kubectlOk(cluster, ['get', 'dc', name, '-n', 'shop', '-o', path]);
};

const untilSaid = (sentence: string) =>
  vi.waitFor(() => expect(logged.join('')).toContain(sentence), patience);
const untilPublished = (name: string) =>
  vi.waitFor(async () => expect(await readyOf(name)).toBe('Published'), patience);

test('missing kinds are reported by name, and reconciled once they exist', async () => {
  await untilSaid('Install the kinds: crds.enabled of the chart, or `concordat crds');
  expect(await readiness()).toEqual([
    503,
    {
      status: 'not_ready',
      checks: { database: 'ok', migrations: 'ok', controller_cache: 'failing' },
    },
  ]);
  const client = createClient({ baseUrl: server.url, key });
  const made = await client.createTeam({ body: { name: 'Checkout', slug: 'checkout' } });
  expect(made).toMatchObject({ ok: true });

  await applyKinds(cluster);
  await applyContract('orders');
  await untilPublished('orders');
  await vi.waitFor(async () => expect((await readiness())[0]).toBe(200), patience);
});

test('a revoked token is reported; with a new one everything continues without loss', async () => {
  await kubectlOk(cluster, ['delete', ...account]);
  await untilSaid('The token of the API server is expired or revoked');
  await applyContract('parcels');
  expect(await readyOf('parcels')).toBe('');
  // Who asks the API of the registry notices nothing.
  const client = createClient({ baseUrl: server.url, key });
  expect(await client.listTeams({ query: {} })).toMatchObject({ ok: true });

  await giveToken();
  await untilPublished('parcels');
  expect(await readyOf('orders')).toBe('Published');
  // No line of the log has a token in it.
  expect(logged.join('')).not.toContain('eyJ');
});
