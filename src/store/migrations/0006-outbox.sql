-- Webhooks, what is delivered to them, and the order in which events are streamed.

create table webhook (
  id uuid primary key,
  url text not null,
  -- Not a digest: it signs what is sent.
  secret text not null,
  -- Empty: every type, every team.
  events text[] not null,
  team_ids uuid[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_by_creation on webhook (created_at, id);

-- Whom webhooks tell of it; null from replicas that know nothing of webhooks: nobody is told.
alter table outbox add column told_to uuid[];

-- No reference to the asset: it would lock the rows that writers lock.
create table delivery (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhook on delete cascade,
  asset_id uuid not null,
  -- The number of the outbox: drawn under the asset's lock.
  sequence bigint not null,
  -- Its place among those of its asset; a replay goes behind what waits.
  place bigint not null,
  event_id uuid not null,
  event_type text not null,
  team_ids uuid[] not null,
  state text not null check (state in ('pending', 'delivered', 'parked')),
  is_replay boolean not null default false,
  attempts integer not null default 0,
  last_status integer,
  last_error text,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  -- When the day for which it is tried began.
  queued_at timestamptz not null,
  finished_at timestamptz,
  check ((state = 'pending') = (finished_at is null)),
  unique (webhook_id, event_id)
);
create index delivery_waiting on delivery (webhook_id, asset_id, place) where state = 'pending';
create index delivery_by_webhook on delivery (webhook_id, created_at, id);
create index delivery_by_state on delivery (webhook_id, state, created_at, id);
create index delivery_finished on delivery (state, finished_at) where finished_at is not null;

-- What is claimed: everything for one webhook about one asset, one delivery at a time.
create table delivery_lane (
  webhook_id uuid not null references webhook on delete cascade,
  asset_id uuid not null,
  -- Null while nothing waits; of a lane that is claimed, when the claim has expired.
  due_at timestamptz,
  claim uuid,
  -- One before was parked, and nothing has been delivered since.
  has_gap boolean not null default false,
  primary key (webhook_id, asset_id)
);
create index delivery_lane_of_webhook on delivery_lane (webhook_id, due_at) where due_at is not null;
create index delivery_lane_due on delivery_lane (due_at) where due_at is not null;

-- The order in which events are streamed: drawn under the lock of the asset. Events of before have
-- none, and nobody was streamed them.
create sequence audit_event_position;
alter table audit_event add column stream_position bigint;
alter table audit_event alter column stream_position
  set default nextval('audit_event_position');
