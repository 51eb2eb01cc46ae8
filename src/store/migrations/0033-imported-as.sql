-- What an asset stands for, as imported files said, by kind of file. Metadata says it too, but its
-- owner can change that.

alter table asset add column imported_as jsonb;

-- The C collation, so that all nodes of a package are one range.
create index asset_by_dbt_node
  on asset (environment, ((imported_as #>> '{dbt,of}') collate "C"))
  where deleted_at is null and imported_as #>> '{dbt,of}' is not null;
create index asset_by_data_contract on asset (environment, (imported_as #>> '{odcs,of}'))
  where deleted_at is null and imported_as #>> '{odcs,of}' is not null;
create index asset_by_api on asset (environment, (imported_as #>> '{openapi,of}'))
  where deleted_at is null and imported_as #>> '{openapi,of}' is not null;
