-- What was found that a consumer reads, beside what it has stated. One table in each migration, as in 0024.

alter table registration add column found json;
alter table registration add column found_digest text generated always as (found ->> 'digest') stored;

-- Also what was found has a verdict. The function with three arguments stays for the previous release.
create function asks_consumer(asks text, verdicts jsonb, need_digest text, found_digest text)
returns boolean
language sql immutable parallel safe
return asks_consumer(asks, verdicts, need_digest) or (
  need_digest is not null and found_digest is not null
  and verdicts -> found_digest ->> 'verdict' is distinct from 'unaffected');
