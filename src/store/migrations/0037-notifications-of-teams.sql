-- Webhooks that a team set up itself, and in which form they tell. What the release before makes are
-- the administrators', as JSON. Teams are held while they get one, and their rows are never deleted.
alter table webhook add column team_id uuid,
  add column format text not null default 'json';

create index webhook_by_team on webhook (team_id) where team_id is not null;
