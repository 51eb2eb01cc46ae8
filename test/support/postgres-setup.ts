// One real Postgres for a test run, with one migrated database that every test file clones. It is the
// embedded one, or with TEST_POSTGRES=system the one that is installed.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openFolder } from './open-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export const templateName = 'concordat_template';

/** What a test run may lose is not worth a disk's wait. */
const fasterThanSafe = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await openFolder('concordat-test-');
  const server = await startEmbeddedPostgres({
    dataFolder: join(folder, 'data'),
    settings: fasterThanSafe,
    ...(process.env.TEST_POSTGRES === 'system' && { programs: findPostgres().folder }),
  });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${templateName}`);
  await client.end();
  await migrate(databaseUrl(server.url, templateName));
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
