// One real API server per test run, with this product's kinds installed.

import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { definitionsYaml } from '../../../src/controller/crd/kinds.ts';
import {
  type ClusterAddress,
  kubectlOk,
  savedBy,
  startKubernetes,
  type TestCluster,
} from './kubernetes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    kubernetes: ClusterAddress;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startNewKubernetes();
  // The clusters that test files start begin with it.
  await cluster.saveEtcd();
  const { server, etcd, folder, caFile, auditLog, binaries } = cluster;
  project.provide('kubernetes', { server, etcd, folder, caFile, auditLog, binaries });
  return () => cluster.stop();
}

/** The groups that the controller and its tests use: an API server starts faster without the others. */
const groups = [
  ...[
    'admissionregistration',
    'apiextensions',
    'authentication',
    'authorization',
    'rbac.authorization',
  ].map((name) => `${name}.k8s.io/v1`),
  ...['apiregistration', 'coordination', 'discovery', 'events', 'networking'].map(
    (name) => `${name}.k8s.io/v1`,
  ),
  'batch/v1',
  'v1',
];

/** What needs groups that are left out, or shares a server between clients that do not trust each other. */
const lean = [
  `--runtime-config=api/all=false,${groups.map((name) => `${name}=true`).join(',')}`,
  '--disable-admission-plugins=Priority,DefaultStorageClass,StorageObjectInUseProtection,DefaultIngressClass,PersistentVolumeClaimResize,RuntimeClass,TaintNodesByCondition',
  '--enable-priority-and-fairness=false',
];

/** Begins with the state that the run's server had at its start, if there is one. */
export async function startKubernetesWithKinds(): Promise<TestCluster> {
  const running = inject('kubernetes');
  if (running === undefined) return startNewKubernetes();
  return startKubernetes({ from: savedBy(running.folder), options: lean });
}

/** Has an identity of its own, which a cluster with copied state shares with the first one. */
export async function startNewKubernetes(): Promise<TestCluster> {
  const cluster = await startKubernetes({ options: lean });
  try {
    await applyKinds(cluster);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export async function applyKinds(address: ClusterAddress): Promise<void> {
  await kubectlOk(address, ['apply', '--server-side', '-f', '-'], { input: definitionsYaml() });
  const established = ['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all'];
  // kubectl does not wait for a definition that has no conditions yet: it fails.
  const isTooEarly = (error: unknown) => String(error).includes('accessor error');
  for (let isOver = false; !isOver; ) {
    isOver = await kubectlOk(address, established).then(
      () => true,
      (error: unknown) => {
        if (isTooEarly(error)) return false;
        throw error;
      },
    );
  }
}

/** The run's API server; without the setup, the file starts its own. */
export async function shareKubernetes(): Promise<{
  readonly address: ClusterAddress;
  readonly release: () => Promise<void>;
}> {
  const provided = inject('kubernetes');
  if (provided !== undefined) return { address: provided, release: async () => {} };
  const own = await startKubernetesWithKinds();
  return { address: own, release: () => own.stop() };
}
