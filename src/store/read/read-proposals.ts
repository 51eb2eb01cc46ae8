import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { ProposalQuery } from '../../registry/lists.ts';
import type { Reads, RecordedAnswer } from '../../registry/ports.ts';
import { id, isActive, timestamp } from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';
import {
  proposalColumns,
  proposalListedColumns,
  proposalListedOf,
  proposalListedRow,
  proposalOf,
  proposalRow,
  proposalSummaryTables,
  proposalTables,
} from './proposal-rows.ts';

const roundRow = z.object({ round: z.int() });

const overdueRow = z.object({ id, assetId: id });

const actor = z.object({
  type: z.enum(['user', 'api_key', 'bootstrap', 'controller', 'system']),
  id,
  name: z.string(),
});

const answerRow = z.object({
  round: z.int(),
  response: z.enum(['approved', 'migrating', 'blocked']),
  until: timestamp.nullable(),
  notes: z.string().nullable(),
  actor,
  proposal: z.object({
    id,
    proposedDigest: z.string(),
    baseContractId: id.nullable(),
    proposedByActor: actor,
  }),
}) satisfies z.ZodType<RecordedAnswer>;

/** More answers than a team gives about one asset in years. */
const answerLimit = 1_000;

const proposals = defineList({
  shape: proposalListedRow,
  columns: proposalListedColumns,
  tables: proposalSummaryTables,
  countedTables: sql.fragment`proposal join asset on asset.id = proposal.asset_id`,
  id: sql.fragment`proposal.id`,
  sorts: {
    proposed_at: { column: sql.fragment`proposal.proposed_at`, type: 'timestamptz' },
    answer_by: {
      column: sql.fragment`coalesce(proposal.answer_by, 'infinity'::date)`,
      type: 'date',
    },
  },
  defaultSort: { field: 'proposed_at', direction: 'descending' },
  toEntity: proposalListedOf,
});

type ProposalReads = Pick<
  Reads,
  | 'getProposal'
  | 'findRound'
  | 'listAnswers'
  | 'getOpenProposal'
  | 'listProposals'
  | 'listOverdueProposals'
  | 'listPassedDeadlines'
>;

export function readProposals(pool: DatabasePool): ProposalReads {
  return {
    getProposal: async (proposalId, examples = 'all') => {
      const row = await pool.maybeOne(
        sql.type(proposalRow)`
          select ${proposalColumns(examples)} from ${proposalTables} where proposal.id = ${proposalId}`,
      );
      return row === null ? null : proposalOf(row);
    },

    findRound: (proposalId) =>
      pool.maybeOneFirst(sql.type(roundRow)`select round from proposal where id = ${proposalId}`),

    listAnswers: (assetId, teamId) =>
      pool.any(
        sql.type(answerRow)`
          select acknowledgement.round, response, iso(until) as until, notes,
            json_build_object('type', acknowledgement.actor_type, 'id', acknowledgement.actor_id,
              'name', acknowledgement.actor_name) as actor,
            json_build_object('id', proposal.id, 'proposedDigest', proposal.proposed_digest,
              'baseContractId', proposal.base_contract_id,
              'proposedByActor', json_build_object('type', proposal.actor_type,
                'id', proposal.actor_id, 'name', proposal.actor_name)) as proposal
          from proposal
          join acknowledgement on acknowledgement.proposal_id = proposal.id
          where proposal.asset_id = ${assetId} and acknowledgement.team_id = ${teamId}
          order by ordinal desc
          limit ${answerLimit}`,
      ),

    getOpenProposal: async (assetId) => {
      const row = await pool.maybeOne(
        sql.type(proposalRow)`
          select ${proposalColumns('all')} from ${proposalTables}
          where proposal.asset_id = ${assetId} and proposal.status in ('pending', 'approved')`,
      );
      return row === null ? null : proposalOf(row);
    },

    listProposals: (query) => {
      // The team may own or use nearly everything or nearly nothing, so the plan depends on it. An
      // inbox is requested constantly, and is read through the registrations of the team. Where
      // proposals of one kind are sorted by their last day, either of two indexes may be better.
      const { teamId, consumerTeamId, awaiting, kind, sort } = query;
      const isPlannedEachTime =
        teamId !== undefined ||
        (consumerTeamId !== undefined && awaiting !== true) ||
        (kind !== undefined && sort?.field === 'answer_by');
      return listPage(pool, { ...proposals, isPlannedEachTime }, conditionsOf(query), query);
    },

    // Selected before they are sorted: to take the first hundred by id, Postgres might walk all
    // proposals for only a handful.
    listOverdueProposals: (after, limit) =>
      pool.any(
        sql.type(overdueRow)`
          with overdue as materialized (
            select proposal.id, proposal.asset_id as "assetId"
            from ${proposalSummaryTables}
            where proposal.status = 'pending' and asset.auto_publish
              and live.total = live.acknowledged
              -- What others propose for a managed asset waits for whoever manages it.
              and (asset.managed_reference is null or (proposal.actor_type = 'controller'
                and proposal.actor_name
                  = 'DataContract ' || split_part(asset.managed_reference, ' in ', 1)))
            union all
            -- Approved before a team registered that has not been asked. In one condition with the
            -- others, the consumers of every proposal would be counted first.
            select proposal.id, proposal.asset_id
            from ${proposalSummaryTables}
            where proposal.status = 'approved' and live.total > live.acknowledged
          )
          select id, "assetId" from overdue
          where id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
          order by id
          limit ${limit}`,
      ),

    listPassedDeadlines: (today, limit) =>
      pool.any(
        sql.type(overdueRow)`
          select proposal.id, proposal.asset_id as "assetId"
          from ${proposalSummaryTables}
          where proposal.status = 'pending' and proposal.answer_by < ${today}::date
            and proposal.deadline_done is distinct from proposal.answer_by
            and asset.on_deadline <> 'nothing' and asset.deleted_at is null
            and live.total > live.acknowledged
          order by proposal.answer_by, proposal.id
          limit ${limit}`,
      ),
  };
}

