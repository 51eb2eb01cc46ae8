import { type DatabaseTransactionConnection, type FragmentSqlToken, sql } from 'slonik';
import type { Change } from '../../core/comparison.ts';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import { withFirstExamples } from '../../core/diff/alike-changes.ts';
import type { Proposal } from '../../core/proposal.ts';
import { writtenRow } from '../postgres/rows.ts';

type Connection = DatabaseTransactionConnection;
type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

export async function insertRegistrations(
  connection: Connection,
  writes: Of<'insert_registration'>,
) {
  const rows = writes.map(({ registration, createdBy }) => ({
    id: registration.id,
    asset_id: registration.assetId,
    contract_id: registration.contractId,
    registered_version: registration.registeredVersion,
    consumer_team_id: registration.consumerTeamId,
    notes: registration.notes,
    status: registration.status,
    migrates_at: registration.migratesAt,
    source: registration.source,
    claims: registration.claims,
    actor_type: createdBy.type,
    actor_id: createdBy.id,
    actor_name: createdBy.name,
    created_at: registration.createdAt,
    updated_at: registration.updatedAt,
  }));
  await connection.query(sql.type(writtenRow)`
    with row as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, asset_id uuid, contract_id uuid, registered_version text, consumer_team_id uuid,
        notes text, status text, migrates_at timestamptz, source text, claims text[],
        actor_type text, actor_id uuid, actor_name text, created_at timestamptz,
        updated_at timestamptz)
    ), ${lookAtSunsets(sql.fragment`select asset_id from row`)}
    insert into registration (id, asset_id, contract_id, registered_version, consumer_team_id,
      notes, status, migrates_at, source, claims, actor_type, actor_id, actor_name, created_at,
      updated_at)
    select id, asset_id, contract_id, registered_version, consumer_team_id,
      notes, status, migrates_at, source, claims, actor_type, actor_id, actor_name, created_at,
      updated_at
    from row`);
}

/** Whoever begins to read a field with a sunset date is told in the next sweep. */
function lookAtSunsets(assets: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`sunsets as (
    update contract set sunsets_due = '-infinity'
    where asset_id in (${assets}) and status = 'active'
      and (sunsets_due is not null or sunsets_told is not null)
  )`;
}

const assetsOfRows = sql.fragment`
  select registration.asset_id from registration join row using (id)`;

export async function updateRegistrations(
  connection: Connection,
  writes: Of<'update_registration'>,
) {
  const rows = writes.map(({ registration }) => ({
    id: registration.id,
    contract_id: registration.contractId,
    notes: registration.notes,
    status: registration.status,
    migrates_at: registration.migratesAt,
    claims: registration.claims,
    ends_at: registration.endsAt,
    updated_at: registration.updatedAt,
  }));
  await connection.query(sql.type(writtenRow)`
    with row as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, contract_id uuid, notes text, status text, migrates_at timestamptz,
        claims text[], ends_at timestamptz, updated_at timestamptz)
    ), ${lookAtSunsets(assetsOfRows)}
    update registration
    set contract_id = row.contract_id, notes = row.notes, status = row.status,
      migrates_at = row.migrates_at, claims = row.claims, ends_at = row.ends_at,
      updated_at = row.updated_at
    from row
    where registration.id = row.id`);
}

export async function setNeeds(connection: Connection, writes: Of<'set_need'>) {
  const rows = writes.map(({ id, need, heldAgainst, at }) => ({
    id,
    // The text 'null' would become a JSON null.
    need: need ?? undefined,
    held_against: heldAgainst,
    at,
  }));
  await connection.query(sql.type(writtenRow)`
    with row as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, need json, held_against uuid, at timestamptz)
    ), ${lookAtSunsets(assetsOfRows)}
    update registration
    set need = row.need, need_contract_id = row.held_against, updated_at = row.at
    from row
    where registration.id = row.id`);
}

