-- What imports need to stay quick.

-- The assets that an earlier import of the same source made, so that what vanished from a file is
-- found without reading every asset's metadata. A key of metadata may be as long as people like:
-- an index entry may not.
alter table asset
  add column build_node text collate "C"
    generated always as (left(metadata ->> 'build_node_id', 500)) stored,
  add column odcs_contract text
    generated always as (left(metadata ->> 'contract_id', 500)) stored;
create index asset_by_build_node on asset (environment, build_node)
  where deleted_at is null and build_node is not null;
create index asset_by_odcs_contract on asset (environment, odcs_contract)
  where deleted_at is null and odcs_contract is not null;

-- Whether the results of a run were recorded before.
create index quality_run_by_run on quality_run (asset_id, run_id) where run_id is not null;
