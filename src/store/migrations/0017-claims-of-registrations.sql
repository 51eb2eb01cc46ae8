-- Which sources of the controller ask for a registration. The first one holds it, and it ends with
-- the last one.

alter table registration add column claims text[] not null default '{}';
