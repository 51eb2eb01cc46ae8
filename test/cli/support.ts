import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { programEnvironment } from '../support/program-environment.ts';

const main = resolve(import.meta.dirname, '../../bin/concordat.js');

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly closesAfterFirstChunk?: boolean;
  readonly cwd?: string;
  /** Otherwise the environment contains only what is needed to find programs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the real program. */
export function run(
  args: readonly string[],
  input: string | Uint8Array = '',
  how: RunOptions = {},
): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...programEnvironment(), HOME: process.env.HOME, TZ: 'UTC', ...how.env },
      ...(how.cwd === undefined ? {} : { cwd: how.cwd }),
    });
    const out: Uint8Array[] = [];
    const errors: Uint8Array[] = [];
    child.stdout.on('data', (chunk: Uint8Array) => {
      out.push(chunk);
      if (how.closesAfterFirstChunk) child.stdout.destroy();
    });
    child.stderr.on('data', (chunk: Uint8Array) => errors.push(chunk));
    child.on('error', failed);
    // A program that has read enough closes its input early.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => {
      done({
        code,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(errors).toString(),
      });
    });
  });
}

export interface Folder {
  /** Writes a file and returns its path. */
  readonly file: (name: string, content: unknown) => Promise<string>;
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export async function makeFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'concordat-cli-'));
  return {
    path,
    file: async (name, content) => {
      const target = join(path, name);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, typeof content === 'string' ? content : JSON.stringify(content));
      return target;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
