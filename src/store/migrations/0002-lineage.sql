-- What assets are made from, and how the checks of their data went.

create table dependency (
  id uuid primary key,
  asset_id uuid not null references asset,
  depends_on_asset_id uuid not null references asset,
  type text not null check (type in ('consumes', 'references', 'transforms')),
  source text not null check (source in ('manual', 'dbt')),
  created_at timestamptz not null,
  check (asset_id <> depends_on_asset_id)
);
create unique index dependency_one_a_pair on dependency (asset_id, depends_on_asset_id);
create index dependency_upstream on dependency (asset_id, created_at, id);
create index dependency_downstream on dependency (depends_on_asset_id, created_at, id);

create table quality_run (
  id uuid primary key,
  asset_id uuid not null references asset,
  contract_id uuid references contract,
  status text not null check (status in ('passed', 'failed')),
  triggered_by text collate "C" not null,
  run_id text,
  guarantees json not null,
  metadata json not null,
  started_at timestamptz,
  finished_at timestamptz,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null
);
create index quality_run_by_asset on quality_run (asset_id, occurred_at, id);
create index quality_run_by_status on quality_run (asset_id, status, occurred_at, id);
create index quality_run_by_trigger on quality_run (asset_id, triggered_by, occurred_at, id);
