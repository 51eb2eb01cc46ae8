-- How far the events of the audit trail have been sent to a topic, and which process sends them.
create table event_bus (
  topic text primary key,
  place text not null,
  holder uuid,
  held_until timestamptz not null default '-infinity'
);
