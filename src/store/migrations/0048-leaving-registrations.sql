-- When a registration ends whose last ContractRegistration is gone. Null for all others.
alter table registration add column ends_at timestamptz;
create index registration_to_end on registration (ends_at) where ends_at is not null;
