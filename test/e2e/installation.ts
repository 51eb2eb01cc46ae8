// What surrounds a release on a cluster: namespaces under the restricted standard, a Postgres of its
// own, the images, and Helm.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findHelm } from '../../scripts/kubernetes/find-helm.ts';
import { type OneNode, run, runOk } from './one-node.ts';

const root = join(import.meta.dirname, '../..');

export const release = 'concordat';
export const namespace = 'registry';
export const bootstrapKey = 'bootstrap-key-of-the-end-to-end-test';
export const images = { first: 'localhost/concordat:first', second: 'localhost/concordat:second' };
const postgresImage = 'localhost/concordat-postgres:15';
const password = 'a-password-of-the-end-to-end-test';
export const nodePort = 30_080;

/**
 * The image of the Dockerfile under two names, so that an upgrade changes the pods. One that is there
 * already is not built again: E2E_IMAGE.
 */
export async function loadImages(cluster: OneNode): Promise<void> {
  const archive = join(cluster.folder, 'image.tar');
  const given = process.env.E2E_IMAGE;
  if (given === undefined) {
    await runOk('scripts/image/build.sh', [], { environment: { IMAGE: images.first } });
  } else if (given !== images.first) {
    await runOk('buildah', ['tag', given, images.first]);
  }
  await runOk('buildah', ['tag', images.first, images.second]);
  await runOk('buildah', [
    ...['bud', '--layers', '--isolation', 'chroot', '--pull-never', '--tag', postgresImage],
    ...['--file', 'test/e2e/postgres.Dockerfile', 'test/e2e'],
  ]);
  for (const image of [images.first, images.second, postgresImage]) {
    await runOk('buildah', ['push', '--quiet', image, `oci-archive:${archive}:${image}`]);
    await cluster.load(archive);
    await rm(archive);
  }
}

const restricted = Object.fromEntries(
  ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
);

export const namespaceObject = (name: string, labels: object = restricted) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

export async function applyObjects(cluster: OneNode, objects: readonly object[]): Promise<string> {
  const input = objects.map((object) => stringify(object)).join('---\n');
  const { code, stdout, stderr } = await cluster.kubectl(
    ['apply', '--server-side', '-f', '-'],
    input,
  );
  if (code !== 0) throw new Error(stderr);
  return stdout + stderr;
}

export async function kubectlOk(cluster: OneNode, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** A Postgres whose data outlive its process, and the Secret with its address. */
export async function installPostgres(cluster: OneNode): Promise<void> {
  await applyObjects(cluster, [
    namespaceObject('database'),
    namespaceObject(namespace),
    postgresService,
    postgresDeployment,
  ]);
  await kubectlOk(cluster, ...rolledOut('database', 'postgres'));
  const address = await kubectlOk(
    cluster,
    ...['get', 'service', 'postgres', '-n', 'database', '-o', 'jsonpath={.spec.clusterIP}'],
  );
  // The node has no DNS: the address is the Service's own.
  await applyObjects(cluster, [
    secret('postgres', { uri: `postgres://concordat:${password}@${address}:5432/postgres` }),
    secret('settings', { BOOTSTRAP_KEY: bootstrapKey }),
  ]);
}

export const rolledOut = (inNamespace: string, name: string) => [
  ...['rollout', 'status', `deployment/${name}`, '-n', inNamespace, '--timeout=180s'],
];

const secret = (name: string, stringData: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

const labels = { app: 'postgres' };
const postgresService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'postgres', namespace: 'database' },
  spec: { selector: labels, ports: [{ port: 5432 }] },
};
const postgresDeployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'postgres', namespace: 'database' },
  spec: {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10002,
          runAsGroup: 10002,
          fsGroup: 10002,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'postgres',
            image: postgresImage,
            imagePullPolicy: 'Never',
            env: [{ name: 'PASSWORD', value: password }],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            readinessProbe: {
              exec: { command: ['pg_isready', '-h', '127.0.0.1'] },
              periodSeconds: 1,
              timeoutSeconds: 10,
            },
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', emptyDir: {} }],
      },
    },
  },
};

export async function helm(cluster: OneNode, args: readonly string[]): Promise<string> {
  const program = await findHelm({ environment: process.env, log: console.warn });
  const { code, stdout, stderr } = await run(program, [
    ...[...args, '--namespace', namespace, '--kubeconfig', cluster.kubeconfig],
  ]);
  if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Installs the chart, or moves the release to it. */
export function installChart(cluster: OneNode, image: string, chart = 'charts/concordat') {
  const [repository = '', tag = ''] = image.split(/:(?=[^/]+$)/);
  return helm(cluster, [
    ...['upgrade', '--install', release, join(root, chart), '--wait', '--timeout', '4m'],
    ...['--set', `image.repository=${repository},image.tag=${tag},image.pullPolicy=Never`],
    ...['--set', 'database.secret.name=postgres,secretSettings=settings'],
    ...['--set', 'settings.RATE_LIMIT_READ=1000000,settings.RATE_LIMIT_WRITE=1000000'],
  ]);
}

/** A port of the node that leads to the release's Service: its load is spread as a cluster's is. */
export async function openNodePort(cluster: OneNode): Promise<string> {
  await applyObjects(cluster, [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'outside', namespace },
      spec: {
        type: 'NodePort',
        selector: {
          'app.kubernetes.io/name': 'concordat',
          'app.kubernetes.io/instance': release,
        },
        ports: [{ port: 80, targetPort: 'http', nodePort }],
      },
    },
  ]);
  const address = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  return `http://${await kubectlOk(cluster, 'get', 'nodes', '-o', address)}:${nodePort}`;
}

/** The end of what each part of the cluster and of the release logged: for a test that failed. */
export async function describeCluster(cluster: OneNode): Promise<string> {
  const parts = await Promise.all([
    cluster.kubectl(['get', 'all,leases,dc,cprop,creg', '-A', '-o', 'wide']),
    cluster.kubectl(['get', 'events', '-A', '--sort-by=.lastTimestamp']),
    cluster.kubectl(['logs', '-n', namespace, '-l', 'app.kubernetes.io/name=concordat']),
  ]);
  const logs = await Promise.all(
    ['kubelet', 'containerd'].map((name) =>
      readFile(join(cluster.folder, `state/logs/${name}.log`), 'utf8').catch(() => ''),
    ),
  );
  return [...parts.map(({ stdout, stderr }) => stdout + stderr), ...logs]
    .map((text) => text.split('\n').slice(-40).join('\n'))
    .join('\n\n');
}
