// Renders the chart with Helm.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findHelm, findValidator } from '../../scripts/kubernetes/find-helm.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { builtProgram } from '../support/tools.ts';

export const chart = join(import.meta.dirname, '../../charts/concordat');

/** The minimum of values that the chart requires. */
export const least = { database: { secret: { name: 'postgres' } } };

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function helm(args: readonly string[], input = ''): Promise<Ran> {
  return execute(await findHelm(builtProgram), args, input);
}

/** The chart of the last release; replaced by a copy of `charts/concordat` after each release. */
export const previousChart = join(import.meta.dirname, '../fixtures/previous-chart');

/** The objects of a release named `shop-registry` in namespace `data`. */
export async function render(
  values: object = {},
  from = chart,
  apis: readonly string[] = [],
): Promise<readonly JsonObject[]> {
  const { code, stdout, stderr } = await renderText(values, from, apis);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document): Json => document.toJS())
    .filter((value) => value !== null && isJsonObject(value));
}

function renderText(values: object = {}, from = chart, apis: readonly string[] = []): Promise<Ran> {
  const how = ['--namespace', 'data', '--kube-version', '1.32.0', '--values', '-'];
  for (const api of apis) how.push('--api-versions', api);
  return helm(['template', 'shop-registry', from, ...how], JSON.stringify({ ...least, ...values }));
}

/** The refusal, in one line. */
export async function refusalOf(values: object): Promise<string> {
  const { code, stderr } = await renderText(values);
  return code === 0 ? '' : stderr.replace(/\s+/g, ' ');
}

/** The problems of each manifest: '' if there are none, null if its kind is unknown. */
export async function validate(
  manifests: readonly JsonObject[],
  version: string,
): Promise<readonly (string | null)[]> {
  const python = await findValidator(builtProgram);
  const script = join(import.meta.dirname, 'validate.py');
  const { code, stdout, stderr } = await execute(
    python,
    [script, version],
    JSON.stringify(manifests),
  );
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function execute(program: string, args: readonly string[], input: string): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
