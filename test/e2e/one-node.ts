// A cluster of one node on this machine, with real pods, for the end-to-end test.

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkNodePrograms } from '../../scripts/kubernetes/find-node.ts';

const root = join(import.meta.dirname, '../..');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface OneNode {
  readonly kubeconfig: string;
  readonly folder: string;
  kubectl(args: readonly string[], input?: string): Promise<Ran>;
  load(archive: string): Promise<void>;
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  stop(): Promise<void>;
}

export async function startOneNode(): Promise<OneNode> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-node-'));
  const programs = join(folder, 'programs');
  const state = join(folder, 'state');
  await linkNodePrograms(programs, { environment: process.env, log: console.warn });
  await mkdir(state);
  const script = join(root, 'scripts/kubernetes/node/cluster.sh');
  const cluster = (...args: string[]) =>
    runOk(script, args, { environment: { PROGRAMS: programs, STATE: state } });
  const stop = async () => {
    await cluster('down');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const kubeconfig = (await cluster('up')).trim();
    return {
      kubeconfig,
      folder,
      kubectl: (args, input = '') =>
        run(join(programs, 'kubectl'), ['--kubeconfig', kubeconfig, ...args], { input }),
      load: async (archive) => void (await cluster('load', archive)),
      stopApiServer: async () => void (await cluster('stop-api')),
      startApiServer: async () => void (await cluster('start-api')),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export function run(
  program: string,
  args: readonly string[],
  { input = '', environment = {} }: RunOptions = {},
): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...environment } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('error', fail);
    child.once('close', (code) => done({ code: code ?? 1, stdout, stderr }));
    // It may end before it has read what it was given; how it ended says enough.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

export async function runOk(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, options);
  if (code === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stderr}${stdout}`);
}
