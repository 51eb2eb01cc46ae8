import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { Change } from '../../core/comparison.ts';
import type { Revision } from '../../core/decide/publishing/revision.ts';
import type { Reads } from '../../registry/ports.ts';
import { id, timestamp } from '../postgres/rows.ts';

const revisionRow = z.object({
  proposalId: id,
  round: z.int(),
  baseContractId: id.nullable(),
  baseVersion: z.string().nullable(),
  changes: z.custom<readonly Change[]>(Array.isArray),
  answers: z.array(
    z.object({
      teamId: id,
      teamName: z.string(),
      response: z.enum(['approved', 'migrating', 'blocked']),
      notes: z.string().nullable(),
      answeredAt: timestamp,
    }),
  ),
}) satisfies z.ZodType<Revision>;

export function readRevisions(pool: DatabasePool): Pick<Reads, 'listRevisions'> {
  return {
    listRevisions: (proposalId, limit) =>
      pool.any(sql.type(revisionRow)`
        with recursive earlier as (
          select id, asset_id, kind, 0 as back from proposal where id = ${proposalId}
          union all
          select replaced.id, replaced.asset_id, replaced.kind, back + 1
          from earlier
          join proposal replaced on replaced.asset_id = earlier.asset_id
            and replaced.kind = earlier.kind and replaced.superseded_by = earlier.id
          where back < ${limit}
        ), shown as (
          select revision.proposal_id, revision.round, revision.base_contract_id,
            revision.changes, earlier.back
          from earlier
          join proposal_revision revision on revision.proposal_id = earlier.id
          union all
          -- A replaced proposal ended in a round that is kept in the proposal itself.
          select proposal.id, proposal.round, proposal.base_contract_id, proposal.changes,
            earlier.back
          from earlier
          join proposal on proposal.id = earlier.id
          where back > 0
          order by back, round desc
          limit ${limit}
        )
        select shown.proposal_id as "proposalId", shown.round,
          shown.base_contract_id as "baseContractId", contract.version as "baseVersion",
          shown.changes, coalesce(answered.answers, '[]'::json) as answers
        from shown
        left join contract on contract.id = shown.base_contract_id
        left join lateral (
          select json_agg(json_build_object('teamId', answer.team_id, 'teamName', team.name,
            'response', answer.response, 'notes', answer.notes,
            'answeredAt', iso(answer.answered_at)) order by team.name, team.id) as answers
          from (
            select distinct on (team_id) team_id, response, notes, answered_at
            from acknowledgement
            where proposal_id = shown.proposal_id and round = shown.round
            order by team_id, ordinal desc
          ) answer
          join team on team.id = answer.team_id
        ) answered on true
        order by shown.back, shown.round desc`),
  };
}
