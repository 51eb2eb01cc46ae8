// A manual backup with the lines of the guide, on the oldest supported Postgres: dumped while the
// registry is written to, restored, compared with its audit trail, and used.

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/postgres/embedded.ts';
import { scriptOf } from '../docs/blocks.ts';
import { programs, runShell } from '../docs/newcomer.ts';
import { openClient } from '../support/client/client.ts';
import {
  createAsset,
  must,
  openWorld,
  publishOk,
  type World,
} from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { databaseUrl } from '../support/postgres/postgres-setup.ts';

const page = 'docs/guide/how-to-back-up.md';
const ofThePage = 'postgres://concordat:concordat@localhost:5432';
const key = 'bootstrap-key-of-the-tests';
const auditKey = 'the audit key of the tests, long enough';
const debian = findPostgres();

let folder: string;
let server: EmbeddedPostgres;
let registry: Registry;
let world: World;

beforeAll(async () => {
  folder = await openFolder('concordat-backup-');
  await mkdir(join(folder, 'work'));
  server = await startEmbeddedPostgres({
    dataFolder: join(folder, 'data'),
    programs: debian.folder,
  });
  await statement('create database contracts');
  registry = await serve('contracts');
  world = await openWorld(registry.url, key);
});

afterAll(async () => {
  await registry?.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Registry extends RunningServer {
  /** Every head in its log. */
  readonly heads: readonly string[];
}

async function serve(database: string, settings: Readonly<Record<string, string>> = {}) {
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', DATABASE_URL: databaseUrl(server.url, database) },
    ...{ BOOTSTRAP_KEY: key, AUDIT_KEY: auditKey, RATE_LIMIT_WRITE: '1000000' },
    ...settings,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const heads: string[] = [];
  const write = (line: string) => {
    const { msg, head } = JSON.parse(line);
    if (msg === 'sealed the audit') heads.push(head);
  };
  return { ...(await start(read.config, pino({ level: 'info' }, { write }))), heads };
}

async function statement(sql: string, database = 'postgres') {
  const client = new pg.Client(databaseUrl(server.url, database));
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The blocks of the page with this mark, as they stand. */
function run(mark: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const environment = {
    ...process.env,
    PATH: `${programs}:${join(debian.folder, 'bin')}:${process.env.PATH}`,
    BASE_URL: undefined,
    ...more,
  };
  const script = scriptOf(page, `run: ${mark}`)
    .replaceAll('http://localhost:8081', registry.url)
    .replaceAll('a-key-for-this-check', key)
    .replaceAll(`${ofThePage}/concordat`, databaseUrl(server.url, 'contracts'))
    .replaceAll(`${ofThePage}/postgres`, server.url)
    .replaceAll(`${ofThePage}/restored`, databaseUrl(server.url, 'restored'));
  expect(script).not.toBe('');
  return runShell(script, join(folder, 'work'), environment);
}

/**
 * Publishes until it is stopped, and keeps the contracts that were acknowledged. Not as fast as it can:
 * a head is logged once a minute, and that long it would keep both processors busy.
 */
function startPublishing(assetId: string) {
  const published: string[] = [];
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      const body = { schema: schemaOf(published.length) };
      published.push(await publishOk(world.producer.client, assetId, body));
      await delay(100);
    }
  })();
  // Told by stop, which awaits it.
  done.catch(() => {});
  return {
    published,
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

/** Each schema allows one more value than the previous one, so nobody has to be asked. */
const schemaOf = (step: number) => ({
  type: 'object',
  properties: { status: { enum: Array.from({ length: step + 1 }, (_, index) => `word ${index}`) } },
});

const until = (claim: () => boolean) => expect.poll(claim, { timeout: 600_000 }).toBe(true);

/** The content of every table, without what differs in each dump. */
async function tablesOf(database: string): Promise<string> {
  const dump = `pg_dump --schema-only --no-owner "${databaseUrl(server.url, database)}"`;
  const text = await runShell(`"${join(debian.folder, 'bin')}"/${dump}`, folder, process.env);
  return text.replaceAll(/^\\(un)?restrict .*$/gm, '');
}

/** A version without its event, or an event without its version. */
const withoutTheOther = `
  select contract.id, audit_event.id from contract full join audit_event
    on audit_event.entity_id = contract.id and audit_event.event_type = 'contract.published'
  where contract.id is null
    and audit_event.event_type = 'contract.published' or audit_event.id is null`;

test('a dump of a registry under writes restores completely, and the registry continues', async () => {
  const asset = await createAsset(world.producer);
  const writer = startPublishing(asset.id);
  await until(() => writer.published.length > 5 && registry.heads.length > 1);
  const before = [...writer.published];
  const head = registry.heads.at(-1) ?? '';

  await run('backup');

  const after = writer.published.length;
  const logged = registry.heads.length;
  // A checkpoint is logged once a minute.
  await until(() => writer.published.length > after + 5 && registry.heads.length > logged);
  await writer.stop();
  await run('restore');
  expect(await tablesOf('restored')).toBe(await tablesOf('contracts'));
  const rows = await statement('select id from contract order by ordinal', 'restored');
  const restored = rows.map(({ id }) => id);
  // Everything acknowledged before the dump began is there; everything after its end is not.
  expect(restored.slice(0, before.length)).toEqual(before);
  expect(writer.published.slice(0, restored.length)).toEqual(restored);
  expect(restored.length).toBeLessThan(writer.published.length);
  expect(await statement(withoutTheOther, 'restored')).toEqual([]);

  const live = registry;
  const lastHead = live.heads.at(-1) ?? '';
  registry = await serve('restored');
  try {
    const params = { asset_id: asset.id };
    const client = openClient(registry.url, world.producer.key);
    const found = must(await client.getAsset({ params }), 200);
    expect(found.current_contract_id).toBe(restored.at(-1));

    // The trail is complete up to the given head; a later head is reported as missing.
    expect(await run('verify', { HEAD: head })).toMatch(/intact[\s\S]*the key confirms [1-9]/);
    const tooLate = await run('verify', { HEAD: lastHead }).catch((error: Error) => error.message);
    expect(tooLate).toContain('exit 1');
    await expect(statement('delete from audit_event', 'restored')).rejects.toThrow(/audit_event/);

    // From here on the two databases diverge.
    const sealed = registry.heads.length;
    const next = await publishOk(client, asset.id, { schema: schemaOf(restored.length) });
    await until(() => registry.heads.length > sealed);
    expect(await run('verify', { HEAD: registry.heads.at(-1) ?? '' })).toContain('intact');
    const there = must(await world.producer.client.getAsset({ params }), 200);
    expect(there.current_contract_id).toBe(writer.published.at(-1));
    expect(there.current_contract_id).not.toBe(next);
  } finally {
    await live.stop();
  }
});

test('restored without its audit key, no key verifies the trail', async () => {
  const head = registry.heads.at(-1) ?? '';
  await registry.stop();
  registry = await serve('restored', { AUDIT_KEY: 'another key than the one it was sealed with' });
  expect(await run('verify', { HEAD: head })).toContain('the key confirms 0');
});
