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
  /** One statement on a connection of its own, past the product: to look, or to break things. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

export async function openDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnce(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${templateName}`);
  const url = databaseUrl(serverUrl, name);
  return {
    url,
    serviceUrl: asService(url),
    query: (sql, values) => runOnce(url, sql, values),
    drop: async () => {
      await runOnce(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function runOnce(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
