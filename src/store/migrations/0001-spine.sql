-- Teams, keys, assets, contracts, registrations, proposals, audit events, outbox, idempotency.
--
-- User JSON is of type json, not jsonb: json keeps the text, so that no number is rounded and a
-- schema comes back as it was published. What is searched for stands in columns of its own.

create table team (
  id uuid primary key,
  name text not null,
  slug text collate "C" not null,
  metadata json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index team_name_among_living on team (lower(name)) where deleted_at is null;
create unique index team_slug_among_living on team (slug) where deleted_at is null;
create index team_by_name on team (name collate "C", id) where deleted_at is null;
create index team_by_creation on team (created_at, id) where deleted_at is null;

create table app_user (
  id uuid primary key,
  email text not null,
  name text not null,
  team_id uuid references team,
  role text not null check (role in ('admin', 'editor', 'viewer')),
  password_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deactivated_at timestamptz
);
create unique index app_user_email on app_user (lower(email));
create index app_user_by_creation on app_user (created_at, id);
create index app_user_by_team on app_user (team_id);

create table session (
  digest bytea primary key,
  user_id uuid not null references app_user,
  csrf_token text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index session_by_user on session (user_id);
create index session_by_last_seen on session (last_seen_at);

create table api_key (
  id uuid primary key,
  name text not null,
  digest bytea not null unique check (length(digest) = 32),
  prefix text not null check (length(prefix) = 12),
  team_id uuid references team,
  user_id uuid references app_user,
  scopes text[] not null check (scopes <@ array['read', 'write', 'admin']),
  team_ids uuid[] not null,
  all_teams boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_by_creation on api_key (created_at, id);
create index api_key_by_team on api_key (team_id, created_at, id);

create table asset (
  id uuid primary key,
  fqn text collate "C" not null,
  environment text collate "C" not null,
  owner_team_id uuid not null references team,
  owner_user_id uuid references app_user,
  guarantee_mode text not null check (guarantee_mode in ('notify', 'strict', 'ignore')),
  auto_publish boolean not null,
  metadata json not null,
  resource_type text,
  tags text[] not null,
  search_text text not null,
  search tsvector not null generated always as (to_tsvector('simple', search_text)) stored,
  managed_source text,
  managed_reference text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  check ((managed_source is null) = (managed_reference is null))
);
create unique index asset_name_among_living on asset (fqn, environment) where deleted_at is null;
create index asset_name_among_deleted on asset (fqn, environment, deleted_at, id)
  where deleted_at is not null;
create index asset_by_fqn on asset (fqn, id);
create index asset_by_creation on asset (created_at, id);
create index asset_by_change on asset (updated_at, id);
create index asset_by_owner on asset (owner_team_id, fqn, id);
create index asset_by_environment on asset (environment, fqn, id);
create index asset_by_resource_type on asset (resource_type, fqn, id);
create index asset_by_tag on asset using gin (tags);
create index asset_by_word on asset using gin (search);

create table contract (
  id uuid primary key,
  asset_id uuid not null references asset,
  -- Versions only rise: the order of publishing is the order of versions.
  ordinal integer not null check (ordinal > 0),
  version text collate "C" not null check (version ~ '^[0-9]+\.[0-9]+\.[0-9]+$'),
  status text not null check (status in ('active', 'deprecated', 'archived')),
  schema json not null,
  schema_digest text not null check (length(schema_digest) = 64),
  compatibility_mode text not null
    check (compatibility_mode in ('backward', 'forward', 'full', 'none')),
  guarantees json,
  format text not null check (format in ('jsonschema', 'dbt', 'openapi', 'graphql', 'odcs')),
  direction text not null check (direction in ('data', 'request', 'response', 'operation')),
  dialect text,
  change_type text not null check (change_type in ('initial', 'patch', 'minor', 'major')),
  previous_contract_id uuid references contract,
  published_at timestamptz not null,
  published_by uuid not null references team,
  actor_type text not null,
  actor_id uuid not null,
  actor_name text not null,
  source text not null check (source in ('api', 'kubernetes', 'git', 'sync')),
  source_reference text,
  source_commit text,
  deprecated_at timestamptz,
  archived_at timestamptz,
  unique (asset_id, ordinal),
  unique (asset_id, version)
);
-- However many publish at once, an asset has one active contract.
create unique index contract_one_active on contract (asset_id) where status = 'active';
create index contract_newest_kept on contract (asset_id, ordinal) where status <> 'archived';
create index contract_by_publishing on contract (published_at, id);
create index contract_by_asset on contract (asset_id, published_at, id);
create index contract_by_status on contract (status, published_at, id);

create table registration (
  id uuid primary key,
  asset_id uuid not null references asset,
  contract_id uuid not null references contract,
  registered_version text not null,
  consumer_team_id uuid not null references team,
  notes text,
  status text not null check (status in ('active', 'inactive')),
  migrates_at timestamptz,
  source text not null check (source in ('api', 'kubernetes', 'git', 'sync')),
  actor_type text not null,
  actor_id uuid not null,
  actor_name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index registration_one_a_team on registration (asset_id, consumer_team_id);
create index registration_by_contract on registration (contract_id, created_at, id);
create index registration_by_team on registration (consumer_team_id, created_at, id);
create index registration_by_creation on registration (created_at, id);
create index registration_to_migrate on registration (migrates_at) where migrates_at is not null;

create table proposal (
  id uuid primary key,
  asset_id uuid not null references asset,
  kind text not null check (kind in ('schema', 'deprecation', 'move', 'guarantee_mode')),
  status text not null check (status in
    ('pending', 'approved', 'published', 'rejected', 'force_published', 'withdrawn')),
  proposed json not null,
  proposed_digest text not null,
  changes json not null,
  breaking_changes json not null,
  breaking_changes_count integer not null,
  base_contract_id uuid references contract,
  round integer not null check (round > 0),
  proposed_at timestamptz not null,
  proposed_by uuid not null references team,
  actor_type text not null,
  actor_id uuid not null,
  actor_name text not null,
  reason text,
  -- Deferred: the old one is closed before the new one stands.
  superseded_by uuid references proposal deferrable initially deferred,
  published_contract_id uuid references contract,
  resolved_at timestamptz,
  -- The consumers as they were when it was decided; while it is not, the list is live.
  decided_consumers json,
  decided_total integer,
  decided_acknowledged integer
);
create unique index proposal_one_open on proposal (asset_id)
  where status in ('pending', 'approved');
create index proposal_by_proposing on proposal (proposed_at, id);
create index proposal_by_asset on proposal (asset_id, proposed_at, id);
create index proposal_by_status on proposal (status, proposed_at, id);

create table acknowledgement (
  id uuid primary key,
  -- Drawn under the asset's lock: the last answer is the last, whatever the clocks say.
  ordinal bigint generated always as identity,
  proposal_id uuid not null references proposal,
  round integer not null,
  team_id uuid not null references team,
  response text not null check (response in ('approved', 'migrating', 'blocked')),
  until timestamptz,
  notes text,
  answered_at timestamptz not null,
  actor_type text not null,
  actor_id uuid not null,
  actor_name text not null
);
create index acknowledgement_last on acknowledgement (proposal_id, round, team_id, ordinal);

-- The audit trail: partitioned by month through its UUIDv7, and never changed.

create table audit_event (
  id uuid primary key,
  event_type text collate "C" not null,
  entity_type text collate "C" not null,
  entity_id uuid not null,
  actor_type text not null,
  actor_id uuid not null,
  occurred_at timestamptz not null,
  request_id text,
  metadata json not null
) partition by range (id);
create index audit_event_by_entity on audit_event (entity_id, id);
create index audit_event_by_actor on audit_event (actor_id, id);
create index audit_event_by_type on audit_event (event_type, id);
create index audit_event_by_entity_type on audit_event (entity_type, id);
create table audit_event_default partition of audit_event default;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit events are never changed: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;
create trigger audit_event_immutable before update or delete on audit_event
  for each row execute function refuse_audit_change();
create trigger audit_event_not_truncated before truncate on audit_event
  for each statement execute function refuse_audit_change();
create trigger audit_event_not_truncated before truncate on audit_event_default
  for each statement execute function refuse_audit_change();

-- The lowest UUIDv7 of a moment.
create function uuid_floor(moment timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0')
    || '70008000000000000000')::uuid
$$;

-- Makes the partitions of this month and the three after it, where they are missing.
create function make_audit_partitions() returns void language plpgsql as $$
declare
  first_day timestamp;
  partition_name text;
begin
  for months in 0..3 loop
    first_day := date_trunc('month', now() at time zone 'utc') + make_interval(months => months);
    partition_name := 'audit_event_' || to_char(first_day, 'YYYY_MM');
    if to_regclass(partition_name) is null then
    begin
      execute format(
        'create table %I partition of audit_event for values from (%L) to (%L)',
        partition_name,
        uuid_floor(first_day at time zone 'utc'),
        uuid_floor((first_day + interval '1 month') at time zone 'utc'));
      execute format(
        'create trigger audit_event_not_truncated before truncate on %I
          for each statement execute function refuse_audit_change()', partition_name);
    exception
      -- Another process makes it at this moment, or events of that month lie in the default one.
      when duplicate_table or check_violation then
        raise warning 'the audit partition % was not made: %', partition_name, sqlerrm;
    end;
    end if;
  end loop;
end $$;
select make_audit_partitions();

-- What subscribers are told; the number is drawn under the asset's lock, so it orders per asset.
create table outbox (
  id bigint generated always as identity primary key,
  event_id uuid not null,
  event_type text not null,
  asset_id uuid not null,
  team_ids uuid[] not null,
  created_at timestamptz not null
);
create index outbox_by_asset on outbox (asset_id, id);

create table idempotency (
  actor_id uuid not null,
  method text not null,
  path text not null,
  key text not null,
  body_digest text not null,
  status integer,
  body text,
  created_at timestamptz not null,
  primary key (actor_id, key, method, path)
);
create index idempotency_by_creation on idempotency (created_at);

-- Times inside JSON, in the form in which every answer has them.
create function iso(moment timestamptz) returns text language sql stable as $$
  select to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
