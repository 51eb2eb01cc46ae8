// Fetches published npm packages once and caches them: real documents for tests and benchmarks, in
// fixed versions.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache', 'concordat', 'packages');

export function npmPackageFolder(name: string, version: string): string {
  return join(cache, name.replace('/', '__'), version);
}

type Wanted = readonly [name: string, version: string];

/** The folder of a published package's files, fetched if it is missing. */
export async function fetchNpmPackage(name: string, version: string): Promise<string> {
  await fetchNpmPackages([[name, version]]);
  return npmPackageFolder(name, version);
}

/** Fetches what is missing with one npm, whose start takes longer than a fetch. */
export async function fetchNpmPackages(wanted: readonly Wanted[]): Promise<void> {
  const missing = wanted.filter((each) => !existsSync(npmPackageFolder(...each)));
  if (missing.length === 0) return;
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, 'making-'));
  try {
    const names = missing.map(([name, version]) => `${name}@${version}`);
    const { stdout } = await run('npm', ['pack', ...names, '--json'], { cwd: making });
    const packed: readonly { name: string; version: string; filename: string }[] =
      JSON.parse(stdout);
    for (const { name, version, filename } of packed) {
      const folder = npmPackageFolder(name, version);
      await mkdir(join(folder, '..'), { recursive: true });
      await run('tar', ['-xzf', filename], { cwd: making });
      await rename(join(making, 'package'), folder).catch((error: unknown) => {
        // Another process fetched the same package meanwhile.
        if (!existsSync(folder)) throw error;
      });
      await rm(join(making, 'package'), { recursive: true, force: true });
    }
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}
