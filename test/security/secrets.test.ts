// Only callers have their secrets: no log line, at any level, and no row of the database contains
// one.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { openClient, type TestClient } from '../support/client/client.ts';
import { must, openWorld, publishedAsset, type World } from '../support/client/client-world.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';
/** Has the form of a key, but is none. */
const guessed = `cdt_live_${'7'.repeat(43)}`;
const lines: string[] = [];

let database: TestDatabase;
let server: RunningServer;
let admin: TestClient;
let world: World;

beforeAll(async () => {
  database = await openDatabase();
  const read = readConfig({
    DATABASE_URL: database.url,
    MIGRATE: 'false',
    PORT: '0',
    HOST: '127.0.0.1',
    BOOTSTRAP_KEY: bootstrapKey,
    AUDIT_KEY: 'an audit key of the tests, long enough for it',
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  server = await start(read.config, log);
  admin = openClient(server.url, bootstrapKey);
  world = await openWorld(server.url, bootstrapKey);
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

/** Everything that is stored, as text. */
async function keptTexts(): Promise<string> {
  const tables = await database.query(
    "select tablename::text as name from pg_tables where schemaname = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query(`select t::text as text from "${name}" t`);
    texts.push(...rows.map(({ text }) => String(text)));
  }
  return texts.join('\n');
}

test('No key is in a log, at any level, or in the database: used, refused, or sent in the wrong place', async () => {
  const { producer } = world;
  await publishedAsset(producer);
  expect((await admin.as(guessed).listTeams()).status).toBe(401);
  // Mistakes of callers: a key as a name, and one in the address.
  const inPath = await fetch(`${server.url}/api/v1/assets/${producer.key}`, {
    headers: { authorization: `Bearer ${producer.key}` },
  });
  expect(inPath.status).toBe(400);
  const inQuery = await fetch(`${server.url}/api/v1/assets?key=${producer.key}`);
  expect(inQuery.status).toBe(401);
  // A request that crashes is logged in full.
  await database.query('alter table registration rename column notes to lost');
  const crashed = await producer.client.listRegistrations();
  await database.query('alter table registration rename column lost to notes');
  expect(crashed.status).toBe(500);
  const logged = lines.join('');
  expect(logged).toContain('a request crashed');
  const kept = await keptTexts();
  expect(kept).toContain('contract.published');
  for (const secret of [producer.key, guessed, bootstrapKey]) {
    expect(logged).not.toContain(secret);
    expect(kept).not.toContain(secret);
  }
});

test('The secret of a webhook is in no log, no event, and only in the first response', async () => {
  const made = must(
    await admin.createWebhook({ body: { url: 'https://hooks.example.com/in/a-secret-path' } }),
    201,
  );
  const secret = String(made.secret);
  expect(secret.length).toBeGreaterThan(20);
  const listed = must(await admin.listWebhooks(), 200);
  const events = must(await admin.listEvents({ query: { limit: 100 } }), 200);
  expect(JSON.stringify(events)).toContain('webhook.created');
  for (const text of [lines.join(''), JSON.stringify(listed), JSON.stringify(events)]) {
    expect(text).not.toContain(secret);
  }
  for (const text of [lines.join(''), JSON.stringify(events)]) {
    expect(text).not.toContain('a-secret-path');
  }
});

test('Keys are random enough not to be guessed, and no two share a prefix', async () => {
  const keys: string[] = [];
  for (let i = 0; i < 50; i++) {
    const body = { name: `guess ${i}`, team_id: world.other.teamId, scopes: ['read' as const] };
    keys.push(String(must(await admin.issueApiKey({ body }), 201).key));
  }
  // 43 of 62 characters are 256 bits: at a billion guesses a second, 10^60 years.
  for (const key of keys) expect(key).toMatch(/^cdt_live_[0-9A-Za-z]{43}$/);
  expect(new Set(keys.map((key) => key.slice(9, 17))).size).toBe(keys.length);
  const signs = new Set(keys.flatMap((key) => [...key.slice(9)]));
  expect(signs.size).toBe(62);
});
