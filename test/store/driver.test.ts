// The store's driver for slonik: statements that are sent together have the same effect as one by
// one.

import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startOver } from '../../src/core/decide/decided.ts';
import { newUuid } from '../../src/ops/uuid.ts';
import { openPool } from '../../src/store/postgres/pool.ts';
import { nothingRow, writtenRow } from '../../src/store/postgres/rows.ts';
import { openStore } from '../../src/store/store.ts';
import { contextOf } from '../registry/world.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres/postgres-proxy.ts';

let database: TestDatabase;
let proxy: PostgresProxy;
let pool: Awaited<ReturnType<typeof openPool>>;

beforeAll(async () => {
  database = await openDatabase();
  proxy = await startPostgresProxy(database.url);
  // A single connection, so that each statement finds what the previous one left.
  pool = await openPool({ url: proxy.url, maxConnections: 1, rowChecks: 'every' });
});
afterAll(async () => {
  await pool.end();
  await proxy.close();
  await database.drop();
});
beforeEach(async () => {
  await database.query('drop table if exists thing');
  await database.query('create table thing (id integer primary key, name text)');
});

const thingRow = z.object({ id: z.int(), name: z.string().nullable() });
const write = (id: number, name: string | null = 'a') =>
  sql.type(writtenRow)`insert into thing (id, name) values (${id}, ${name})`;
const things = sql.type(thingRow)`select id, name from thing order by id`;
const stored = () => database.query('select id from thing order by id');
const lasting = () => sql.type(nothingRow)`select 1`;

/** The texts of the statements that were sent, grouped by write. */
async function sendings(act: () => Promise<unknown>): Promise<string[][]> {
  const statements = await proxy.record(async () => void (await act()));
  const writes = new Map<number, string[]>();
  for (const { text, write } of statements) {
    writes.set(write, [...(writes.get(write) ?? []), text.trim().split(/\s+/)[0] ?? '']);
  }
  return [...writes.values()];
}

