// The previous release: `test/fixtures/previous-release.tar.gz` is its code, and
// docs/decisions/two-versions.md says how it is replaced.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { databaseUrl } from '../support/postgres/postgres-setup.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

export async function openPrevious(name: string) {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-previous-'));
  await run('tar', ['-xzf', join(root, 'test/fixtures/previous-release.tar.gz'), '-C', folder]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    url: await createDatabase(name),
    anotherDatabase: createDatabase,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** It is empty, and the first process migrates it. */
async function createDatabase(of: string): Promise<string> {
  const name = `${of}_${process.pid}`;
  const server = new pg.Client(inject('postgresUrl'));
  await server.connect();
  await server.query(`create database ${name}`);
  await server.end();
  return databaseUrl(inject('postgresUrl'), name);
}
