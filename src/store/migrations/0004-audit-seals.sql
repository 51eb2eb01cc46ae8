-- Seals over the audit trail: a chain of hashes that writers know nothing of. One process at a time
-- appends what was committed since it last looked.

-- The transaction that wrote an event says whether it was there when the sealer looked: what commits
-- late has another answer than what was there, whatever their ids and clocks say. The asset is
-- computed, so that events of older versions have it too.
alter table audit_event
  add column transaction_id xid8 not null default pg_current_xact_id(),
  add column asset_id uuid generated always as (
    case when entity_type = 'asset' then entity_id else (metadata ->> 'asset_id')::uuid end
  ) stored;
create index audit_event_by_transaction on audit_event (transaction_id, id);
create index audit_event_by_asset on audit_event (asset_id, id) where asset_id is not null;

-- No reference to the event: it would lock rows that nobody may change, and say less than the hash.
create table audit_seal (
  sequence bigint primary key check (sequence > 0),
  event_id uuid not null unique,
  -- SHA-256 over the hash before it and the event.
  hash bytea not null check (length(hash) = 32)
);

-- The last seal of each batch, authenticated with a key that the database never sees.
create table audit_head (
  sequence bigint primary key check (sequence > 0),
  hash bytea not null check (length(hash) = 32),
  sealed_at timestamptz not null,
  -- Everything that was committed by then is sealed up to here; null in the middle of a pass.
  complete_at timestamptz,
  mac bytea check (length(mac) = 32),
  key_id text,
  check ((mac is null) = (key_id is null))
);

-- How far the sealer is. Everything visible in `snapshot` is sealed; while `pass` is there, also
-- what is visible in it, up to (`at_transaction`, `at_event`) in that order.
create table audit_seal_state (
  only_row boolean primary key default true check (only_row),
  sequence bigint not null,
  hash bytea not null,
  snapshot pg_snapshot not null,
  pass pg_snapshot,
  pass_at timestamptz,
  at_transaction xid8,
  at_event uuid,
  check ((at_transaction is null) = (at_event is null)),
  check ((pass is null) = (pass_at is null))
);
insert into audit_seal_state (sequence, hash, snapshot)
values (0, decode(repeat('00', 32), 'hex'), '1:1:');

create index registration_by_status on registration (status, created_at, id);
-- What the retention of contracts looks for.
create index contract_to_archive on contract (deprecated_at, id) where status = 'deprecated';

create trigger audit_seal_immutable before update or delete on audit_seal
  for each row execute function refuse_audit_change();
create trigger audit_seal_not_truncated before truncate on audit_seal
  for each statement execute function refuse_audit_change();
create trigger audit_head_immutable before update or delete on audit_head
  for each row execute function refuse_audit_change();
create trigger audit_head_not_truncated before truncate on audit_head
  for each statement execute function refuse_audit_change();
