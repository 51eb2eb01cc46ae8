-- Whom a breaking change asks. A consumer with a need that the contract met is known by the digest
-- of that need, which a proposal has verdicts about.

alter table asset add column needs_mode text not null default 'narrow'
  check (needs_mode in ('narrow', 'protect', 'ignore'));

alter table registration add column need_digest text generated always as (
  case when need ->> 'status' = 'met' then need ->> 'digest' end) stored;
-- The contract that the need was last held against. A need without one is held against the active one.
alter table registration add column need_contract_id uuid;
create index registration_by_need on registration (asset_id) where need is not null;

alter table proposal drop constraint proposal_kind_check;
alter table proposal add constraint proposal_kind_check
  check (kind in ('schema', 'deprecation', 'move', 'guarantee_mode', 'needs_mode'));
alter table proposal add column change_type text not null default 'major';
alter table proposal add column asks text not null default 'all'
  check (asks in ('all', 'affected', 'stated'));
-- By the digest of a need.
alter table proposal add column verdicts jsonb not null default '{}';

-- Whether a proposal waits for the answer of a consumer. core/decide/asking.ts has the same rule.
create function asks_consumer(asks text, verdicts jsonb, need_digest text) returns boolean
language sql immutable parallel safe
return case
  when asks = 'all' then true
  when need_digest is null then asks = 'affected'
  else verdicts -> need_digest ->> 'verdict' is distinct from 'unaffected'
end;
