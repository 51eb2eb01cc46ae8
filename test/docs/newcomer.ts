// A newcomer's machine: the server of `make run`, and `concordat` on the path.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Where the guide says that the command is found. */
export const programs = join(import.meta.dirname, '../../bin');

export interface Newcomer {
  readonly url: string;
  /** Runs a script as it stands in a page, but for the addresses; returns the output of its blocks. */
  run(script: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * Starts the server in a folder, in which all scripts run.
 *
 * @param settings the server's
 * @param own the reader's own database
 */
export async function startNewcomer(
  folder: string,
  settings: Readonly<Record<string, string>>,
  own = '',
): Promise<Newcomer> {
  // What runs the tests sets BASE_URL to no address at all.
  const around = { ...process.env, BASE_URL: undefined, PATH: `${programs}:${process.env.PATH}` };
  const server = spawn('concordat', ['serve', '--story'], {
    cwd: folder,
    env: { ...around, PORT: '0', LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressIn(server.stdout);
  return {
    url,
    async run(script) {
      const here = script
        .replaceAll('http://localhost:8080', url)
        .replaceAll('postgres://concordat:concordat@localhost:5432/concordat', own);
      const output = await runShell(here, folder, around);
      return output.split('---\n').map((part) => part.trim());
    },
    stop: () => stop(server),
  };
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

function addressIn(output: Readable): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      const [address] = /(?<=serves on )http\S+/.exec(text) ?? [];
      if (address !== undefined) done(address);
    });
    output.once('end', () => fail(new Error(`The server ended before it served:\n${text}`)));
  });
}

export function runShell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  return new Promise((done, fail) => {
    const options = ['-eu', '-o', 'pipefail'];
    // Bash takes a socket for a call from another machine, and would read what is for a terminal.
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const shell = spawn('bash', [...options, '-c', script], { cwd, env, stdio });
    let output = '';
    shell.stdout.on('data', (chunk) => {
      output += chunk;
    });
    shell.stderr.on('data', (chunk) => {
      output += chunk;
    });
    shell.once('error', fail);
    shell.once('close', (code) =>
      code === 0 ? done(output) : fail(new Error(`exit ${code}:\n${output}`)),
    );
  });
}
