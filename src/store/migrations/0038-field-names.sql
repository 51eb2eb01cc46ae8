-- The names of the fields of active contracts, for the search. Null where they are not known yet, as in
-- contracts of before and those that the release before publishes: the service names them later.

alter table contract add column field_paths text[],
  add column field_words tsvector,
  add column fields_cut boolean;

create index contract_by_field on contract using gin (field_words) where status = 'active';
create index contract_without_fields on contract (id) where status = 'active' and field_paths is null;
create index contract_with_cut_fields on contract (id) where status = 'active' and fields_cut;
