// What pg_dump writes contains no secret of a webhook.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPostgres } from '../../scripts/find-postgres.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/postgres/embedded.ts';
import { runShell } from '../docs/newcomer.ts';
import { openClient } from '../support/client/client.ts';
import { must } from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';

const key = 'bootstrap-key-of-the-tests';
const programs = findPostgres().folder;
let folder: string;
let postgres: EmbeddedPostgres;
let server: RunningServer;

beforeAll(async () => {
  folder = await openFolder('concordat-dump-');
  postgres = await startEmbeddedPostgres({ dataFolder: join(folder, 'data'), programs });
  const read = readConfig({
    ...{ DATABASE_URL: postgres.url, PORT: '0', HOST: '127.0.0.1', BOOTSTRAP_KEY: key },
    SECRET_KEY: 'the-key-of-the-secrets-with-32-characters',
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  server = await start(read.config, pino({ level: 'silent' }));
});
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('A dump of the database contains no secret of a webhook', async () => {
  const client = openClient(server.url, key);
  const url = 'https://hooks.example.com/token-in-the-path?and=token-in-the-query';
  const headers = { 'idempotency-key': 'once' };
  const body = { url, secret: 'the-secret-that-signs-it' };
  const made = must(await client.createWebhook({ body, headers }), 201);
  const params = { webhook_id: made.id };
  must(await client.updateWebhook({ params, body: { secret: 'the-secret-that-followed' } }), 200);
  const dump = await runShell(`"${programs}/bin/pg_dump" "${postgres.url}"`, folder, process.env);
  expect(dump).toContain(made.id);
  expect(dump).toContain('https://hooks.example.com');
  expect(dump).not.toMatch(/token-in-the|the-secret-that/);
});
