// Audit events written past the product, many at once: one a second, with known ids.

import type { TestDatabase } from './postgres.ts';

/** The first of them happened then. */
const firstAtMs = Date.parse('2026-01-01T00:00:00.000Z');

/** The id of the n-th event, from 1. */
export function eventIdAt(n: number): string {
  const time = (firstAtMs + n * 1000).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** SQL that makes a UUID of a text, always the same. */
export function someId(text: string): string {
  return `overlay(overlay(md5(${text}) placing '4' from 13) placing '8' from 17)::uuid`;
}

/** Events `from` to `to`, both included. */
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

/**
 * Events about assets, every two seconds up to now: a million in half a minute, since the indexes
 * are built once, when everything is there.
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
  // They reach into the month before, which was made when it was the next one.
  const [month] = await database.query(`
    select uuid_floor(first - interval '1 month') as from, uuid_floor(first) as to
    from (select date_trunc('month', now() at time zone 'utc') at time zone 'utc' as first) this`);
  await database.query(`create table audit_event_last_month partition of audit_event
    for values from ('${month?.from}') to ('${month?.to}')`);
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
  // Of the table with its partitions, which the definition alone leaves out.
  for (const { definition } of indexes) {
    await database.query(String(definition).replace(' ON ONLY ', ' ON '));
  }
}
