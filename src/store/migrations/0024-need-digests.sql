-- A consumer with a need that the contract met is known by the digest of that need. One table in each
-- migration: with locks of two, it would get in the way of replicas that read both.

alter table registration add column need_digest text generated always as (
  case when need ->> 'status' = 'met' then need ->> 'digest' end) stored;
-- The contract that the need was last held against. A need without one is held against the active one.
alter table registration add column need_contract_id uuid;
create index registration_by_need on registration (asset_id) where need is not null;
