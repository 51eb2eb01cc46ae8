// Packages of the Python index, fetched once and kept, as npm-package.ts does for npm: the official
// schemas of standards come so.

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

const forms = { wheel, source };
export type PythonForm = keyof typeof forms;

export function pythonPackageFolder(name: string, version: string, form: PythonForm): string {
  return join(cache, name, form === 'wheel' ? version : `${version}-${form}`);
}

/** The folder of a package's files, or of what it is built from, fetched if it is not here yet. */
export async function fetchPythonPackage(
  name: string,
  version: string,
  kind: PythonForm,
): Promise<string> {
  const folder = pythonPackageFolder(name, version, kind);
  const form = forms[kind];
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
