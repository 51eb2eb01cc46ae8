// Numbered SQL files, applied once, in order, by one process at a time. A checksum verifies that an
// applied file never changes. Migrations expand first and contract later, so that old replicas keep
// serving. One that is incompatible with old replicas has `-- breaking` in its first line.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { connect } from '../../ops/postgres/connect.ts';
import { grantService } from './roles.ts';

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

interface MigrateOptions {
  readonly folder?: string;
  /** Gets what it needs to serve, if it is another role than the one that migrates. */
  readonly serviceRole?: string | undefined;
  /** Whether that role may take months out of the audit trail. */
  readonly mayArchive?: boolean;
}

/** Brings the database up to date, or throws a MigrationError that says what to do. */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<MigrationReport> {
  const migrations = await loadMigrations(options.folder);
  return await withClient(url, async (client) => {
    const role = await otherRole(client, options.serviceRole);
    const applied: string[] = [];
    for (;;) {
      const migration = await againIfInTheWay(() =>
        inTurn(client, () => applyNext(client, migrations, role, options)),
      );
      if (migration === null) return { applied, newest: migrations.at(-1)?.name ?? '' };
      applied.push(migration.name);
    }
  });
}

/** For a process that may not migrate: throws unless it can serve the database as it is. */
export async function checkMigrations(url: string, folder = defaultFolder): Promise<void> {
  const migrations = await loadMigrations(folder);
  await withClient(url, async (client) => {
    const applied = (await isNew(client)) ? new Map() : await readApplied(client);
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

async function isNew(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(`select where to_regclass('schema_migration') is null`);
  return rowCount === 1;
}

const createTable = `
  create table schema_migration (
    number integer primary key,
    name text not null,
    checksum text not null,
    is_breaking boolean not null,
    applied_at timestamptz not null default now()
  )`;

async function readApplied(client: Client): Promise<ReadonlyMap<number, AppliedMigration>> {
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

/**
 * The role to grant to; null if it is the one that migrates. The start fails without it: a release
 * that serves by a role without rights would fail at each request.
 */
async function otherRole(client: Client, role: string | undefined): Promise<string | null> {
  if (role === undefined) return null;
  const { rows } = await client.query<{ isSame: boolean; exists: boolean }>(
    `select current_user = $1 as "isSame", exists (select from pg_roles where rolname = $1) as exists`,
    [role],
  );
  if (rows[0]?.isSame !== false) return null;
  if (rows[0].exists) return role;
  throw new MigrationError(
    `The role ${role} of DATABASE_URL does not exist. Create it with CREATE ROLE, and a password, or correct DATABASE_URL.`,
  );
}

/** Locked for one transaction, which a connection pooler keeps on one connection. */
async function inTurn<T>(client: Client, run: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    const result = await run();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Each attempt takes the time that Postgres waits before it looks for a deadlock. */
const maxAttempts = 20;
const deadlockDetected = '40P01';

/** Whoever reads meanwhile may be in the way of a migration, which is then undone. */
async function againIfInTheWay<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const cause = error instanceof MigrationError ? error.cause : null;
      const code = cause instanceof Error && 'code' in cause ? cause.code : null;
      if (code !== deadlockDetected || attempt === maxAttempts) throw error;
    }
  }
}

/** Null if there is nothing left to apply. */
async function applyNext(
  client: Client,
  migrations: readonly Migration[],
  serviceRole: string | null,
  { mayArchive = false }: MigrateOptions,
): Promise<Migration | null> {
  if (await isNew(client)) await client.query(createTable);
  const applied = await readApplied(client);
  const problem = problemOf(migrations, applied);
  if (problem !== null) throw new MigrationError(problem);
  const next = migrations.find(({ number }) => !applied.has(number)) ?? null;
  if (next === null) await client.query('select make_audit_partitions()');
  else await applyMigration(client, next);
  // With the migration, so that no replica finds tables that it may not read.
  if (serviceRole !== null) await grantService(client, serviceRole, { mayArchive });
  return next;
}

async function applyMigration(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${migration.name} failed and was undone: ${reason}`, {
      cause: error,
    });
  }
  await client.query(
    'insert into schema_migration (number, name, checksum, is_breaking) values ($1, $2, $3, $4)',
    [migration.number, migration.name, migration.checksum, migration.isBreaking],
  );
}

async function withClient<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
