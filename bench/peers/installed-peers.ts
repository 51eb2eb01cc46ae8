// Peers are installed outside of the project, once, by their own package managers.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPeer, type Peer } from './peer-process.ts';

const run = promisify(execFile);
const folder = join(homedir(), '.cache', 'concordat', 'peers');

/** The versions that the figures refer to. */
const pinned = {
  datacontractCli: 'datacontract-cli[duckdb,parquet,csv]==1.2.8',
  jsonschemaRs: 'jsonschema-rs==0.60.3',
  inspector: '@graphql-inspector/core@8.0.0',
  graphql: 'graphql@16.15.0',
} as const;

export function openJsonSchemaDiff(): Peer {
  const script = join(import.meta.dirname, 'json-schema-diff-peer.ts');
  // It never returns for many pairs, and waiting longer decides no more.
  return openPeer('json-schema-diff', { file: process.execPath, args: [script], timeoutMs: 1_500 });
}

/** A Python that has the package, in an environment of its own. */
async function pythonWith(environment: string, wanted: string): Promise<string> {
  const python = join(folder, environment, 'bin', 'python');
  await mkdir(folder, { recursive: true });
  if (!existsSync(python)) await run('python3', ['-m', 'venv', join(folder, environment)]);
  await run(python, ['-m', 'pip', 'install', '--quiet', wanted]);
  return python;
}

/** What datacontract-cli says of each contract, which names its data: `failed`, or something else. */
export async function askDatacontractCli(
  contracts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const python = await pythonWith('datacontract-cli', pinned.datacontractCli);
  const script = join(import.meta.dirname, 'datacontract-cli-peer.py');
  const { stdout } = await run(python, [script, ...contracts], { maxBuffer: 64 * 1024 * 1024 });
  const answers = stdout.trim().split('\n');
  return new Map(
    answers.map((line) => {
      const { path, result } = JSON.parse(line) as { path: string; result: string };
      return [path, result] as const;
    }),
  );
}

export async function openJsonschemaRs(): Promise<Peer> {
  const python = await pythonWith('venv', pinned.jsonschemaRs);
  const script = join(import.meta.dirname, 'jsonschema-rs-peer.py');
  // It takes nine seconds for one real pair.
  return openPeer('jsonschema-rs', { file: python, args: [script], timeoutMs: 10_000 });
}

/** The folder with graphql-inspector. */
export async function installedInspector(): Promise<string> {
  const home = join(folder, 'inspector');
  if (!existsSync(join(home, 'node_modules', '@graphql-inspector', 'core'))) {
    await mkdir(home, { recursive: true });
    const { inspector, graphql } = pinned;
    await run('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', inspector, graphql]);
  }
  return home;
}
