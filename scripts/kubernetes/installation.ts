// Installs a release of the chart on a cluster, with a Postgres next to it.

import { join } from 'node:path';
import { runOk } from '../run-command.ts';
import { applyObjects, type Cluster, kubectlOk, nodePort } from './cluster.ts';
import { findHelm } from './find-helm.ts';

const root = join(import.meta.dirname, '../..');

export const release = 'concordat';
export const namespace = 'registry';

const restricted = Object.fromEntries(
  ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
);

export const namespaceObject = (name: string, labels: object = restricted) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

const secret = (name: string, stringData: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

interface Secrets {
  /** The database's password. */
  readonly password: string;
  /** Secret settings, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Builds the image of the Postgres that runs outside of the release. */
export async function buildPostgres({ engine }: Cluster): Promise<string> {
  const image = 'localhost/concordat-postgres:15';
  await engine.build(image, 'scripts/kubernetes/postgres');
  return image;
}

/** Installs a Postgres whose data outlives its process, and the Secrets of the release. */
export async function installPostgres(
  cluster: Cluster,
  image: string,
  { password, settings }: Secrets,
): Promise<void> {
  await applyObjects(cluster, [
    namespaceObject('database'),
    namespaceObject(namespace),
    postgresService,
    ...(cluster.bindsClaims ? [postgresClaim] : []),
    postgresDeployment(image, password, cluster.bindsClaims),
  ]);
  await kubectlOk(cluster, rolledOut('database', 'postgres'));
  const address = await kubectlOk(cluster, [
    ...['get', 'service', 'postgres', '-n', 'database', '-o', 'jsonpath={.spec.clusterIP}'],
  ]);
  // The node may have no DNS, so the address is the Service's own.
  await applyObjects(cluster, [
    secret('postgres', { uri: `postgres://concordat:${password}@${address}:5432/postgres` }),
    secret('settings', settings),
  ]);
}

export const rolledOut = (inNamespace: string, name: string) => [
  ...['rollout', 'status', `deployment/${name}`, '-n', inNamespace, '--timeout=180s'],
];

const labels = { app: 'postgres' };
const postgresService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'postgres', namespace: 'database' },
  spec: { selector: labels, ports: [{ port: 5432 }] },
};
const postgresClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'postgres', namespace: 'database' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const postgresDeployment = (image: string, password: string, claims: boolean) => ({
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
            image,
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
        volumes: [
          {
            name: 'data',
            ...(claims ? { persistentVolumeClaim: { claimName: 'postgres' } } : { emptyDir: {} }),
          },
        ],
      },
    },
  },
});

export async function helm(cluster: Cluster, args: readonly string[]): Promise<string> {
  const program = await findHelm({ environment: process.env, beforeFetch: console.warn });
  const where = ['--namespace', namespace, '--kubeconfig', cluster.kubeconfig];
  return runOk(program, [...args, ...where]);
}

interface Chart {
  readonly image: string;
  readonly chart?: string;
  readonly values?: readonly string[];
}

/** Installs or upgrades the release. */
export function installChart(
  cluster: Cluster,
  { image, chart = 'charts/concordat', values = [] }: Chart,
): Promise<string> {
  const [repository = '', tag = ''] = image.split(/:(?=[^/]+$)/);
  return helm(cluster, [
    ...['upgrade', '--install', release, join(root, chart), '--wait', '--timeout', '4m'],
    ...['--set', `image.repository=${repository},image.tag=${tag},image.pullPolicy=Never`],
    ...['--set', 'database.secret.name=postgres,secretSettings=settings'],
    ...values.flatMap((value) => ['--set', value]),
  ]);
}

/** Opens a port of the node for the release's Service, and returns its URL. */
export async function openNodePort(cluster: Cluster): Promise<string> {
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
  return cluster.url();
}
