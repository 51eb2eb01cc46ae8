// The programs of a whole node, for the end-to-end test: those of the API server, and beside them
// what runs pods. They come from the cache, or are built from the Go module proxy, which takes about
// three minutes once where the API server was built before.

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram, cacheOf, isProgram } from './build-program.ts';
import { findBinaries, ofKubernetes, type Search } from './find-binaries.ts';

const programs = ['kubelet', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'];

/** Puts links to all of them into a folder. */
export async function linkNodePrograms(folder: string, search: Search): Promise<void> {
  const found: Record<string, string> = { ...(await findBinaries(search)) };
  for (const program of programs) {
    const file = join(cacheOf(search.environment), program, ofKubernetes.cachedAs, program);
    if (!(await isProgram(file))) {
      search.log(`Building ${program} ${ofKubernetes.version} from the Go module proxy.`);
      const source = {
        ...ofKubernetes,
        module: 'node',
        package: `k8s.io/kubernetes/cmd/${program}`,
      };
      await buildProgram(source, file);
    }
    found[program] = file;
  }
  await mkdir(folder, { recursive: true });
  for (const [program, file] of Object.entries(found)) await symlink(file, join(folder, program));
}

if (import.meta.main) {
  const [folder = 'programs'] = process.argv.slice(2);
  const log = (line: string) => process.stderr.write(`${line}\n`);
  await linkNodePrograms(folder, { environment: process.env, log });
}