describe('in a transaction', () => {
  test('writes whose result nobody reads are sent with the next statement', async () => {
    const sent = await sendings(() =>
      pool.transaction(async (connection) => {
        await connection.query(lasting());
        await connection.query(write(1));
        await connection.query(write(2));
      }),
    );
    expect(sent).toEqual([
      ['START', 'select'],
      ['insert', 'insert', 'COMMIT'],
    ]);
    expect(await stored()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('a read sees the writes before it', async () => {
    const seen = await pool.transaction(async (connection) => {
      await connection.query(write(1));
      return connection.any(things);
    });
    expect(seen).toEqual([{ id: 1, name: 'a' }]);
  });

  test('a write that is refused ends it with its own error, and nothing is kept', async () => {
    const twice = pool.transaction(async (connection) => {
      await connection.query(write(1));
      await connection.query(write(1));
      await connection.query(write(2));
    });
    await expect(twice).rejects.toMatchObject({ constraint: 'thing_pkey' });
    expect(await stored()).toEqual([]);
    // Neither the connection is lost, nor its knowledge of prepared statements wrong.
    await pool.transaction((connection) => connection.query(write(3)));
    expect(await pool.any(things)).toEqual([{ id: 3, name: 'a' }]);
  });

  test('an exception leaves nothing, and unsent statements are never sent', async () => {
    const thrown = await sendings(() =>
      pool
        .transaction(async (connection) => {
          await connection.query(lasting());
          await connection.query(write(1));
          throw new Error('Thrown.');
        })
        .catch(() => {}),
    );
    expect(thrown).toEqual([['START', 'select'], ['ROLLBACK']]);
    expect(await stored()).toEqual([]);
  });

  test('an empty transaction sends nothing', async () => {
    expect(await sendings(() => pool.transaction(async () => {}))).toEqual([]);
    const thrown = () => Promise.reject(new Error('Thrown.'));
    expect(await sendings(() => pool.transaction(thrown).catch(() => {}))).toEqual([]);
    // The next statement is in no transaction.
    await pool.query(write(1));
    expect(await stored()).toEqual([{ id: 1 }]);
  });

  test('a large write is sent at once', async () => {
    const sent = await sendings(() =>
      pool.transaction(async (connection) => {
        await connection.query(write(1, 'ä'.repeat(100_000)));
        await connection.query(write(2));
      }),
    );
    expect(sent.at(-1)).toEqual(['insert', 'COMMIT']);
    const [row] = await database.query('select length(name) as length from thing where id = 1');
    expect(row).toEqual({ length: 100_000 });
  });

  test('a statement with an array value is sent after the waiting ones', async () => {
    const ids = sql.array([1, 2], 'int4');
    const seen = await pool.transaction(async (connection) => {
      await connection.query(write(1));
      return connection.any(sql.type(thingRow)`select id, name from thing where id = any(${ids})`);
    });
    expect(seen).toEqual([{ id: 1, name: 'a' }]);
  });
});

test('starting over keeps the connection', async () => {
  const store = await openStore({ url: proxy.url, maxConnections: 1 });
  const loseRace = () =>
    store.attempt(contextOf(), async (transaction) => {
      await transaction.lockAsset(newUuid());
      return startOver;
    });
  const statements = await proxy.record(async () => {
    for (let i = 0; i < 3; i++) expect(await loseRace()).toEqual(startOver);
  });
  const asked = statements.filter(({ text }) => text.startsWith('START'));
  expect(asked).toHaveLength(3);
  expect(new Set(asked.map(({ connection }) => connection)).size).toBe(1);
  await store.stop();
});

test('a statement that fails at first works when it is sent again', async () => {
  const divide = (by: number) => sql.type(z.object({ n: z.int() }))`select 6 / ${by}::integer as n`;
  await pool.connect(async (session) => {
    await expect(session.one(divide(0))).rejects.toThrow('division by zero');
    expect(await session.one(divide(2))).toEqual({ n: 3 });
    await expect(session.one(divide(0))).rejects.toThrow('division by zero');
    expect(await session.one(divide(3))).toEqual({ n: 2 });
  });
});

test('a statement whose columns another release changed is prepared again', async () => {
  const row = z.object({ id: z.int() }).loose();
  const all = sql.type(row)`select * from thing`;
  await pool.query(write(1));
  await pool.connect(async (session) => {
    expect(await session.any(all)).toEqual([{ id: 1, name: 'a' }]);
    await database.query('alter table thing add column size integer');
    await expect(session.any(all)).rejects.toThrow('cached plan');
    expect(await session.any(all)).toEqual([{ id: 1, name: 'a', size: null }]);
  });
});

test('values are returned as they were sent', async () => {
  const row = z.object({
    text: z.string(),
    none: z.string().nullable(),
    yes: z.boolean(),
    whole: z.int(),
    large: z.number(),
    half: z.number(),
  });
  const text = `Größe ${'日本'.repeat(3_000)} "\\ \u{1f600}`;
  expect(
    await pool.one(sql.type(row)`
      select ${text} as text, ${null}::text as none, ${true}::boolean as yes, ${7}::integer as whole,
        ${2 ** 40}::bigint as large, ${0.5}::float8 as half`),
  ).toEqual({ text, none: null, yes: true, whole: 7, large: 2 ** 40, half: 0.5 });
});

test('an array is returned as it was sent', async () => {
  const row = z.object({ list: z.array(z.string()), n: z.int() });
  const list = ['a', 'b,"', ''];
  expect(
    await pool.one(sql.type(row)`select ${sql.array(list, 'text')} as list, ${1}::integer as n`),
  ).toEqual({ list, n: 1 });
});

test('a connection that does not respond is closed and replaced', async () => {
  const hanging = await startPostgresProxy(database.url);
  const impatient = await openPool({
    url: hanging.url,
    maxConnections: 1,
    rowChecks: 'every',
    answerPatienceMs: 100,
  });
  await impatient.any(things);
  hanging.abandon();
  await expect(impatient.any(things)).rejects.toThrow(/terminated/);
  expect(await impatient.any(things)).toEqual([]);

  hanging.abandon();
  const transaction = impatient.transaction(async (connection) => {
    await connection.query(write(1));
    await connection.any(things);
  });
  await expect(transaction).rejects.toThrow(/terminated/);
  expect(await impatient.any(things)).toEqual([]);
  await impatient.end();
  await hanging.close();
});
