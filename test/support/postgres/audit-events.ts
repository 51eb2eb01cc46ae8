// Inserts many audit events directly into the database: one per second, with known ids.

import pg from 'pg';
import type { TestDatabase } from './postgres.ts';

/** The time of the first event. */
const firstAtMs = Date.parse('2026-01-01T00:00:00.000Z');

/** The id of the n-th event, counting from 1. */
export function eventIdAt(n: number): string {
  const time = (firstAtMs + n * 1000).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** SQL that makes a UUID from a text, always the same. */
export function someId(text: string): string {
  return `overlay(overlay(md5(${text}) placing '4' from 13) placing '8' from 17)::uuid`;
}

/** Events `from` to `to`, inclusive. */
export async function insertEvents(
  database: Pick<TestDatabase, 'query'>,
  from: number,
  to: number,
): Promise<void> {
  await database.query(`
    insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
      occurred_at, request_id, metadata)
    select (substr(uuid_floor(at)::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid,
      'asset.updated', 'asset', ${someId(`'asset' || n % 1000`)}, 'user',
      ${someId(`'actor' || n % 10`)}, at, 'request-' || n,
      json_build_object('fqn', 'shop.orders_' || n % 1000, 'number', n)
    from generate_series(${from}, ${to}) n,
      lateral (select timestamptz '2026-01-01T00:00:00Z' + make_interval(secs => n) as at) moment`);
}

/** The same, in a transaction that stays open until the test ends it. */
export async function insertUncommitted(
  { url }: Pick<TestDatabase, 'url'>,
  from: number,
  to: number,
): Promise<{ readonly end: (how: 'commit' | 'rollback') => Promise<void> }> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin');
  await insertEvents({ query: async (sql) => (await client.query(sql)).rows }, from, to);
  return {
    end: async (how) => {
      await client.query(how);
      await client.end();
    },
  };
}

/** Partitions of months before this one; the migration makes those from this month on. Both ends are SQL. */
export async function addMonths(
  database: Pick<TestDatabase, 'query'>,
  first: string,
  last: string,
): Promise<void> {
  await database.query(`do $$
    declare month timestamp;
    begin
      for month in select generate_series(${first}, ${last}, interval '1 month') loop
        execute format('create table %I partition of audit_event for values from (%L) to (%L)',
          'audit_event_' || to_char(month, 'YYYY_MM'), uuid_floor(month at time zone 'utc'),
          uuid_floor((month + interval '1 month') at time zone 'utc'));
      end loop;
    end $$`);
}

/**
 * Events about assets, every two seconds up to now: a million in half a minute, because the indexes
 * are built afterwards.
 */
export async function insertManyEvents(
  database: Pick<TestDatabase, 'query'>,
  count: number,
  assets: number,
): Promise<void> {
  const indexes = await database.query(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = 'audit_event'::regclass and not indisunique`,
  );
  for (const { name } of indexes) await database.query(`drop index ${name}`);
  await addMonths(
    database,
    `date_trunc('month', now() at time zone 'utc' - make_interval(secs => ${count} * 2.0))`,
    `date_trunc('month', now() at time zone 'utc') - interval '1 month'`,
  );
  await database.query(`insert into audit_event (id, event_type, entity_type, entity_id,
      actor_type, actor_id, occurred_at, request_id, metadata)
    select (substr(uuid_floor(at)::text, 1, 24) || lpad(to_hex(i), 12, '0'))::uuid,
      (array['asset.updated', 'contract.published', 'registration.created'])[1 + i % 3],
      (array['asset', 'contract', 'registration'])[1 + i % 3], ${someId(`'thing' || i % 200000`)},
      'user', ${someId(`'actor' || i % 500`)}, at, 'request-' || i,
      json_build_object('asset_id', ${someId(`'asset' || i % ${assets} + 1`)},
        'asset_fqn', 'shop.area.table_' || i % ${assets}, 'environment', 'production',
        'version', '1.0.0', 'changes', json_build_array('property_added: $.properties.note'),
        'actor_name', 'a key of the shop')
    from generate_series(1, ${count}) i, lateral (
      select date_trunc('milliseconds', now()) - make_interval(secs => (${count} - i) * 2.0) as at
    ) moment`);
  // Covers the table with its partitions, which the definition alone omits.
  for (const { definition } of indexes) {
    await database.query(String(definition).replace(' ON ONLY ', ' ON '));
  }
}

/** Marks all events as sealed, with meaningless hashes, so that the sealer reads only new ones. */
export async function sealAsTheyAre(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await database.query(`insert into audit_seal (sequence, event_id, hash)
    select row_number() over (order by id), id, sha256(id::text::bytea) from audit_event`);
  await database.query(`update audit_seal_state
    set sequence = (select count(*) from audit_seal), snapshot = pg_current_snapshot()`);
}
