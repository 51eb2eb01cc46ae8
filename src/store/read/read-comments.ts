// Comments on proposals: their row, their list and their facts.

import { type CommonQueryMethods, type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { Comment } from '../../core/comment.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction } from '../../registry/transaction.ts';
import { id, timestamp } from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

const commentRow = z.object({
  id,
  proposalId: id,
  replyTo: id.nullable(),
  round: z.int(),
  teamId: id.nullable(),
  teamName: z.string().nullable(),
  text: z.string(),
  writtenAt: timestamp,
  writtenBy: z.object({
    type: z.enum(['user', 'api_key', 'bootstrap', 'controller', 'system']),
    id,
    name: z.string(),
  }),
}) satisfies z.ZodType<Comment>;

const comments = defineList({
  shape: commentRow,
  columns: sql.fragment`
    proposal_comment.id, proposal_comment.proposal_id as "proposalId",
    proposal_comment.reply_to as "replyTo", proposal_comment.round,
    proposal_comment.team_id as "teamId", team.name as "teamName", proposal_comment.text,
    proposal_comment.written_at as "writtenAt",
    json_build_object('type', proposal_comment.actor_type, 'id', proposal_comment.actor_id,
      'name', proposal_comment.actor_name) as "writtenBy"`,
  tables: sql.fragment`
    proposal_comment left join team on team.id = proposal_comment.team_id`,
  countedTables: sql.fragment`proposal_comment`,
  id: sql.fragment`proposal_comment.id`,
  sorts: {
    written_at: { column: sql.fragment`proposal_comment.written_at`, type: 'timestamptz' },
  },
  defaultSort: { field: 'written_at', direction: 'ascending' },
  toEntity: (row): Comment => row,
});

export function readComments(pool: DatabasePool): Pick<Reads, 'listComments'> {
  return {
    listComments: (query) =>
      listPage(
        pool,
        comments,
        [sql.fragment`proposal_comment.proposal_id = ${query.proposalId}`],
        query,
      ),
  };
}

const factsRow = z.object({
  count: z.int(),
  repliedTo: z.object({ teamId: id.nullable() }).nullable(),
});

export function commentFactsOf(
  connection: CommonQueryMethods,
): Pick<Transaction, 'findCommentFacts'> {
  return {
    findCommentFacts: (proposalId, replyTo) =>
      connection.one(sql.type(factsRow)`
        select count(*)::integer as count,
          (select json_build_object('teamId', team_id) from proposal_comment
            where proposal_id = ${proposalId} and id = ${replyTo}::uuid) as "repliedTo"
        from proposal_comment
        where proposal_id = ${proposalId}`),
  };
}
