// A real API server for the benchmark, its objects, and its own counts.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../../src/controller/cluster/api-client.ts';
import { collectionPath, objectPath } from '../../src/controller/cluster/resources.ts';
import { controllerRights } from '../../src/controller/cluster/rights.ts';
import { definitionsYaml } from '../../src/controller/crd/kinds.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import {
  configOf,
  kubectlOk,
  listWrites,
  startKubernetes,
  type TestCluster,
} from '../../test/support/kubernetes/kubernetes.ts';

export const namespace = 'bench';

export interface BenchCluster {
  /** With administrator rights, for the benchmark's own requests. */
  readonly client: ApiClient;
  /** For the controller, with the rights that the chart gives it. */
  readonly kubeconfig: string;
  readonly controllerClient: ApiClient;
  get(kind: 'DataContract' | 'ContractProposal', name: string): Promise<JsonObject>;
  list(): Promise<readonly JsonObject[]>;
  /** The controller's writes by `verb resource`, without leases. */
  writes(): Promise<ReadonlyMap<string, number>>;
  /** How often our objects were listed, by any client. */
  lists(): Promise<number>;
  stop(): Promise<void>;
}

export async function startBenchCluster(): Promise<BenchCluster> {
  const cluster = await startKubernetes();
  process.once('exit', () => void cluster.stop());
  await prepare(cluster);
  const kubeconfig = join(cluster.folder, 'kubeconfig');
  await writeFile(kubeconfig, configOf(cluster, 'controller').exportConfig());
  const client = new ApiClient(configOf(cluster));
  const controllerClient = new ApiClient(configOf(cluster, 'controller'));
  return {
    client,
    kubeconfig,
    controllerClient,
    get: (kind, name) => client.expect({ method: 'GET', path: objectPath(kind, namespace, name) }),
    list: () => listAll(client),
    writes: async () => {
      const counts = new Map<string, number>();
      for (const { user, verb, resource, subresource, code } of await listWrites(cluster)) {
        if (user !== 'controller' || resource === 'leases' || code >= 300) continue;
        const what = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
      return counts;
    },
    lists: async () => {
      const metrics = await kubectlOk(cluster, ['get', '--raw', '/metrics']);
      return metrics
        .split('\n')
        .filter((line) => /^apiserver_request_total\{.*group="concordat.dev".*"LIST"/.test(line))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    stop: async () => {
      client.close();
      controllerClient.close();
      await cluster.stop();
    },
  };
}

async function prepare(cluster: TestCluster): Promise<void> {
  const apply = (input: string) =>
    kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], { input });
  await apply(definitionsYaml());
  const established = ['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all'];
  await kubectlOk(cluster, established);
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: 'controller' };
  const labels = { 'concordat.dev/team': 'bench' };
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'concordat' } },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules: controllerRights },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'controller' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'controller' }],
    },
  ];
  await apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** In pages, like the controller. */
export async function listAll(client: ApiClient): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  let next: string | undefined;
  do {
    const page = await client.expect({
      method: 'GET',
      path: collectionPath('DataContract', namespace),
      query: { limit: 500, continue: next },
    });
    if (Array.isArray(page.items)) items.push(...page.items.filter((item) => isJsonObject(item)));
    const token = objectOr(page.metadata).continue;
    next = typeof token === 'string' && token !== '' ? token : undefined;
  } while (next !== undefined);
  return items;
}

export function objectOr(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** Whether its newest generation was reconciled successfully. */
export function isReady(object: JsonObject): boolean {
  const { conditions = [], observedGeneration } = objectOr(object.status);
  const [ready] = Array.isArray(conditions) ? conditions : [];
  const isSeen = observedGeneration === objectOr(object.metadata).generation;
  return isSeen && objectOr(ready).type === 'Ready' && objectOr(ready).status === 'True';
}

/** Runs this many at once, in order. */
export async function eachOf<T>(
  items: readonly T[],
  lanes: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await act(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
