// Months of the audit trail that are moved to an object store: nothing is lost, and all is still found.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Authenticator, HeadReference } from '../../src/core/audit/seal.ts';
import type { AuditEvent } from '../../src/core/event.ts';
import { auditAuthenticator } from '../../src/ops/audit-key.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { archiveTrail } from '../../src/registry/audit/archive-trail.ts';
import { verifyAudit, walkAudit } from '../../src/registry/audit/audit-trail.ts';
import type { EventQuery } from '../../src/registry/lists.ts';
import { openArchive, openArchiving } from '../../src/start/audit-archive.ts';
import { sha256 } from '../../src/store/beside/audit-seals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { startExportCheck, toExportLine } from '../../src/wire/audit-export.ts';
import { startS3Server } from '../support/object-store/s3-server.ts';
import {
  addMonths,
  eventIdAt,
  insertEvents,
  insertUncommitted,
} from '../support/postgres/audit-events.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

let objects: Awaited<ReturnType<typeof startS3Server>>;
let database: TestDatabase;
let store: Store;
let told: string[];

beforeAll(async () => {
  objects = await startS3Server();
});
afterAll(() => objects?.stop());

beforeEach(async () => {
  database = await openDatabase();
  await addOldMonths(database);
  store = await open();
  told = [];
});
afterEach(async () => {
  await store.stop();
  await database.drop();
  await rm(objects.folder, { recursive: true, force: true });
});

/** January to March. */
const addOldMonths = (to: TestDatabase) =>
  addMonths(to, `timestamp '2026-01-01'`, `timestamp '2026-03-01'`);

