-- With FOUR_EYES a force waits for a second administrator: who requested it, when, why, in which round.

alter table proposal add column force_requested json;
