// Reads from streaming replicas: callers see their own writes through any process, time does not go
// back, and a replica that cannot be used is left out.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import type { Route } from '../../src/wire/route.ts';
import { routes } from '../../src/wire/routes.ts';
import { openClient } from '../support/client/client.ts';
import { must } from '../support/client/client-world.ts';
import { readMetrics } from '../support/metrics.ts';
import { openServers, type Server, type Servers } from '../support/postgres/replication.ts';
import { replaceFile } from '../support/replace-file.ts';
import { problemsOf } from './ledger.ts';
import { openChance, openStory, readEnd, runClients, type Story } from './recorded-clients.ts';

/** More in `make verify`. */
const acts = Number(process.env.REPLICA_ACTS ?? 25);
const chance = openChance(Number(process.env.HISTORY_SEED ?? 3));
const bootstrapKey = 'bootstrap-key-of-the-tests';
const waiting = { timeout: 60_000 };

let folder: string;
/** The URLs of the replicas, for the first process. */
let urlsFile: string;
let servers: Servers;
let replicas: readonly Server[];
let registries: RunningServer[];
let story: Story;

beforeAll(async () => {
  servers = await openServers(3);
  const [primary, ...others] = servers.all;
  replicas = others;
  registries = [];
  folder = await mkdtemp(join(tmpdir(), 'concordat-replicas-'));
  urlsFile = join(folder, 'uris');
  const urls = replicas.map(({ url }) => url).join(',');
  await replaceFile(urlsFile, urls);
  for (let started = 0; started < 2; started++) {
    const read = readConfig({
      ...{ PORT: '0', HOST: '127.0.0.1', BOOTSTRAP_KEY: bootstrapKey, CHECK_ROWS: 'true' },
      ...{ RATE_LIMIT_READ: '1000000', RATE_LIMIT_WRITE: '1000000', DATABASE_POOL_SIZE: '5' },
      DATABASE_URL: primary.url,
      ...(started === 0 ? { DATABASE_READ_URLS_FILE: urlsFile } : { DATABASE_READ_URLS: urls }),
      DATABASE_READ_LAG_SECONDS: '1',
    });
    if (!read.ok) throw new Error(read.problems.join('\n'));
    registries.push(await start(read.config, pino({ level: 'silent' })));
  }
  story = await openStory(firstUrl(), bootstrapKey, 4);
});
afterAll(async () => {
  for (const each of registries ?? []) await each.stop();
  await servers?.stop();
  await rm(folder, { recursive: true, force: true });
});

function firstUrl(): string {
  return registries[0]?.url ?? '';
}

async function figure(series: string): Promise<number> {
  return (await readMetrics(firstUrl())).value(`concordat_database_replica_${series}`);
}

function used(number: number) {
  return expect.poll(() => figure(`used{replica="${number}"}`), waiting);
}

/** How many requests a replica answered meanwhile. */
async function answeredMeanwhile(act: () => Promise<unknown>): Promise<number> {
  const series = 'reads_total{outcome="replica"}';
  const before = (await figure(series)) || 0;
  await act();
  return ((await figure(series)) || 0) - before;
}

const readAll = async () =>
  must(await openClient(firstUrl(), bootstrapKey).listAssets({ query: {} }), 200);

test('Each caller sees its own writes, in one order, while one of two replicas stops replaying now and then', async () => {
  await used(1).toBe(1);
  await used(2).toBe(1);
  const clients = runClients({ replicas: registries, story, clients: 6, acts, chance });
  let isDone = false;
  const pausing = (async () => {
    for (let turn = 0; !isDone; turn++) {
      const replica = replicas[turn % 2];
      await replica?.query('select pg_wal_replay_pause()');
      await Promise.race([clients.reached(clients.entries.length + 15), clients.done]);
      await replica?.query('select pg_wal_replay_resume()');
      await Promise.race([clients.reached(clients.entries.length + 5), clients.done]);
    }
  })();
  const answered = await answeredMeanwhile(() => clients.done);
  isDone = true;
  await pausing;
  const end = await readEnd(registries[1]?.url ?? '', bootstrapKey, story);
  expect(end.contracts.length).toBeGreaterThan(3);
  expect(problemsOf(clients.entries, end)).toEqual([]);
  expect(answered).toBeGreaterThan(0);
});

