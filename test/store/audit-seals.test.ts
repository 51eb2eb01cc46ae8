// The sealer: every committed event gets exactly one seal, including late commits, with one or two
// processes.

import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuditReport } from '../../src/core/audit/check-audit.ts';
import { auditAuthenticator } from '../../src/ops/audit-key.ts';
import { verifyAudit, walkAudit } from '../../src/registry/audit/audit-trail.ts';
import { sha256 } from '../../src/store/beside/audit-seals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import {
  eventIdAt,
  insertEvents,
  insertManyEvents,
  insertUncommitted,
} from '../support/postgres/audit-events.ts';
import { pagesRead, withoutValues } from '../support/postgres/pages-read.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { startPostgresProxy } from '../support/postgres/postgres-proxy.ts';

const authenticator = auditAuthenticator('a key of the tests, which is long enough');

let database: TestDatabase;
let store: Store;
let beside: Store;

beforeEach(async () => {
  database = await openDatabase();
  store = await openStore({ url: database.url, rowChecks: 'every' });
  beside = await openStore({ url: database.url, rowChecks: 'every' });
});
afterEach(async () => {
  await store.stop();
  await beside.stop();
  await database.drop();
});

/** Shortly after the events. */
const now = () => '2026-01-01T00:10:00.000Z';

async function sealAll(by: Store = store, batchSize?: number): Promise<number> {
  let sealed = 0;
  for (;;) {
    const sealing = await by.sealEvents({
      authenticator,
      now,
      ...(batchSize !== undefined && { batchSize }),
    });
    sealed += sealing.sealed;
    if (!sealing.hasMore) return sealed;
  }
}

function verify(): Promise<AuditReport> {
  return verifyAudit(store.reads, { sha256, authenticator });
}

async function sealedIds(): Promise<readonly string[]> {
  const rows = await database.query('select event_id from audit_seal order by sequence');
  return rows.map((row) => String(row.event_id));
}

