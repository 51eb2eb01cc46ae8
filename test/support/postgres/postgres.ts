// A database for each test file, cloned from the migrated template in a few milliseconds.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { asService, databaseUrl, templateName } from './postgres-setup.ts';

export interface TestDatabase {
  /** By the role that owns the tables. */
  readonly url: string;
  /** By the role that serves. */
  readonly serviceUrl: string;
  /** One statement past the product, to look or to break things. Connections are used again. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/** With the contents of another database, such as one from `copyDatabase`. */
export async function openDatabase(template = templateName): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnce(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = databaseUrl(serverUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 20, allowExitOnIdle: true });
  // A test may end every connection to the database.
  pool.on('error', () => {});
  return {
    url,
    serviceUrl: asService(url),
    query: async (sql, values = []) => (await pool.query(sql, values)).rows,
    drop: async () => {
      if (!pool.ending) await pool.end();
      await runOnce(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The name of a copy of the database as it is now. Its connections are cut. */
export async function copyDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<string> {
  const serverUrl = inject('postgresUrl');
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_${randomBytes(4).toString('hex')}`;
  await runOnce(serverUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await runOnce(
    serverUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  await runOnce(serverUrl, `CREATE DATABASE ${copy} TEMPLATE ${name}`);
  await runOnce(serverUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  return copy;
}

/** Puts a copy from `copyDatabase` in the place of the database. Its connections are cut. */
export async function restoreDatabase(
  { url }: Pick<TestDatabase, 'url'>,
  copy: string,
  whileAway: () => Promise<void>,
): Promise<void> {
  const serverUrl = inject('postgresUrl');
  const name = new URL(url).pathname.slice(1);
  await runOnce(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  await whileAway();
  await runOnce(serverUrl, `ALTER DATABASE ${copy} RENAME TO ${name}`);
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
