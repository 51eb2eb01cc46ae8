-- Assets by the last segment of their name, which people know them by.
create index asset_by_last_name on asset (lower(split_part(fqn, '.', -1)), fqn)
  where deleted_at is null;
