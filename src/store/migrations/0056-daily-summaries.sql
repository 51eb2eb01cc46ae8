-- Webhooks that get one message a day: at which hour (UTC), when the next one is due (of one that is claimed, when the claim has
-- expired), and by whom it is sent. The previous release knows no such hour: while both serve, it sends each event by itself.

alter table webhook add column daily_at smallint,
  add column summary_due_at timestamptz,
  add column summary_claim uuid;
