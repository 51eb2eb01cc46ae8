-- What a proposed change does to each need, and which consumers the proposal asks.

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
