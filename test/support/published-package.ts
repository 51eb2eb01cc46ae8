// Real documents for tests and benchmarks: packages as they were published, fetched from the
// package registry once and kept, so that successive versions of one document can be compared.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache', 'concordat', 'packages');

/** The folder of a published package's files, fetched if it is not here yet. */
export async function publishedPackage(name: string, version: string): Promise<string> {
  const folder = join(cache, name.replace('/', '__'), version);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const making = await mkdtemp(`${folder}.making-`);
  try {
    const packed = await run('npm', ['pack', `${name}@${version}`, '--silent'], { cwd: making });
    const archive = packed.stdout.trim().split('\n').at(-1) ?? '';
    await run('tar', ['-xzf', archive], { cwd: making });
    await rename(join(making, 'package'), folder).catch((error: unknown) => {
      // Somebody else fetched it meanwhile: theirs is the same.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}
