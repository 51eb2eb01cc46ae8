import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { ProposalQuery } from '../registry/lists.ts';
import type { Reads } from '../registry/ports.ts';
import { defineList, listPage } from './list.ts';
import {
  proposalColumns,
  proposalOf,
  proposalRow,
  proposalSummaryColumns,
  proposalSummaryOf,
  proposalSummaryRow,
  proposalSummaryTables,
  proposalTables,
} from './proposal-rows.ts';
import { id } from './rows.ts';

const assetIdRow = z.object({ assetId: id });

const proposals = defineList({
  shape: proposalSummaryRow,
  columns: proposalSummaryColumns,
  tables: proposalSummaryTables,
  countedTables: sql.fragment`proposal join asset on asset.id = proposal.asset_id`,
  id: sql.fragment`proposal.id`,
  sorts: { proposed_at: { column: sql.fragment`proposal.proposed_at`, type: 'timestamptz' } },
  defaultSort: { field: 'proposed_at', direction: 'descending' },
  toEntity: proposalSummaryOf,
});

type ProposalReads = Pick<
  Reads,
  'getProposal' | 'getOpenProposal' | 'listProposals' | 'listOverdueProposals'
>;

export function readProposals(pool: DatabasePool): ProposalReads {
  return {
    getProposal: async (proposalId) => {
      const row = await pool.maybeOne(
        sql.type(proposalRow)`
          select ${proposalColumns} from ${proposalTables} where proposal.id = ${proposalId}`,
      );
      return row === null ? null : proposalOf(row);
    },

    getOpenProposal: async (assetId) => {
      const row = await pool.maybeOne(
        sql.type(proposalRow)`
          select ${proposalColumns} from ${proposalTables}
          where proposal.asset_id = ${assetId} and proposal.status in ('pending', 'approved')`,
      );
      return row === null ? null : proposalOf(row);
    },

    listProposals: (query) => listPage(pool, proposals, conditionsOf(query), query),

    listOverdueProposals: async (limit) => {
      const rows = await pool.any(
        sql.type(assetIdRow)`
          select proposal.asset_id as "assetId"
          from ${proposalSummaryTables}
          where proposal.status = 'pending' and asset.auto_publish
            and live.total = live.acknowledged
            -- What others propose for a managed asset waits for whoever manages it.
            and (asset.managed_reference is null or (proposal.actor_type = 'controller'
              and proposal.actor_name
                = 'DataContract ' || split_part(asset.managed_reference, ' in ', 1)))
          order by proposal.proposed_at
          limit ${limit}`,
      );
      return rows.map(({ assetId }) => assetId);
    },
  };
}

function conditionsOf(query: ProposalQuery): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (query.assetId !== undefined) {
    conditions.push(sql.fragment`proposal.asset_id = ${query.assetId}`);
  }
  if (query.status !== undefined) conditions.push(sql.fragment`proposal.status = ${query.status}`);
  if (query.kind !== undefined) conditions.push(sql.fragment`proposal.kind = ${query.kind}`);
  if (query.teamId !== undefined) {
    conditions.push(sql.fragment`asset.owner_team_id = ${query.teamId}`);
  }
  if (query.consumerTeamId !== undefined) conditions.push(ofConsumer(query.consumerTeamId));
  if (query.consumerTeamId !== undefined && query.awaiting === true) {
    conditions.push(awaiting(query.consumerTeamId));
  }
  return conditions;
}

/** Consumes the asset, or has answered this proposal once. */
function ofConsumer(teamId: string): FragmentSqlToken {
  return sql.fragment`(${isConsumer(teamId)} or exists (
    select from acknowledgement
    where acknowledgement.proposal_id = proposal.id and acknowledgement.team_id = ${teamId}))`;
}

function awaiting(teamId: string): FragmentSqlToken {
  return sql.fragment`proposal.status = 'pending' and ${isConsumer(teamId)}
    and coalesce((
      select response from acknowledgement
      where proposal_id = proposal.id and round = proposal.round and team_id = ${teamId}
      order by ordinal desc
      limit 1), 'blocked') = 'blocked'`;
}

function isConsumer(teamId: string): FragmentSqlToken {
  return sql.fragment`exists (
    select from registration
    join contract on contract.id = registration.contract_id and contract.status <> 'archived'
    where registration.asset_id = proposal.asset_id and registration.status = 'active'
      and registration.consumer_team_id = ${teamId})`;
}
