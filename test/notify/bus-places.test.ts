// How far the events were sent to a bus, on real Postgres. What a broker does: event-bus.test.ts.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BusConnection, startPublishing } from '../../src/notify/publish-events.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { eventIdAt, insertEvents } from '../support/postgres/audit-events.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const topic = 'events';

let database: TestDatabase;
let store: Store;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await openDatabase();
  store = await openStore({ url: database.url, rowChecks: 'every' });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await store.stop();
  await database.drop();
});

/** A process that sends to a bus which takes so many batches, and no answer comes to the next one. */
function start(holder: string, batches: number) {
  const ids: string[] = [];
  const ends = Promise.withResolvers<void>();
  ends.promise.catch(() => {});
  let left = batches;
  const bus: BusConnection = {
    send: async (records) => {
      left -= 1;
      if (left < 0) return ends.promise;
      ids.push(...records.map(({ value }) => JSON.parse(value).id));
    },
    close: async () => ends.reject(new Error('closed')),
  };
  const errors: unknown[] = [];
  const publishing = startPublishing({
    listStreamed: store.reads.listStreamed,
    places: store.busPlaces,
    connect: async () => bus,
    topic,
    holder,
    source: 'http://localhost',
    onNews: () => () => {},
    countSent: () => {},
    reportError: (error) => errors.push(error),
  });
  closing.push(publishing.stop);
  return { ids, errors, stop: publishing.stop };
}

const holderAt = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;
const idsOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => eventIdAt(from + i));
const lapse = () => database.query(`update event_bus set held_until = '-infinity'`);
const placed = () => database.query('select place from event_bus');

test('Each batch that the bus took is noted, so that a slow bus gets no page for ever', async () => {
  const first = start(holderAt(1), 1);
  await expect.poll(placed).toHaveLength(1);
  await insertEvents(database, 1, 1200);
  await expect.poll(() => first.ids).toEqual(idsOf(1, 500));
  await expect.poll(async () => (await placed())[0]?.place).toMatch(/\/\d+$/);
  await lapse();
  const second = start(holderAt(2), 9);
  await expect.poll(() => second.ids).toEqual(idsOf(501, 1200));
  await insertEvents(database, 1201, 1201);
  await expect.poll(() => second.ids).toEqual(idsOf(501, 1201));
  expect([...first.errors, ...second.errors]).toEqual([]);
});

test('A process that stops does not wait for a bus that gives no answer, and notes what it sent', async () => {
  const { ids, errors, stop } = start(holderAt(1), 1);
  await expect.poll(placed).toHaveLength(1);
  await insertEvents(database, 1, 600);
  await expect.poll(() => ids).toEqual(idsOf(1, 500));
  await stop();
  expect(errors).toEqual([]);
  const next = start(holderAt(2), 9);
  await expect.poll(() => next.ids).toEqual(idsOf(501, 600));
});

test('Sending again since a moment leaves nothing out that was not sent yet', async () => {
  const lease = { topic, holder: holderAt(1), forMs: 0 };
  await store.busPlaces.take(lease);
  await insertEvents(database, 1, 3);
  for (const since of ['2026-01-01T00:00:03Z', '2100-01-01T00:00:00Z']) {
    expect(await store.busPlaces.rewind(topic, new Date(since))).toBe(true);
  }
  const { ids } = start(holderAt(2), 9);
  await expect.poll(() => ids).toEqual(idsOf(1, 3));
});
