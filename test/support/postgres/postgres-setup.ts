// One real Postgres per test run, with one migrated database that every test file clones. It is the
// embedded one; with TEST_POSTGRES=system the installed one, and with TEST_POSTGRES=16 or 17 that
// published version.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findPostgres } from '../../../scripts/find-postgres.ts';
import { postgresPackage, postgresVersions } from '../../../scripts/tools/postgres-package.ts';
import { startEmbeddedPostgres } from '../../../src/store/postgres/embedded.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { openFolder } from '../open-folder.ts';
import { npmPackage } from '../tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export const templateName = 'concordat_template';
/** The role of every server that a test starts: it serves, and owns nothing. */
export const serviceRole = { name: 'concordat_service', password: 'service' };

/** Test data is not worth waiting for the disk. */
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
    ...chosenPrograms(process.env.TEST_POSTGRES),
  });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${templateName}`);
  await client.query(`CREATE ROLE ${serviceRole.name} LOGIN PASSWORD '${serviceRole.password}'`);
  await client.end();
  await migrate(databaseUrl(server.url, templateName), {
    serviceRole: serviceRole.name,
    mayArchive: true,
  });
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

function chosenPrograms(choice: string | undefined): { readonly programs?: string } {
  if (choice === undefined) return {};
  if (choice === 'system') return { programs: findPostgres().folder };
  const version = postgresVersions[choice];
  if (version === undefined) {
    throw new Error(`TEST_POSTGRES is ${choice}; it can be system, 16, or 17.`);
  }
  return { programs: join(npmPackage(postgresPackage, version), 'native') };
}

/** The same database for the role that serves. */
export function asService(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = serviceRole.name;
  url.password = serviceRole.password;
  return url.href;
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
