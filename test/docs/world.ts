// A newcomer's machine: the server of `make run`, and `concordat` on the path.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openDatabase } from '../support/postgres/postgres.ts';

const root = join(import.meta.dirname, '../..');
/** Where the guide says that the command is found. */
export const programs = join(root, 'bin');

export interface World {
  readonly url: string;
  /** The folder in which the server and all scripts run. */
  readonly folder: string;
  /** Runs a script as it stands in a page, but for the addresses; returns the output of its blocks. */
  run(script: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** `settings` are the server's. */
export async function openWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-docs-'));
  const database = await openDatabase();
  // What runs the tests sets BASE_URL to no address at all.
  const around = { ...process.env, BASE_URL: undefined, PATH: `${programs}:${process.env.PATH}` };
  const server = spawn('concordat', ['serve', '--story'], {
    cwd: folder,
    env: { ...around, PORT: '0', DATABASE_URL: database.url, LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  const url = await addressIn(server.stdout);
  return {
    url,
    folder,
    async run(script) {
      const here = script
        .replaceAll('http://localhost:8080', url)
        .replaceAll('postgres://concordat:concordat@localhost:5432/concordat', database.url);
      const output = await runShell(here, folder, around);
      return output.split('---\n').map((part) => part.trim());
    },
    async stop() {
      server.kill('SIGINT');
      await ended;
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
