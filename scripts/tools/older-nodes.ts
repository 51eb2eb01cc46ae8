// Older versions of Node, as packages of npm: the package of the command runs on them.

import { join } from 'node:path';
import { npmPackageFolder } from './npm-package.ts';

/** The newest of each version that the package supports and the checkout does not. */
const olderNodes = ['20.20.2', '22.23.3'] as const;

const packageName = `node-${process.platform}-${process.arch}`;

export const olderNodePackages = olderNodes.map((version) => [packageName, version] as const);

/** Every version that the packages support, with its program: those that were fetched, and this one. */
export const supportedNodes: readonly (readonly [version: string, program: string])[] = [
  ...olderNodes.map(
    (version) => [version, join(npmPackageFolder(packageName, version), 'bin/node')] as const,
  ),
  [process.versions.node, process.execPath],
];
