// Whatever is killed, cut or stalled while clients write: what was acknowledged is there, what was
// refused is not, each thing has one event, and the audit trail is whole.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/postgres/embedded.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openClient } from '../support/client/client.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import { must } from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres/postgres-proxy.ts';
import { problemsOf } from './ledger.ts';
import {
  openChance,
  openStory,
  type Recording,
  type Replica,
  readEnd,
  runClients,
  type Story,
} from './recorded-clients.ts';

/** More in `make soak`. */
const faults = Number(process.env.FAULTS ?? 7);
const chance = openChance(Number(process.env.FAULT_SEED ?? 7));
const bootstrapKey = 'bootstrap-key-of-the-tests';
const settings = { AUDIT_KEY: 'an audit key of the tests, long enough for it' };
const clientCount = 6;
/** Between two faults, of all clients together. */
const entriesBetween = 60;

let folder: string;
let postgres: EmbeddedPostgres;
let proxy: PostgresProxy;
let running: ProcessRegistry[];
let replicas: Replica[];

beforeAll(async () => {
  folder = await openFolder('concordat-faults-');
  postgres = await startEmbeddedPostgres({ dataFolder: join(folder, 'data') });
  await migrate(postgres.url);
  proxy = await startPostgresProxy(postgres.url);
  running = [
    await openProcess(postgres.url, settings),
    await openProcess(proxy.url, { ...settings, DATABASE_POOL_SIZE: '5' }),
  ];
  replicas = running.map(({ url }) => ({ url }));
});

afterAll(async () => {
  // What a process that was cut off says of it is no crash of its own.
  for (const each of running ?? []) await each.kill();
  await proxy?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function killReplica(index: number): Promise<void> {
  await running[index]?.kill();
  const reborn = await openProcess(index === 0 ? postgres.url : proxy.url, settings);
  const replica = replicas[index];
  if (replica === undefined) throw new Error('There is no such replica.');
  running[index] = reborn;
  replica.url = reborn.url;
}

/** Each as it is done to a machine: without a word before. */
const faultKinds: readonly ((clients: Recording) => Promise<void>)[] = [
  () => killReplica(0),
  async () => {
    const pid = await readFile(join(postgres.dataFolder, 'postmaster.pid'), 'utf8');
    process.kill(Number.parseInt(pid, 10), 'SIGKILL');
  },
  () => killReplica(1),
  async () => proxy.cut(),
  async (clients) => {
    // Those that were cut have others in their place by then: all of them stop answering.
    await clients.reached(clients.entries.length + 20);
    proxy.abandon();
  },
  async (clients) => {
    // A publish is a few answers of Postgres: half a second and more for each.
    proxy.slow(100);
    await clients.reached(clients.entries.length + 20);
    proxy.heal();
  },
  async () => {
    proxy.stall();
    // Long enough for what waits to pile up, short enough for nobody to give up.
    await new Promise((done) => setTimeout(done, 500));
    proxy.heal();
  },
];

test(
  'No acknowledged write is lost, whatever is killed',
  async () => {
    const [first] = replicas;
    const story = await openStory(first?.url ?? '', bootstrapKey, 4);
    const clients = runClients({
      replicas,
      story,
      clients: clientCount,
      acts: Math.ceil(((faults + 1) * entriesBetween * 1.3) / clientCount),
      chance,
    });
    for (let fault = 0; fault < faults; fault++) {
      const moment = fault * entriesBetween + Math.ceil(chance() * entriesBetween);
      await clients.reached(moment);
      await faultKinds[fault % faultKinds.length]?.(clients);
    }
    await clients.done;

    await expectNothingLost(replicas[0]?.url ?? '', story, clients.entries);
  },
  faults * 120_000,
);

test(
  'No acknowledged write is lost with an embedded Postgres, if it or the registry is killed',
  async () => {
    const data = join(folder, 'embedded');
    // An empty variable counts as absent: Postgres is started in the folder.
    const open = () => openProcess('', { ...settings, DATA_DIR: data, MIGRATE: 'true' });
    const killPostgres = async () => {
      const pid = await readFile(join(data, 'postgres', 'postmaster.pid'), 'utf8');
      process.kill(Number.parseInt(pid, 10), 'SIGKILL');
    };
    let own = await open();
    const replica: Replica = { url: own.url };
    const story = await openStory(own.url, bootstrapKey, 4);
    const count = Math.ceil(faults / 3);
    const clients = runClients({
      replicas: [replica],
      story,
      clients: clientCount,
      acts: Math.ceil(((count + 1) * entriesBetween * 1.3) / clientCount),
      chance,
    });
    for (let fault = 0; fault < count; fault++) {
      await clients.reached(fault * entriesBetween + Math.ceil(chance() * entriesBetween));
      if (fault % 2 === 0) await killPostgres();
      else {
        await own.kill();
        own = await open();
        replica.url = own.url;
      }
    }
    await clients.done;
    await expectNothingLost(own.url, story, clients.entries);
    await own.stop();
  },
  faults * 120_000,
);

async function expectNothingLost(
  url: string,
  story: Story,
  entries: Recording['entries'],
): Promise<void> {
  const end = await readEnd(url, bootstrapKey, story);
  expect(end.contracts.length).toBeGreaterThan(3);
  expect(problemsOf(entries, end)).toEqual([]);
  const admin = openClient(url, bootstrapKey);
  await expect
    .poll(async () => must(await admin.verifyAudit(), 200), { timeout: 60_000 })
    .toMatchObject({ intact: true, unsealed: { events: 0 } });
}
