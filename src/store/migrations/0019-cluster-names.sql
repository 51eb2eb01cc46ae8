-- The cluster behind a name: as long as it lives, another one that has the same name may not lead.

alter table controller_lease add column cluster text;
