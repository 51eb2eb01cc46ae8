// The secrets of webhooks are encrypted in the database, by keys that only the servers know.

import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { changeSecrets } from '../../src/start/secrets.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { isSignedBy, openReceiver, type Received, type Receiver } from '../notify/receiver.ts';
import { openClient } from '../support/client/client.ts';
import {
  must,
  mustRefuse,
  openWorld,
  proposedAsset,
  type World,
} from '../support/client/client-world.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';
const oldKey = 'the-old-key-of-the-secrets-with-32-characters';
const newKey = 'the-new-key-of-the-secrets-with-32-characters';
const secret = 'the-secret-of-this-webhook-1';
const secondSecret = 'the-secret-of-this-webhook-2';
const path = 'token-in-the-path';
const waiting = { timeout: 40_000 };

let database: TestDatabase;
let receiver: Receiver;
let servers: TestServer[];

beforeEach(async () => {
  database = await openDatabase();
  receiver = await openReceiver();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.stop();
  await receiver.stop();
  await database.drop();
});

interface TestServer extends RunningServer {
  readonly lines: readonly string[];
}

function configOf(secretKey: string) {
  const read = readConfig({
    ...{ DATABASE_URL: database.serviceUrl, MIGRATE: 'false', PORT: '0', HOST: '127.0.0.1' },
    ...{ BOOTSTRAP_KEY: bootstrapKey, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', CHECK_ROWS: 'true' },
    ...{ SECRET_KEY: secretKey, WEBHOOK_RETRY_SECONDS: '0.2' },
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

async function serve(secretKey: string): Promise<TestServer> {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const server = { ...(await start(configOf(secretKey), log, undefined, 'when_needed')), lines };
  servers.push(server);
  return server;
}

async function end(server: TestServer): Promise<void> {
  servers = servers.filter((each) => each !== server);
  await server.stop();
}

const adminOf = ({ url }: RunningServer) => openClient(url, bootstrapKey);

async function makeWebhook(server: RunningServer, own = secret) {
  const body = { url: `${receiver.url}/${path}`, secret: own };
  return must(await adminOf(server).createWebhook({ body }), 201);
}

/** Everything that is stored, as text. */
async function storedText(): Promise<string> {
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

/** The key that each webhook is encrypted with; null for a plain one. */
async function keysInUse() {
  const rows = await database.query(
    `select case when secret = '' then split_part(encrypted, ':', 1) end as key
     from webhook order by created_at, id`,
  );
  return rows.map(({ key }) => key);
}

/** A breaking proposal that the webhooks are sent. */
async function tell(world: World): Promise<string> {
  const { producer, consumer } = world;
  return (await proposedAsset(producer, [consumer])).assetId;
}

async function sentAbout(assetId: string, count = 1): Promise<readonly Received[]> {
  const about = () => receiver.received.filter(({ body }) => body.asset.id === assetId);
  await expect.poll(() => about().length, waiting).toBe(count);
  return about();
}

test('With SECRET_KEY no secret and no path of a URL is in the database, and deliveries are signed', async () => {
  const server = await serve(oldKey);
  const world = await openWorld(server.url, bootstrapKey);
  const headers = { 'idempotency-key': 'once' };
  const body = { url: `${receiver.url}/${path}`, secret };
  const webhook = must(await world.admin.createWebhook({ body, headers }), 201);
  const [sent] = await sentAbout(await tell(world));
  expect(sent !== undefined && isSignedBy(secret, sent)).toBe(true);

  const params = { webhook_id: webhook.id };
  const change = { params, body: { secret: secondSecret }, headers };
  must(await world.admin.updateWebhook(change), 200);
  const [changed] = await sentAbout(await tell(world));
  expect(changed !== undefined && isSignedBy(secondSecret, changed)).toBe(true);
  // A change of something else keeps the secret.
  must(await world.admin.updateWebhook({ params, body: { events: ['proposal.created'] } }), 200);
  const [kept] = await sentAbout(await tell(world));
  expect(kept !== undefined && isSignedBy(secondSecret, kept)).toBe(true);

  expect(must(await world.admin.getWebhook({ params }), 200).url).toBe(`${receiver.url}/${path}`);
  const { results } = must(await world.admin.listWebhooks({ query: {} }), 200);
  expect(results.map(({ url }) => url)).toEqual([`${receiver.url}/${path}`]);
  const stored = await storedText();
  expect(stored).toContain(webhook.id);
  for (const hidden of [secret, secondSecret, path]) expect(stored).not.toContain(hidden);
});

test('Without SECRET_KEY secrets are plain, which the start and a metric say; they are encrypted once it is set', async () => {
  const plain = await serve('');
  expect(plain.lines.join('')).toContain('SECRET_KEY is not set');
  await makeWebhook(plain);
  expect(await storedText()).toContain(secret);
  const metric = await fetch(`${plain.url}/metrics`).then((answer) => answer.text());
  expect(metric).toContain('\nconcordat_plain_webhook_secrets 1\n');
  await end(plain);

  const next = await serve(oldKey);
  expect(next.lines.join('')).not.toContain('SECRET_KEY is not set');
  const stored = await storedText();
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain(path);
  const world = await openWorld(next.url, bootstrapKey);
  const [sent] = await sentAbout(await tell(world));
  expect(sent !== undefined && isSignedBy(secret, sent)).toBe(true);
});

test('A key is rotated by listing the new one first; the old one can go then', async () => {
  const before = await serve(oldKey);
  // More than one batch.
  for (let made = 0; made < 3; made++) await makeWebhook(before);
  await database.query(`insert into webhook (id, url, secret, encrypted, events, team_ids, created_at, updated_at)
    select gen_random_uuid(), 'https://hooks.example.com', 'plain-secret-of-many', null, '{}',
      array['00000000-0000-7000-8000-000000000000'::uuid], now(), now() from generate_series(1, 250)`);
  await end(before);
  const [old] = await keysInUse();

  const rotating = await serve(`${newKey},${oldKey}`);
  const keys = new Set(await keysInUse());
  expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
  expect(keys).not.toContain(old);
  await end(rotating);

  const after = await serve(newKey);
  const world = await openWorld(after.url, bootstrapKey);
  for (const sent of await sentAbout(await tell(world), 3)) {
    expect(isSignedBy(secret, sent)).toBe(true);
  }
});

test.each([
  ['a wrong key', newKey, /but there is [0-9a-f]{16}\. Add the missing key to SECRET_KEY/],
  ['no key', '', /but SECRET_KEY is not set\. Add the missing key to SECRET_KEY/],
])('A start with %s is refused, in a sentence that says what to do', async (_, key, sentence) => {
  const server = await serve(oldKey);
  await makeWebhook(server);
  await end(server);
  await expect(start(configOf(key), pino({ level: 'silent' }))).rejects.toThrow(sentence);
});

test('During a rotation a replica without the new key leaves deliveries to one that has it', async () => {
  const behind = await serve(oldKey);
  const webhook = await makeWebhook(behind);
  const world = await openWorld(behind.url, bootstrapKey);
  await changeSecrets(configOf(`${newKey},${oldKey}`), 'encrypt');
  const assetId = await tell(world);
  const params = { webhook_id: webhook.id };
  const refused = mustRefuse(await world.admin.getWebhook({ params }), 503, 'REGISTRY_UNAVAILABLE');
  expect(refused.message).toContain('Add the key to SECRET_KEY');
  // Handed over to its lane, where it waits: this replica cannot sign it.
  await expect
    .poll(() => database.query('select state, attempts from delivery'), waiting)
    .toEqual([{ state: 'pending', attempts: 0 }]);
  await serve(`${newKey},${oldKey}`);
  const [sent] = await sentAbout(assetId);
  expect(sent !== undefined && isSignedBy(secret, sent)).toBe(true);
});

test('A text that is copied to another webhook is not accepted: the delivery fails, and says so', async () => {
  const server = await serve(oldKey);
  const world = await openWorld(server.url, bootstrapKey);
  await makeWebhook(server);
  const moved = await makeWebhook(server, secondSecret);
  await database.query(
    `update webhook set encrypted = (select encrypted from webhook where id <> '${moved.id}')
     where id = '${moved.id}'`,
  );
  await tell(world);
  const params = { webhook_id: moved.id };
  const failures = async () => {
    const { results } = must(await world.admin.listDeliveries({ params, query: {} }), 200);
    return results.map(({ last_error: error }) => error);
  };
  await expect
    .poll(failures, waiting)
    .toEqual([expect.stringContaining('cannot be decrypted. Set both again')]);
  // As the sentence says: both again.
  const body = { url: `${receiver.url}/mended`, secret: 'a-secret-that-is-new-now' };
  must(await world.admin.updateWebhook({ params, body }), 200);
});

test('Decrypted, a release that knows no SECRET_KEY can serve it; a lost key is replaced', async () => {
  const server = await serve(oldKey);
  const kept = await makeWebhook(server);
  await end(server);
  expect(await changeSecrets(configOf(oldKey), 'decrypt')).toContain('Decrypted 1 webhooks');
  expect(await database.query('select url, secret, encrypted from webhook')).toEqual([
    { url: `${receiver.url}/${path}`, secret, encrypted: null },
  ]);

  await changeSecrets(configOf(oldKey), 'encrypt');
  expect(await changeSecrets(configOf(newKey), 'replace')).toContain('1 webhooks');
  const next = await serve(newKey);
  const params = { webhook_id: kept.id };
  expect(must(await adminOf(next).getWebhook({ params }), 200).url).toBe(
    new URL(receiver.url).origin,
  );
  expect(await storedText()).not.toContain(secret);
});
