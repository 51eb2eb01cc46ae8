import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { Change } from '../../core/comparison.ts';
import type { Revision } from '../../core/decide/publishing/revision.ts';
import type { Reads } from '../../registry/ports.ts';
import { id, timestamp } from '../postgres/rows.ts';

const revisionRow = z.object({
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
        select proposal_revision.round, proposal_revision.base_contract_id as "baseContractId",
          contract.version as "baseVersion", proposal_revision.changes,
          coalesce(answered.answers, '[]'::json) as answers
        from proposal_revision
        left join contract on contract.id = proposal_revision.base_contract_id
        left join lateral (
          select json_agg(json_build_object('teamId', answer.team_id, 'teamName', team.name,
            'response', answer.response, 'notes', answer.notes,
            'answeredAt', iso(answer.answered_at)) order by team.name, team.id) as answers
          from (
            select distinct on (team_id) team_id, response, notes, answered_at
            from acknowledgement
            where proposal_id = proposal_revision.proposal_id and round = proposal_revision.round
            order by team_id, ordinal desc
          ) answer
          join team on team.id = answer.team_id
        ) answered on true
        where proposal_revision.proposal_id = ${proposalId}
        order by proposal_revision.round desc
        limit ${limit}`),
  };
}
