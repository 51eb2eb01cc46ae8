-- The object of a cluster, a folder or a repository that manages a team; null if only the API writes
-- it, as every release before did.
alter table team add column managed_source text, add column managed_reference text;

-- Teams are objects too. The code knows the kinds.
alter table source_object drop constraint source_object_kind_check;
