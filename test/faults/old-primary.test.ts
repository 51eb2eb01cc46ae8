// Of several hosts, the one that accepts writes is used; one that was replaced is not written to,
// even if it still accepts writes and is the only one left.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { openClient } from '../support/client/client.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import { openServers, type Server, type Servers } from '../support/postgres/replication.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';
const waiting = { timeout: 60_000 };

let servers: Servers;
let first: Server;
let second: Server;
let registry: RunningServer;
let fresh: ProcessRegistry | null = null;

beforeAll(async () => {
  servers = await openServers(2);
  const [primary, standby] = servers.all;
  if (standby === undefined) throw new Error('There is no standby.');
  [first, second] = [primary, standby];
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', BOOTSTRAP_KEY: bootstrapKey, CHECK_ROWS: 'true' },
    DATABASE_URL: addressOf(second, first),
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  registry = await start(read.config, pino({ level: 'silent' }));
});
afterAll(async () => {
  await fresh?.kill();
  await registry?.stop();
  await servers?.stop();
});

function addressOf(...hosts: readonly Server[]): string {
  const list = hosts.map(({ url }) => new URL(url).host).join(',');
  return `postgres://postgres@${list}/postgres?sslmode=disable&target_session_attrs=read-write`;
}

async function createTeam(name: string, url = registry.url): Promise<number> {
  const { status } = await openClient(url, bootstrapKey).createTeam({ body: { name } });
  return status;
}

async function teamsOf(server: Server): Promise<readonly unknown[]> {
  return (await server.query('select name from team order by created_at')).map(({ name }) => name);
}

test('The standby is listed first, and the primary is written to', async () => {
  expect(await createTeam('before')).toBe(201);
  expect(await teamsOf(first)).toEqual(['before']);
  await expect.poll(() => teamsOf(second), waiting).toEqual(['before']);
});

test('After a promotion the new primary is written to, although the old one accepts writes', async () => {
  await second.promote();
  let sent = 0;
  const createAnother = async () => {
    await createTeam(`while it moves ${sent++}`);
    return (await teamsOf(second)).length;
  };
  await expect.poll(createAnother, waiting).toBeGreaterThan(1);
  const left = await teamsOf(first);
  expect(await createTeam('after')).toBe(201);
  expect(await teamsOf(first)).toEqual(left);
  expect((await teamsOf(second)).at(-1)).toBe('after');
});

test('A process that starts takes the newer of two primaries', async () => {
  fresh = await openProcess(addressOf(first, second));
  expect(await createTeam('by a fresh process', fresh.url)).toBe(201);
  expect((await teamsOf(second)).at(-1)).toBe('by a fresh process');
});

test('While the new primary is away nothing is written to the old one, and it goes on when it is back', async () => {
  const left = await teamsOf(first);
  await second.kill();
  for (const { url } of [registry, fresh ?? registry]) {
    expect(await createTeam('lost', url)).toBe(503);
  }
  expect(await teamsOf(first)).toEqual(left);
  await second.start();
  await expect.poll(() => createTeam('when it is back'), waiting).toBe(201);
  expect((await teamsOf(second)).at(-1)).toBe('when it is back');
});