export async function setFoundNeeds(connection: Connection, writes: Of<'set_found_need'>) {
  const rows = writes.map(({ id, found, at }) => ({ id, found: found ?? undefined, at }));
  await connection.query(sql.type(writtenRow)`
    with row as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, found json, at timestamptz)
    ), ${lookAtSunsets(assetsOfRows)}
    update registration
    set found = row.found, updated_at = row.at
    from row
    where registration.id = row.id`);
}

export async function scheduleMigrations(connection: Connection, writes: Of<'schedule_migration'>) {
  const rows = writes.map(({ id, migratesAt, at }) => ({ id, migrates_at: migratesAt, at }));
  await connection.query(sql.type(writtenRow)`
    update registration
    set migrates_at = row.migrates_at, updated_at = row.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, migrates_at timestamptz, at timestamptz)
    where registration.id = row.id`);
}

export async function keepRegistrations(connection: Connection, writes: Of<'keep_registration'>) {
  const rows = writes.map(({ id, at }) => ({ id, at }));
  await connection.query(sql.type(writtenRow)`
    update registration
    set ends_at = null, updated_at = row.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (id uuid, at timestamptz)
    where registration.id = row.id`);
}

export async function deleteRegistrations(
  connection: Connection,
  writes: Of<'delete_registration'>,
) {
  await connection.query(sql.type(writtenRow)`
    delete from registration
    where id = any(${sql.array(
      writes.map(({ id }) => id),
      'uuid',
    )})`);
}

export async function insertProposals(connection: Connection, writes: Of<'insert_proposal'>) {
  const rows = writes.map(({ proposal, proposedDigest }) => ({
    id: proposal.id,
    asset_id: proposal.assetId,
    kind: proposal.kind,
    status: proposal.status,
    proposed: proposal.proposed,
    proposed_digest: proposedDigest,
    changes: proposal.changes,
    ...shortChangesOf(proposal),
    breaking_changes: proposal.breakingChanges,
    breaking_changes_count: proposal.breakingChangesCount,
    base_contract_id: proposal.baseContractId,
    change_type: proposal.changeType,
    asks: proposal.asks,
    verdicts: proposal.verdicts,
    round: proposal.round,
    proposed_at: proposal.proposedAt,
    proposed_by: proposal.proposedBy,
    request_reason: proposal.request.reason,
    request_contact: proposal.request.contact,
    answer_by: proposal.request.answerBy,
    migration: proposal.request.migration,
    migrate_by: proposal.request.migrateBy,
    actor_type: proposal.proposedByActor.type,
    actor_id: proposal.proposedByActor.id,
    actor_name: proposal.proposedByActor.name,
  }));
  // A rejected proposal that a newer one followed cannot reopen: it is superseded.
  await connection.query(sql.type(writtenRow)`
    with made as (
      insert into proposal (id, asset_id, kind, status, proposed, proposed_digest, changes,
        short_changes, short_changes_of, breaking_changes, breaking_changes_count, base_contract_id, change_type, asks, verdicts,
        round, proposed_at, proposed_by, request_reason, request_contact, answer_by, migration,
        migrate_by, actor_type, actor_id, actor_name)
      select id, asset_id, kind, status, proposed, proposed_digest, changes,
        short_changes, short_changes_of, breaking_changes, breaking_changes_count, base_contract_id, change_type, asks, verdicts,
        round, proposed_at, proposed_by, request_reason, request_contact, answer_by, migration,
        migrate_by, actor_type, actor_id, actor_name
      from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, asset_id uuid, kind text, status text, proposed json, proposed_digest text,
        changes json, short_changes json, short_changes_of text, breaking_changes json,
        breaking_changes_count integer, base_contract_id uuid, change_type text, asks text, verdicts jsonb, round integer,
        proposed_at timestamptz, proposed_by uuid, request_reason text, request_contact text,
        answer_by date, migration text, migrate_by date, actor_type text, actor_id uuid,
        actor_name text)
      returning id, asset_id
    )
    update proposal
    set superseded_by = made.id
    from made
    where proposal.asset_id = made.asset_id and proposal.status = 'rejected'
      and proposal.superseded_by is null`);
}

