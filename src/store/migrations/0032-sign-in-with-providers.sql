-- Who signs in with a provider. A subject is unique within its issuer, and is never reused.

create table user_identity (
  issuer text not null,
  subject text not null,
  -- Without a foreign key, so that this migration locks only one table that is in use.
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index user_identity_by_user on user_identity (user_id);

-- The provider that a session came from, where it ends too; null for a password.
alter table session add column provider text;
