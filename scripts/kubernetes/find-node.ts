// Finds the programs of a whole node: those of the API server, and those that run pods. They come
// from the cache, or are built from the Go module proxy, which takes about three minutes once after
// the API server was built.

import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, type ProgramSearch, type SoughtProgram } from './build-program.ts';
import { findBinaries, ofKubernetes } from './find-binaries.ts';

const ofNode = (name: string): SoughtProgram => ({
  ...ofKubernetes,
  name,
  version: ofKubernetes.cachedAs,
  module: 'node',
  package: `k8s.io/kubernetes/cmd/${name}`,
});

const programs = ['kubelet', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'].map(ofNode);

/** A node image for kind needs these, too. */
const programsOfImage: readonly SoughtProgram[] = [
  ofNode('kubeadm'),
  {
    name: 'coredns',
    // The version that kubeadm of `ofKubernetes` requires.
    version: '1.13.1',
    module: 'coredns',
    package: '.',
    linking: '-s -w',
  },
];

/** Links all of them into a folder. */
export async function linkNodePrograms(folder: string, search: ProgramSearch): Promise<void> {
  await putPrograms(folder, programs, search, symlink);
}

async function putPrograms(
  folder: string,
  wanted: readonly SoughtProgram[],
  search: ProgramSearch,
  put: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const found: Record<string, string> = { ...(await findBinaries(search)) };
  for (const program of wanted) found[program.name] = await findProgram(search, program);
  await mkdir(folder, { recursive: true });
  for (const [program, file] of Object.entries(found)) await put(file, join(folder, program));
}

/** Run directly, it copies them for an image: `find-node.ts FOLDER`. */
if (import.meta.main) {
  const [folder = 'programs'] = process.argv.slice(2);
  const search = { environment: process.env, beforeFetch: console.warn };
  await putPrograms(folder, [...programs, ...programsOfImage], search, copyFile);
}
