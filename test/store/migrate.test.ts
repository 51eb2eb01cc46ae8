import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkMigrations, migrate } from '../../src/store/migrate.ts';
import { openDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let folder: string;
const ours = join(import.meta.dirname, '../../src/store/migrations');

beforeAll(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await copyFile(join(ours, '0001-spine.sql'), join(folder, '0001-spine.sql'));
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
    await writeFile(join(folder, '0002-more.sql'), 'create table more (id integer)');
    const reports = await Promise.all([
      migrate(database.url, folder),
      migrate(database.url, folder),
    ]);
    expect(reports.flatMap(({ applied }) => applied)).toEqual(['0002-more']);
  });

  test('that are unknown and not breaking are served all the same', async () => {
    await expect(checkMigrations(database.url)).resolves.toBeUndefined();
  });

  test('that fail leave nothing behind', async () => {
    await writeFile(join(folder, '0003-bad.sql'), 'create table half (id integer); select nothing');
    await expect(migrate(database.url, folder)).rejects.toThrow('Migration 0003-bad failed');
    expect(await database.query("select to_regclass('half') as half")).toEqual([{ half: null }]);
  });

  test('that are missing are named to a process that may not migrate', async () => {
    await writeFile(join(folder, '0003-bad.sql'), '-- breaking: drops what old replicas read\n');
    await expect(checkMigrations(database.url, folder)).rejects.toThrow('lacks migration 0003-bad');
  });

  test('that are unknown and breaking stop the start', async () => {
    await migrate(database.url, folder);
    await expect(migrate(database.url)).rejects.toThrow('Run a newer version');
  });

  test('whose text was changed after they were applied stop the start', async () => {
    await writeFile(join(folder, '0002-more.sql'), 'create table other (id integer)');
    await expect(migrate(database.url, folder)).rejects.toThrow('Applied migrations never change');
  });
});
