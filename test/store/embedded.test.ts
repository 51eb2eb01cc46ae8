// The embedded Postgres: crashes and stops lose no data.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/postgres/embedded.ts';
import { openFolder } from '../support/open-folder.ts';

let folder: string;
let postgres: EmbeddedPostgres;
const crashes: string[] = [];

beforeAll(async () => {
  folder = await openFolder('concordat-embedded-');
  postgres = await startEmbeddedPostgres({
    dataFolder: join(folder, 'data'),
    onCrash: (log) => crashes.push(log),
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(postgres.url);
  // A cut connection reports twice: through the query and through an event.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function serverPid(): Promise<number> {
  const file = await readFile(join(postgres.dataFolder, 'postmaster.pid'), 'utf8');
  return Number.parseInt(file, 10);
}

test('A killed server is restarted, with everything that was committed', async () => {
  await ask('create table kept as select 1 as value');
  const killed = await serverPid();
  process.kill(killed, 'SIGKILL');
  await expect
    .poll(() => ask('select value from kept').catch(String), { timeout: 30_000 })
    .toEqual([{ value: 1 }]);
  expect(await serverPid()).not.toBe(killed);
  expect(crashes).toHaveLength(1);
});

test('Stopping the server is not a crash: it stays stopped, and its folder is free', async () => {
  const pid = await serverPid();
  await postgres.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(crashes).toHaveLength(1);
});
