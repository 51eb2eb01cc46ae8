// A Postgres that is available but cannot do its work: no free connections, read-only, no disk
// space. Under writes, each is reported with 503 and a sentence, recovers by itself, and loses
// nothing that was acknowledged.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/postgres/embedded.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openClient } from '../support/client/client.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import { must, type Party } from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { problemsOf } from './ledger.ts';
import { openChance, openStory, readEnd, runClients } from './recorded-clients.ts';
import { fillDisk, mountSmallDisk } from './small-disk.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';
const settings = { AUDIT_KEY: 'an audit key of the tests, long enough for it' };

interface Broken {
  readonly postgres: EmbeddedPostgres;
  readonly registry: ProcessRegistry;
}

async function openBroken(dataFolder: string, more: Record<string, string>): Promise<Broken> {
  const postgres = await startEmbeddedPostgres({ dataFolder, settings: more });
  await migrate(postgres.url);
  return { postgres, registry: await openProcess(postgres.url, settings) };
}

async function close(broken: Broken | undefined): Promise<void> {
  // What a process without its database says of it is no crash of its own.
  await broken?.registry.kill();
  await broken?.postgres.stop();
}

interface Fault {
  readonly begin: () => Promise<void>;
  /** While it lasts. */
  readonly look: (party: Party) => Promise<void>;
  readonly end: () => Promise<void>;
}

/**
 * Clients write before, during and after the fault; their responses are compared with the final
 * state.
 */
async function underWrites({ registry }: Broken, fault: Fault): Promise<void> {
  const story = await openStory(registry.url, bootstrapKey, 3);
  const clients = runClients({
    replicas: [{ url: registry.url }],
    story,
    clients: 4,
    acts: 30,
    chance: openChance(5),
  });
  await clients.reached(20);
  await fault.begin();
  try {
    await fault.look(story.producer);
  } finally {
    await fault.end();
  }
  await clients.done;
  const end = await readEnd(registry.url, bootstrapKey, story);
  expect(end.contracts.length).toBeGreaterThan(5);
  expect(problemsOf(clients.entries, end)).toEqual([]);
  const admin = openClient(registry.url, bootstrapKey);
  await expect
    .poll(async () => must(await admin.verifyAudit(), 200), { timeout: 60_000 })
    .toMatchObject({ intact: true, unsealed: { events: 0 } });
}

/** Until the fault shows; every response before is a success or a 503 with the reason. */
async function untilRefused(ask: () => Promise<Asked>, why: RegExp): Promise<void> {
  await expect
    .poll(
      async () => {
        const answer = await ask();
        if (answer.ok) return null;
        expect(answer).toMatchObject({ status: 503, refusal: { code: 'REGISTRY_UNAVAILABLE' } });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        return why.test(answer.refusal.message) ? 'refused' : answer.refusal.message;
      },
      { timeout: 60_000, interval: 50 },
    )
    .toBe('refused');
}

type Asked =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false;
      readonly status: number;
      readonly headers: Headers;
      readonly refusal: { readonly code: string; readonly message: string };
    };

const createOne = async (party: Party): Promise<Asked> => {
  names++;
  const fqn = `faults.table_${names}`;
  return await party.client.createAsset({ body: { fqn, owner_team_id: party.teamId } });
};
let names = 0;

describe('A Postgres', () => {
  let folder: string;
  let broken: Broken;

  beforeAll(async () => {
    folder = await openFolder('concordat-limits-');
    broken = await openBroken(join(folder, 'data'), { max_connections: '30' });
  });
  afterAll(async () => {
    await close(broken);
    await rm(folder, { recursive: true, force: true });
  });

  test('without free connections: 503 with a message, and it recovers by itself', async () => {
    const strangers: pg.Client[] = [];
    const takeAll = async () => {
      for (;;) {
        const stranger = new pg.Client(broken.postgres.url);
        stranger.on('error', () => {});
        try {
          await stranger.connect();
        } catch {
          return;
        }
        strangers.push(stranger);
      }
    };
    await underWrites(broken, {
      begin: takeAll,
      look: async (party) => {
        await untilRefused(async () => {
          // Those that the registry has are ended, and what that frees is taken.
          await strangers[0]?.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where backend_type = 'client backend' and not pid = any($1)`,
            [await pidsOf(strangers)],
          );
          await takeAll();
          return await createOne(party);
        }, /no free connections/);
        const live = await fetch(`${broken.registry.url}/health/live`);
        expect(live.status).toBe(200);
      },
      end: async () => {
        for (const stranger of strangers) await stranger.end();
      },
    });
  });

  test('that is read-only: writes are 503 with a message, reads work', async () => {
    const operator = new pg.Client(broken.postgres.url);
    await operator.connect();
    const takeWrites = async (isTaken: boolean) => {
      const state = isTaken ? 'off' : 'on';
      await operator.query('set default_transaction_read_only = off');
      await operator.query(`alter system set default_transaction_read_only = ${state}`);
      await operator.query('select pg_reload_conf()');
    };
    await underWrites(broken, {
      begin: () => takeWrites(false),
      look: async (party) => {
        await untilRefused(() => createOne(party), /is read-only/);
        must(await party.client.listAssets(), 200);
        expect((await fetch(`${broken.registry.url}/health/ready`)).status).toBe(200);
      },
      end: () => takeWrites(true),
    });
    await operator.end();
  });
});

describe('A disk', () => {
  test('that is full: 503 with a message or no answer for a while, and it recovers once there is room', async ({
    skip,
  }) => {
    const folder = await openFolder('concordat-disk-');
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const why = mountSmallDisk(disk);
    if (why !== null) return skip(why);
    await chmod(disk, 0o755);
    const filler = join(disk, 'filler');
    let broken: Broken | undefined;
    try {
      broken = await openBroken(join(disk, 'data'), {});
      await underWrites(broken, {
        begin: () => fillDisk(filler),
        look: async (party) => {
          const seen = new Set<string>();
          await expect
            .poll(
              async () => {
                // What was given back meanwhile is taken too.
                await fillDisk(filler);
                const answer = await createOne(party);
                if (!answer.ok) {
                  expect(answer).toMatchObject({ status: 503 });
                  seen.add(answer.refusal.message);
                }
                return [...seen].some((message) => /disk|cannot reach/.test(message));
              },
              { timeout: 120_000, interval: 50 },
            )
            .toBe(true);
          expect((await fetch(`${broken?.registry.url}/health/live`)).status).toBe(200);
        },
        end: () => rm(filler),
      });
    } finally {
      await close(broken);
      spawnSync('umount', [disk]);
      expect(existsSync(filler)).toBe(false);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function pidsOf(clients: readonly pg.Client[]): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const client of clients) {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    pids.push(Number(rows[0]?.pid));
  }
  return pids;
}
