// Audit events, with all details that a reader needs.

import { type Actor, type ActorType, hasDuty } from './actor.ts';
import type { AssetId, EventId, TeamId, Timestamp } from './id.ts';
import type { JsonObject } from './value/json.ts';

export const eventTypes = [
  'asset.created',
  'asset.updated',
  'asset.deleted',
  'asset.restored',
  'contract.published',
  'contract.deprecated',
  'contract.archived',
  'contract.fields_ending',
  'proposal.created',
  'proposal.updated',
  'proposal.commented',
  'proposal.objected',
  'proposal.reminded',
  'proposal.deadline_passed',
  'proposal.acknowledged',
  'proposal.approved',
  'proposal.reopened',
  'proposal.reassessed',
  'proposal.rejected',
  'proposal.rebased',
  'proposal.published',
  'proposal.withdrawn',
  'proposal.force_requested',
  'proposal.force_published',
  'registration.created',
  'registration.updated',
  'registration.deleted',
  'registration.needs_changed',
  'registration.needs_met',
  'registration.needs_found',
  'team.created',
  'team.updated',
  'team.deleted',
  'team.restored',
  'service.created',
  'service.updated',
  'service.deleted',
  'user.created',
  'user.updated',
  'user.deactivated',
  'group.created',
  'group.updated',
  'group.deleted',
  'api_key.created',
  'api_key.expiring',
  'api_key.revoked',
  'auth.login',
  'auth.logout',
  'auth.login_failed',
  'auth.denied',
  'dependency.created',
  'dependency.deleted',
  'audit_run.recorded',
  'trust.created',
  'trust.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'import.completed',
  'source.confirmed',
  'source.taken_over',
] as const;

export type EventType = (typeof eventTypes)[number];

export const entityTypes = [
  'asset',
  'contract',
  'proposal',
  'registration',
  'team',
  'service',
  'user',
  'group',
  'api_key',
  'dependency',
  'audit_run',
  'trust',
  'webhook',
  'import',
  'source',
] as const;

export type EntityType = (typeof entityTypes)[number];

export interface AuditEvent {
  readonly id: EventId;
  readonly eventType: EventType;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly actorId: string;
  readonly actorType: ActorType;
  readonly timestamp: Timestamp;
  readonly metadata: JsonObject;
  readonly requestId: string | null;
}

/**
 * Entities whose events contain e-mail addresses, names of keys, addresses of sign-ins, or what
 * tokens must say.
 */
export const personalEntityTypes: readonly EntityType[] = ['user', 'group', 'api_key', 'trust'];

/** What an event is about: contracts and all that belongs to them, or people and their access. */
export const eventTopics = ['contracts', 'access'] as const;

export type EventTopic = (typeof eventTopics)[number];

/** The events about people and keys that a reader may see: all, or those about these ids. */
export type PersonalEvents = 'all' | readonly string[];

/**
 * Events about people, keys and sign-ins: whoever may read the audit trail sees all, others only
 * their own.
 *
 * @example personalEventsOf({ ...reader, scope: 'read' }) // [reader.id]
 */
export function personalEventsOf(actor: Actor): PersonalEvents {
  if (hasDuty(actor, 'read_audit')) return 'all';
  const { id, userId } = actor;
  return userId === undefined || userId === id ? [id] : [id, userId];
}

/**
 * Whether a reader may see an event: events about people and keys only if they are about the
 * reader.
 *
 * @example maySeeEvent([ownId], { entityType: 'user', entityId: otherId, metadata: {} }) // false
 */
export function maySeeEvent(
  personal: PersonalEvents,
  event: Pick<AuditEvent, 'entityType' | 'entityId' | 'metadata'>,
): boolean {
  if (personal === 'all' || !personalEntityTypes.includes(event.entityType)) return true;
  // An event about a key names the user that it belongs to.
  return personal.some((id) => id === event.entityId || id === event.metadata.user_id);
}

/** The asset that an event belongs to: its own, or the one that it names. */
export function assetOf({
  entityType,
  entityId,
  metadata,
}: Pick<AuditEvent, 'entityType' | 'entityId' | 'metadata'>): string | null {
  if (entityType === 'asset') return entityId;
  return typeof metadata.asset_id === 'string' ? metadata.asset_id : null;
}

/** An event before the writer adds its id, its actor and its time. */
export interface EventDraft {
  readonly type: EventType;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly metadata: JsonObject;
  /** The asset whose order the event belongs to: subscribers receive it through the outbox. */
  readonly assetId?: AssetId;
  /** The teams that it concerns. */
  readonly teamIds?: readonly TeamId[];
  /** Present if webhooks receive it: the teams that it is meant for. */
  readonly notifiedTeamIds?: readonly TeamId[];
}
