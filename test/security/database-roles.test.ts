// The role of the service owns nothing: Postgres itself refuses to let it touch the audit trail.

import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openClient } from '../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import { must, openWorld, publishedAsset } from '../support/client/client-world.ts';
import { openFolder } from '../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { serviceRole } from '../support/postgres/postgres-setup.ts';

const bootstrapKey = 'bootstrap-key-of-the-tests';

async function runAs(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function configOf(settings: Readonly<Record<string, string>>) {
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', BOOTSTRAP_KEY: bootstrapKey, CHECK_ROWS: 'true' },
    ...settings,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

async function serve(settings: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  return { ...(await start(configOf(settings), log, undefined, 'when_needed')), lines };
}

const ownerWarning = 'could disable the triggers that protect the audit trail';

describe('The role of the service', () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await openRegistry();
    const world = await openWorld(registry.url, registry.bootstrapKey);
    await publishedAsset(world.producer);
  });
  afterAll(() => registry.stop());

  test.each([
    'alter table audit_event disable trigger audit_event_immutable',
    'alter table audit_event disable trigger all',
    'drop trigger audit_event_immutable on audit_event',
    'drop table audit_event',
    'drop schema public cascade',
    'truncate audit_event',
    'truncate audit_seal',
    'update audit_event set metadata = null',
    'delete from audit_event',
    'delete from audit_event_default',
    'update audit_seal set hash = null',
    'delete from audit_seal',
    'delete from audit_head',
    'delete from audit_seal_state',
    'delete from schema_migration',
    'create table mine (id integer)',
    'create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return old; end $$',
    `create trigger mine before insert on audit_event for each row execute function refuse_audit_change()`,
    'create rule mine as on insert to audit_event do instead nothing',
    'alter table webhook add column mine integer',
    'set session_replication_role = replica',
    'reset role; set role postgres',
  ])('is refused: %s', async (sql) => {
    await expect(runAs(registry.database.serviceUrl, sql)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringMatching(/must be owner|permission denied/),
    });
  });

  test('may not touch a partition past its parent', async () => {
    const partitions = await registry.database.query(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'audit_event'::regclass and inhrelid <> 'audit_event_default'::regclass`,
    );
    expect(partitions.length).toBeGreaterThan(3);
    for (const { name } of partitions) {
      for (const sql of [`truncate ${name}`, `delete from ${name}`, `drop table ${name}`]) {
        await expect(runAs(registry.database.serviceUrl, sql)).rejects.toMatchObject({
          code: '42501',
        });
      }
    }
  });

  test('makes the partitions of the next months, which belong to the owner', async () => {
    const [last] = await registry.database.query(
      `select max(inhrelid::regclass::text) as name from pg_inherits
       where inhparent = 'audit_event'::regclass and inhrelid <> 'audit_event_default'::regclass`,
    );
    await registry.database.query(`drop table ${last?.name}`);
    await runAs(registry.database.serviceUrl, 'select make_audit_partitions()');
    expect(
      await registry.database.query(
        `select tableowner::text as owner from pg_tables where tablename = '${last?.name}'`,
      ),
    ).toEqual([{ owner: 'postgres' }]);
  });
});

describe('With MIGRATE_DATABASE_URL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openDatabase();
  });
  afterAll(() => database.drop());

  test('one role migrates, another serves, and the start warns of nothing', async () => {
    await database.query('drop schema public cascade');
    await database.query('create schema public');
    const server = await serve({
      DATABASE_URL: database.serviceUrl,
      MIGRATE_DATABASE_URL: database.url,
      SECRET_KEY: 'the-key-of-the-secrets-with-32-characters',
    });
    try {
      const world = await openWorld(server.url, bootstrapKey);
      await publishedAsset(world.producer);
      const owners = await database.query(
        `select distinct tableowner::text as owner from pg_tables where schemaname = 'public'`,
      );
      expect(owners).toEqual([{ owner: 'postgres' }]);
      expect(server.lines.join('')).toContain('migrated the database');
      expect(server.lines.join('')).not.toContain(ownerWarning);
    } finally {
      await server.stop();
    }
  });

  test('the role that serves may take months out of the trail only where they are moved to an object store', async () => {
    const may = () =>
      runAs(
        database.serviceUrl,
        `select has_function_privilege('leave_audit_month(date)', 'execute') as may`,
      );
    expect(await may()).toEqual([{ may: false }]);
    await expect(
      runAs(database.serviceUrl, `select leave_audit_month('2026-01-01')`),
    ).rejects.toThrow('permission denied for function leave_audit_month');
    const server = await serve({
      DATABASE_URL: database.serviceUrl,
      MIGRATE_DATABASE_URL: database.url,
      SECRET_KEY: 'the-key-of-the-secrets-with-32-characters',
      OBJECT_STORE_URL: 'http://key:secret@127.0.0.1:9/bucket',
      AUDIT_ARCHIVE_AFTER_MONTHS: '12',
    });
    await server.stop();
    expect(await may()).toEqual([{ may: true }]);
  });

  test('a role of DATABASE_URL that does not exist is refused, in a sentence that says what to do', async () => {
    await expect(migrate(database.url, { serviceRole: 'nobody_there' })).rejects.toThrow(
      'The role nobody_there of DATABASE_URL does not exist. Create it',
    );
  });

  test('a role that lost a right gets it back', async () => {
    await database.query(`revoke all on asset from ${serviceRole.name}`);
    await migrate(database.url, { serviceRole: serviceRole.name });
    expect(await runAs(database.serviceUrl, 'select count(*)::int as assets from asset')).toEqual([
      { assets: 1 },
    ]);
  });
});

test('With DATABASE_URL alone, by the role that owns the tables, the start warns once and serves', async () => {
  const database = await openDatabase();
  const server = await serve({ DATABASE_URL: database.url });
  try {
    const world = await openWorld(server.url, bootstrapKey);
    await publishedAsset(world.producer);
    const warnings = server.lines.filter((line) => line.includes(ownerWarning));
    expect(warnings).toHaveLength(1);
  } finally {
    await server.stop();
    await database.drop();
  }
});

test('The embedded Postgres is served by a role that owns nothing, with its key in a file for the server alone', async () => {
  const folder = await openFolder('concordat-roles-');
  const settings = { DATA_DIR: folder };
  let server: (RunningServer & { readonly lines: readonly string[] }) | null = null;
  try {
    server = await serve(settings);
    const before = openClient(server.url, bootstrapKey);
    const body = { url: 'https://hooks.example.com/token-in-the-path', secret: 'the-secret-of-it' };
    const webhook = must(await before.createWebhook({ body }), 201);
    expect(server.lines.join('')).not.toContain(ownerWarning);
    expect(server.lines.join('')).not.toContain('SECRET_KEY is not set');
    await server.stop();

    const file = join(folder, 'postgres.secret-key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const key = await readFile(file, 'utf8');
    // Twice the same key, and another one before it where SECRET_KEY is set later.
    server = await serve({ ...settings, SECRET_KEY: 'the-key-of-the-secrets-with-32-characters' });
    expect(server.lines.join('')).toContain('encrypted secrets with the first SECRET_KEY');
    expect(await readFile(file, 'utf8')).toBe(key);
    const after = openClient(server.url, bootstrapKey);
    const params = { webhook_id: webhook.id };
    expect(must(await after.getWebhook({ params }), 200).url).toBe(body.url);
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
