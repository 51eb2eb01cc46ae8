import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import packageFile from '../../package.json' with { type: 'json' };
import { runProgram } from '../../src/main.ts';
import { programEnvironment } from '../support/program-environment.ts';

const main = resolve(import.meta.dirname, '../../bin/concordat.js');

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string | undefined;
  /** Otherwise the environment contains only what is needed to find programs. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Runs the program in this process, in a fiftieth of the time that a new process takes. What it prints and
 * does is the same. `runProcess` starts a process, for tests of the process itself.
 */
export async function run(
  args: readonly string[],
  input: string | Uint8Array = '',
  { cwd, env }: RunOptions = {},
): Promise<Ran> {
  const own = { ...env };
  const needsProcess =
    args.includes('serve') || Object.keys(own).some((name) => ofProcess.test(name));
  // A process has one working folder: nothing else runs here while it is another one.
  const isTaken = cwd === undefined ? isElsewhere : running > 0;
  if (needsProcess || isTaken) return runProcess(args, input, { cwd, env });
  const stdout = collect();
  const stderr = collect();
  const home = process.cwd();
  running += 1;
  try {
    if (cwd !== undefined) {
      isElsewhere = true;
      process.chdir(cwd);
    }
    const code = await runProgram(args, {
      stdin: Readable.from([Buffer.from(input)]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      env: environmentWith(own),
      version: packageFile.version,
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    running -= 1;
    if (cwd !== undefined) {
      process.chdir(home);
      isElsewhere = false;
    }
  }
}

/** What Node, git or drivers of databases read, and not the program by itself. */
const ofProcess = /proxy|^(NODE|GIT|SSL|AWS)_|^PG|^(HOME|PATH|TZ)$/i;
let running = 0;
let isElsewhere = false;

function collect(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

function environmentWith(env: RunOptions['env']): Readonly<Record<string, string | undefined>> {
  return { ...programEnvironment(), HOME: process.env.HOME, TZ: 'UTC', ...env };
}

interface ProcessOptions extends RunOptions {
  readonly closesAfterFirstChunk?: boolean;
}

/** Runs the program in a new process, as a shell does. */
export function runProcess(
  args: readonly string[],
  input: string | Uint8Array = '',
  how: ProcessOptions = {},
): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: environmentWith(how.env),
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