function conditionsOf(query: ProposalQuery): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (query.assetId !== undefined) {
    conditions.push(sql.fragment`proposal.asset_id = ${query.assetId}`);
  }
  if (query.status !== undefined) conditions.push(sql.fragment`proposal.status = ${query.status}`);
  if (query.escalated !== undefined) {
    const isEscalated = sql.fragment`(proposal.status = 'pending'
      and proposal.escalated_at is not null and proposal.escalated_round = proposal.round)`;
    conditions.push(query.escalated ? isEscalated : sql.fragment`${isEscalated} is not true`);
  }
  if (query.superseded !== undefined) {
    conditions.push(
      query.superseded
        ? sql.fragment`proposal.superseded_by is not null`
        : sql.fragment`proposal.superseded_by is null`,
    );
  }
  if (query.kind !== undefined) conditions.push(sql.fragment`proposal.kind = ${query.kind}`);
  if (query.teamId !== undefined) {
    conditions.push(sql.fragment`asset.owner_team_id = ${query.teamId}`);
  }
  const { consumerTeamId } = query;
  if (consumerTeamId !== undefined) {
    conditions.push(
      query.awaiting === true ? awaiting(consumerTeamId) : ofConsumer(consumerTeamId),
    );
  }
  return conditions;
}

/** Teams that consume the asset, or have answered this proposal. */
function ofConsumer(teamId: string): FragmentSqlToken {
  return sql.fragment`proposal.id = any(array(
    ${askedOf(teamId)}
    union
    select proposal_id from acknowledgement where team_id = ${teamId}))`;
}

/**
 * The state is repeated inside, so that the index of open proposals is used: an asset has at most
 * one.
 */
function awaiting(teamId: string): FragmentSqlToken {
  return sql.fragment`proposal.status = 'pending' and proposal.id = any(array(
    ${askedOf(teamId)} and asked.status = 'pending'
    and coalesce((
      select response = 'blocked' from acknowledgement
      where proposal_id = asked.id and round = asked.round and team_id = ${teamId}
      order by ordinal desc
      limit 1), true)))`;
}

/** Through the registrations of the team, which are fewer than the proposals of all teams. */
function askedOf(teamId: string): FragmentSqlToken {
  return sql.fragment`
    select asked.id
    from registration
    join proposal asked on asked.asset_id = registration.asset_id
    where registration.consumer_team_id = ${teamId} and ${isActive}
      and asks_consumer(asked.asks, asked.verdicts, registration.need_digest,
        registration.found_digest)`;
}
