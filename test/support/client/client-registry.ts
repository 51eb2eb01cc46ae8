// The whole server with its own database, in this process or in a separate one.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { readConfig } from '../../../src/ops/config/config.ts';
import { start } from '../../../src/start/serve.ts';
import { openDatabase, type TestDatabase } from '../postgres/postgres.ts';
import { programEnvironment } from '../program-environment.ts';

export interface TestRegistry {
  readonly url: string;
  readonly bootstrapKey: string;
  readonly database: TestDatabase;
  /** Fails if a request crashed that no test expected. */
  readonly stop: () => Promise<void>;
  /** The errors that were logged so far; reading them marks them as expected. */
  readonly takeCrashes: () => string[];
}

type Settings = Readonly<Record<string, string>>;

export const bootstrapKey = 'bootstrap-key-of-the-tests';

function environmentOf(databaseUrl: string, settings: Settings): Settings {
  return {
    DATABASE_URL: databaseUrl,
    MIGRATE: 'false',
    CHECK_ROWS: 'true',
    BOOTSTRAP_KEY: bootstrapKey,
    // Not the folder of a `make run` in this checkout.
    DATA_DIR: join(tmpdir(), 'concordat-tests'),
    HOST: '127.0.0.1',
    PORT: '0',
    RATE_LIMIT_READ: '1000000',
    RATE_LIMIT_WRITE: '1000000',
    RATE_LIMIT_LOGIN: '1000000',
    RATE_LIMIT_STRANGER: '1000000',
    SHUTDOWN_GRACE_SECONDS: '2',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'auto',
    ...settings,
  };
}

/** `routeTo` may insert a proxy between the server and its database, or fill it first as its owner. */
export async function openRegistry(
  settings: Settings = {},
  routeTo: (databaseUrl: string, ownerUrl: string) => Promise<string> = async (databaseUrl) =>
    databaseUrl,
): Promise<TestRegistry> {
  const database = await openDatabase();
  const read = readConfig(
    environmentOf(await routeTo(database.serviceUrl, database.url), settings),
  );
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const crashes: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void crashes.push(line) });
  // Three threads would load all the code, and most tests never ask one of them.
  const server = await start(read.config, log, undefined, 'when_needed');
  return {
    url: server.url,
    bootstrapKey,
    database,
    takeCrashes: () => crashes.splice(0),
    stop: async () => {
      await server.stop();
      await database.drop();
      if (crashes.length > 0) throw new Error(`Requests crashed:\n${crashes.join('\n')}`);
    },
  };
}

export interface ProcessRegistry {
  readonly url: string;
  /** The peak memory of the process, from Linux. */
  readonly peakMemoryBytes: () => number;
  readonly stop: () => Promise<void>;
  /** Stops it in the middle of whatever it does, until `thaw`. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Kills it at once, like a failing machine. */
  readonly kill: () => Promise<void>;
}

/**
 * `concordat serve` in a separate process, on a database that others may share. It treats memory as
 * in the image.
 */
export async function openProcess(
  databaseUrl: string,
  settings: Settings = {},
  root = resolve(import.meta.dirname, '../../..'),
): Promise<ProcessRegistry> {
  const image = memorySettingsOfImage();
  const child = spawn(process.execPath, [...image.flags, 'src/main.ts', 'serve'], {
    cwd: root,
    env: { ...programEnvironment(), ...image.env, ...environmentOf(databaseUrl, settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  const url = await urlOf(child, said);
  return {
    url,
    peakMemoryBytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
      const crashes = said
        .join('')
        .split('\n')
        .filter((line) => line.includes('a request crashed'));
      if (crashes.length > 0) throw new Error(`Requests crashed:\n${crashes.join('\n')}`);
    },
  };
}

/** The Dockerfile's settings for the memory of the process: variables for glibc, and flags of Node. */
function memorySettingsOfImage() {
  const dockerfile = readFileSync(resolve(import.meta.dirname, '../../../Dockerfile'), 'utf8');
  const variables = [...dockerfile.matchAll(/^ENV (MALLOC_\w+)=(\d+)$/gm)];
  const [entryPoint] = /^ENTRYPOINT .*$/m.exec(dockerfile) ?? [];
  const flags = entryPoint?.match(/--max-[a-z-]+=\d+/g);
  if (variables.length === 0 || flags == null) {
    throw new Error(
      'The Dockerfile has no settings for memory. Start the tests as the image starts.',
    );
  }
  const env = Object.fromEntries(variables.map(([, name, value]) => [String(name), value]));
  return { env, flags };
}

function urlOf(child: ChildProcess, said: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('The process has no output.');
    createInterface(child.stdout).on('line', (line) => {
      const url = /serves on (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => {
      reject(new Error(`The server ended with ${code} before it served:\n${said.join('')}`));
    });
  });
}
