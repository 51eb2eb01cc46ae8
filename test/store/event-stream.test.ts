// The cost of the event stream for Postgres: it reads only new events, however many there are
// before.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import {
  eventIdAt,
  insertEvents,
  insertManyEvents,
  insertUncommitted,
} from '../support/postgres/audit-events.ts';
import { pagesRead } from '../support/postgres/pages-read.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { startPostgresProxy } from '../support/postgres/postgres-proxy.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await openDatabase();
});
afterEach(async () => {
  await database.drop();
});

describe('A read of the event stream', () => {
  test.each([
    ['by their positions', undefined],
    ['in any order', true],
  ])('finds events of running transactions through the index, %s', async (_name, inAnyOrder) => {
    // All in one transaction, so Postgres does not expect that only a few rows belong to another.
    await insertManyEvents(database, 40_000, 1_000);
    await database.query('vacuum (analyze) audit_event');
    const late = await insertUncommitted(database, 1, 1);
    await insertEvents(database, 2, 2);
    const [looked] = await database.query('select pg_current_snapshot()::text as before');
    await late.end('commit');
    await insertEvents(database, 3, 3);

    const proxy = await startPostgresProxy(database.url);
    const store = await openStore({ url: proxy.url, rowChecks: 'every' });
    try {
      const statements = await proxy.record(async () => {
        const { events } = await store.reads.listStreamed({
          before: String(looked?.before),
          through: null,
          after: 0,
          limit: 100,
          ...(inAnyOrder && { inAnyOrder }),
        });
        expect(events.map(({ event }) => event.id)).toEqual([1, 3].map(eventIdAt));
      });
      const asked = statements.find(({ text }) => text.includes('under_way'));
      if (asked === undefined) throw new Error('Nothing was asked.');
      // The index of all events alone has 150 pages.
      const { rows, pages } = await pagesRead(database.url, asked);
      expect(rows).toBe(2);
      expect(pages).toBeLessThan(100);
    } finally {
      await store.stop();
      await proxy.close();
    }
  });
});
