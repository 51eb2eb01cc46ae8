import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkMigrations, loadMigrations, migrate } from '../../src/store/postgres/migrate.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

let database: TestDatabase;
let folder: string;
/** The next two numbers, which are not used yet. */
let more: string;
let bad: string;
const ours = join(import.meta.dirname, '../../src/store/migrations');

beforeAll(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(ours, folder, { recursive: true });
  const count = (await loadMigrations(ours)).length;
  more = `${String(count + 1).padStart(4, '0')}-more`;
  bad = `${String(count + 2).padStart(4, '0')}-bad`;
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('migrations', () => {
  test('are applied once, and a second start changes nothing', async () => {
    expect((await migrate(database.url)).applied).toEqual([]);
    await expect(checkMigrations(database.url)).resolves.toBeUndefined();
  });

  test('run one after the other when two processes start at once', async () => {
    await writeFile(join(folder, `${more}.sql`), 'create table more (id integer)');
    const reports = await Promise.all([
      migrate(database.url, { folder }),
      migrate(database.url, { folder }),
    ]);
    expect(reports.flatMap(({ applied }) => applied)).toEqual([more]);
  });

  test('that are unknown and not breaking do not stop the start', async () => {
    await expect(checkMigrations(database.url)).resolves.toBeUndefined();
  });

  test('that deadlock with a reader are undone, and tried again', async () => {
    const own = await openDatabase();
    const other = await mkdtemp(join(tmpdir(), 'deadlock-'));
    try {
      await cp(ours, other, { recursive: true });
      const both = 'alter table asset add column a text; alter table team add column b text';
      await writeFile(join(other, `${more}.sql`), both);
      const reader = new pg.Client(own.url);
      await reader.connect();
      // The reader must not be the one that Postgres ends.
      await reader.query("set deadlock_timeout = '20s'");
      await reader.query('begin');
      await reader.query('select from team');
      const migrating = migrate(own.url, { folder: other });
      const isWaiting = 'select 1 from pg_locks where not granted and relation = $1::regclass';
      await expect
        .poll(async () => (await reader.query(isWaiting, ['team'])).rowCount, { timeout: 60_000 })
        .toBe(1);
      await reader.query('select from asset');
      await reader.query('commit');
      await reader.end();
      expect((await migrating).applied).toEqual([more]);
    } finally {
      await own.drop();
      await rm(other, { recursive: true });
    }
  });

  test('that fail leave nothing behind', async () => {
    await writeFile(join(folder, `${bad}.sql`), 'create table half (id integer); select nothing');
    await expect(migrate(database.url, { folder })).rejects.toThrow(`Migration ${bad} failed`);
    expect(await database.query("select to_regclass('half') as half")).toEqual([{ half: null }]);
  });

  test('that are missing are named for a process that may not migrate', async () => {
    await writeFile(join(folder, `${bad}.sql`), '-- breaking: drops what old replicas read\n');
    await expect(checkMigrations(database.url, folder)).rejects.toThrow(
      `Migration ${bad} was not applied`,
    );
  });

  test('that are unknown and breaking stop the start', async () => {
    await migrate(database.url, { folder });
    await expect(migrate(database.url)).rejects.toThrow('Run a newer version');
  });

  test('whose text was changed after they were applied stop the start', async () => {
    await writeFile(join(folder, `${more}.sql`), 'create table other (id integer)');
    await expect(migrate(database.url, { folder })).rejects.toThrow(
      'was changed after it was applied',
    );
  });
});
