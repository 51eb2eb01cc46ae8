-- The changes of the rounds of a proposal before the present one.

create table proposal_revision (
  proposal_id uuid not null references proposal,
  round integer not null,
  -- Without a foreign key, so that this migration locks only one table that is in use.
  base_contract_id uuid,
  changes json not null,
  primary key (proposal_id, round)
);
