-- What teams object that a proposal does not ask. The list is written under the lock of the asset, by a statement of its own:
-- the previous release leaves it as it is.

alter table proposal add column objections json not null default '[]';
