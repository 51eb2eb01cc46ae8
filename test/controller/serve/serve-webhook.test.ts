// The program with a cluster: it makes a certificate for its webhook, publishes the authority to
// the API server, and serves.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { toWebhookConfiguration } from '../../../src/controller/admission/webhook-configuration.ts';
import { readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { freePorts } from '../../support/free-ports.ts';
import { type ClusterAddress, kubectlOk, users } from '../../support/kubernetes/kubernetes.ts';
import { shareKubernetes } from '../../support/kubernetes/kubernetes-setup.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { patience } from '../support/open-controller.ts';

const namespace = 'served-webhook';
const configuration = 'served-webhook';

let address: ClusterAddress;
let release: () => Promise<void>;
let database: TestDatabase;
let folder: string;
let server: RunningServer;
let port: number;

beforeAll(async () => {
  ({ address, release } = await shareKubernetes());
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'concordat-webhook-'));
  [port = 0] = await freePorts(1);
  const service = { name: 'concordat-webhook', namespace, path: '/validate' };
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    toWebhookConfiguration({ name: configuration, clientConfig: { service } }),
  ];
  await kubectlOk(address, ['apply', '--server-side', '-f', '-'], {
    input: objects.map((object) => stringify(object)).join('---\n'),
  });
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      {
        name: 'test',
        cluster: { server: address.server, 'certificate-authority': address.caFile },
      },
    ],
    users: [{ name: 'test', user: { token: users.admin.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  };
  await writeFile(join(folder, 'kubeconfig'), stringify(kubeconfig));
  const read = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    KUBERNETES: 'kubeconfig',
    KUBECONFIG: join(folder, 'kubeconfig'),
    LEASE_NAMESPACE: namespace,
    ADMISSION_PORT: String(port),
    ADMISSION_CONFIGURATION: configuration,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  server = await start(read.config);
});

afterAll(async () => {
  await server?.stop();
  await kubectlOk(address, ['delete', 'validatingwebhookconfiguration', configuration]);
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
  await release?.();
});

test('serve answers reviews with a certificate that the API server was told to trust', async () => {
  const path = '.webhooks[0].clientConfig.caBundle';
  const args = ['get', 'validatingwebhookconfiguration', configuration, '-o', `jsonpath={${path}}`];
  let ca = '';
  await vi.waitFor(async () => {
    ca = Buffer.from(await kubectlOk(address, args), 'base64').toString();
    expect(ca).toContain('BEGIN CERTIFICATE');
  }, patience);
  const review = (schema: object) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '1',
      namespace,
      name: 'a',
      operation: 'CREATE',
      object: { kind: 'DataContract', metadata: { name: 'a' }, spec: { fqn: 'a.b', schema } },
    },
  });
  await vi.waitFor(
    async () => expect(await ask(ca, review({ type: 'object' }))).toMatchObject({ allowed: true }),
    // The certificate is read every ten seconds.
    { timeout: 30_000, interval: 200 },
  );
  expect(await ask(ca, review({ type: 'strnig' }))).toMatchObject({
    allowed: false,
    status: { code: 422, reason: 'Invalid' },
  });
  const idle = 'spec.schema.minimum: It says nothing, because values have the type "string"';
  expect(await ask(ca, review({ type: 'string', minimum: 0 }))).toMatchObject({
    allowed: true,
    warnings: expect.arrayContaining([expect.stringContaining(idle)]),
  });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const countOf = (series: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  expect(countOf('concordat_admission_reviews_total{outcome="refused"}')).toBe(1);
  expect(countOf('concordat_admission_reviews_total{outcome="warned"}')).toBeGreaterThan(0);
  const answered = 'controller_runtime_webhook_requests_total{webhook="/validate",code="200"}';
  expect(countOf(answered)).toBeGreaterThan(1);
  const took = 'controller_runtime_webhook_latency_seconds_count{webhook="/validate"}';
  expect(countOf(took)).toBe(countOf(answered));
});

/** Like the API server: calls the Service's name, and trusts only the bundle. */
async function ask(ca: string, review: object): Promise<unknown> {
  const servername = `concordat-webhook.${namespace}.svc`;
  const answered = await new Promise<string>((resolve, reject) => {
    const options = { method: 'POST', host: '127.0.0.1', port, path: '/validate', ca, servername };
    const sent = request({ ...options, agent: false }, (response) =>
      text(response).then(resolve, reject),
    );
    sent.once('error', reject);
    sent.end(JSON.stringify(review));
  });
  return JSON.parse(answered).response;
}
