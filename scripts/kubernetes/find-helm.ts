// Finds Helm, and a validator with the schemas of Kubernetes, for the tests of the chart. The
// validator is a Python package in an environment of its own in the cache.

import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheOf, findProgram, type ProgramSearch } from './build-program.ts';

const run = promisify(execFile);

/** The version that the go.mod in `helm` pins. */
const helmVersion = '3.22.0';
/** It contains the schemas of every minor version up to its own. */
const validatorVersion = '1.37.0';

/** Built like the official releases; without this, it assumes a very old cluster. */
const capabilities = 'helm.sh/helm/v3/pkg/chartutil.k8sVersion';
const linking = `-s -w -X ${capabilities}Major=1 -X ${capabilities}Minor=35`;

export function findHelm(search: ProgramSearch): Promise<string> {
  return findProgram(search, {
    name: 'helm',
    version: helmVersion,
    given: 'HELM',
    module: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm',
    linking,
  });
}

/** A Python with the validator. */
export async function findValidator({ environment, beforeFetch }: ProgramSearch): Promise<string> {
  const folder = join(cacheOf(environment), 'kubernetes-validate', validatorVersion);
  const python = join(folder, 'bin/python');
  const finds = () =>
    run(python, ['-c', 'import kubernetes_validate']).then(
      () => true,
      () => false,
    );
  if (await finds()) return python;
  beforeFetch(`Installing kubernetes-validate ${validatorVersion} from the Python package index.`);
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(python, [...install, `kubernetes-validate==${validatorVersion}`]);
  if (await finds()) return python;
  throw new Error(`kubernetes-validate was installed into ${folder}, and cannot be imported.`);
}
