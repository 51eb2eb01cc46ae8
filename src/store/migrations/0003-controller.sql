-- What the controller keeps: leases, records of a source's objects, namespaces bound to teams. It is
-- state of the controller and not of the registry, so none of it is audited.

-- The sources there are, and who may write for each. Identity is the cluster's, or that of the
-- folder or repository.
create table controller_lease (
  identity text collate "C" primary key,
  -- What it is called in the API.
  id uuid not null unique default gen_random_uuid(),
  kind text not null check (kind in ('cluster', 'directory', 'git')),
  -- The folder, the URL or the server, as it is named to people.
  place text not null,
  -- Why nothing is concluded from it at the moment.
  problem text,
  -- Somebody has looked, and what is missing there is meant to be missing.
  is_confirmed boolean not null default false,
  -- Rises with every leader: a transaction that was begun under an older one changes nothing.
  fence bigint not null check (fence > 0),
  holder text not null,
  -- By Postgres's clock; where there is a cluster, its Lease says who leads and this is not looked at.
  renewed_at timestamptz not null
);

-- The objects of folders and repositories with their status: nothing is written where they come from.
create table source_object (
  identity text collate "C" not null,
  kind text not null check (kind in ('DataContract', 'ContractProposal', 'ContractRegistration')),
  namespace text collate "C" not null,
  name text collate "C" not null,
  -- For lists, whose pages go on behind an id.
  id uuid not null unique default gen_random_uuid(),
  generation bigint not null check (generation > 0),
  -- Of the whole spec, policies too: another one is another generation.
  spec_digest text not null,
  -- The registry holds something for it: it plays the finalizer.
  is_claimed boolean not null,
  status json,
  -- So that a deletion while nobody looked can still be settled.
  last_spec json not null,
  updated_at timestamptz not null,
  primary key (identity, kind, namespace, name)
);

-- A namespace acts for teams, not for slugs that may be given to another team.
create table namespace_team (
  identity text collate "C" not null,
  namespace text collate "C" not null,
  slug text collate "C" not null,
  team_id uuid not null references team,
  primary key (identity, namespace, slug)
);
