// The controller as a platform team meets it: a folder that is applied by kubectl, a leader that is
// killed in the middle of one, and what the process takes ten minutes after.

import { setTimeout as delay } from 'node:timers/promises';
import { type BenchCluster, isReady, namespace, startBenchCluster } from './support/cluster.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import {
  type BenchDatabase,
  bootstrapKey,
  type ServerProcess,
  startBenchDatabase,
  startProduct,
} from './support/processes.ts';
import { processCpuMicros } from './support/processor.ts';

const objectCount = Number(process.env.BENCH_OBJECTS ?? 500);
const idleObjectCount = Number(process.env.BENCH_IDLE_OBJECTS ?? 10_000);
const quietMs = Number(process.env.BENCH_QUIET_MS ?? 600_000);
const measuredMs = 60_000;

export const benchmark: Benchmark = {
  name: 'The controller beside kubectl',
  run: async () => {
    const [database, cluster] = await Promise.all([startBenchDatabase(), startBenchCluster()]);
    try {
      return await measure(database, cluster);
    } finally {
      await cluster.stop();
      await database.stop();
    }
  },
};

async function measure(database: BenchDatabase, cluster: BenchCluster): Promise<readonly Figure[]> {
  const serve = () =>
    startProduct(database.url, { KUBERNETES: 'kubeconfig', KUBECONFIG: cluster.kubeconfig });
  const first = await serve();
  await makeTeam(first);
  await cluster.kubectlApply(manifestsOf('first', 1));
  await untilReady(cluster, 1);

  const startedAtMs = performance.now();
  await cluster.kubectlApply(manifestsOf('applied', objectCount));
  const applyMs = performance.now() - startedAtMs;
  await untilReady(cluster, 1 + objectCount);
  const readyMs = performance.now() - startedAtMs;

  const second = await serve();
  await cluster.kubectlApply(manifestsOf('failed', objectCount / 2));
  const rest = cluster.kubectlApply(manifestsOf('over', objectCount / 2));
  await untilReady(cluster, 1 + objectCount + objectCount / 4);
  process.kill(first.pid, 'SIGKILL');
  const killedAtMs = performance.now();
  await rest;
  await untilReady(cluster, 1 + 2 * objectCount);
  const failoverMs = performance.now() - killedAtMs;

  await cluster.kubectlApply(manifestsOf('more', idleObjectCount - 2 * objectCount - 1));
  await untilReady(cluster, idleObjectCount);
  await delay(quietMs);
  const [before, quietAtMs] = [processCpuMicros(second.pid), performance.now()];
  await delay(measuredMs);
  const idle = (processCpuMicros(second.pid) - before) / 10 / (performance.now() - quietAtMs);
  await second.stop();
  return [
    {
      name: `${objectCount} new contracts, from the start of kubectl apply to all Ready`,
      unit: 's',
      value: readyMs / 1000,
      against: { name: 'kubectl apply alone', value: applyMs / 1000 },
      targetRatio: 1.3,
    },
    {
      name: `the leader killed in the middle of ${objectCount}, to all Ready`,
      unit: 's',
      value: failoverMs / 1000,
      targetValue: 25,
    },
    {
      name: `idle with ${idleObjectCount} objects, ${quietMs / 60_000} minutes after all that`,
      unit: '% of a core',
      value: idle,
      targetValue: 1,
    },
  ];
}

async function makeTeam({ port }: ServerProcess): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/teams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  });
  if (!answer.ok) throw new Error(`POST /teams: ${answer.status}`);
}

function manifestsOf(prefix: string, count: number): string {
  const items = Array.from({ length: count }, (_, index) => ({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: `${prefix}-${index}`, namespace },
    spec: {
      fqn: `${prefix}.table_${index}`,
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 10 }, (_, field) => [`field_${field}`, { type: 'string' }]),
        ),
      },
    },
  }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

async function untilReady(cluster: BenchCluster, count: number): Promise<void> {
  while ((await cluster.list()).filter(isReady).length < count) await delay(100);
}