export async function updateProposals(connection: Connection, writes: Of<'update_proposal'>) {
  const rows = writes.map(({ id, set }) => ({
    id,
    status: set.status,
    base_contract_id: set.baseContractId,
    changes: set.changes,
    ...shortChangesOf(set),
    breaking_changes: set.breakingChanges,
    breaking_changes_count: set.breakingChanges.length,
    change_type: set.changeType,
    asks: set.asks,
    verdicts: set.verdicts,
    round: set.round,
    reason: set.reason,
    // See below: the text 'null' would become a JSON null.
    force_requested: set.forceRequested ?? undefined,
    superseded_by: set.supersededBy,
    published_contract_id: set.publishedContractId,
    resolved_at: set.resolvedAt,
    // The text 'null' would become a JSON null instead of an absent list.
    decided_consumers: set.decidedConsumers ?? undefined,
    decided_total: set.decidedConsumers?.length ?? null,
    decided_acknowledged: set.decidedConsumers?.filter((c) => c.acknowledged).length ?? null,
  }));
  // A round that begins after the last day for answers is not late: that day stays done with.
  // A new round keeps the changes of the one before: both parts read the proposal as it was.
  await connection.query(sql.type(writtenRow)`
    with row as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, status text, base_contract_id uuid, changes json, short_changes json,
        short_changes_of text, breaking_changes json, breaking_changes_count integer, change_type text, asks text, verdicts jsonb, round integer,
        reason text, force_requested json,
        superseded_by uuid, published_contract_id uuid, resolved_at timestamptz, decided_consumers json,
        decided_total integer, decided_acknowledged integer)
    ), kept as (
      insert into proposal_revision (proposal_id, round, base_contract_id, changes)
      select proposal.id, proposal.round, proposal.base_contract_id, proposal.changes
      from proposal
      join row on row.id = proposal.id and row.round <> proposal.round
    )
    update proposal
    set deadline_done = case
        when row.round <> proposal.round
          and proposal.answer_by < (clock_timestamp() at time zone 'UTC')::date
        then proposal.answer_by else proposal.deadline_done end,
      asked_at = case when row.round <> proposal.round then clock_timestamp() else proposal.asked_at end,
      status = row.status, base_contract_id = row.base_contract_id, changes = row.changes,
      short_changes = row.short_changes, short_changes_of = row.short_changes_of,
      breaking_changes = row.breaking_changes,
      breaking_changes_count = row.breaking_changes_count, change_type = row.change_type,
      asks = row.asks, verdicts = row.verdicts, round = row.round,
      reason = row.reason, force_requested = row.force_requested,
      superseded_by = row.superseded_by,
      published_contract_id = row.published_contract_id, resolved_at = row.resolved_at,
      decided_consumers = row.decided_consumers, decided_total = row.decided_total,
      decided_acknowledged = row.decided_acknowledged
    from row
    where proposal.id = row.id`);
}

/** The columns that the short list is in; none if no example repeats. */
function shortChangesOf({
  changes,
  round,
  status,
}: Pick<Proposal, 'changes' | 'round' | 'status'>): {
  readonly short_changes?: readonly Change[];
  readonly short_changes_of?: string;
} {
  const short = withFirstExamples(changes);
  return short.every((change, index) => change === changes[index])
    ? {}
    : { short_changes: short, short_changes_of: `${round} ${status}` };
}

/** The previous release writes the other columns of a proposal together, without these. */
export async function setRequests(connection: Connection, writes: Of<'set_request'>) {
  const rows = writes.map(({ id, request }) => ({
    id,
    request_reason: request.reason,
    request_contact: request.contact,
    answer_by: request.answerBy,
    migration: request.migration,
    migrate_by: request.migrateBy,
  }));
  await connection.query(sql.type(writtenRow)`
    update proposal
    set request_reason = row.request_reason, request_contact = row.request_contact,
      answer_by = row.answer_by, migration = row.migration, migrate_by = row.migrate_by,
      escalated_at = case when proposal.answer_by is not distinct from row.answer_by
        then proposal.escalated_at end
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, request_reason text, request_contact text, answer_by date, migration text,
      migrate_by date)
    where proposal.id = row.id`);
}

