-- Whether the asset of a contract was deleted decides what its status reads as: the list in a state, and its
-- total, are read from the index alone.

drop index contract_by_status;
create index contract_by_status on contract (status, published_at, id) include (asset_id);
