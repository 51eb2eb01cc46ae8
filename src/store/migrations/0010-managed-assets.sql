-- What one object of a cluster manages, and all that a cluster's objects do.

create index asset_managed on asset (managed_source, managed_reference)
  where managed_source is not null;
