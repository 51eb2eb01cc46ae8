// A new user's machine: a server with the story in it, and `concordat` on the path.

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStory } from '../../src/cli/story.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { start } from '../../src/start/serve.ts';
import { createClient } from '../../src/wire/client.ts';
import { openDatabase } from '../support/postgres/postgres.ts';

const root = join(import.meta.dirname, '../..');
/** The folder in which the guide expects the command. */
export const programs = join(root, 'bin');
const key = 'bootstrap-key-of-a-newcomer';

export interface World {
  readonly url: string;
  /** The working folder of scripts; its `bin` is on their path. */
  readonly folder: string;
  /** Runs a script of a page unchanged, except for the address and the key. */
  run(script: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** `settings` are the server's; `environment` is that of the scripts. */
export async function openWorld(
  settings: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-docs-'));
  const database = await openDatabase();
  const read = readConfig({
    ...{ PORT: '0', DATABASE_URL: database.url, BOOTSTRAP_KEY: key },
    ...{ LOG_LEVEL: 'error', CHECK_ROWS: 'true', DATA_DIR: join(folder, 'data') },
    ...settings,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const server = await start(read.config);
  await createStory(createClient({ baseUrl: server.url, key }));
  const bin = join(folder, 'bin');
  const work = join(folder, 'work');
  await mkdir(bin);
  await mkdir(work);
  const around = {
    ...process.env,
    // The test runner sets it to an empty address.
    BASE_URL: undefined,
    PATH: `${bin}:${programs}:${process.env.PATH}`,
    DATABASE_URL: database.url,
    BOOTSTRAP_KEY: key,
    ...environment,
  };
  return {
    url: server.url,
    folder,
    run: async (script) => {
      const here = script
        .replaceAll('http://localhost:8080', server.url)
        .replaceAll('the-bootstrap-key-that-make-run-printed', key);
      const output = await runShell(here, work, around);
      return output.split('---\n').map((part) => part.trim());
    },
    stop: async () => {
      await server.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function runShell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  return new Promise((done, fail) => {
    const options = ['-eu', '-o', 'pipefail'];
    // With a socket as input, Bash assumes a remote shell and would read startup files for
    // terminals.
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
