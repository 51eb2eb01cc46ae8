// An address in a file, as a mounted Secret is: what it has counts from the next connection on.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { watchAddress } from '../../src/ops/postgres/watch-address.ts';
import { type Listener, startListener } from '../../src/store/postgres/listener.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { startPostgresProxy } from '../support/postgres/postgres-proxy.ts';
import { serviceRole } from '../support/postgres/postgres-setup.ts';
import { replaceFile } from '../support/replace-file.ts';

/** For slow processors: only a failure takes so long. */
const patience = { timeout: 15_000, interval: 20 };

let database: TestDatabase;
let folder: string;
let store: Store | null = null;
let listener: Listener | null = null;
let stopAsking = () => {};
const names: string[] = [];

beforeAll(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'concordat-url-file-'));
});

afterEach(async () => {
  stopAsking();
  await Promise.all([store?.stop(), listener?.stop()]);
  [store, listener] = [null, null];
  // Of the server, and not of the database.
  for (const name of names.splice(0)) await database.query(`drop role if exists ${name}`);
});

afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A role that may do what the service does, and the address with it. */
async function addressOfNewRole(name: string): Promise<string> {
  const role = `${name}_${process.pid}`;
  const password = `of-${name}`;
  await database.query(
    `create role ${role} login password '${password}' in role ${serviceRole.name}`,
  );
  names.push(role);
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  return url.href;
}

/** Opens what a server has, by the address in the file. */
async function openByFile(text: string): Promise<{ readonly file: string; readonly store: Store }> {
  const file = join(folder, 'uri');
  await replaceFile(file, text);
  const read = readConfig({ DATABASE_URL_FILE: file });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const url = read.config.DATABASE_URL ?? '';
  store = await openStore({ url, rowChecks: 'every' });
  listener = startListener(url);
  await vi.waitFor(() => expect(listener?.isListening()).toBe(true), patience);
  return { file, store };
}

/** Reads and writes until it is stopped; returns what failed. */
function keepAsking({ reads, maintain }: Store): () => Promise<readonly string[]> {
  const failed: string[] = [];
  let isOver = false;
  stopAsking = () => {
    isOver = true;
  };
  const ask = async () => {
    while (!isOver) {
      const asked = Promise.all([reads.listTeamsBySlug(['shop']), maintain()]);
      await asked.catch((error: unknown) => failed.push(String(error)));
      await setImmediate();
    }
  };
  const asking = Promise.all([ask(), ask()]);
  return async () => {
    isOver = true;
    await asking;
    return [...new Set(failed)];
  };
}

const usersOf = async () => {
  const rows = await database.query(
    `select distinct usename from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return rows.map(({ usename }) => String(usename));
};

const [before, after] = [`before_${process.pid}`, `after_${process.pid}`];

test('a changed address in DATABASE_URL_FILE is used by new connections, without a restart', async () => {
  const { file, store } = await openByFile(`${await addressOfNewRole('before')}\n`);
  await store.ping();
  expect(await usersOf()).toEqual([before]);
  await replaceFile(file, await addressOfNewRole('after'));
  await database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1',
    [before],
  );
  // The first statement may find the connection that has just been ended.
  await store.ping().catch(() => {});
  await store.ping();
  await vi.waitFor(async () => expect(await usersOf()).toEqual([after]), patience);
  // The session is set as for an address that is given itself.
  expect(await store.isMigrated()).toBe(true);
});

test('a role that was replaced in the file may be dropped, and no request fails', async () => {
  const { file, store } = await openByFile(await addressOfNewRole('before'));
  const failures = keepAsking(store);
  await replaceFile(file, await addressOfNewRole('after'));
  await vi.waitFor(async () => expect(await usersOf()).toEqual([after]), patience);
  await database.query(`drop role ${before}`);
  await store.maintain();
  expect(await failures()).toEqual([]);
  await vi.waitFor(() => expect(listener?.isListening()).toBe(true), patience);
});

test('connections stay as they are while the file has nothing that Postgres takes', async () => {
  const { file, store } = await openByFile(await addressOfNewRole('before'));
  // A new connection could not be opened for a while.
  await Promise.all(Array.from({ length: 10 }, () => store.reads.listTeamsBySlug(['shop'])));
  const failures = keepAsking(store);
  const url = new URL(await addressOfNewRole('after'));
  await database.query(`alter role ${after} password 'not-yet'`);
  for (const text of ['', 'not a URL', url.href]) {
    await replaceFile(file, text);
    await store.maintain();
    expect(await usersOf()).toEqual([before]);
  }
  // The file may be changed before the role is.
  await database.query(`alter role ${after} password '${url.password}'`);
  await vi.waitFor(async () => expect(await usersOf()).toEqual([after]), patience);
  expect(await failures()).toEqual([]);
});

test('connections move again although one of before leads nowhere', async () => {
  const proxy = await startPostgresProxy(database.url);
  const through = new URL(await addressOfNewRole('before'));
  through.port = new URL(proxy.url).port;
  through.hostname = new URL(proxy.url).hostname;
  const file = join(folder, 'uri');
  await replaceFile(file, through.href);
  const url = pathToFileURL(file).href;
  store = await openStore({ url });
  await store.ping();
  let moves = 0;
  const unwatch = watchAddress(url, () => moves++);
  proxy.stall();
  const roles = [await addressOfNewRole('after'), await addressOfNewRole('third')] as const;
  // Meanwhile the pool gives up waiting for the end of the connection.
  for (let turn = 0; turn < 4; turn++) {
    await replaceFile(file, roles[turn % 2] ?? '');
    await vi.waitFor(() => expect(moves).toBe(turn + 1), patience);
  }
  const others = async () => (await usersOf()).filter((name) => name !== before);
  await store.ping();
  await replaceFile(file, roles[0]);
  await vi.waitFor(async () => {
    await store?.ping();
    expect(await others()).toEqual([after]);
  }, patience);
  unwatch();
  await store.stop();
  store = null;
  await proxy.close();
});

test('a file that is missing is named', async () => {
  const read = readConfig({ DATABASE_URL_FILE: join(folder, 'nowhere') });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const url = read.config.DATABASE_URL ?? '';
  const { connect } = await import('../../src/ops/postgres/connect.ts');
  await expect(connect(url)).rejects.toThrow(/file of the database URL, .*nowhere, cannot be read/);
});

test.each(['DATABASE_URL', 'LISTEN_DATABASE_URL'] as const)(
  '%s is given in one way, itself or in a file',
  (name) => {
    const inFile = { [`${name}_FILE`]: '/etc/uri' };
    expect(readConfig(inFile)).toMatchObject({ config: { [name]: 'file:///etc/uri' } });
    expect(readConfig({ ...inFile, [name]: database.url })).toMatchObject({
      ok: false,
      problems: [`${name} and ${name}_FILE are both set. Set one of them.`],
    });
  },
);
