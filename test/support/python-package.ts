// Files of packages of the Python index, fetched once and kept, as published-package.ts does for
// npm: the official schemas of standards come so.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache', 'concordat', 'python-packages');

/** The folder of a published wheel's files, fetched if it is not here yet. */
export async function pythonPackage(name: string, version: string): Promise<string> {
  const folder = join(cache, name, version);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const making = await mkdtemp(`${folder}.making-`);
  try {
    const wanted = `${name}==${version}`;
    await run('pip', [
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary',
      ':all:',
      wanted,
      '-d',
      making,
    ]);
    const [wheel = ''] = await readdir(making);
    const files = join(making, 'files');
    await run('python3', ['-m', 'zipfile', '-e', join(making, wheel), files]);
    await rename(files, folder).catch((error: unknown) => {
      // Somebody else fetched it meanwhile: theirs is the same.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}
