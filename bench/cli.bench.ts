// The time that a user waits for the installed command, including its start, without npm. It is
// compared with the start of Node alone, in turns, so that changes of the machine's speed affect
// both alike.

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeCommand } from '../scripts/release/make-command.ts';
import { runOk } from '../scripts/run-command.ts';
import { fetchNpmPackage } from '../scripts/tools/npm-package.ts';
import type { Benchmark, Figure } from './support/figure.ts';

const program = resolve(import.meta.dirname, '../bin/concordat.js');
const runs = 31;

export const benchmark: Benchmark = {
  name: 'The command line',
  run: async () => {
    const home = await mkdtemp(join(tmpdir(), 'concordat-bench-cli-'));
    try {
      return await measure(home);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
};

async function measure(home: string): Promise<readonly Figure[]> {
  // The result of `npm install --global` for a folder: a link on the PATH.
  await mkdir(join(home, 'bin'));
  const command = join(home, 'bin/concordat');
  await symlink(program, command);
  const old = join(home, 'old.json');
  const next = join(home, 'new.json');
  await writeFile(old, JSON.stringify(schemaOf('integer')));
  await writeFile(next, JSON.stringify(schemaOf('string')));
  const cache = join(home, 'cache');
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    NODE_COMPILE_CACHE: cache,
  };
  const packed = await unpackedCommand(home);
  const diffBy = (which: string) => () => timed(which, ['diff', old, next], env, 1);
  const [diff, packedDiff] = [diffBy(command), diffBy(packed)];
  const afterInstalling = async (each: () => Promise<number>): Promise<number[]> => {
    const times: number[] = [];
    for (let run = 0; run < 5; run++) {
      await rm(cache, { recursive: true, force: true });
      times.push(await each());
    }
    return times;
  };
  const cold = await afterInstalling(diff);
  const packedCold = await afterInstalling(packedDiff);
  const warm: number[] = [];
  const packedWarm: number[] = [];
  const node: number[] = [];
  for (let run = 0; run < runs; run++) {
    warm.push(await diff());
    packedWarm.push(await packedDiff());
    node.push(await timed(process.execPath, ['-e', '0'], env, 0));
  }
  const floor = { name: 'node -e 0', value: median(node) };
  return [
    {
      name: 'diff of two small files',
      unit: 'ms',
      value: median(warm),
      against: floor,
      targetValue: 300,
      note: `fastest ${Math.min(...warm).toFixed(0)} ms, Node ${Math.min(...node).toFixed(0)} ms`,
    },
    {
      name: 'diff of two small files, the first time after installing',
      unit: 'ms',
      value: median(cold),
      against: floor,
      note: 'nothing compiled is kept yet, as in a fresh container of CI',
    },
    {
      name: 'diff of two small files, by the package',
      unit: 'ms',
      value: median(packedWarm),
      against: floor,
      targetValue: 150,
      note: `fastest ${Math.min(...packedWarm).toFixed(0)} ms`,
    },
    {
      name: 'diff of two small files, by the package, the first time after installing',
      unit: 'ms',
      value: median(packedCold),
      against: floor,
      targetValue: 400,
    },
    await agentFigure(packed, env, floor),
    await sdlFigure(command, env, floor),
  ];
}

/** The command of the package that `make release` makes, as npm unpacks it. */
async function unpackedCommand(home: string): Promise<string> {
  await makeCommand(home);
  const [archive] = (await readdir(home)).filter((name) => name.endsWith('.tgz'));
  await runOk('tar', ['-xzf', join(home, archive ?? ''), '-C', home]);
  return join(home, 'package/concordat.js');
}

/** Until the answer is written and the program has ended. */
async function agentFigure(
  packed: string,
  env: Readonly<Record<string, string>>,
  floor: { readonly name: string; readonly value: number },
): Promise<Figure> {
  const client = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const reached = { ...env, CONCORDAT_URL: 'http://localhost:8080', CONCORDAT_KEY: 'none' };
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    times.push(await timed(packed, ['mcp'], reached, 0, `${message}\n`));
  }
  return {
    name: 'mcp, the first answer, by the package',
    unit: 'ms',
    value: median(times),
    against: floor,
    targetValue: 300,
  };
}

async function sdlFigure(
  command: string,
  env: Readonly<Record<string, string>>,
  floor: { readonly name: string; readonly value: number },
): Promise<Figure> {
  const [old, next] = await Promise.all([
    fetchNpmPackage('@octokit/graphql-schema', '15.20.0'),
    fetchNpmPackage('@octokit/graphql-schema', '15.26.1'),
  ]);
  const files = [old, next].map((folder) => join(folder, 'schema.graphql'));
  const times: number[] = [];
  for (let run = 0; run < 5; run++) times.push(await timed(command, ['diff', ...files], env, 1));
  return {
    name: "diff of two versions of GitHub's SDL, 1,600 types",
    unit: 'ms',
    value: median(times),
    against: floor,
    targetValue: 1500,
  };
}

function schemaOf(type: string): object {
  return {
    type: 'object',
    properties: { id: { type }, email: { type: 'string' }, total: { type: 'number' } },
    required: ['id'],
  };
}

function timed(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  expected: number,
  input = '',
): Promise<number> {
  const start = performance.now();
  return new Promise((done, failed) => {
    const child = spawn(command, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.end(input);
    child.on('error', failed);
    child.on('close', (code) => {
      if (code === expected) done(performance.now() - start);
      else failed(new Error(`${command} ended with ${code}, and ${expected} was expected.`));
    });
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
