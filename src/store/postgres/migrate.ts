// Numbered SQL files, applied once, in order, by one process at a time. A checksum verifies that an
// applied file never changes. Migrations expand first and contract later, so that old replicas keep
// serving. One that is incompatible with old replicas has `-- breaking` in its first line.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { connect } from './connect.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  readonly isBreaking: boolean;
}

interface MigrationReport {
  readonly applied: readonly string[];
  readonly newest: string;
}

/**
 * An arbitrary number, used for nothing else: two processes that start together migrate one after
 * the other.
 */
const migrationLock = 4_827_113_650;

const defaultFolder = join(import.meta.dirname, '../migrations');

/** Brings the database up to date, or throws a MigrationError that says what to do. */
export async function migrate(url: string, folder = defaultFolder): Promise<MigrationReport> {
  const migrations = await loadMigrations(folder);
  return await withClient(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const applied = await readApplied(client);
    const problem = problemOf(migrations, applied);
    if (problem !== null) throw new MigrationError(problem);
    const missing = migrations.filter((migration) => !applied.has(migration.number));
    for (const migration of missing) await applyMigration(client, migration);
    await client.query('select make_audit_partitions()');
    return { applied: missing.map(({ name }) => name), newest: migrations.at(-1)?.name ?? '' };
  });
}

/** For a process that may not migrate: throws unless it can serve the database as it is. */
export async function checkMigrations(url: string, folder = defaultFolder): Promise<void> {
  const migrations = await loadMigrations(folder);
  await withClient(url, async (client) => {
    const applied = await readApplied(client);
    const problem = problemOfServing(migrations, applied);
    if (problem !== null) throw new MigrationError(problem);
  });
}

export class MigrationError extends Error {
  override name = 'MigrationError';
}

export async function loadMigrations(folder = defaultFolder): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = await Promise.all(names.map((name) => loadMigration(folder, name)));
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1) {
      throw new MigrationError(
        `Migration ${migration.name} should have number ${index + 1}. Migrations are numbered from 1 without gaps.`,
      );
    }
  });
  return migrations;
}

async function loadMigration(folder: string, fileName: string): Promise<Migration> {
  const sql = await readFile(join(folder, fileName), 'utf8');
  return {
    number: Number.parseInt(fileName, 10),
    name: fileName.replace(/\.sql$/, ''),
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
    isBreaking: /^-- breaking\b/.test(sql),
  };
}

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly isBreaking: boolean;
}

async function readApplied(client: Client): Promise<ReadonlyMap<number, AppliedMigration>> {
  await client.query(
    `create table if not exists schema_migration (
      number integer primary key,
      name text not null,
      checksum text not null,
      is_breaking boolean not null,
      applied_at timestamptz not null default now()
    )`,
  );
  const { rows } = await client.query<AppliedMigration & { number: number }>(
    'select number, name, checksum, is_breaking as "isBreaking" from schema_migration',
  );
  return new Map(rows.map((row) => [row.number, row]));
}

/** Explains why this version cannot serve a database with these migrations; null if it can. */
export function problemOfServing(
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, AppliedMigration>,
): string | null {
  const problem = problemOf(migrations, applied);
  if (problem !== null) return problem;
  const missing = migrations.find(({ number }) => !applied.has(number));
  return missing === undefined
    ? null
    : `Migration ${missing.name} was not applied. Run \`concordat migrate\`, or set MIGRATE=true.`;
}

/** Like `problemOfServing`, for a process that can apply missing migrations. */
function problemOf(
  migrations: readonly Migration[],
  applied: ReadonlyMap<number, AppliedMigration>,
): string | null {
  for (const [number, { name, checksum, isBreaking }] of applied) {
    const known = migrations.find((migration) => migration.number === number);
    if (known === undefined && isBreaking) {
      return `The database has migration ${name}, which this version does not know. Run a newer version.`;
    }
    if (known !== undefined && known.checksum !== checksum) {
      return `Migration ${name} was changed after it was applied. Restore the file, and add a new migration.`;
    }
  }
  return null;
}

async function applyMigration(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query(
      'insert into schema_migration (number, name, checksum, is_breaking) values ($1, $2, $3, $4)',
      [migration.number, migration.name, migration.checksum, migration.isBreaking],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${migration.name} failed and was undone: ${reason}`, {
      cause: error,
    });
  }
}

/** Ending the session releases the advisory lock, even after an exception. */
async function withClient<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
