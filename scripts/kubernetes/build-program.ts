// Programs from the Go module proxy, with the versions pinned in the go.mod and go.sum of their
// folders. Uses the program that an environment variable names, otherwise the cache, otherwise
// builds it, which takes minutes once.

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface GoProgram {
  /** The folder next to this file with its go.mod. */
  readonly module: string;
  readonly package: string;
  /** Options for the linker. */
  readonly linking: string;
  /** Build tags that omit or add parts. */
  readonly tags?: string;
}

export interface ProgramSearch {
  readonly environment: Environment;
  /** Called before anything is fetched or built; may throw to prevent it. */
  readonly beforeFetch: (line: string) => void;
}

export interface SoughtProgram extends GoProgram {
  readonly name: string;
  /** The version that its go.mod pins. */
  readonly version: string;
  /** The environment variable with the path of an existing program. */
  readonly given?: string;
}

export async function findProgram(
  { environment, beforeFetch }: ProgramSearch,
  sought: SoughtProgram,
): Promise<string> {
  const given = sought.given === undefined ? '' : (environment[sought.given] ?? '');
  if (given !== '') return given;
  const { name, version } = sought;
  const program = join(cacheOf(environment), name, version, name);
  if (await isProgram(program)) return program;
  beforeFetch(`Building ${name} ${version} from the Go module proxy.`);
  await buildProgram(sought, program).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    const other = sought.given === undefined ? '' : `, or set ${sought.given} to your own ${name}`;
    throw new Error(`${name} is built with Go, which is not installed: install it${other}.`);
  });
  return program;
}

/** Builds it to `file`, atomically. */
export async function buildProgram(program: GoProgram, file: string): Promise<void> {
  const made = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  const tags = program.tags === undefined ? [] : ['-tags', program.tags];
  // What a debugger reads takes a tenth of the time to write, and is left out of the program.
  const compiling = '-gcflags=all=-dwarf=false';
  const flags = ['-mod=readonly', compiling, ...tags, '-ldflags', program.linking, '-o', made];
  await run('go', ['build', ...flags, program.package], {
    cwd: join(import.meta.dirname, program.module),
    env: { ...process.env, CGO_ENABLED: '0' },
    maxBuffer: 64 * 1024 * 1024,
  });
  await rename(made, file);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder for programs that were built. */
export function cacheOf(environment: Environment): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'concordat');
}

export function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
