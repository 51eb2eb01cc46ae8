-- Fields with a sunset date: the next day on which their readers have to be told, null for never, and
-- what they were told. A contract that the previous release publishes is looked at, whatever it says.

alter table contract add column sunsets_due date, add column sunsets_told jsonb;

update contract set sunsets_due = '-infinity'
where status = 'active' and schema::text like '%"x-sunset"%';

alter table contract alter column sunsets_due set default '-infinity';

create index contract_by_sunset on contract (sunsets_due, id)
  where status = 'active' and sunsets_due is not null;
