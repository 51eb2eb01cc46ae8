-- Lists of users and keys by the columns of the page. Keys of trusts are in no list.

create index app_user_by_name on app_user ((lower(name) collate "C"), id);
create index api_key_by_name on api_key ((lower(name) collate "C"), id) where trust_id is null;
create index api_key_by_last_day on api_key ((coalesce(expires_at, 'infinity'::timestamptz)), id)
  where trust_id is null;
create index api_key_by_last_use on api_key ((coalesce(last_used_at, 'epoch'::timestamptz)), id)
  where trust_id is null;
