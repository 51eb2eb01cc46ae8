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

interface Form {
  readonly flag: string;
  unpack(archive: string, files: string): Promise<unknown>;
}

const wheel: Form = {
  flag: '--only-binary',
  unpack: (archive, files) => run('python3', ['-m', 'zipfile', '-e', archive, files]),
};

/** With its tests, and what they are made of. */
const source: Form = {
  flag: '--no-binary',
  unpack: async (archive, files) => {
    await mkdir(files);
    await run('tar', ['-xzf', archive, '-C', files, '--strip-components=1']);
  },
};

/** The folder of a published wheel's files, fetched if it is not here yet. */
export function pythonPackage(name: string, version: string): Promise<string> {
  return fetched({ name, version, folder: join(cache, name, version), form: wheel });
}

/** The folder of what a package is built from, fetched if it is not here yet. */
export function pythonSource(name: string, version: string): Promise<string> {
  return fetched({ name, version, folder: join(cache, name, `${version}-source`), form: source });
}

interface Wanted {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly form: Form;
}

async function fetched({ name, version, folder, form }: Wanted): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const making = await mkdtemp(`${folder}.making-`);
  try {
    const wanted = `${name}==${version}`;
    const how = ['--quiet', '--no-deps', form.flag, ':all:', wanted, '-d', making];
    await run('pip', ['download', ...how]);
    const [archive = ''] = await readdir(making);
    const files = join(making, 'files');
    await form.unpack(join(making, archive), files);
    await rename(files, folder).catch((error: unknown) => {
      // Somebody else fetched it meanwhile: theirs is the same.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}
