// A synchronous standby is promoted again and again under writers: no acknowledged write is lost,
// the service is back soon, and an old primary that comes back is not written to.

import { cp, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openClient } from '../support/client/client.ts';
import {
  bootstrapKey,
  openProcess,
  type ProcessRegistry,
} from '../support/client/client-registry.ts';
import { must } from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { openPgBouncer, type PgBouncer } from '../support/postgres/pgbouncer.ts';
import { openServers, type Server, type Servers } from '../support/postgres/replication.ts';
import { problemsOf } from './ledger.ts';
import { openChance, openStory, readEnd, runClients } from './recorded-clients.ts';

const failovers = Number(process.env.FAILOVERS ?? 10);
const chance = openChance(Number(process.env.FAULT_SEED ?? 5));
const writers = 20;
const backWithinMs = 10_000;
const waiting = { timeout: 60_000, interval: 50 };

let servers: Servers;
let bouncers: PgBouncer[];
let folder: string;
let running: ProcessRegistry[];

beforeAll(async () => {
  servers = await openServers(2);
  const [first] = servers.all;
  await migrate(first.url);
  folder = await openFolder('concordat-contracts-');
  await cp(resolve(import.meta.dirname, '../../examples/contracts'), folder, { recursive: true });
  bouncers = [];
  const urls = servers.all.map(({ url }) => withPassword(url));
  for (const url of urls) bouncers.push(await openPgBouncer([url], 5));
  const settings = {
    CONTRACTS_DIR: folder,
    AUDIT_KEY: 'an audit key of the tests, long enough',
    // Whichever is the standby at the moment.
    DATABASE_READ_URLS: urls.join(','),
  };
  const direct = addressOfAll(urls);
  const pooled = addressOfAll(urls.map((url, index) => bouncers[index]?.through(url) ?? ''));
  running = [
    await openProcess(direct, settings),
    await openProcess(pooled, { ...settings, LISTEN_DATABASE_URL: direct }),
  ];
});
afterAll(async () => {
  for (const each of running ?? []) await each.kill();
  for (const each of bouncers ?? []) await each.stop();
  await servers?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** PgBouncer asks its clients for one. */
function withPassword(url: string): string {
  const named = new URL(url);
  named.password = 'secret';
  return named.href;
}

/** As libpq writes several hosts. */
function addressOfAll(urls: readonly string[]): string {
  const hosts = urls.map((url) => new URL(url).host).join(',');
  return `postgres://postgres:secret@${hosts}/postgres?sslmode=disable&target_session_attrs=read-write`;
}

async function setSynchronous(server: Server, standbys: '*' | ''): Promise<void> {
  await server.query(`alter system set synchronous_standby_names = '${standbys}'`);
  await server.query('select pg_reload_conf()');
}

async function waitUntilSynchronous(primary: Server): Promise<void> {
  await setSynchronous(primary, '*');
  await vi.waitUntil(async () => {
    const rows = await primary.query(`select from pg_stat_replication where sync_state = 'sync'`);
    return rows.length === 1;
  }, waiting);
}

const leases = (server: Server) =>
  server.query('select fence::integer, renewed_at from controller_lease order by identity');

test(
  `No acknowledged write is lost in ${failovers} failovers under ${writers} writers`,
  async () => {
    const [first, second] = servers.all;
    if (second === undefined) throw new Error('There is no standby.');
    const url = running[0]?.url ?? '';
    await waitUntilSynchronous(first);
    const story = await openStory(url, bootstrapKey, 8);
    let isOver = false;
    const clients = runClients({
      ...{ replicas: running, story, clients: writers, acts: 100_000, chance },
      isOver: () => isOver,
    });
    const tookMs: number[] = [];
    const fences: number[] = [];
    let [old, next]: [Server, Server] = [first, second];
    for (let failover = 0; failover < failovers; failover++) {
      await waitUntilSynchronous(old);
      await clients.reached(clients.entries.length + Math.ceil(40 * chance()));
      // It fails at once, or goes silent and comes back later, as after a cut of the network.
      const comesBack = failover % 2 === 1;
      if (comesBack) {
        old.proxy.stall();
      } else {
        await old.kill();
      }
      await next.promote();
      const promotedAt = performance.now();
      await setSynchronous(next, '');
      for (const each of running) {
        const admin = openClient(each.url, bootstrapKey);
        await vi.waitUntil(async () => {
          const name = `Team ${failover} ${Math.random()}`;
          const made = await admin.createTeam({ body: { name } }).catch(() => null);
          return made?.status === 201;
        }, waiting);
      }
      tookMs.push(performance.now() - promotedAt);
      if (comesBack) {
        // It would acknowledge whatever reached it.
        await setSynchronous(old, '');
        old.proxy.heal();
        await clients.reached(clients.entries.length + 60);
      }
      fences.push(Number((await leases(next))[0]?.fence));
      await old.follow(next);
      [old, next] = [next, old];
    }
    isOver = true;
    await clients.done;

    const end = await readEnd(url, bootstrapKey, story);
    expect(end.contracts.length).toBeGreaterThan(failovers);
    expect(problemsOf(clients.entries, end)).toEqual([]);
    expect(Math.max(...tookMs)).toBeLessThan(backWithinMs);
    const admin = openClient(url, bootstrapKey);
    await expect
      .poll(async () => must(await admin.verifyAudit(), 200), { timeout: 60_000 })
      .toMatchObject({ intact: true, unsealed: { events: 0 } });
    const numbers = await old.query(`
      select (count(*) = count(distinct sequence) and count(*) = max(sequence)
        and count(*) = count(distinct event_id)) as "areWhole" from audit_seal`);
    expect(numbers).toEqual([{ areWhole: true }]);
    // The fence of the leader never goes back, and somebody leads.
    expect(fences).toEqual(fences.toSorted((a, b) => a - b));
    const [before] = await leases(old);
    await expect
      .poll(async () => (await leases(old))[0]?.renewed_at, { timeout: 60_000 })
      .not.toEqual(before?.renewed_at);
  },
  failovers * 120_000,
);