export async function noteReminders(connection: Connection, writes: Of<'note_reminder'>) {
  const rows = writes.map(({ id, at }) => ({ id, at }));
  await connection.query(sql.type(writtenRow)`
    update proposal set reminded_at = row.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (id uuid, at timestamptz)
    where proposal.id = row.id`);
}

export async function noteDeadlines(connection: Connection, writes: Of<'note_deadline'>) {
  const rows = writes.map(({ id, day, escalates }) => ({
    id,
    day,
    escalated_at: escalates?.at ?? null,
    round: escalates?.round ?? null,
  }));
  await connection.query(sql.type(writtenRow)`
    update proposal
    set deadline_done = row.day, escalated_at = row.escalated_at, escalated_round = row.round
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, day date, escalated_at timestamptz, round integer)
    where proposal.id = row.id`);
}

export async function setObjections(connection: Connection, writes: Of<'set_objections'>) {
  const rows = writes.map(({ id, objections }) => ({ id, objections }));
  await connection.query(sql.type(writtenRow)`
    update proposal set objections = row.objections
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (id uuid, objections json)
    where proposal.id = row.id`);
}

export async function insertComments(connection: Connection, writes: Of<'insert_comment'>) {
  const rows = writes.map(({ comment }) => ({
    id: comment.id,
    proposal_id: comment.proposalId,
    reply_to: comment.replyTo,
    round: comment.round,
    team_id: comment.teamId,
    text: comment.text,
    written_at: comment.writtenAt,
    actor_type: comment.writtenBy.type,
    actor_id: comment.writtenBy.id,
    actor_name: comment.writtenBy.name,
  }));
  await connection.query(sql.type(writtenRow)`
    insert into proposal_comment (id, proposal_id, reply_to, round, team_id, text, written_at,
      actor_type, actor_id, actor_name)
    select id, proposal_id, reply_to, round, team_id, text, written_at,
      actor_type, actor_id, actor_name
    from json_to_recordset(${JSON.stringify(rows)}::json) as row (
      id uuid, proposal_id uuid, reply_to uuid, round integer, team_id uuid, text text,
      written_at timestamptz, actor_type text, actor_id uuid, actor_name text)`);
}

export async function insertAcknowledgements(
  connection: Connection,
  writes: Of<'insert_acknowledgement'>,
) {
  const rows = writes.map(({ acknowledgement, becomes }) => ({
    id: acknowledgement.id,
    proposal_id: acknowledgement.proposalId,
    round: acknowledgement.round,
    team_id: acknowledgement.teamId,
    response: acknowledgement.response,
    until: acknowledgement.until,
    notes: acknowledgement.notes,
    answered_at: acknowledgement.answeredAt,
    actor_type: acknowledgement.answeredBy.type,
    actor_id: acknowledgement.answeredBy.id,
    actor_name: acknowledgement.answeredBy.name,
    becomes,
  }));
  await connection.query(sql.type(writtenRow)`
    with row as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row (
        id uuid, proposal_id uuid, round integer, team_id uuid, response text,
        until timestamptz, notes text, answered_at timestamptz, actor_type text, actor_id uuid,
        actor_name text, becomes text)
    ), answered as (
      update proposal set status = row.becomes, force_requested = null
      from row
      where proposal.id = row.proposal_id and proposal.status <> row.becomes
    )
    insert into acknowledgement (id, proposal_id, round, team_id, response, until, notes,
      answered_at, actor_type, actor_id, actor_name)
    select id, proposal_id, round, team_id, response, until, notes,
      answered_at, actor_type, actor_id, actor_name
    from row`);
}
