// An address in a file, as a mounted Secret is: what it has counts from the next connection on.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

let database: TestDatabase;
let folder: string;
let store: Store | null = null;
const names: string[] = [];

beforeAll(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'concordat-url-file-'));
});

afterAll(async () => {
  await store?.stop();
  // Of the server, and not of the database.
  for (const name of names) await database.query(`drop role ${name}`);
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A role that may do what the service does, and the address with it. */
async function addressOfNewRole(name: string): Promise<string> {
  const role = `${name}_${process.pid}`;
  const password = `of-${name}`;
  await database.query(`create role ${role} login superuser password '${password}'`);
  names.push(role);
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  return url.href;
}

/** As kubelet changes a mounted Secret: all at once. */
async function put(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

const usersOf = async () => {
  const rows = await database.query(
    `select distinct usename from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return rows.map(({ usename }) => String(usename));
};

test('a changed address in DATABASE_URL_FILE is used by new connections, without a restart', async () => {
  const file = join(folder, 'uri');
  await put(file, `${await addressOfNewRole('before')}\n`);
  const read = readConfig({ DATABASE_URL_FILE: file });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  store = await openStore({ url: read.config.DATABASE_URL ?? '', rowChecks: 'every' });
  await store.ping();
  expect(await usersOf()).toEqual([names[0]]);
  await put(file, await addressOfNewRole('after'));
  await database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1',
    [names[0]],
  );
  // The first statement may find the connection that has just been ended.
  await store.ping().catch(() => {});
  await store.ping();
  expect(await usersOf()).toEqual([names[1]]);
  // The session is set as for an address that is given itself.
  expect(await store.isMigrated()).toBe(true);
});

test('a file that is not there is told by its name', async () => {
  const read = readConfig({ DATABASE_URL_FILE: join(folder, 'nowhere') });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const url = read.config.DATABASE_URL ?? '';
  const { connect } = await import('../../src/ops/postgres/connect.ts');
  await expect(connect(url)).rejects.toThrow(/DATABASE_URL_FILE .*nowhere cannot be read/);
});

test('an address is given in one way', () => {
  const read = readConfig({ DATABASE_URL: database.url, DATABASE_URL_FILE: '/etc/uri' });
  expect(read).toMatchObject({
    ok: false,
    problems: ['DATABASE_URL and DATABASE_URL_FILE are both set. Set one of them.'],
  });
});
