// The server of `make run`: what the pages of the guide rely on.

import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { must } from '../support/client/client-world.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { startNewcomer } from './newcomer.ts';

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-demo-'));
  database = await openDatabase();
});

afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The key that a start keeps, after a request with it was accepted. */
async function keptKey(settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = await startNewcomer(folder, { DATABASE_URL: database.url, ...settings });
  try {
    const key = (await readFile(join(folder, '.concordat/bootstrap-key'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${server.url}/api/v1/teams`, { headers });
    expect(answer.status).toBe(200);
    return key;
  } finally {
    await server.stop();
  }
}

test('the bootstrap key is kept in a file that only its owner reads, and is the same at the next start', async () => {
  const first = await keptKey();
  expect(first).toMatch(/^bootstrap_[\w-]{24}$/);
  expect((await stat(join(folder, '.concordat/bootstrap-key'))).mode & 0o777).toBe(0o600);
  expect(await keptKey()).toBe(first);
  const chosen = 'a-key-that-somebody-chose';
  expect(await keptKey({ BOOTSTRAP_KEY: chosen })).toBe(chosen);
});

test('the table behind the demo data breaks its contract: the run names the rows, and an incident is open', async () => {
  const own = join(folder, 'own');
  await mkdir(own);
  const server = await startNewcomer(own, {});
  try {
    const key = (await readFile(join(own, '.concordat/bootstrap-key'), 'utf8')).trim();
    const client = createClient({ baseUrl: server.url, key });
    const query = { fqn: 'warehouse.sales.orders' };
    const [asset] = must(await client.listAssets({ query }), 200).results;
    const params = { asset_id: asset?.id ?? '' };
    const { results: runs } = must(await client.listQualityRuns({ params, query: {} }), 200);
    expect(runs).toMatchObject([{ status: 'failed', contract_version: '1.1.0' }]);
    expect(runs[0]?.guarantees.filter(({ status }) => status === 'failed')).toEqual([
      { name: '$.amount minimum', status: 'failed', rows: 1, message: 'must be at least 0' },
      expect.objectContaining({ name: '$.status enum', rows: 2 }),
    ]);
    expect(runs[0]?.metadata.samples).toMatchObject({
      '$.status enum': [
        { value: 'returned', row: { order_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      ],
    });
    const trends = must(await client.getQualityTrends({ params }), 200);
    expect(trends.incidents).toMatchObject([{ triggered_by: 'concordat check', runs: 1 }]);
  } finally {
    await server.stop();
  }
});