function configOf(months: number) {
  const read = readConfig({
    OBJECT_STORE_URL: objects.url,
    AUDIT_ARCHIVE_AFTER_MONTHS: String(months),
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

/** By the role that serves, so that it has the rights that it needs. */
function open(url = database.serviceUrl): Promise<Store> {
  const packs = openArchive(configOf(1))?.reader;
  return openStore({ url, rowChecks: 'every', packs });
}

/** The number of months after which January has to leave, and nothing else. */
function untilFebruary(): number {
  const now = new Date();
  return (now.getUTCFullYear() - 2026) * 12 + now.getUTCMonth() - 1;
}

async function archive(months = untilFebruary(), by = store): Promise<void> {
  const config = configOf(months);
  const log = pino({ level: 'info' }, { write: (line: string) => void told.push(line) });
  const signal = new AbortController().signal;
  await openArchiving(config, openArchive(config), { store: by, log, signal })?.();
}

async function sealAll(
  batchSize = 1_000,
  authenticator: Authenticator | null = null,
): Promise<void> {
  const now = () => '2026-02-01T00:10:00.000Z';
  while ((await store.sealEvents({ authenticator, now, batchSize })).hasMore);
}

/** Writes the packs of January, which is then held up by a webhook. */
async function packOnly(): Promise<void> {
  await database.query(`insert into outbox (event_id, event_type, asset_id, team_ids, created_at)
    select id, event_type, entity_id, '{}', occurred_at from audit_event order by id limit 1`);
  await archive();
  await database.query('delete from outbox');
}

/** Until a statement of the service or of a test waits for a lock. */
async function someoneWaits(): Promise<void> {
  await expect
    .poll(() =>
      database.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`),
    )
    .not.toEqual([]);
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

const januaryEnds = 31 * 24 * 60 * 60;

/** January and some of February, with events of January that are sealed after those of February. */
async function fillTwoMonths(): Promise<void> {
  await insertEvents(database, 1, 10_900);
  await sealAll();
  const late = await insertUncommitted(database, januaryEnds - 20, januaryEnds - 1);
  await insertEvents(database, januaryEnds, januaryEnds + 30);
  await sealAll();
  await late.end('commit');
  await sealAll();
  await insertEvents(database, januaryEnds + 31, januaryEnds + 60);
  await sealAll();
}

async function exported(): Promise<string> {
  const lines: string[] = [];
  for await (const items of walkAudit(store.reads, 0, await store.reads.getTrailMoment())) {
    lines.push(...items.map(toExportLine));
  }
  return lines.join('');
}

const verify = () => verifyAudit(store.reads, { sha256 });

async function listAll(query: Partial<EventQuery>, limit = 500): Promise<readonly AuditEvent[]> {
  const found: AuditEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.reads.listEvents({
      ...{ personal: 'all', limit, offset: 0, includeTotal: false, cursor },
      ...query,
    });
    if (!page.ok) throw new Error(page.failure.message);
    found.push(...page.value.results);
    cursor = page.value.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

const everything = { startDate: '2026-01-01T00:00:00.000Z' };

async function packFiles(): Promise<readonly string[]> {
  const folder = join(objects.folder, 'audit');
  return (await readdir(folder)).sort().map((name) => join(folder, name));
}

test('A month that is old enough leaves Postgres, and export, check, lists and single events are as before', async () => {
  await fillTwoMonths();
  const [event] = await listAll({ ...everything, endDate: '2026-01-01T02:00:00.000Z' }, 1);
  if (event === undefined) throw new Error('There is an event.');
  const questions: Partial<EventQuery>[] = [
    everything,
    { ...everything, endDate: '2026-01-01T00:30:00.000Z' },
    { startDate: '2026-01-31T23:00:00.000Z', endDate: '2026-02-01T00:00:10.000Z' },
    { ...everything, entityId: event.entityId },
    { ...everything, assetId: event.entityId, actorId: event.actorId },
    { ...everything, eventType: 'contract.published' },
    { ...everything, about: 'access' },
  ];
  const before = {
    lines: await exported(),
    report: await verify(),
    lists: await Promise.all(questions.map((question) => listAll(question))),
  };
  expect(before.lists[0]).toHaveLength(10_900 + 20 + 61);
  await archive();

  expect(told.map((line) => JSON.parse(line).month)).toEqual(['2026-01-01']);
  const [left] = await database.query(`select count(*)::int as events,
    to_regclass('audit_event_2026_01') is null as gone,
    (select count(*)::int from audit_seal) as seals from audit_event`);
  expect(left).toEqual({ events: 61, gone: true, seals: 61 });
  expect(await exported()).toBe(before.lines);
  expect(await verify()).toEqual(before.report);
  const lists = await Promise.all(questions.map((question) => listAll(question, 777)));
  expect(lists).toEqual(before.lists);
  expect(await store.reads.getEvent(event.id)).toEqual(event);
  expect(await store.reads.getEvent('0199b2c0-0000-7000-8000-000000000000')).toBeNull();
});

test('Without a first day, a list ends with what is in Postgres, and says that there is more', async () => {
  await fillTwoMonths();
  await archive();
  const query = { personal: 'all', limit: 100, offset: 0, includeTotal: true } as const;
  const page = await store.reads.listEvents(query);
  expect(page).toMatchObject({
    value: { total: 61, nextCursor: null, archivedBefore: '2026-02-01T00:00:00.000Z' },
  });
  // Within the archive nothing is counted, and pages by number reach it.
  expect(await store.reads.listEvents({ ...query, ...everything })).toMatchObject({
    value: { total: null, archivedBefore: null },
  });
  const all = await listAll(everything);
  for (const offset of [0, 40, 61, 100, 10_900, 20_000]) {
    const numbered = await store.reads.listEvents({ ...query, ...everything, offset, limit: 50 });
    if (!numbered.ok) throw new Error(numbered.failure.message);
    expect(numbered.value.results).toEqual(all.slice(offset, offset + 50));
  }
});

test('Each object is an export that can be verified by itself, and is the same whoever writes it', async () => {
  await fillTwoMonths();
  const { sequence } = await store.reads.getTrailMoment();
  const beside = await open();
  await Promise.all([archive(), archive(untilFebruary(), beside)]);
  await beside.stop();
  const files = await packFiles();
  expect(files).toHaveLength(2);
  const [first] = files;
  const [start, ...rest] = gunzipSync(await readFile(first ?? ''))
    .toString()
    .trim()
    .split('\n');
  expect(JSON.parse(start ?? '')).toEqual({
    export: { format: 'concordat-audit/1', made_at: null, from: `0:${'0'.repeat(64)}` },
  });
  expect(JSON.parse(rest.at(-1) ?? '')).toEqual({ end: { lines: rest.length - 1 } });
  expect((await verify()).sealed).toMatchObject({ firstSequence: 1, lastSequence: sequence });
});

test('An object that somebody changes or takes away is found by the check, and shown to nobody', async () => {
  await fillTwoMonths();
  await archive();
  const [first = '', second = ''] = await packFiles();
  const text = gunzipSync(await readFile(first)).toString();
  await writeFile(first, gzipSync(text.replace('"number":77}', '"number":78}')));
  expect((await verify()).findings).toEqual([
    expect.objectContaining({ kind: 'altered', sequence: 77 }),
  ]);
  await expect(listAll({ ...everything, endDate: '2026-01-01T01:00:00.000Z' })).rejects.toThrow(
    'in the object store is not what was written there. Put it back from a copy of the store.',
  );
  await writeFile(first, gzipSync(text));
  expect((await verify()).isIntact).toBe(true);
  await rm(second);
  expect(await verify()).toMatchObject({
    isIntact: false,
    findings: [{ kind: 'removed', sequence: 10_001 }],
  });
});

test('A month stays while its events are not sealed, webhooks wait for one, or the bus has not sent them', async () => {
  await insertEvents(database, 1, 50);
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '')).toMatchObject({
    month: '2026-01-01',
    cause: 'some of its events are not sealed yet',
  });
  await sealAll();
  await database.query(`insert into event_bus (topic, place) values ('events', '1:1:')`);
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '').cause).toBe(
    'the event bus has not been sent all of its events yet',
  );
  await database.query(`update event_bus set place = pg_current_snapshot()::text`);
  await database.query(`insert into outbox (event_id, event_type, asset_id, team_ids, created_at)
    select id, event_type, entity_id, '{}', occurred_at from audit_event limit 1`);
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '').cause).toBe(
    'webhooks have not been told of all of its events yet, or may be told again',
  );
  await database.query('delete from outbox');
  await database.query(
    'revoke execute on function leave_audit_month(date) from public, concordat_service',
  );
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '').cause).toContain(
    'the role of DATABASE_URL has no right to.',
  );
  await database.query('grant execute on function leave_audit_month(date) to concordat_service');
  await archive(1);
  const [left] = await database.query('select count(*)::int as events from audit_event');
  expect(left).toEqual({ events: 0 });
  expect((await verify()).isIntact).toBe(true);
});

test('What somebody altered or removed before stays known, and a trail without seals stays', async () => {
  await insertEvents(database, 1, 50);
  await sealAll();
  await database.query('alter table audit_event_2026_01 disable trigger all');
  await database.query(`delete from audit_event where metadata ->> 'number' = '20'`);
  await database.query(
    `update audit_event set actor_type = 'api_key' where metadata ->> 'number' = '30'`,
  );
  await database.query('alter table audit_seal disable trigger all');
  await database.query('create table kept as select * from audit_seal where sequence = 40');
  await database.query('delete from audit_seal where sequence = 40');
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '').cause).toBe('some of its events are not sealed yet');
  const [still] = await database.query('select count(*)::int as events from audit_event');
  expect(still).toEqual({ events: 49 });
  await database.query('insert into audit_seal select * from kept');
  const { findings } = await verify();
  expect(findings).toMatchObject([
    { kind: 'removed', sequence: 20 },
    { kind: 'altered', sequence: 30 },
  ]);
  await archive(1);
  expect((await verify()).findings).toEqual(findings);
});

test('A bucket that does not exist is told, and is no trail that was cut', async () => {
  await fillTwoMonths();
  await archive();
  const { url } = objects;
  objects = { ...objects, url: url.replace('/bucket/', '/no-such-bucket/') };
  const elsewhere = await open();
  const cannot = 'cannot be used: the bucket does not exist.';
  await expect(verifyAudit(elsewhere.reads, { sha256 })).rejects.toThrow(cannot);
  await expect(elsewhere.reads.getEvent(eventIdAt(7))).rejects.toThrow(cannot);
  await elsewhere.stop();
  objects = { ...objects, url };
});

test('While the object store is away, nothing leaves, and what is there says so', async () => {
  await fillTwoMonths();
  await archive();
  const away = await startS3Server();
  const { url } = objects;
  await away.stop();
  objects = { ...objects, url: away.url };
  const cannot = 'The object store with the archived audit trail cannot be used:';
  const without = await open();
  await insertEvents(database, januaryEnds + 100, januaryEnds + 120);
  await sealAll();
  await expect(archive(1, without)).rejects.toThrow(cannot);
  await expect(verifyAudit(without.reads, { sha256 })).rejects.toThrow(cannot);
  await without.stop();
  objects = { ...objects, url };
  await archive(1);
  expect((await verify()).isIntact).toBe(true);
  expect(await listAll(everything)).toHaveLength(10_900 + 20 + 61 + 21);
});

test('The role that serves takes out a month only as a whole, and only once it stands in objects', async () => {
  await insertEvents(database, 1, 50);
  await sealAll();
  expect(await store.auditPacks.leave('2026-01-01')).toBe('unpacked');
  expect(await store.auditPacks.leave(new Date().toISOString().slice(0, 10))).toBe('recent');
  const client = new pg.Client(database.serviceUrl);
  await client.connect();
  await client.query(`set concordat.leaving = 'on'`);
  for (const statement of [
    'delete from audit_seal',
    'delete from audit_event',
    'drop table audit_event_2026_01',
    'update audit_archive set sequence = 50',
    'delete from audit_pack',
  ]) {
    await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  }
  await client.end();
});

test('Who comes back after months to the stream of events is told to read everything again', async () => {
  await insertEvents(database, 1, 50);
  const [{ place } = {}] = await database.query('select pg_current_snapshot()::text as place');
  await insertEvents(database, 51, 60);
  await sealAll();
  const back = () =>
    store.reads.listStreamed({
      ...{ before: String(place), through: null, after: 0, limit: 100, inAnyOrder: true },
    });
  expect(await back()).toMatchObject({ isElsewhere: false });
  await archive(1);
  expect(await back()).toMatchObject({ isElsewhere: true });
});

test('Each object is intact by itself, wherever the sealer paused', async () => {
  const authenticator = auditAuthenticator('the-key-of-the-trail-with-32-characters');
  await insertEvents(database, 1, 10_900);
  await sealAll(700, authenticator);
  await insertEvents(database, januaryEnds, januaryEnds + 30);
  const late = await insertUncommitted(database, januaryEnds - 20, januaryEnds - 1);
  await late.end('commit');
  await insertEvents(database, januaryEnds + 31, januaryEnds + 60);
  await sealAll(1_000, authenticator);
  await insertEvents(database, januaryEnds + 61, januaryEnds + 70);
  await sealAll(7, authenticator);
  const seals =
    await database.query(`select sequence::int, encode(hash, 'hex') as hash from audit_seal
    where sequence in (1, 699, 700, 701, 9800, 9801, 10001, 10900, 10950, 10981, 10988)
    order by sequence`);
  const checkpoints = seals.map(({ sequence, hash }) => ({
    sequence: Number(sequence),
    hash: String(hash),
  }));
  const verifyFrom = (from?: HeadReference) =>
    verifyAudit(store.reads, { sha256, authenticator, from, expected: checkpoints });
  const checkAll = async () => {
    const reports = [await verifyFrom()];
    for (const from of checkpoints) reports.push(await verifyFrom(from));
    return reports;
  };
  const before = await checkAll();
  expect(
    before.every(({ isIntact, heads }) => isIntact && heads.authenticated === heads.count),
  ).toBe(true);
  await archive();
  const files = await packFiles();
  expect(files).toHaveLength(2);
  for (const file of files) {
    const check = startExportCheck({ sha256, authenticator });
    const text = gunzipSync(await readFile(file)).toString();
    for (const line of text.split('\n')) check.takeLine(line);
    expect(check.finish()).toMatchObject({ ok: true, report: { isIntact: true, findings: [] } });
  }
  expect(await checkAll()).toEqual(before);
});

test('A check that reads while a month leaves finds nothing', async () => {
  await fillTwoMonths();
  await packOnly();
  const owner = await connectTo(database.url);
  await owner.query('begin');
  // The check has read seals by now, and waits for their events.
  await owner.query('lock table audit_event in access exclusive mode');
  const report = verify();
  await someoneWaits();
  const { rows } = await owner.query(`select leave_audit_month('2026-01-01') as held`);
  expect(rows).toEqual([{ held: null }]);
  await owner.query('commit');
  await owner.end();
  expect((await report).findings).toEqual([]);
});

test('An event of a clock that is behind by months is not lost, before its month leaves and afterwards', async () => {
  await fillTwoMonths();
  await packOnly();
  const before = await listAll(everything);
  const late = await insertUncommitted(database, 20_000, 20_000);
  const owner = await connectTo(database.url);
  const leaving = owner.query(`select leave_audit_month('2026-01-01') as held`);
  await someoneWaits();
  await late.end('commit');
  expect((await leaving).rows).toEqual([{ held: 'unpacked' }]);
  await sealAll();
  await archive();
  expect(JSON.parse(told.at(-1) ?? '').msg).toContain('moved a month');
  await insertEvents(database, 30_000, 30_002);
  await insertEvents(database, 5, 5);
  await sealAll();
  const after = await listAll(everything, 100);
  expect(after).toHaveLength(before.length + 4);
  expect(after.map(({ id }) => id)).toEqual(
    after
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  );
  const kept = new Set(before.map(({ id }) => id));
  expect(after.filter(({ id }) => kept.has(id))).toEqual(before);
  // Pages by number have them in the same places.
  for (const offset of [0, 60, 61, 62, 80, 84, 85, 200]) {
    const page = await store.reads.listEvents({
      ...{ ...everything, personal: 'all', limit: 7, offset, includeTotal: false },
    });
    expect(page).toMatchObject({ value: { results: after.slice(offset, offset + 7) } });
  }
  await owner.end();
});

test('What stands in the archive is not hidden by an event that was given its id', async () => {
  await insertEvents(database, 1, 50);
  await sealAll();
  const before = await listAll(everything);
  await archive(1);
  await insertEvents(database, 20, 20);
  await database.query('alter table audit_event disable trigger all');
  await database.query(`alter table audit_event_default disable trigger all`);
  await database.query(`update audit_event set event_type = 'asset.deleted'`);
  expect(await listAll(everything)).toEqual(before);
  const [event] = before.slice(30);
  expect(await store.reads.getEvent(event?.id ?? '')).toEqual(event);
});

test('A view of the service that has the name of a month is no month', async () => {
  const client = await connectTo(database.serviceUrl);
  await client.query(`create function pg_temp.act() returns uuid language plpgsql as $$
    begin raise exception 'acts as %', current_user; end $$`);
  await client.query(`create temp view audit_event_2025_06 as
    select pg_temp.act() as id, '0'::xid8 as transaction_id`);
  const { rows } = await client.query(`select leave_audit_month('2025-06-01') as held`);
  expect(rows).toEqual([{ held: 'absent' }]);
  await client.end();
});

test('A month stays while a delivery of its events is kept, because it may be sent again', async () => {
  await insertEvents(database, 1, 50);
  await sealAll();
  await database.query(`with hook as (
      insert into webhook (id, url, secret, events, team_ids, created_at, updated_at)
      values (gen_random_uuid(), 'https://example.com', 'secret', '{}', '{}', now(), now())
      returning id)
    insert into delivery (webhook_id, asset_id, sequence, place, event_id, event_type, team_ids,
      state, created_at, queued_at, finished_at)
    select hook.id, entity_id, 1, 1, event.id, event_type, '{}', 'parked', now(), now(), now()
    from hook, (select * from audit_event order by audit_event.id limit 1) event`);
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '')).toMatchObject({
    cause: 'webhooks have not been told of all of its events yet, or may be told again',
  });
  await database.query('delete from delivery');
  await archive(1);
  expect(JSON.parse(told.at(-1) ?? '').msg).toContain('moved a month');
});

test('A copy of the registry that writes to the same store changes nothing there', async () => {
  const copy = await openDatabase();
  await addOldMonths(copy);
  const beside = await open(copy.serviceUrl);
  try {
    for (const each of [database, copy]) await insertEvents(each, 1, 50);
    await sealAll();
    // The same events, and checkpoints of other times.
    const now = () => '2026-02-02T00:10:00.000Z';
    await beside.sealEvents({ authenticator: null, now });
    await archive(1);
    const before = await listAll(everything);
    await archive(1, beside);
    const reopened = await open();
    expect(await reopened.reads.getEvent(before[3]?.id ?? '')).toEqual(before[3]);
    await reopened.stop();
    expect((await verifyAudit(beside.reads, { sha256 })).isIntact).toBe(true);
    expect((await verify()).isIntact).toBe(true);
  } finally {
    await beside.stop();
    await copy.drop();
  }
});

test('The check finds that a month is gone that was taken out with a forged pack', async () => {
  await insertEvents(database, 1, 50);
  await sealAll();
  const service = await connectTo(database.serviceUrl);
  await service.query(`insert into audit_pack (first_sequence, last_sequence, hash, first_event,
      last_event, key, digest, marks)
    select 1, sequence, hash, event_id, event_id, 'audit/nowhere', hash, '' from audit_seal
    where sequence = 50`);
  const { rows } = await service.query(`select leave_audit_month('2026-01-01') as held`);
  expect(rows).toEqual([{ held: null }]);
  const cut = { isIntact: false, findings: [{ kind: 'cut', sequence: 1 }] };
  expect(await verify()).toMatchObject(cut);
  // What the sealer noted is not all that says how long it was.
  await service.query('update audit_seal_state set sequence = 0');
  await service.end();
  expect(await verify()).toMatchObject(cut);
});

test('Events with large contents make small objects', async () => {
  await insertEvents(database, 1, 2_500);
  await sealAll(300);
  const config = configOf(1);
  const archived = openArchive(config);
  if (archived === undefined) throw new Error('There is a store.');
  const all = { ...archived, packs: store.auditPacks };
  const { signal } = new AbortController();
  const size = { seals: 10_000, characters: 10_000 };
  for await (const { kind } of archiveTrail(store.reads, all, untilFebruary(), signal, size)) {
    expect(kind).toBe('left');
  }
  expect((await packFiles()).length).toBe(3);
  expect((await verify()).isIntact).toBe(true);
});
