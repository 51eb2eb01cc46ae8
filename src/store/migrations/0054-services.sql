-- What assets belong to: a name, the repository of its code, and an owner.

create table service (
  id uuid primary key,
  name text collate "C" not null,
  -- Without a foreign key, so that this migration locks only one table that is in use.
  owner_team_id uuid not null,
  repository text,
  description text,
  metadata json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index service_name_among_living on service (name) where deleted_at is null;
create index service_by_name on service (name, id) where deleted_at is null;
create index service_by_creation on service (created_at, id) where deleted_at is null;
create index service_by_owner on service (owner_team_id, name, id) where deleted_at is null;

-- The service of an asset. The id of a deleted one stays until the asset is changed, and no read shows it. Without a
-- foreign key, as a migration adds nothing that refuses rows of the previous release.
alter table asset add column service_id uuid;
create index asset_by_service on asset (service_id, fqn, id) where service_id is not null;
