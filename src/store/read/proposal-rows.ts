// Proposals with their consumers: for live ones from the registrations and the answers of the
// round, for decided ones as stored.

import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Change } from '../../core/comparison.ts';
import { verdictOn } from '../../core/decide/asking.ts';
import { breakingOf } from '../../core/decide/publishing/publish.ts';
import type { Examples } from '../../core/diff/alike-changes.ts';
import type { ConsumerVerdict } from '../../core/need.ts';
import {
  type ForceRequest,
  type Objection,
  type Proposal,
  type ProposalConsumer,
  type ProposalListed,
  type ProposalSummary,
  type Proposed,
  progressOf,
  progressOfCounts,
  proposalKinds,
} from '../../core/proposal.ts';
import { proposalStates } from '../../core/proposal-machine.ts';
import type { Json } from '../../core/value/json.ts';
import { id, isActive } from '../postgres/rows.ts';

const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const impact = z.object({
  verdict: z.enum(['unaffected', 'breaks', 'may_break']),
  path: z.string().exactOptional(),
  witness: z.custom<Json>().exactOptional(),
  reason: z.string().exactOptional(),
}) satisfies z.ZodType<ConsumerVerdict>;

const consumer = z.object({
  teamId: id,
  teamName: z.string(),
  acknowledged: z.boolean(),
  acknowledgedAt: timestamp.nullable(),
  response: z.enum(['approved', 'migrating', 'blocked']).nullable(),
  until: timestamp.nullable(),
  notes: z.string().nullable(),
  impact: impact.exactOptional(),
}) satisfies z.ZodType<ProposalConsumer>;

const rowConsumer = consumer.extend({
  needDigest: z.string().nullish(),
  foundDigest: z.string().nullish(),
  isExcused: z.boolean().optional(),
});

const actorType = z.enum(['user', 'api_key', 'bootstrap', 'controller', 'system']);

const objection = z.object({
  teamId: id,
  teamName: z.string(),
  reason: z.string(),
  round: z.int(),
  objectedAt: timestamp,
  objectedBy: z.object({ type: actorType, id, name: z.string() }),
}) satisfies z.ZodType<Objection>;

const forceRequest = z.object({
  by: z.object({ type: actorType, id, name: z.string() }),
  userId: id,
  reason: z.string(),
  requestedAt: timestamp,
  round: z.int(),
  overrides: z.array(id).default([]),
}) satisfies z.ZodType<ForceRequest>;

const proposalSummaryRow = z.object({
  id,
  assetId: id,
  assetFqn: z.string(),
  kind: z.enum(proposalKinds),
  status: z.enum(proposalStates),
  breakingChangesCount: z.int(),
  changeType: z.enum(['initial', 'patch', 'minor', 'major']),
  proposedAt: timestamp,
  askedAt: timestamp,
  proposedBy: id,
  round: z.int(),
  requestReason: z.string().nullable(),
  requestContact: z.string().nullable(),
  answerBy: z.iso.date().nullable(),
  migration: z.string().nullable(),
  migrateBy: z.iso.date().nullable(),
  remindedAt: timestamp.nullable(),
  escalatedAt: timestamp.nullable(),
  deadlineDone: z.iso.date().nullable(),
  actorType,
  actorId: id,
  actorName: z.string(),
  totalConsumers: z.int(),
  acknowledged: z.int(),
});

export const proposalListedRow = proposalSummaryRow.extend({
  notAgreed: z.array(consumer.pick({ teamId: true, teamName: true, response: true })),
  objectionCount: z.int(),
});

export const proposalRow = proposalSummaryRow
  .omit({ totalConsumers: true, acknowledged: true })
  .extend({
    proposed: z.custom<Proposed>((value) => typeof value === 'object' && value !== null),
    proposedDigest: z.string(),
    changes: z.custom<readonly Change[]>(Array.isArray),
    baseContractId: id.nullable(),
    reason: z.string().nullable(),
    forceRequested: forceRequest.nullable(),
    supersededBy: id.nullable(),
    publishedContractId: id.nullable(),
    resolvedAt: timestamp.nullable(),
    consumers: z.array(rowConsumer),
    asks: z.enum(['all', 'affected', 'stated']),
    verdicts: z.record(z.string(), impact),
    objections: z.array(objection),
  });