describe('The sealer', () => {
  test('seals what was committed, in the order of ids within a transaction', async () => {
    await insertEvents(database, 1, 5);
    expect(await sealAll()).toBe(5);
    expect(await sealedIds()).toEqual([1, 2, 3, 4, 5].map(eventIdAt));
    expect(await sealAll()).toBe(0);
    expect(await verify()).toMatchObject({
      isIntact: true,
      sealed: { firstSequence: 1, lastSequence: 5 },
      unsealed: { count: 0, oldest: null },
      heads: { count: 1, authenticated: 1 },
      findings: [],
    });
  });

  test('seals a backlog batch by batch, each with its head', async () => {
    await insertEvents(database, 1, 95);
    expect(await sealAll(store, 10)).toBe(95);
    expect(await verify()).toMatchObject({
      isIntact: true,
      sealed: { lastSequence: 95 },
      heads: { count: 10, authenticated: 10 },
    });
  });

  test('says when everything is sealed, also if the backlog is a multiple of the batch size', async () => {
    await insertEvents(database, 1, 20);
    expect(await sealAll(store, 10)).toBe(20);
    const heads = await database.query(
      'select sequence::int, complete_at is not null as complete from audit_head order by sequence',
    );
    expect(heads).toEqual([
      { sequence: 10, complete: false },
      { sequence: 20, complete: true },
    ]);
  });

  test('gives an event that commits late a later seal, and skips none', async () => {
    const late = await insertUncommitted(database, 1, 1);
    await insertEvents(database, 2, 3);
    expect(await sealAll()).toBe(2);
    await insertEvents(database, 4, 5);
    expect(await sealAll()).toBe(2);
    await late.end('commit');
    await insertEvents(database, 6, 6);
    expect(await sealAll()).toBe(2);
    expect(await sealedIds()).toEqual([2, 3, 4, 5, 1, 6].map(eventIdAt));
    expect((await verify()).isIntact).toBe(true);
  });

  test('does not report late commits as missing while a backlog is in progress', async () => {
    const late = await insertUncommitted(database, 1, 1);
    await insertEvents(database, 2, 25);
    const first = await store.sealEvents({ authenticator, now, batchSize: 10 });
    expect(first).toMatchObject({ sealed: 10, hasMore: true });
    await late.end('commit');
    await insertEvents(database, 26, 30);
    expect(await verify()).toMatchObject({ isIntact: true, unsealed: { count: 20 } });
    expect(await sealAll(store, 10)).toBe(14);
    expect(await sealAll(store, 10)).toBe(6);
    expect(new Set(await sealedIds()).size).toBe(30);
    expect(await verify()).toMatchObject({ isIntact: true, unsealed: { count: 0 } });
  });

  test('seals nothing of a transaction that was rolled back', async () => {
    const other = await insertUncommitted(database, 1, 3);
    await sealAll();
    await other.end('rollback');
    expect(await sealAll()).toBe(0);
    expect(await verify()).toMatchObject({ isIntact: true, sealed: null });
  });

  test('seals each event once while two processes seal and others write', async () => {
    let written = 0;
    const writing = (async () => {
      for (; written < 400; written += 4) await insertEvents(database, written + 1, written + 4);
    })();
    while (written < 400) await Promise.all([sealAll(store, 7), sealAll(beside, 7)]);
    await writing;
    await Promise.all([sealAll(store, 7), sealAll(beside, 7)]);
    await sealAll();
    const ids = await sealedIds();
    expect(ids).toHaveLength(400);
    expect(new Set(ids).size).toBe(400);
    expect(await verify()).toMatchObject({ isIntact: true, sealed: { lastSequence: 400 } });
  });

  test('leaves the lock to its holder, and never waits', async () => {
    await insertEvents(database, 1, 5);
    const holder = new pg.Client(database.url);
    await holder.connect();
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(4827113651)');
    expect(await store.sealEvents({ authenticator, now })).toEqual({
      head: null,
      sealed: 0,
      hasMore: false,
    });
    await holder.end();
    expect(await sealAll()).toBe(5);
  });

  test('continues in a cluster that the database was restored into, with a new count of transactions', async () => {
    await insertEvents(database, 1, 5);
    await sealAll();
    // As in a restored dump: events and snapshot of a cluster with a much higher transaction count.
    await database.query('alter table audit_event disable trigger user');
    await database.query(`update audit_event set transaction_id = '900000001'`);
    await database.query('alter table audit_event enable trigger user');
    await database.query(`update audit_seal_state set snapshot = '900000002:900000002:'`);
    await insertEvents(database, 6, 8);
    expect(await verify()).toMatchObject({ isIntact: true, unsealed: { count: 3 } });
    expect(await sealAll()).toBe(3);
    await insertEvents(database, 9, 9);
    expect(await sealAll()).toBe(1);
    expect(await sealedIds()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(eventIdAt));
    expect((await verify()).isIntact).toBe(true);
  });

  test('is verified as of one moment, whatever is sealed and written meanwhile', async () => {
    await insertEvents(database, 1, 3);
    await sealAll();
    await insertEvents(database, 4, 6);
    const moment = await store.reads.getTrailMoment();
    await sealAll();
    await insertEvents(database, 7, 9);
    await sealAll();
    const walked: [kind: string, id: string | undefined][] = [];
    for await (const items of walkAudit(store.reads, 0, moment)) {
      for (const item of items) {
        if (item.kind !== 'head') walked.push([item.kind, item.event?.id]);
      }
    }
    expect(walked).toEqual([
      ...[1, 2, 3].map((index) => ['sealed', eventIdAt(index)]),
      ...[4, 5, 6].map((index) => ['unsealed', eventIdAt(index)]),
    ]);
  });

  test('reports an event that claims to be older than its transaction', async () => {
    await insertEvents(database, 1, 3);
    await database.query('alter table audit_event disable trigger user');
    await database.query(`update audit_event set transaction_id = '900000001' where id = $1`, [
      eventIdAt(2),
    ]);
    await database.query('alter table audit_event enable trigger user');
    expect(await verify()).toMatchObject({ unsealed: { count: 3 } });
  });

  test('reads only new events, however many there are before', async () => {
    await insertEvents(database, 1, 40_000);
    await sealAll();
    await database.query('vacuum (analyze) audit_event');
    await insertEvents(database, 40_001, 40_010);
    // Reads four indexes, once or for each event; the index of all events alone has 150 pages.
    expect(await pagesOfLook(10)).toBeLessThan(100);
  });

  test('reads no more than that if a transaction was running during its last pass', async () => {
    // All in one transaction, so Postgres does not expect that only a few rows belong to another.
    await insertManyEvents(database, 40_000, 1_000);
    await sealAll();
    await database.query('vacuum (analyze) audit_event');
    const late = await insertUncommitted(database, 40_001, 40_001);
    await insertEvents(database, 40_002, 40_002);
    await sealAll();
    await late.end('commit');
    await insertEvents(database, 40_003, 40_010);
    expect(await pagesOfLook(9)).toBeLessThan(100);
  });

  test('looks up seals through the index, even if there were none when the statement was planned', async () => {
    await database.query('vacuum (analyze) audit_seal');
    const alone = await openStore({ url: database.url, rowChecks: 'every', maxConnections: 1 });
    await insertEvents(database, 1, 3_000);
    expect(await sealAll(alone, 100)).toBe(3_000);
    await alone.stop();
    // Postgres reports a connection's statistics when it closes.
    const counted = await vi.waitUntil(async () => {
      const [row] = await database.query(`
        select n_tup_ins::int as written, seq_tup_read::int as read_one_by_one
        from pg_stat_user_tables where relname = 'audit_seal'`);
      return Number(row?.written) === 3_000 && row;
    });
    expect(counted).toMatchObject({ read_one_by_one: 0 });
  });

  /** The pages that the sealer's next query for events reads, with this many results. */
  async function pagesOfLook(events: number): Promise<number> {
    const proxy = await startPostgresProxy(database.url);
    const watched = await openStore({ url: proxy.url, rowChecks: 'every' });
    try {
      const statements = await proxy.record(async () => {
        expect(await sealAll(watched)).toBe(events);
      });
      const looked = statements.find(({ text }) => text.includes('under_way'));
      if (looked === undefined) throw new Error('The sealer did not look.');
      const { rows, pages } = await pagesRead(database.url, looked, [
        'enable_sort = off',
        'enable_seqscan = off',
        withoutValues,
      ]);
      expect(rows).toBe(events);
      return pages;
    } finally {
      await watched.stop();
      await proxy.close();
    }
  }

  test('cannot change a seal, because the tables refuse it', async () => {
    await insertEvents(database, 1, 2);
    await sealAll();
    for (const statement of [
      'update audit_event set request_id = null',
      'delete from audit_event',
      'truncate audit_event',
      'update audit_seal set sequence = sequence + 10',
      'delete from audit_seal',
      'truncate audit_seal',
      'update audit_head set key_id = null',
      'delete from audit_head',
      'truncate audit_head',
    ]) {
      await expect(database.query(statement), statement).rejects.toThrow('are never changed');
    }
  });
});
