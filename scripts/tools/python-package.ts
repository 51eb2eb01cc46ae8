// Fetches packages of the Python index once and caches them, like npm-package.ts: the source of
// official schemas of standards.

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

/** The source distribution, with its tests and their sources. */
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

/** The folder of a package's files, or of its source, fetched if it is missing. */
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
    // Not `:all:`: pip would build the tools that build the package, too.
    const how = ['--quiet', '--no-deps', form.flag, name, wanted, '-d', making];
    await run('pip', ['download', ...how]);
    const [archive = ''] = await readdir(making);
    const files = join(making, 'files');
    await form.unpack(join(making, archive), files);
    await rename(files, folder).catch((error: unknown) => {
      // Another process fetched the same package meanwhile.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}
