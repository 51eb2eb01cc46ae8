// The only writer: the rows, audit events and outbox messages of one decision, in its transaction.
// Consecutive writes of one kind are one statement, however many they are.

import { type DatabaseTransactionConnection, sql } from 'slonik';
import type { Actor } from '../../core/actor.ts';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import type { EventDraft } from '../../core/event.ts';
import type { Timestamp } from '../../core/id.ts';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import type { Context } from '../../registry/ports.ts';
import { writtenRow } from '../postgres/rows.ts';
import { statement } from '../postgres/statement.ts';
import {
  insertAssets,
  insertContracts,
  noteSunsets,
  restoreAssets,
  setContractStatuses,
  updateAssets,
} from './write-assets.ts';
import { deleteDependencies, insertDependencies, insertQualityRuns } from './write-lineage.ts';
import {
  deleteRegistrations,
  insertAcknowledgements,
  insertComments,
  insertProposals,
  insertRegistrations,
  keepRegistrations,
  noteDeadlines,
  noteReminders,
  scheduleMigrations,
  setFoundNeeds,
  setNeeds,
  setObjections,
  setRequests,
  updateProposals,
  updateRegistrations,
} from './write-proposals.ts';
import { confirmSources, fenceSources } from './write-sources.ts';
import {
  deleteTrusts,
  insertApiKeys,
  insertServices,
  insertTeams,
  insertTrusts,
  noteKeyEnds,
  revokeApiKeys,
  updateServices,
  updateTeams,
} from './write-teams.ts';
import {
  deleteSessions,
  insertSessions,
  insertUsers,
  updateUsers,
  writeGroups,
} from './write-users.ts';
import {
  deleteWebhooks,
  insertWebhooks,
  replayDeliveries,
  updateWebhooks,
} from './write-webhooks.ts';

type Connection = DatabaseTransactionConnection;

/** The channel that wakes the outbox, the controllers and the caches of every replica. */
export const channel = 'concordat';

interface Applying {
  readonly context: Context<never>;
  readonly now: Timestamp;
  readonly cipher: SecretCipher | null;
}

export async function applyWrites(
  connection: Connection,
  { context, now, cipher }: Applying,
  writes: readonly Write[],
): Promise<void> {
  for (const group of neighboursOfOneKind(writes)) await applyGroup(connection, group, cipher);
  const events = writes.flatMap((write) => write.events);
  if (events.length > 0) await recordEvents(connection, context, now, events);
}

type Group = {
  readonly [Kind in Write['kind']]: { readonly kind: Kind; readonly writes: WriteOf<Kind>[] };
}[Write['kind']];

function neighboursOfOneKind(writes: readonly Write[]): readonly Group[] {
  const groups: { kind: Write['kind']; writes: Write[] }[] = [];
  for (const write of writes) {
    const last = groups.at(-1);
    if (last?.kind === write.kind) last.writes.push(write);
    else groups.push({ kind: write.kind, writes: [write] });
  }
  // The loop above puts only writes of one kind into a group.
  return groups as Group[];
}