test('The role of the replicas is changed in DATABASE_READ_URLS_FILE without a restart', async () => {
  await used(1).toBe(1);
  const [primary] = servers.all;
  await primary.query(`create role rotated login superuser`);
  const rotated = replicas.map(({ url }) => {
    const address = new URL(url);
    address.username = 'rotated';
    return address.href;
  });
  await replaceFile(urlsFile, rotated.join(',\n'));
  const connected = (replica: Server | undefined) =>
    replica?.query(`select from pg_stat_activity where usename = 'rotated'`);
  for (const replica of replicas) {
    await expect.poll(() => connected(replica), waiting).not.toEqual([]);
  }
  await expect.poll(() => answeredMeanwhile(readAll), waiting).toBe(1);
  expect(await figure('used{replica="2"}')).toBe(1);
});

test('A file that leads to another database, is empty, or is gone for a while changes no answer', async () => {
  await used(1).toBe(1);
  const [primary] = servers.all;
  await primary.query('create database foreign_one');
  const foreign = replicas.map(({ url }) =>
    Object.assign(new URL(url), { pathname: '/foreign_one' }),
  );
  const known = await readAll();
  await replaceFile(urlsFile, foreign.map(({ href }) => href).join(','));
  await used(1).toBe(0);
  await used(2).toBe(0);
  expect(await readAll()).toEqual(known);
  for (const text of ['', replicas[0]?.url.slice(0, 30) ?? '', ',,', '\0']) {
    await replaceFile(urlsFile, text);
    expect(await readAll()).toEqual(known);
  }
  await rm(urlsFile);
  expect(await readAll()).toEqual(known);
  await replaceFile(urlsFile, replicas.map(({ url }) => url).join(','));
  await used(1).toBe(1);
  await used(2).toBe(1);
  expect(await readAll()).toEqual(known);
});

test('A replica that lags past the limit is left out, and read from again once it has caught up', async () => {
  await used(1).toBe(1);
  await replicas[0]?.query('select pg_wal_replay_pause()');
  const write = () => openStory(firstUrl(), bootstrapKey, 1);
  await write();
  await used(1).toBe(0);
  expect(await figure('lag_seconds{replica="1"}')).toBeGreaterThan(1);
  expect(await figure('lag_bytes{replica="1"}')).toBeGreaterThan(0);
  await replicas[0]?.query('select pg_wal_replay_resume()');
  await used(1).toBe(1);
});

test('Reads go on while a replica is silent or killed, and use it again when it is back', async () => {
  const [first] = replicas;
  await used(1).toBe(1);
  first?.proxy.stall();
  const asked = Promise.all(Array.from({ length: 4 }, readAll));
  await used(1).toBe(0);
  expect((await asked).length).toBe(4);
  first?.proxy.heal();
  await used(1).toBe(1);

  await first?.kill();
  await Promise.all(Array.from({ length: 4 }, readAll));
  await used(1).toBe(0);
  await first?.start();
  await used(1).toBe(1);
  await expect.poll(() => answeredMeanwhile(readAll), waiting).toBe(1);
});

test('A replica answers each list as the primary does, totals too', async () => {
  await used(1).toBe(1);
  const [event] = await servers.all[0].query('select count(*)::integer as total from audit_event');
  const client = openClient(firstUrl(), bootstrapKey);
  const failed = 'reads_total{outcome="failed"}';
  const failedBefore = await figure(failed);
  const answerAll = async () => {
    const events = must(await client.listEvents({ query: { limit: 1 } }), 200);
    expect(events.total).toBe(event?.total);
    const params = { asset_id: story.assetIds[1] ?? '' };
    must(await client.getLineage({ params }), 200);
    must(await client.getTeamGraph({ query: {} }), 200);
    must(await client.getQualityTrends({ params }), 200);
    must(await client.listProposals({ query: {} }), 200);
  };
  await expect.poll(() => answeredMeanwhile(answerAll), waiting).toBe(5);
  expect(await figure(failed)).toBe(failedBefore);
});

test('Only what reads and decides nothing is answered by a replica', () => {
  const rows = Object.entries<Route>(routes).filter(([, row]) => row.fromReplica === true);
  const refused = rows.filter(([, row]) => row.method !== 'GET' || row.tagged || row.resumes);
  expect(refused).toEqual([]);
  const names = new Set(rows.map(([name]) => name));
  for (const name of ['listApiKeys', 'listUsers', 'getIdentity', 'verifyAudit', 'exportEvents']) {
    expect(names.has(name)).toBe(false);
  }
});

test('Without any replica the primary answers, and a promoted one is no replica any more', async () => {
  await replicas[1]?.promote();
  await used(2).toBe(0);
  await replicas[0]?.kill();
  await used(1).toBe(0);
  expect(await answeredMeanwhile(readAll)).toBe(0);
  expect((await readAll()).results.length).toBeGreaterThan(3);
});
