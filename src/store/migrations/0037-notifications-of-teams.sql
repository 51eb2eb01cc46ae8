-- Webhooks that a team set up itself, and in which form they tell. What the release before makes are
-- the administrators', as JSON.
alter table webhook add column team_id uuid references team,
  add column format text not null default 'json';

create index webhook_by_team on webhook (team_id) where team_id is not null;
