-- The people and groups that an identity provider keeps here by SCIM.

create table scim_user (
  -- Without foreign keys here and below, so that this migration locks no table that is in use.
  user_id uuid primary key,
  user_name text not null,
  external_id text,
  -- The parts of the name, as the provider spelled them.
  names json not null,
  -- When SCIM deactivated the user; what an administrator did, SCIM does not reverse.
  deactivated_at timestamptz,
  -- When SCIM deleted it. The user stays, and comes back with the same external id.
  deleted_at timestamptz
);
create unique index scim_user_by_name on scim_user (lower(user_name)) where deleted_at is null;
create index scim_user_by_external_id on scim_user (external_id) where deleted_at is null;

create table scim_group (
  id uuid primary key,
  display_name text not null,
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index scim_group_by_name on scim_group (lower(display_name));
create index scim_group_by_external_id on scim_group (external_id);

create table scim_group_member (
  group_id uuid not null,
  user_id uuid not null,
  primary key (group_id, user_id)
);
create index scim_group_member_by_user on scim_group_member (user_id);
