// The number of events, computed from the seals: correct at every moment, whatever the sealer's
// progress.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/store/store.ts';
import { insertEvents, insertUncommitted } from '../support/postgres/audit-events.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await openDatabase();
  store = await openStore({ url: database.url, rowChecks: 'every' });
});
afterAll(async () => {
  await store?.stop();
  await database?.drop();
});

async function totals(): Promise<{ readonly told: number | null; readonly counted: unknown }> {
  const page = await store.reads.listEvents({
    personal: 'all',
    limit: 1,
    offset: 0,
    includeTotal: true,
  });
  if (!page.ok) throw new Error(page.failure.message);
  const [row] = await database.query('select count(*)::integer as events from audit_event');
  return { told: page.value.total, counted: row?.events };
}

const seal = (batchSize: number) =>
  store.sealEvents({ authenticator: null, now: () => '2026-01-01T00:10:00.000Z', batchSize });

test('The total is correct before, between and after the batches of the sealer', async () => {
  expect(await totals()).toEqual({ told: 0, counted: 0 });
  await insertEvents(database, 1, 25);
  expect(await totals()).toEqual({ told: 25, counted: 25 });
  for (let goesOn = true; goesOn; ) {
    ({ hasMore: goesOn } = await seal(10));
    expect(await totals()).toEqual({ told: 25, counted: 25 });
  }
  await insertEvents(database, 26, 30);
  expect(await totals()).toEqual({ told: 30, counted: 30 });
});

test('Late commits are counted once they are committed, sealed or not', async () => {
  const late = await insertUncommitted(database, 31, 35);
  await insertEvents(database, 36, 40);
  await seal(100);
  expect(await totals()).toEqual({ told: 35, counted: 35 });
  await late.end('commit');
  expect(await totals()).toEqual({ told: 40, counted: 40 });
  await seal(100);
  expect(await totals()).toEqual({ told: 40, counted: 40 });
});

test('In a database that was restored into another cluster the total is correct, and stays so', async () => {
  // The new cluster has a new count of transactions, so the snapshot is in its future.
  await database.query(`update audit_seal_state set snapshot = '900000000:900000000:'`);
  await insertEvents(database, 41, 45);
  expect(await totals()).toEqual({ told: 45, counted: 45 });
  for (let goesOn = true; goesOn; ) ({ hasMore: goesOn } = await seal(100));
  await insertEvents(database, 46, 50);
  expect(await totals()).toEqual({ told: 50, counted: 50 });
});

test('Deleted months are no longer counted', async () => {
  for (let goesOn = true; goesOn; ) ({ hasMore: goesOn } = await seal(100));
  await database.query(`
    set local session_replication_role = replica;
    delete from audit_event where id in (select event_id from audit_seal where sequence <= 20);
    delete from audit_seal where sequence <= 20`);
  expect(await totals()).toEqual({ told: 30, counted: 30 });
});
