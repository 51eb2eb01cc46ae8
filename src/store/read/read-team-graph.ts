// Reads the graph of teams that own and use data. One statement reads each table once and returns
// only teams and the lines between them.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { maxGraphLines, maxGraphTeams, type TeamGraph } from '../../core/team-graph.ts';
import type { TeamGraphQuery } from '../../registry/lineage/team-graph.ts';
import type { Reads } from '../../registry/ports.ts';
import { askTogether } from '../postgres/ask-together.ts';
import { isActive, plannedEachTime } from '../postgres/rows.ts';

const graphRow = plannedEachTime(
  z.object({
    teams: z.custom<TeamGraph['teams']>(Array.isArray),
    lines: z.custom<TeamGraph['lines']>(Array.isArray),
    teamCount: z.int(),
    lineCount: z.int(),
    assetCount: z.int(),
  }),
);

export function readTeamGraph(pool: DatabasePool): Pick<Reads, 'getTeamGraph'> {
  return {
    // It reads all rows, so simultaneous requests share one run.
    getTeamGraph: askTogether((query: TeamGraphQuery) =>
      pool.one(sql.type(graphRow)`
        with owned as materialized (${ownedAssets(query)}),
        line as materialized (
          select team_id as from_id, to_id, count(*) as assets,
            count(*) filter (where is_registered) as consumed,
            sum(dependencies) as dependencies, count(proposal_id) as pending,
            min(id::text) filter (where proposal_id is not null) as pending_id,
            min(id::text) as first_id, max(id::text) as last_id
          from (
            select id, team_id, proposal_id, to_id, bool_or(is_registered) as is_registered,
              count(*) filter (where not is_registered) as dependencies
            from (${usesOf(query)}) part
            group by id, team_id, proposal_id, to_id
          ) used
          group by team_id, to_id
        ),
        weight as materialized (
          select team_id, sum(owned) as owned, sum(consumed) as consumed, sum(pending) as pending,
            sum(asked) as asked
          from (
            select team_id, count(*) as owned, 0 as consumed, count(proposal_id) as pending, 0 as asked
            from owned group by team_id
            union all
            select to_id, 0, consumed, 0, pending from line
          ) part
          group by team_id
        ),
        shown as materialized (
          select block.id, block.name, block.kind, weight.owned, weight.consumed, weight.pending
          from weight
          join (${blocksOf(query)}) block on block.id = weight.team_id
          order by weight.pending + weight.asked desc, weight.owned + weight.consumed desc,
            block.name, block.id
          limit ${maxGraphTeams}
        ),
        shown_line as (
          select line.*
          from line
          join shown owner on owner.id = line.from_id
          join shown consumer on consumer.id = line.to_id
          where line.from_id <> line.to_id
          order by line.pending desc, line.assets desc, owner.name, consumer.name, from_id, to_id
          limit ${maxGraphLines}
        )
        select
          (
            select coalesce(json_agg(${teamMembersOf(query)} order by name, id), '[]'::json)
            from shown
          ) as teams,
          (
            select coalesce(json_agg(json_build_object('fromTeamId', from_id, 'toTeamId', to_id,
              'assets', assets, 'consumed', consumed, 'dependencies', dependencies,
              'pending', pending, 'examples', (${examplesOfLine}))), '[]'::json)
            from shown_line
          ) as lines,
          (select count(*) from weight)::integer as "teamCount",
          (select count(*) from line where from_id <> to_id)::integer as "lineCount",
          (select count(*) from owned)::integer as "assetCount"`),
    ),
  };
}

/** The block of an asset: its team, or its living service if it has one. */
function blockOf({ by }: TeamGraphQuery, asset: 'asset' | 'downstream') {
  const row = sql.identifier([asset]);
  if (by === 'team') return sql.fragment`${row}.owner_team_id`;
  return sql.fragment`coalesce(
    (select id from service where id = ${row}.service_id and deleted_at is null),
    ${row}.owner_team_id)`;
}

function blocksOf({ by }: TeamGraphQuery) {
  const teams = sql.fragment`select id, name, 'team' as kind from team`;
  return by === 'team'
    ? teams
    : sql.fragment`${teams} union all select id, name, 'service' from service`;
}

function teamMembersOf({ by }: TeamGraphQuery) {
  const kind = by === 'team' ? sql.fragment`` : sql.fragment`, 'kind', kind`;
  return sql.fragment`json_build_object('id', id, 'name', name, 'owned', owned,
    'consumed', consumed, 'pending', pending${kind})`;
}

function ownedAssets(query: TeamGraphQuery) {
  const { ownerTeamId, environment } = query;
  const conditions = [sql.fragment`asset.deleted_at is null`];
  if (ownerTeamId !== undefined) {
    conditions.push(sql.fragment`asset.owner_team_id = ${ownerTeamId}`);
  }
  if (environment !== undefined) {
    conditions.push(sql.fragment`asset.environment = ${environment}`);
  }
  return sql.fragment`
    select asset.id, ${blockOf(query, 'asset')} as team_id, proposal.id as proposal_id
    from asset
    left join proposal
      on proposal.asset_id = asset.id and proposal.status in ('pending', 'approved')
    where ${sql.join(conditions, sql.fragment` and `)}`;
}

/**
 * A use is a registration, or a dependency of an asset that the using team owns. Each carries its
 * asset's owner: if it were joined again, Postgres might compare every use with every asset.
 */
const usesOf = (query: TeamGraphQuery) => sql.fragment`
  select owned.*, registration.consumer_team_id as to_id, true as is_registered
  from owned
  join registration on registration.asset_id = owned.id and ${isActive}
  union all
  select owned.*, ${blockOf(query, 'downstream')}, false
  from owned
  join dependency on dependency.depends_on_asset_id = owned.id
  -- Living: of "is null" Postgres expects a handful where it has not looked, and begins with them.
  join asset downstream
    on downstream.id = dependency.asset_id and isfinite(downstream.deleted_at) is not true`;

/** Read once each, by key, and only for the lines that are listed. */
const examplesOfLine = sql.fragment`
  select json_agg(json_build_object('assetId', asset.id, 'fqn', asset.fqn,
    'proposalId', proposal.id) order by proposal.id is null, asset.id)
  from asset
  left join proposal
    on proposal.asset_id = asset.id and proposal.status in ('pending', 'approved')
  where asset.id = any(array[pending_id, first_id, last_id]::uuid[])`;
