// Python programs that tests and releases run: each in an environment of its own, with fixed versions
// of all that it needs, installed once and cached.

import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache', 'concordat', 'python-environments');

/** Named after its file: `pre-commit` for `python/pre-commit.txt`. */
type PythonEnvironment = 'fakesnow' | 'pre-commit' | 'python-client' | 'schemathesis';

function homeOf(name: PythonEnvironment): { readonly home: string; readonly pins: string } {
  const pins = join(import.meta.dirname, 'python', `${name}.txt`);
  const version = hash('sha256', readFileSync(pins, 'utf8')).slice(0, 12);
  return { home: join(cache, `${name}-${version}`), pins };
}

/** Written last, so that an installation that was cut off is made again. */
const complete = 'complete';

/** A program of an environment that was installed. */
export function programOf(name: PythonEnvironment, program: string): string {
  return join(installed(name), 'bin', program);
}

/** The folder with the wheels that an environment was installed from. */
export function wheelsOf(name: PythonEnvironment): string {
  return join(installed(name), wheels);
}

function installed(name: PythonEnvironment): string {
  const { home } = homeOf(name);
  if (existsSync(join(home, complete))) return home;
  throw new Error(`${name} is not installed: run \`npm run tools -- verify\`.`);
}

const wheels = 'wheels';

export async function installPythonEnvironment(name: PythonEnvironment): Promise<void> {
  const { home, pins } = homeOf(name);
  if (existsSync(join(home, complete))) return;
  process.stdout.write(`Installing ${name} into ${home}\n`);
  await rm(home, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', home]);
  const pip = (command: string, ...options: readonly string[]) =>
    run(join(home, 'bin/pip'), [
      command,
      '--quiet',
      '--no-deps',
      '--requirement',
      pins,
      ...options,
    ]);
  await pip('download', '--dest', join(home, wheels));
  await pip('install', '--no-index', '--find-links', join(home, wheels));
  await writeFile(join(home, complete), '');
}
