// Finds what scripts/tools/tools.ts fetched or built before the tests.

import { existsSync } from 'node:fs';
import type { ProgramSearch } from '../../scripts/kubernetes/build-program.ts';
import {
  kafkaPackage,
  mavenPackageFolder,
  s3ServerPackage,
} from '../../scripts/tools/maven-package.ts';
import { natsServerFile } from '../../scripts/tools/nats-package.ts';
import { npmPackageFolder } from '../../scripts/tools/npm-package.ts';
import { type PythonForm, pythonPackageFolder } from '../../scripts/tools/python-package.ts';

const advice =
  'A test downloads nothing: run `npm run tools -- test`, or `-- verify` for the long tests. A tool or ' +
  'a version that is new belongs into scripts/tools/tools.ts.';

/** Finds existing programs without building any. */
export const builtProgram: ProgramSearch = {
  environment: process.env,
  beforeFetch: (line) => {
    throw new Error(`${line} ${advice}`);
  },
};

/** The folder of a published npm package's files. */
export function npmPackage(name: string, version: string): string {
  return mustExist(npmPackageFolder(name, version), `${name}@${version}`);
}

/** The folder of a published Python package's files. */
export function pythonPackage(name: string, version: string, form: PythonForm): string {
  return mustExist(pythonPackageFolder(name, version, form), `${name} ${version}`);
}

/** The folder with the classes of a Kafka broker. */
export function kafkaClasses(): string {
  return mustExist(mavenPackageFolder(kafkaPackage), `Kafka ${kafkaPackage.version}`);
}

export function natsServer(): string {
  return mustExist(natsServerFile(), 'The NATS server');
}

/** The folder with the classes of a server of S3's protocol. */
export function s3ServerClasses(): string {
  return mustExist(mavenPackageFolder(s3ServerPackage), `S3Proxy ${s3ServerPackage.version}`);
}

function mustExist(folder: string, name: string): string {
  if (existsSync(folder)) return folder;
  throw new Error(`${name} is not fetched. ${advice}`);
}
