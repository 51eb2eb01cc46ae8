// A real Postgres with streaming replicas. Each server can be killed, promoted, and made a replica
// of another one. The embedded Postgres has no pg_basebackup, so copies are made as its manual says.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inject, vi } from 'vitest';
import { freePorts } from '../free-ports.ts';
import { openFolder } from '../open-folder.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

export interface Server {
  /** Through a proxy, which stays when the server is killed, like the address of a machine. */
  readonly url: string;
  readonly proxy: PostgresProxy;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Kills it at once, like a failing machine. */
  kill(): Promise<void>;
  /** Starts it again as it was. */
  start(): Promise<void>;
  /** Copies another server and follows it. */
  follow(primary: Server): Promise<void>;
  promote(): Promise<void>;
  /** Makes a folder that a replica can start from. */
  copyTo(folder: string): Promise<void>;
}

export interface Servers {
  readonly all: readonly [Server, ...Server[]];
  stop(): Promise<void>;
}

/** Root hands the servers to `nobody`. */
const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/** The first is the primary, the others follow it. */
export async function openServers(count: number): Promise<Servers> {
  const folder = await openFolder('concordat-replication-');
  const programs = await programsOfTests();
  const all: (Server & { readonly close: () => Promise<void> })[] = [];
  for (const port of await freePorts(count)) {
    all.push(await openServer(programs, join(folder, String(port)), port));
  }
  const stop = async () => {
    for (const each of all) await each.close();
    await rm(folder, { recursive: true, force: true });
  };
  const [first, ...rest] = all;
  if (first === undefined) throw new Error('There is no server.');
  try {
    await first.start();
    for (const each of rest) await each.follow(first);
  } catch (error) {
    await stop();
    throw error;
  }
  return { all: [first, ...rest], stop };
}

/** Of the server that all tests share, which the user of the servers here can run. */
async function programsOfTests(): Promise<string> {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  const { rows } = await client.query(`select setting from pg_config where name = 'BINDIR'`);
  await client.end();
  return String(rows[0]?.setting);
}

async function openServer(programs: string, data: string, port: number) {
  const direct = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
  const proxy = await startPostgresProxy(direct);
  let running: ChildProcess | null = null;
  let primaryUrl: URL | null = null;
  const query = async (sql: string) => {
    const client = new pg.Client(direct);
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const makeFolder = async () => {
    await rm(data, { recursive: true, force: true });
    await mkdir(data, { mode: 0o700 });
    if (owner.uid !== undefined) await chown(data, owner.uid, owner.gid);
  };
  const start = async () => {
    if ((await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => '')) === '') {
      await makeFolder();
      const asked = ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8'];
      await run(join(programs, 'initdb'), asked);
    }
    running = spawn(
      join(programs, 'postgres'),
      ['-D', data, ...Object.entries(settings(port, primaryUrl)).flatMap(asFlag)],
      { ...owner, cwd: '/', env: environment, stdio: 'ignore' },
    );
    process.once('exit', killNow);
    await vi.waitUntil(() => query('select').catch(() => null), { timeout: 60_000 });
  };
  const killNow = () => void running?.kill('SIGKILL');
  const kill = async () => {
    proxy.cut();
    process.off('exit', killNow);
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    killNow();
    await ended;
  };
  return {
    url: proxy.url,
    proxy,
    query,
    kill,
    start,
    follow: async (primary: Server) => {
      await kill();
      await makeFolder();
      await primary.copyTo(data);
      primaryUrl = new URL(primary.url);
      await start();
    },
    copyTo: async (folder: string) => {
      const client = new pg.Client(direct);
      await client.connect();
      await client.query(`select pg_backup_start('a copy', true)`);
      // Files that vanish meanwhile are no part of the copy.
      await run('sh', ['-c', copyScript, 'sh', data, folder]);
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
      await client.end();
      const label = join(folder, 'backup_label');
      await writeFile(label, String(rows[0]?.labelfile));
      if (owner.uid !== undefined) await chown(label, owner.uid, owner.gid);
    },
    promote: async () => void (await query('select pg_promote()')),
    close: async () => {
      await kill();
      await proxy.close();
    },
  };
}

/** A commit must be on the disk only where the test says so; the machine never fails here. */
const settings = (port: number, primary: URL | null): Readonly<Record<string, string>> => ({
  listen_addresses: '127.0.0.1',
  port: String(port),
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '100ms',
  wal_keep_size: '1GB',
  ...(primary !== null && {
    primary_conninfo: `host=${primary.hostname} port=${primary.port} user=postgres`,
  }),
});

const asFlag = ([name, value]: [string, string]) => ['-c', `${name}=${value}`];

const copyScript = `
  cp -a "$1/." "$2" 2>/dev/null
  rm -rf "$2/postmaster.pid" "$2"/pg_wal/* "$2"/pg_replslot/*
  touch "$2/standby.signal"`;

async function run(program: string, given: readonly string[]): Promise<void> {
  const child = spawn(program, given, {
    ...owner,
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} failed with ${code}: ${said}`);
}
