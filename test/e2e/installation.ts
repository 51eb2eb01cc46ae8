// The images of the end-to-end test, and its release.

import { type Cluster, kubectlOk } from '../../scripts/kubernetes/cluster.ts';
import {
  buildPostgres,
  installChart,
  installPostgres,
  namespace,
} from '../../scripts/kubernetes/installation.ts';

export const bootstrapKey = 'bootstrap-key-of-the-end-to-end-test';
export const databasePassword = 'a-password-of-the-end-to-end-test';
export const images = { first: 'localhost/concordat:first', second: 'localhost/concordat:second' };

/**
 * Builds the image of the Dockerfile under two names, so that an upgrade changes the pods.
 * E2E_IMAGE names an existing image to use instead. Returns the image of Postgres.
 */
export async function buildImages(cluster: Cluster): Promise<string> {
  const { engine } = cluster;
  const given = process.env.E2E_IMAGE;
  if (given === undefined && !isBuilt) await engine.buildProduct(images.first);
  else if (given !== undefined && given !== images.first) await engine.tag(given, images.first);
  await engine.tag(images.first, images.second);
  isBuilt = true;
  return buildPostgres(cluster);
}

let isBuilt = false;

export async function installDatabase(cluster: Cluster, postgres: string): Promise<void> {
  for (const image of [images.first, images.second, postgres]) await cluster.load(image);
  await installPostgres(cluster, postgres, {
    password: databasePassword,
    settings: { BOOTSTRAP_KEY: bootstrapKey },
  });
}

const asOwner = (command: string) => [
  ...['exec', '-i', '-n', 'database', 'deployment/postgres', '--', 'sh', '-c'],
  `PGPASSWORD=$PASSWORD ${command} --host /tmp --username concordat postgres`,
];

/** Dumps the registry's data, which outlives a cluster if Postgres runs elsewhere. */
export function dumpDatabase(cluster: Cluster): Promise<string> {
  return kubectlOk(cluster, asOwner('pg_dump'));
}

export async function restoreDatabase(cluster: Cluster, dump: string): Promise<void> {
  await runSql(cluster, dump);
}

export async function runSql(cluster: Cluster, sql: string): Promise<void> {
  await kubectlOk(cluster, asOwner('psql --set ON_ERROR_STOP=1 --quiet'), sql);
}

export function addressOf(cluster: Cluster, service: string, inNamespace: string): Promise<string> {
  return kubectlOk(cluster, [
    ...['get', 'service', service, '-n', inNamespace, '-o', 'jsonpath={.spec.clusterIP}'],
  ]);
}

/** Installs the chart of this release, or another one, without rate limits. */
export function install(
  cluster: Cluster,
  image: string,
  chart = 'charts/concordat',
  more: readonly string[] = [],
) {
  const unlimited = 'settings.RATE_LIMIT_READ=1000000,settings.RATE_LIMIT_WRITE=1000000';
  return installChart(cluster, { image, chart, values: [unlimited, ...more] });
}

/** The last log lines of each part of the cluster and the release, for a failed test. */
export async function describeCluster(cluster: Cluster): Promise<string> {
  const parts = await Promise.all([
    cluster.kubectl(['get', 'all,leases,datacontracts,cprop,creg,ccheck', '-A', '-o', 'wide']),
    cluster.kubectl(['get', 'events', '-A', '--sort-by=.lastTimestamp']),
    cluster.kubectl(['logs', '-n', namespace, '-l', 'app.kubernetes.io/name=concordat']),
  ]);
  return [...parts.map(({ stdout, stderr }) => stdout + stderr), ...(await cluster.logs())]
    .map((text) => text.split('\n').slice(-40).join('\n'))
    .join('\n\n');
}
