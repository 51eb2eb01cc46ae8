-- What a list can be asked for, and no index began with.

create index contract_by_version on contract (version, published_at, id);
create index proposal_by_kind on proposal (kind, proposed_at, id);
-- Which proposals a team has answered.
create index acknowledgement_by_team on acknowledgement (team_id, proposal_id);
-- Whose proposals publish themselves: the sweep looks at no other.
create index asset_publishing_itself on asset (id) where auto_publish;
