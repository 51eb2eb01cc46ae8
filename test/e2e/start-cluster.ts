// The cluster of the end-to-end test: with kind if a container engine can run a node image,
// otherwise on our own node. E2E_CLUSTER=kind or E2E_CLUSTER=node chooses.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../scripts/kubernetes/cluster.ts';
import { findKindHost } from '../../scripts/kubernetes/find-kind.ts';
import { deleteKind, startKind } from '../../scripts/kubernetes/kind-cluster.ts';
import { startOneNode } from './one-node.ts';

const search = { environment: process.env, beforeFetch: console.warn };

export async function startCluster(): Promise<Cluster> {
  const chosen = process.env.E2E_CLUSTER ?? '';
  if (!['', 'kind', 'node'].includes(chosen)) {
    throw new Error(`E2E_CLUSTER=${chosen} is unknown: use kind or node.`);
  }
  if (chosen === 'node') return startOneNode();
  const host = await findKindHost(process.env);
  if (typeof host !== 'string') {
    const named = { ...host, name: 'concordat-e2e', search };
    // Left by a run that was interrupted.
    await deleteKind(named);
    const folder = await mkdtemp(join(tmpdir(), 'concordat-kind-'));
    const cluster = await startKind({ ...named, port: 0, folder });
    const stop = async () => {
      await cluster.stop();
      await rm(folder, { recursive: true });
    };
    return { ...cluster, stop };
  }
  if (chosen === 'kind') throw new Error(`kind cannot make a cluster here.\n${host}`);
  console.warn(`On a node of our own, since kind cannot make a cluster here.\n${host}`);
  return startOneNode();
}