const headColumns = sql.fragment`
  proposal.id, proposal.asset_id as "assetId", asset.fqn as "assetFqn", proposal.kind,
  proposal.status, proposal.breaking_changes_count as "breakingChangesCount",
  proposal.change_type as "changeType",
  proposal.proposed_at as "proposedAt", proposal.proposed_by as "proposedBy", proposal.round,
  coalesce(proposal.asked_at, proposal.proposed_at) as "askedAt",
  proposal.request_reason as "requestReason", proposal.request_contact as "requestContact",
  to_char(proposal.answer_by, 'YYYY-MM-DD') as "answerBy", proposal.migration,
  to_char(proposal.migrate_by, 'YYYY-MM-DD') as "migrateBy",
  iso(proposal.reminded_at) as "remindedAt",
  case when proposal.escalated_round = proposal.round then iso(proposal.escalated_at) end
    as "escalatedAt",
  to_char(proposal.deadline_done, 'YYYY-MM-DD') as "deadlineDone",
  proposal.actor_type as "actorType", proposal.actor_id as "actorId",
  proposal.actor_name as "actorName"`;

/** Until a proposal is published or withdrawn, its consumers are those of the asset. */
const isLive = sql.fragment`proposal.status in ('pending', 'approved', 'rejected')`;

const proposalSummaryColumns = sql.fragment`
  ${headColumns},
  case when ${isLive} then live.total else proposal.decided_total end as "totalConsumers",
  case when ${isLive} then live.acknowledged else proposal.decided_acknowledged end
    as "acknowledged"`;

/** A list names at most three teams, because one line has room for no more. */
export const proposalListedColumns = sql.fragment`
  ${proposalSummaryColumns},
  array_to_json((coalesce(live.held_up_by, '{}'))[1:3]) as "notAgreed",
  json_array_length(proposal.objections) as "objectionCount"`;

/** An answer stays, whatever the team says later that it reads. */
const isAsked = sql.fragment`
  (asks_consumer(proposal.asks, proposal.verdicts, registration.need_digest,
      registration.found_digest)
    or answer.response is not null)`;

/**
 * Each active registration, with its team's last answer. Decided proposals look up nobody, because
 * the condition is inside; on the join it would be evaluated after the lookup.
 */
const liveConsumers = sql.fragment`
  registration
  join team on team.id = registration.consumer_team_id
  left join lateral (
    select response, until, notes, answered_at
    from acknowledgement
    where proposal_id = proposal.id and round = proposal.round
      and team_id = registration.consumer_team_id
    order by ordinal desc
    limit 1
  ) answer on true
  where registration.asset_id = proposal.asset_id and ${isActive}
    and ${isLive}`;

export const proposalSummaryTables = sql.fragment`
  proposal
  join asset on asset.id = proposal.asset_id
  left join lateral (
    select (count(*) filter (where ${isAsked}))::integer as total,
      (count(*) filter (where answer.response in ('approved', 'migrating')))::integer
        as acknowledged,
      array_agg(
        json_build_object('teamId', team.id, 'teamName', team.name, 'response', answer.response)
        order by answer.response, team.name, team.id
      ) filter (
        where ${isAsked} and coalesce(answer.response, 'blocked') = 'blocked'
      ) as held_up_by
    from ${liveConsumers}
  ) live on true`;

/** If a row has no short list of its present round and state, all its examples are read. */
const changesWith: Readonly<Record<Examples, FragmentSqlToken>> = {
  all: sql.fragment`proposal.changes`,
  first: sql.fragment`
    case when proposal.short_changes_of = proposal.round || ' ' || proposal.status
      then proposal.short_changes else proposal.changes end`,
};

