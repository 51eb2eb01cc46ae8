// A registry that moved a month of its audit trail to an object store, through its API.

import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { run } from '../../cli/support.ts';
import { blocksOf } from '../../docs/blocks.ts';
import { openClient } from '../../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { startS3Server } from '../../support/object-store/s3-server.ts';
import { openFolder } from '../../support/open-folder.ts';
import { eventIdAt, insertEvents } from '../../support/postgres/audit-events.ts';
import { programEnvironment } from '../../support/program-environment.ts';

const root = join(import.meta.dirname, '../../..');

let objects: Awaited<ReturnType<typeof startS3Server>>;
let registry: TestRegistry;

beforeAll(async () => {
  objects = await startS3Server();
  const settings = { OBJECT_STORE_URL: objects.url, AUDIT_ARCHIVE_AFTER_MONTHS: '1' };
  registry = await openRegistry(settings, async (databaseUrl, ownerUrl) => {
    await fillJanuary(ownerUrl);
    return databaseUrl;
  });
});
afterAll(async () => {
  await registry?.stop();
  await objects?.stop();
});

/** Sealed, as by a registry that ran at that time. */
async function fillJanuary(ownerUrl: string): Promise<void> {
  const client = new pg.Client(ownerUrl);
  await client.connect();
  await client.query(`create table audit_event_2026_01 partition of audit_event
    for values from ('${eventIdAt(0)}') to ('${eventIdAt(31 * 24 * 60 * 60)}')`);
  await insertEvents({ query: async (sql) => (await client.query(sql)).rows }, 1, 2_000);
  await client.end();
  const store = await openStore({ url: ownerUrl });
  const now = () => '2026-01-01T01:00:00.000Z';
  while ((await store.sealEvents({ authenticator: null, now })).hasMore);
  await store.stop();
}

test('Its lists, its check and its export have what left Postgres', async () => {
  const client = openClient(registry.url, registry.bootstrapKey);
  const start_date = '2026-01-01T00:00:00Z';
  const left = async () => {
    const rows = await registry.database.query(
      `select to_regclass('audit_event_2026_01') is null as gone`,
    );
    return rows[0]?.gone;
  };
  await expect.poll(left).toBe(true);

  const event = await client.getEvent({ params: { event_id: eventIdAt(77) } });
  expect(event).toMatchObject({ ok: true, body: { metadata: { number: 77 } } });
  if (!event.ok) throw new Error('There is an event.');
  const { entity_type, entity_id } = event.body;
  const params = { entity_type, entity_id };
  const query = { include_total: false };
  expect(await client.listEntityHistory({ params, query })).toMatchObject({
    body: { results: [], archived_before: '2026-02-01T00:00:00.000Z' },
  });
  const found = await client.listEntityHistory({ params, query: { ...query, start_date } });
  expect(found).toMatchObject({
    body: { results: [{ metadata: { number: 1077 } }, { metadata: { number: 77 } }] },
  });
  expect(found).not.toHaveProperty('body.archived_before');

  const all = await client.listEvents({ query: { ...query, start_date, limit: 100 } });
  expect(all).toMatchObject({ body: { next_cursor: expect.any(String) } });
  const verified = await client.verifyAudit({ query: {} });
  expect(verified).toMatchObject({ body: { intact: true, sealed: { first_sequence: 1 } } });
  const response = await fetch(`${registry.url}/api/v1/audit/events/export`, {
    headers: { authorization: `Bearer ${registry.bootstrapKey}` },
  });
  const file = join(await openFolder('concordat-export-'), 'audit.ndjson');
  await writeFile(file, await response.text());
  const ran = await run(['verify-audit', file]);
  expect(ran.stdout).toContain('The audit trail is intact.\nSealed: 1 to ');
  expect(ran.code).toBe(0);
});

test('Each of its objects is verified as the page of operators says', async () => {
  const folder = join(objects.folder, 'audit');
  const [name = ''] = await readdir(folder);
  const block = blocksOf('docs/operations.md').find(({ mark }) => mark === 'run: pack');
  const { stdout } = await promisify(execFile)('bash', ['-c', block?.script ?? 'false'], {
    env: {
      ...programEnvironment(),
      PATH: `${root}/bin:${process.env.PATH}`,
      OBJECT: join(folder, name),
    },
  });
  expect(stdout).toContain('The audit trail is intact.\nSealed: 1 to 2000, ');
});

test('While the object store is away, what needs it is refused with the reason, and the rest is answered', async () => {
  await objects.kill();
  const client = openClient(registry.url, registry.bootstrapKey);
  const refused = await client.verifyAudit({ query: {} });
  expect(refused).toMatchObject({ ok: false, status: 503 });
  expect(JSON.stringify(refused)).toContain('The object store with the archived audit trail');
  expect(await client.listEvents({ query: { include_total: false } })).toMatchObject({ ok: true });
});
