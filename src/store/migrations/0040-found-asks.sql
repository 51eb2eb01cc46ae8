-- What was found also asks a consumer that has stated no need: about a compatible change, because it
-- is asked about a break in any case. core/decide/asking.ts has the same rule.

create or replace function asks_consumer(
  asks text, verdicts jsonb, need_digest text, found_digest text
) returns boolean
language sql immutable parallel safe
return asks_consumer(asks, verdicts, need_digest) or (
  found_digest is not null
  and verdicts -> found_digest ->> 'verdict' is distinct from 'unaffected');

-- Whether anything is known of what consumers read is looked up by each publish.
create index registration_by_found on registration (asset_id) where found is not null;
