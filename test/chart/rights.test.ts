// Runs the program with exactly the rights that the chart gives it: on a real API server, as the
// chart's service account.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { createLog } from '../../src/ops/observe/log.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { createClient } from '../../src/wire/client.ts';
import { freePorts } from '../support/free-ports.ts';
import { kubectlOk, startKubernetes, type TestCluster } from '../support/kubernetes/kubernetes.ts';
import { openFolder } from '../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { render } from './render.ts';

const key = 'bootstrap-key-of-the-tests';
const account = 'shop-registry-concordat';
const patience = { timeout: 60_000, interval: 100 };

let cluster: TestCluster;
let database: TestDatabase;
let folder: string;
let server: RunningServer | undefined;

beforeAll(async () => {
  cluster = await startKubernetes();
  database = await openDatabase();
  folder = await openFolder('concordat-rights-');
});

afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

const apply = (objects: readonly object[]) =>
  kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], {
    input: objects.map((object) => stringify(object)).join('---\n'),
  });

const namespace = (name: string, labels: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

const contract = (properties: object) => ({
  apiVersion: 'concordat.dev/v1',
  kind: 'DataContract',
  metadata: { namespace: 'shop', name: 'orders' },
  spec: {
    fqn: 'shop.orders',
    schema: { type: 'object', properties },
    consumers: [{ team: 'billing' }],
  },
});

const readyOf = async (name: string) =>
  kubectlOk(cluster, [
    ...['get', name, '-n', 'shop', '-o'],
    'jsonpath={.status.conditions[?(@.type=="Ready")].reason}',
  ]);

test('the whole story runs on the rights of the chart alone', async () => {
  const objects = await render();
  await apply([namespace('data'), namespace('shop', { 'concordat.dev/team': 'checkout' })]);
  await apply(objects);
  await kubectlOk(cluster, ['wait', '--for=condition=Established', 'crd', '--all']);
  const token = await kubectlOk(cluster, ['create', 'token', account, '-n', 'data']);
  const kubeconfig = join(folder, 'kubeconfig');
  const ofCluster = { server: cluster.server, 'certificate-authority': cluster.caFile };
  await writeFile(
    kubeconfig,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'x',
      clusters: [{ name: 'x', cluster: ofCluster }],
      users: [{ name: 'x', user: { token: token.trim() } }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    }),
  );
  const [port = 0] = await freePorts(1);
  const read = readConfig({
    ...settingsOf(objects),
    ...{ PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder, ADMISSION_PORT: String(port) },
    ...{ DATABASE_URL: database.url, BOOTSTRAP_KEY: key },
    ...{ KUBERNETES: 'kubeconfig', KUBECONFIG: kubeconfig },
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const logged: string[] = [];
  server = await start(read.config, logInto(logged));
  const client = createClient({ baseUrl: server.url, key });
  for (const slug of ['checkout', 'billing']) {
    const made = await client.createTeam({ body: { name: slug, slug } });
    expect(made.ok).toBe(true);
  }

  await apply([contract({ id: { type: 'string' }, amount: { type: 'string' } })]);
  await vi.waitFor(
    async () => expect(await readyOf('datacontract/orders')).toBe('Published'),
    patience,
  );
  await apply([contract({ id: { type: 'string' } })]);
  await vi.waitFor(
    async () => expect(await readyOf('datacontract/orders')).toBe('ProposalPending'),
    patience,
  );
  await vi.waitFor(async () => {
    const events = await kubectlOk(cluster, ['get', 'events.events.k8s.io', '-n', 'shop']);
    expect(events).toContain('Published');
  }, patience);

  // The certificate is made, and its authority published to the API server.
  const bundle = 'jsonpath={.webhooks[0].clientConfig.caBundle}';
  const configuration = ['get', 'validatingwebhookconfigurations', '-o'];
  await vi.waitFor(async () => {
    const found = await kubectlOk(cluster, [
      ...configuration,
      'jsonpath={.items[*].metadata.name}',
    ]);
    expect(found).toBe('data-shop-registry-concordat');
    const args = ['get', 'validatingwebhookconfiguration', found, '-o', bundle];
    expect(await kubectlOk(cluster, args)).not.toBe('');
  }, patience);

  await kubectlOk(cluster, ['delete', 'datacontract', 'orders', '-n', 'shop', '--timeout=60s']);
  expect(
    logged.filter((line) => /forbidden|cannot (get|list|watch|create|update|patch)/i.test(line)),
  ).toEqual([]);
});

/** The settings from the chart, without those that only make sense in a pod. */
function settingsOf(objects: readonly JsonObject[]): Record<string, string> {
  const found = objects.find(
    ({ kind, metadata }) =>
      kind === 'ConfigMap' && isJsonObject(metadata ?? null) && nameOf(metadata) === account,
  );
  const data = found?.data ?? null;
  if (data === null || !isJsonObject(data)) throw new Error('no settings');
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]));
}

function nameOf(metadata: Json | undefined): Json {
  return metadata !== undefined && isJsonObject(metadata) ? (metadata.name ?? null) : null;
}

/** Collects log messages from the level warn on. */
function logInto(lines: string[]): ReturnType<typeof createLog> {
  const log = createLog('silent', 'json');
  const note = (...said: unknown[]) => {
    lines.push(said.map((part) => (part instanceof Error ? part.message : toText(part))).join(' '));
  };
  log.warn = note;
  log.error = note;
  return log;
}

function toText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return String(part);
  const { err, ...rest } = part as { err?: unknown };
  return `${err instanceof Error ? err.message : ''} ${JSON.stringify(rest)}`;
}
