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

/** The folder of a published package's files, fetched if it is missing. */
export async function fetchNpmPackage(name: string, version: string): Promise<string> {
  const folder = npmPackageFolder(name, version);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const making = await mkdtemp(`${folder}.making-`);
  try {
    const packed = await run('npm', ['pack', `${name}@${version}`, '--silent'], { cwd: making });
    const archive = packed.stdout.trim().split('\n').at(-1) ?? '';
    await run('tar', ['-xzf', archive], { cwd: making });
    await rename(join(making, 'package'), folder).catch((error: unknown) => {
      // Another process fetched the same package meanwhile.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}
