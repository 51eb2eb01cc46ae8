-- What the producer tells the consumers that a proposal asks: why, whom to ask, and the last day for answers.

alter table proposal add column request_reason text;
alter table proposal add column request_contact text;
alter table proposal add column answer_by date;
