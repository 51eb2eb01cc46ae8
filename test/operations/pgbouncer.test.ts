// Everything works through PgBouncer in transaction mode, where each transaction may have another
// connection; only notifications need a direct one.

import { cp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { readOneMoment } from '../../src/store/postgres/driver.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openPool, poolForReads } from '../../src/store/postgres/pool.ts';
import { isSignedBy, openReceiver, type Receiver } from '../notify/receiver.ts';
import { openClient } from '../support/client/client.ts';
import {
  createAsset,
  issueKey,
  must,
  openWorld,
  orderSchema,
  proposedAsset,
  publishOk,
  type World,
  widerSchema,
} from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { openPgBouncer, type PgBouncer } from '../support/postgres/pgbouncer.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';
/** Of two servers with ten connections each, and two for each import. */
const poolSize = 3;
const waiting = { timeout: 60_000 };
const secret = 'the-secret-of-both-sides';

let database: TestDatabase;
let bouncer: PgBouncer;
let receiver: Receiver;
let folder: string;
const servers: (RunningServer & { readonly lines: readonly string[] })[] = [];
let worlds: World[];

beforeAll(async () => {
  database = await openDatabase();
  bouncer = await openPgBouncer([database.serviceUrl, database.url], poolSize);
  receiver = await openReceiver();
  folder = await openFolder('concordat-contracts-');
  await cp(resolve(import.meta.dirname, '../../examples'), folder, { recursive: true });
  for (let started = 0; started < 2; started++) servers.push(await serve());
  worlds = [];
  for (const { url } of servers) worlds.push(await openWorld(url, bootstrapKey));
  const body = { url: receiver.url, secret };
  must(await firstWorld().admin.createWebhook({ body }), 201);
});
afterEach(({ task }) => {
  // An answer of 503 does not say why; the log does.
  if (task.result?.state === 'fail') console.error(servers.flatMap(({ lines }) => lines).join(''));
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await receiver?.stop();
  await bouncer?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function configOf(settings: Readonly<Record<string, string>> = {}) {
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', BOOTSTRAP_KEY: bootstrapKey, CHECK_ROWS: 'true' },
    ...{ RATE_LIMIT_WRITE: '1000000', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    ...{ CONTRACTS_DIR: join(folder, 'contracts'), TEAM_MAPPING_FILE: join(folder, 'teams.yaml') },
    DATABASE_URL: bouncer.through(database.serviceUrl),
    LISTEN_DATABASE_URL: database.serviceUrl,
    MIGRATE_DATABASE_URL: bouncer.through(database.url),
    ...settings,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

async function serve(settings: Readonly<Record<string, string>> = {}) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  return { ...(await start(configOf(settings), log)), lines };
}

function firstWorld(): World {
  const [world] = worlds;
  if (world === undefined) throw new Error('No server was started.');
  return world;
}

const openApi = (words: readonly string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Pooled', version: '1.0.0' },
  paths: Object.fromEntries(
    words.map((word) => [
      `/${word}`,
      {
        get: {
          responses: {
            200: {
              description: 'It.',
              content: { 'application/json': { schema: { type: 'object' } } },
            },
          },
        },
      },
    ]),
  ),
});

test('Both servers publish, propose, answer and import at once', async () => {
  const published = await Promise.all(
    worlds.flatMap((world) =>
      Array.from({ length: 10 }, async () => {
        const asset = await createAsset(world.producer);
        await publishOk(world.producer.client, asset.id, { schema: orderSchema });
        return publishOk(world.producer.client, asset.id, { schema: widerSchema });
      }),
    ),
  );
  expect(new Set(published).size).toBe(20);

  await Promise.all(
    worlds.map(async ({ producer, consumer, admin }, index) => {
      const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
      const params = { proposal_id: proposalId };
      must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
      const { contract } = must(await producer.client.publishProposal({ params }), 200);
      const asset = must(await admin.getAsset({ params: { asset_id: assetId } }), 200);
      expect(asset.current_contract_id).toBe(contract?.id);

      const words = Array.from({ length: 20 }, (_, at) => `word_${index}_${at}`);
      const body = { spec: openApi(words), owner_team_id: producer.teamId };
      expect(must(await producer.client.importOpenapi({ body }), 200).assets_created).toBe(20);
    }),
  );
  // Lists and searches, whose statements take lists of values.
  const query = { q: 'word_1_7', include_total: true };
  expect(must(await firstWorld().admin.listAssets({ query }), 200).total).toBe(1);
});

test('A delivery is sent once, and signed', async () => {
  const { producer, consumer } = firstWorld();
  const { assetId } = await proposedAsset(producer, [consumer]);
  const about = () => receiver.received.filter(({ body }) => body.asset.id === assetId);
  await expect.poll(() => about().length, waiting).toBe(1);
  const [sent] = about();
  expect(sent !== undefined && isSignedBy(secret, sent)).toBe(true);
});

test('A revoked key stops working on the other server as soon as it hears of it', async () => {
  const [here, there] = worlds;
  if (here === undefined || there === undefined) throw new Error('Two servers were started.');
  const key = await issueKey(here.admin, { team_id: here.producer.teamId, scopes: ['read'] });
  const client = openClient(there.url, key);
  must(await client.listTeams({ query: {} }), 200);
  const { results } = must(await here.admin.listApiKeys({ query: { page_size: 100 } }), 200);
  const issued = results.find(({ prefix }) => key.startsWith(prefix));
  must(await here.admin.revokeApiKey({ params: { api_key_id: issued?.id ?? '' } }), 204);
  await expect.poll(async () => (await client.listTeams({ query: {} })).status, waiting).toBe(401);
});

test('One of the servers leads the folder, and the trail is sealed by one at a time', async () => {
  const { admin } = firstWorld();
  await expect
    .poll(
      () => database.query('select count(distinct holder)::int as n from controller_lease'),
      waiting,
    )
    .toEqual([{ n: 1 }]);
  await expect
    .poll(
      () =>
        database.query(`select (select count(*) from audit_event) = (select count(*) from audit_seal)
          as "isSealed"`),
      waiting,
    )
    .toEqual([{ isSealed: true }]);
  expect(must(await admin.verifyAudit({ query: {} }), 200)).toMatchObject({ intact: true });
  // Nothing outlives a transaction: no lock is left to whoever gets the connection next.
  await expect
    .poll(
      () =>
        database.query(
          `select locks.objid from pg_locks locks join pg_stat_activity activity using (pid)
           where locktype = 'advisory' and state = 'idle'`,
        ),
      waiting,
    )
    .toEqual([]);
  for (const { lines } of servers) {
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  }
});

test('Every statement has the settings of a session, and the next client of the connection has none', async () => {
  const url = bouncer.through(database.serviceUrl);
  const pool = await openPool({
    ...{ url, maxConnections: 5, rowChecks: 'every', isPooled: true, readLockMs: 1_500 },
  });
  const ownSettings = {
    lock_timeout: '0',
    time_zone: 'UTC',
    jit: 'off',
    statement_timeout: '30s',
    idle_timeout: '30s',
    page_cost: '1.1',
  };
  const row = z.object({
    lock_timeout: z.string(),
    time_zone: z.string(),
    jit: z.string(),
    statement_timeout: z.string(),
    idle_timeout: z.string(),
    page_cost: z.string(),
  });
  const columns = sql.fragment`current_setting('lock_timeout') as lock_timeout,
    current_setting('TimeZone') as time_zone,
    current_setting('jit') as jit, current_setting('statement_timeout') as statement_timeout,
    current_setting('idle_in_transaction_session_timeout') as idle_timeout,
    current_setting('random_page_cost') as page_cost`;
  const ask = sql.type(row)`select ${columns}`;
  const askWithList = sql.type(row)`select ${columns} where 1 = any(${sql.array([1, 2], 'int4')})`;
  try {
    for (const statement of [ask, askWithList]) {
      expect(await pool.one(statement)).toEqual(ownSettings);
      expect(await pool.transaction((connection) => connection.one(statement))).toEqual(
        ownSettings,
      );
    }
    const settingsOfReads = { ...ownSettings, lock_timeout: '1500ms' };
    for (const statement of [ask, askWithList]) {
      expect(await poolForReads(pool).one(statement)).toEqual(settingsOfReads);
    }
    const moment = await pool.transaction(async (connection) => {
      await connection.query(readOneMoment);
      return await connection.one(ask);
    });
    expect(moment).toEqual(settingsOfReads);
    // A statement that fails leaves its connection as it was.
    const failing = sql.type(
      row,
    )`select (1 / (array_length(${sql.array([1], 'int4')}, 1) - 1))::text as jit`;
    await expect(pool.one(failing)).rejects.toThrow();
    expect(await pool.one(ask)).toEqual(ownSettings);
    const other = new pg.Client(url);
    await other.connect();
    const { rows } = await other.query(`select current_setting('statement_timeout') as limit,
      (select count(*)::int from pg_prepared_statements) as prepared`);
    await other.end();
    expect(rows).toEqual([{ limit: '0', prepared: 0 }]);
  } finally {
    await pool.end();
  }
});

test('Two processes migrate a new database through it, one after the other', async () => {
  const empty = await openDatabase();
  try {
    await empty.query('drop schema public cascade');
    await empty.query('create schema public');
    const through = bouncer.through(empty.url);
    const reports = await Promise.all([migrate(through), migrate(through)]);
    const applied = reports.flatMap((report) => report.applied);
    expect(applied.length).toBe(new Set(applied).size);
    expect(await empty.query('select count(*)::int as n from schema_migration')).toEqual([
      { n: applied.length },
    ]);
  } finally {
    await empty.drop();
  }
});

test.each([
  ['without LISTEN_DATABASE_URL', () => '', 'Set LISTEN_DATABASE_URL to the address of Postgres'],
  [
    'with a LISTEN_DATABASE_URL that leads there too',
    () => bouncer.through(database.serviceUrl),
    'LISTEN_DATABASE_URL leads to a connection pooler',
  ],
])(
  'A start through it %s is refused, in a sentence that says what to do',
  async (_, url, sentence) => {
    const config = configOf({ LISTEN_DATABASE_URL: url() });
    await expect(start(config, pino({ level: 'silent' }))).rejects.toThrow(sentence);
  },
);