async function applyGroup(
  connection: Connection,
  group: Group,
  cipher: SecretCipher | null,
): Promise<void> {
  switch (group.kind) {
    case 'insert_team':
      return insertTeams(connection, group.writes);
    case 'update_team':
      return updateTeams(connection, group.writes);
    case 'insert_service':
      return insertServices(connection, group.writes);
    case 'update_service':
      return updateServices(connection, group.writes);
    case 'insert_api_key':
      return insertApiKeys(connection, group.writes);
    case 'revoke_api_key':
      return revokeApiKeys(connection, group.writes);
    case 'note_key_end':
      return noteKeyEnds(connection, group.writes);
    case 'insert_trust':
      return insertTrusts(connection, group.writes);
    case 'delete_trust':
      return deleteTrusts(connection, group.writes);
    case 'insert_user':
      return insertUsers(connection, group.writes);
    case 'update_user':
      return updateUsers(connection, group.writes);
    case 'insert_group':
    case 'update_group':
    case 'delete_group':
      return writeGroups(connection, group.writes);
    case 'insert_session':
      return insertSessions(connection, group.writes);
    case 'delete_session':
      return deleteSessions(connection, group.writes);
    case 'record_event':
      return;
    case 'insert_webhook':
      return insertWebhooks(connection, cipher, group.writes);
    case 'update_webhook':
      return updateWebhooks(connection, cipher, group.writes);
    case 'delete_webhook':
      return deleteWebhooks(connection, group.writes);
    case 'replay_deliveries':
      return replayDeliveries(connection, group.writes);
    case 'confirm_source':
      return confirmSources(connection, group.writes);
    case 'take_over_source':
      return fenceSources(connection, group.writes);
    case 'insert_asset':
      return insertAssets(connection, group.writes);
    case 'update_asset':
      return updateAssets(connection, group.writes);
    case 'restore_asset':
      return restoreAssets(connection, group.writes);
    case 'insert_contract':
      return insertContracts(connection, group.writes);
    case 'note_sunsets':
      return noteSunsets(connection, group.writes);
    case 'set_contract_status':
      return setContractStatuses(connection, group.writes);
    case 'insert_registration':
      return insertRegistrations(connection, group.writes);
    case 'update_registration':
      return updateRegistrations(connection, group.writes);
    case 'set_need':
      return setNeeds(connection, group.writes);
    case 'set_found_need':
      return setFoundNeeds(connection, group.writes);
    case 'schedule_migration':
      return scheduleMigrations(connection, group.writes);
    case 'keep_registration':
      return keepRegistrations(connection, group.writes);
    case 'delete_registration':
      return deleteRegistrations(connection, group.writes);
    case 'insert_dependency':
      return insertDependencies(connection, group.writes);
    case 'delete_dependency':
      return deleteDependencies(connection, group.writes);
    case 'insert_quality_run':
      return insertQualityRuns(connection, group.writes);
    case 'insert_proposal':
      return insertProposals(connection, group.writes);
    case 'update_proposal':
      return updateProposals(connection, group.writes);
    case 'note_reminder':
      return noteReminders(connection, group.writes);
    case 'note_deadline':
      return noteDeadlines(connection, group.writes);
    case 'set_objections':
      return setObjections(connection, group.writes);
    case 'insert_comment':
      return insertComments(connection, group.writes);
    case 'set_request':
      return setRequests(connection, group.writes);
    case 'insert_acknowledgement':
      return insertAcknowledgements(connection, group.writes);
    default:
      return group satisfies never;
  }
}

/** Inserts events and outbox messages and sends the transaction's only NOTIFY, in one statement. */
const insertEvents = statement(sql.type(writtenRow)`
  with event as materialized (
    select * from json_to_recordset(${''}::json) as event (
      id uuid, event_type text, entity_type text, entity_id uuid, metadata json,
      asset_id uuid, team_ids uuid[], told_to uuid[])
  ), recorded as (
    insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
      occurred_at, request_id, metadata)
    select id, event_type, entity_type, entity_id, ${''}, ${''}::uuid,
      ${''}::timestamptz, ${''}, metadata
    from event
  ), message as (
    insert into outbox (event_id, event_type, asset_id, team_ids, told_to, created_at)
    select id, event_type, asset_id, team_ids, told_to, ${''}::timestamptz
    from event
    where asset_id is not null and told_to is not null
  )
  select pg_notify(${''}, ${''})`);

async function recordEvents(
  connection: Connection,
  context: Context<never>,
  now: Timestamp,
  drafts: readonly EventDraft[],
): Promise<void> {
  const events = drafts.map((draft) => ({
    id: context.newId(),
    event_type: draft.type,
    entity_type: draft.entityType,
    entity_id: draft.entityId,
    metadata: { ...draft.metadata, ...nameOf(context.actor) },
    asset_id: draft.assetId ?? null,
    team_ids: draft.teamIds ?? [],
    told_to: draft.notifiedTeamIds ?? null,
  }));
  const { actor, requestId } = context;
  await connection.query(
    insertEvents(
      ...[JSON.stringify(events), actor.type, actor.id, now, requestId, now],
      ...[channel, wakeUp(actor, events)],
    ),
  );
}

/** The name of the actor, because a uuid tells a reader little. */
function nameOf(actor: Actor): { readonly actor_name: string } {
  return { actor_name: actor.name };
}

/**
 * Postgres refuses payloads of 8,000 bytes; beyond this limit the listeners query for themselves.
 */
const payloadLimit = 7_000;

function wakeUp(
  actor: Actor,
  events: readonly {
    readonly event_type: string;
    readonly entity_id: string;
    readonly asset_id: string | null;
  }[],
): string {
  const payload = JSON.stringify({
    by: actor.id,
    events: events.map((event) => [event.event_type, event.entity_id, event.asset_id]),
  });
  return payload.length > payloadLimit ? '{"events":"many"}' : payload;
}