export const proposalColumns = (examples: Examples) => sql.fragment`
  ${headColumns}, proposal.proposed, proposal.proposed_digest as "proposedDigest",
  ${changesWith[examples]} as "changes",
  proposal.base_contract_id as "baseContractId", proposal.asks, proposal.verdicts,
  proposal.objections, proposal.reason,
  proposal.force_requested as "forceRequested", proposal.superseded_by as "supersededBy",
  proposal.published_contract_id as "publishedContractId", proposal.resolved_at as "resolvedAt",
  coalesce(case when ${isLive} then live.consumers else proposal.decided_consumers end,
    '[]'::json) as "consumers"`;

export const proposalTables = sql.fragment`
  proposal
  join asset on asset.id = proposal.asset_id
  left join lateral (
    select json_agg(json_build_object(
      'teamId', team.id,
      'teamName', team.name,
      'acknowledged', coalesce(answer.response in ('approved', 'migrating'), false),
      'acknowledgedAt', case when answer.response in ('approved', 'migrating')
        then iso(answer.answered_at) end,
      'response', answer.response,
      'until', iso(answer.until),
      'notes', answer.notes,
      'needDigest', registration.need_digest,
      'foundDigest', registration.found_digest,
      'isExcused', not ${isAsked}
    ) order by team.name, team.id) as consumers
    from ${liveConsumers}
  ) live on true`;

function proposalSummaryOf(row: z.infer<typeof proposalSummaryRow>): ProposalSummary {
  return { ...headOf(row), progress: progressOfCounts(row.status, countsOf(row)) };
}

export function proposalListedOf({
  notAgreed,
  objectionCount,
  ...row
}: z.infer<typeof proposalListedRow>): ProposalListed {
  return { ...proposalSummaryOf(row), notAgreed, objectionCount };
}

export function proposalOf(row: z.infer<typeof proposalRow>): Proposal {
  const consumers = row.consumers.flatMap((each): readonly ProposalConsumer[] => {
    const { needDigest = null, foundDigest = null, isExcused, ...rest } = each;
    if (isExcused === true) return [];
    const found = verdictOn({ needDigest, foundDigest }, row.verdicts);
    return [found === null ? rest : { ...rest, impact: found }];
  });
  return {
    ...headOf(row),
    progress: progressOf(row.status, consumers),
    proposed: row.proposed,
    changes: row.changes,
    // They are stored, too, but in a wide table that is 13 MB more to read.
    breakingChanges: breakingOf(row.changes),
    baseContractId: row.baseContractId,
    reason: row.reason,
    forceRequested: row.forceRequested,
    supersededBy: row.supersededBy,
    publishedContractId: row.publishedContractId,
    resolvedAt: row.resolvedAt,
    consumers,
    asks: row.asks,
    verdicts: row.verdicts,
    objections: row.objections,
    excused: row.consumers.flatMap(({ teamId, teamName, isExcused }) =>
      isExcused === true ? [{ teamId, teamName }] : [],
    ),
  };
}

function headOf(
  row: Omit<z.infer<typeof proposalSummaryRow>, 'totalConsumers' | 'acknowledged'>,
): Omit<ProposalSummary, 'progress'> {
  return {
    id: row.id,
    assetId: row.assetId,
    assetFqn: row.assetFqn,
    kind: row.kind,
    status: row.status,
    changeType: row.changeType,
    breakingChangesCount: row.breakingChangesCount,
    proposedAt: row.proposedAt,
    askedAt: row.askedAt,
    proposedBy: row.proposedBy,
    round: row.round,
    request: {
      reason: row.requestReason,
      contact: row.requestContact,
      answerBy: row.answerBy,
      migration: row.migration,
      migrateBy: row.migrateBy,
    },
    remindedAt: row.remindedAt,
    escalatedAt: row.escalatedAt,
    deadlineDone: row.deadlineDone,
    proposedByActor: { type: row.actorType, id: row.actorId, name: row.actorName },
  };
}

function countsOf({ totalConsumers, acknowledged }: z.infer<typeof proposalSummaryRow>) {
  return { totalConsumers, acknowledged };
}
