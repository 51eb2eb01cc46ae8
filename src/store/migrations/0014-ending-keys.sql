-- Keys end: each is reported once, a month before.

alter table api_key add column end_noted_at timestamptz;
create index api_key_by_end on api_key (expires_at) where revoked_at is null;
