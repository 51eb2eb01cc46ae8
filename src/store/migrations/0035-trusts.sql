-- Which tokens of which issuers are exchanged for short-lived keys, and for what.

create table trust (
  id uuid primary key,
  name text not null,
  issuer text not null,
  audience text not null,
  -- The pattern of each claim that a token must have.
  claims json not null,
  -- Without a foreign key, so that this migration locks only one table that is in use.
  team_id uuid not null,
  scopes text[] not null,
  -- Whether one token may be exchanged more than once.
  reusable boolean not null,
  created_at timestamptz not null
);
create index trust_by_issuer on trust (issuer);
create index trust_by_team on trust (team_id);

-- The tokens that were exchanged and have not ended.
create table used_token (
  digest bytea primary key,
  ends_at timestamptz not null
);

-- The trust that a key was issued by; null for keys that administrators issue.
alter table api_key add column trust_id uuid;
create index api_key_by_trust on api_key (trust_id, expires_at) where trust_id is not null;
