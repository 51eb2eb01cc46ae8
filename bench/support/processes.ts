// The product and its floor, each in its own process, on the benchmark's Postgres.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/store/postgres/embedded.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { environmentOfImage, flagsOfImage } from '../../test/support/image-start.ts';
import { openFolder } from '../../test/support/open-folder.ts';
import { familyCpuMicros } from './processor.ts';

export interface BenchDatabase {
  readonly url: string;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** The processor time of all of Postgres so far. */
  processorMicros(): number;
  /** Requires that nobody else is connected. */
  copy(): Promise<{ readonly url: string; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

/** Durable as in production, because the cost of a commit is part of the measurement. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = await openFolder('concordat-bench-');
  const server = await startEmbeddedPostgres({
    dataFolder: join(folder, 'data'),
    settings: { shared_buffers: '512MB', max_wal_size: '4GB' },
  });
  const [pid] = readFileSync(join(server.dataFolder, 'postmaster.pid'), 'utf8').split('\n');
  const postmaster = Number(pid);
  // Not the maintenance database, which cannot be copied while it is in use.
  const maintenance = new pg.Client(server.url);
  await maintenance.connect();
  await maintenance.query('CREATE DATABASE bench');
  const url = databaseUrl(server.url, 'bench');
  await migrate(url);
  let client = new pg.Client(url);
  await client.connect();
  return {
    url,
    query: async (sql, values) => (await client.query(sql, values)).rows,
    processorMicros: () => familyCpuMicros(postmaster),
    copy: async () => {
      await client.end();
      await maintenance.query('CREATE DATABASE bench_copy TEMPLATE bench');
      client = new pg.Client(url);
      await client.connect();
      return {
        url: databaseUrl(server.url, 'bench_copy'),
        stop: async () => {
          await maintenance.query('DROP DATABASE bench_copy WITH (FORCE)');
        },
      };
    },
    stop: async () => {
      await client.end();
      await maintenance.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

export const bootstrapKey = 'bench-bootstrap-key-0123456789';

export function startProduct(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const entry = [...flagsOfImage(), ...flags, join(root, 'bin/concordat.js'), 'serve'];
  const child = spawn(process.execPath, entry, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...environmentOfImage(),
      PATH: process.env.PATH ?? '',
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_KEY: bootstrapKey,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'error',
      NODE_ENV: 'production',
      // The server is measured, not its limits.
      RATE_LIMIT_READ: '100000000',
      RATE_LIMIT_WRITE: '100000000',
      ...settings,
    },
  });
  return whenListening(child, /serves on http:\/\/localhost:(\d+)/);
}

export function startFloor(databaseUrl: string, tasks: unknown): Promise<ServerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'floor-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', FLOOR_URL: databaseUrl, NODE_ENV: 'production' },
  });
  child.stdin?.end(JSON.stringify(tasks));
  return whenListening(child, /^(\d+)$/);
}

const children = new Set<ChildProcess>();

// A failed benchmark leaves no processes behind.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function whenListening(child: ChildProcess, line: RegExp): Promise<ServerProcess> {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return new Promise((done, fail) => {
    const exited = new Promise<void>((gone) => child.once('exit', () => gone()));
    void exited.then(() => fail(new Error('The server ended before it listened.')));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (text) => {
      const port = line.exec(text)?.[1];
      if (port === undefined || child.pid === undefined) return;
      const stop = () => {
        child.kill('SIGTERM');
        return exited;
      };
      done({ pid: child.pid, port: Number(port), stop });
    });
  });
}
