// The programs of a whole node, for the end-to-end test: those of the API server, and beside them
// what runs pods. They come from the cache, or are built from the Go module proxy, which takes about
// three minutes once where the API server was built before.

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, type ProgramSearch } from './build-program.ts';
import { findBinaries, ofKubernetes } from './find-binaries.ts';

const programs = ['kubelet', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'];

/** Puts links to all of them into a folder. */
export async function linkNodePrograms(folder: string, search: ProgramSearch): Promise<void> {
  const found: Record<string, string> = { ...(await findBinaries(search)) };
  for (const name of programs) {
    found[name] = await findProgram(search, {
      ...ofKubernetes,
      name,
      version: ofKubernetes.cachedAs,
      module: 'node',
      package: `k8s.io/kubernetes/cmd/${name}`,
    });
  }
  await mkdir(folder, { recursive: true });
  for (const [program, file] of Object.entries(found)) await symlink(file, join(folder, program));
}

if (import.meta.main) {
  const [folder = 'programs'] = process.argv.slice(2);
  const log = (line: string) => process.stderr.write(`${line}\n`);
  await linkNodePrograms(folder, { environment: process.env, log });
}
