-- What people say about a proposal. A comment is never changed or removed.

create table proposal_comment (
  id uuid primary key,
  proposal_id uuid not null references proposal,
  reply_to uuid references proposal_comment,
  round integer not null,
  -- The team that it is written for; null for an administrator without one. Without a foreign key, so that this
  -- migration locks only one table that is in use.
  team_id uuid,
  text text not null,
  written_at timestamptz not null,
  actor_type text not null,
  actor_id uuid not null,
  actor_name text not null
);
create index proposal_comment_by_writing on proposal_comment (proposal_id, written_at, id);
