-- Months of the audit trail that were moved to an object store: docs/decisions/trail-archive.md.

-- Seals in a row that stand together in one object, with their events and heads.
create table audit_pack (
  first_sequence bigint primary key check (first_sequence > 0),
  last_sequence bigint not null unique check (last_sequence >= first_sequence),
  -- The last seal.
  hash bytea not null check (length(hash) = 32),
  -- The lowest and the highest id.
  first_event uuid not null,
  last_event uuid not null,
  key text not null,
  -- SHA-256 of what the object says, uncompressed.
  digest bytea not null check (length(digest) = 32),
  -- Whose and what events it may hold: a Bloom filter.
  marks bytea not null
);
create index audit_pack_by_event on audit_pack (last_event, first_event);
create trigger audit_pack_immutable before update or delete on audit_pack
  for each row execute function refuse_audit_change();
create trigger audit_pack_not_truncated before truncate on audit_pack
  for each statement execute function refuse_audit_change();

-- What has left.
create table audit_archive (
  only_row boolean primary key default true check (only_row),
  -- Up to here, seals and events stand in packs alone, but for those of months that are still here.
  sequence bigint not null default 0,
  -- Events of before have left.
  before timestamptz,
  -- The newest transaction that wrote one of them.
  transaction_id xid8 not null default '0'
);
insert into audit_archive default values;

-- Only the function below takes seals and heads out, as the owner of the tables.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name in ('audit_seal', 'audit_head')
    and current_setting('concordat.leaving', true) = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
  then
    return old;
  end if;
  raise exception 'audit events are never changed: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

-- Takes a month out of Postgres. Answers null, or what holds it up: it is recent, an event of it stands in
-- no pack, or somebody may still be told of one.
create function leave_audit_month(first_day date) returns text language plpgsql as $$
declare
  partition_name text;
  ends timestamptz := (date_trunc('month', first_day::timestamp) + interval '1 month') at time zone 'utc';
  packed bigint;
  newest xid8;
  gone bigint;
  is_held boolean;
begin
  if not pg_try_advisory_xact_lock(4827113652) then return 'elsewhere'; end if;
  -- Only what is a partition: whoever calls this may have a table or a view of that name.
  select inhrelid::regclass::text into partition_name
  from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent = 'audit_event'::regclass
    and relname = 'audit_event_' || to_char(first_day, 'YYYY_MM');
  if partition_name is null then return 'absent'; end if;
  if ends > now() - interval '1 month' then return 'recent'; end if;
  if exists (select from audit_archive where before > ends) then return 'order'; end if;
  -- A writer whose clock is behind by months may still add an event. Nobody else waits for this.
  execute format('lock table %s in share mode', partition_name);
  select coalesce(max(last_sequence), 0) into packed from audit_pack;
  execute format('select exists (
      select from %s event
      where not exists (
        select from audit_seal where audit_seal.event_id = event.id and sequence <= $1))',
    partition_name) into is_held using packed;
  if is_held then return 'unpacked'; end if;
  -- Also what was delivered may be sent again, until it is deleted after at most a month.
  execute format('select exists (
      select from delivery join %1$s event on event.id = delivery.event_id
      union all
      select from outbox join %1$s event on event.id = outbox.event_id)',
    partition_name) into is_held;
  if is_held then return 'deliveries'; end if;
  execute format('select transaction_id from %s order by transaction_id desc limit 1', partition_name)
    into newest;
  -- A count that began anew with a restore says nothing about places.
  if newest < pg_snapshot_xmax(pg_current_snapshot()) and exists (
    select from event_bus where pg_snapshot_xmin(split_part(place, '/', 1)::pg_snapshot) <= newest
  ) then
    return 'bus';
  end if;
  perform set_config('concordat.leaving', 'on', true);
  execute format('with gone as (
      delete from audit_seal using %s event where audit_seal.event_id = event.id returning sequence)
      select max(sequence) from gone', partition_name) into gone;
  select min(last_sequence) into gone from audit_pack where last_sequence >= gone;
  update audit_archive
  set sequence = greatest(sequence, coalesce(gone, 0)), before = ends,
    transaction_id = greatest(transaction_id, coalesce(newest, '0'));
  delete from audit_head where sequence <= (select audit_archive.sequence from audit_archive);
  perform set_config('concordat.leaving', 'off', true);
  execute format('drop table %s', partition_name);
  return null;
end $$;
do $$
begin
  execute format(
    'alter function leave_audit_month(date) security definer set search_path = %I, pg_temp',
    current_schema());
end $$;
revoke execute on function leave_audit_month(date) from public;
