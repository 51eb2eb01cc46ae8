// Older versions of Node, as packages of npm: the package of the command runs on them.

import { join } from 'node:path';
import { fetchNpmPackage, npmPackageFolder } from './npm-package.ts';

/** The newest of each version that the package supports and the checkout does not. */
export const olderNodes = ['20.20.2', '22.23.3'] as const;

type OlderNode = (typeof olderNodes)[number];

const packageName = `node-${process.platform}-${process.arch}`;

export async function fetchOlderNodes(): Promise<void> {
  for (const version of olderNodes) await fetchNpmPackage(packageName, version);
}

/** The program of a version that was fetched. */
export function nodeOf(version: OlderNode): string {
  return join(npmPackageFolder(packageName, version), 'bin/node');
}
