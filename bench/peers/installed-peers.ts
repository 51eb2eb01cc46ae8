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
  sqlglot: 'sqlglot==27.29.0',
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

/** A query, and the columns of the tables that it may read, by names in lower case. */
export interface QueryAsked {
  readonly sql: string;
  readonly dialect: string;
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

interface SqlglotAnswer {
  /** The columns that the query names, each with its table. */
  readonly named: readonly (readonly [table: string, column: string])[];
  /** Without those that nothing uses. */
  readonly used: SqlglotAnswer['named'];
  readonly seconds: number;
}

/** Null for a query that sqlglot does not read. */
export async function askSqlglot(
  questions: readonly QueryAsked[],
): Promise<readonly (SqlglotAnswer | null)[]> {
  const python = await pythonWith('sqlglot', pinned.sqlglot);
  const known = new Map<QueryAsked['tables'], number>();
  const lines = questions.map(({ sql, dialect, tables }) => {
    const isKnown = known.has(tables);
    const of = known.get(tables) ?? known.size;
    known.set(tables, of);
    return JSON.stringify({
      sql,
      dialect,
      of,
      ...(!isKnown && { tables: Object.fromEntries(tables) }),
    });
  });
  const asking = run(python, [join(import.meta.dirname, 'sqlglot-peer.py')], {
    maxBuffer: 256 * 1024 * 1024,
  });
  asking.child.stdin?.end(`${lines.join('\n')}\n`);
  const { stdout } = await asking;
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const answer = JSON.parse(line) as SqlglotAnswer | { readonly error: string };
      return 'error' in answer ? null : answer;
    });
}

interface QuerySuite {
  readonly suite: string;
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly queries: readonly string[];
}

/** TPC-H and TPC-DS, as sqlglot's own tests have them. */
export async function sqlglotQueries(): Promise<readonly QuerySuite[]> {
  const python = await pythonWith('sqlglot', pinned.sqlglot);
  const name = pinned.sqlglot.replace('==', '-');
  const home = join(folder, 'sqlglot-sources');
  const sources = join(home, name);
  if (!existsSync(sources)) {
    const wanted = ['--no-deps', '--no-binary', ':all:', '--dest', home, pinned.sqlglot];
    await run(python, ['-m', 'pip', 'download', '--quiet', ...wanted]);
    await run('tar', ['-xzf', join(home, `${name}.tar.gz`), '-C', home]);
  }
  const script = join(import.meta.dirname, 'sqlglot-queries.py');
  const { stdout } = await run(python, [script, sources], { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A published dbt project with the files of its documentation, and their history. */
export async function publishedProject(name: string) {
  const home = join(folder, `${name}.git`);
  await mkdir(folder, { recursive: true });
  const git = async (...args: readonly string[]) =>
    (await run('git', [...args], { maxBuffer: 256 * 1024 * 1024 })).stdout;
  if (!existsSync(home)) {
    await git('clone', '--quiet', '--bare', `https://github.com/fivetran/${name}`, home);
  }
  return {
    /** The commits up to this one that changed the file, the oldest first. */
    history: async (commit: string, path: string) =>
      (
        await git(
          '-C',
          home,
          'log',
          '--first-parent',
          '--reverse',
          '--format=%H',
          commit,
          '--',
          path,
        )
      )
        .trim()
        .split('\n'),
    read: (commit: string, path: string) => git('-C', home, 'show', `${commit}:${path}`),
  };
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
