-- When consumers were last reminded, the last day for answers that was acted on, and the round whose missing answers
-- count as none.

alter table proposal add column reminded_at timestamptz;
alter table proposal add column deadline_done date;
alter table proposal add column escalated_at timestamptz;
alter table proposal add column escalated_round integer;
create index proposal_by_deadline on proposal (answer_by) where status = 'pending' and answer_by is not null;
