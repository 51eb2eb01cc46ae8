-- Whose own choice a webhook is: it tells this user, at the user's address, what is for the user's team. The previous release
-- takes it for one of a team that does not exist. And when somebody stopped a webhook; null while it sends.

alter table webhook add column user_id uuid,
  add column stopped_at timestamptz;
create unique index webhook_by_user on webhook (user_id) where user_id is not null;
