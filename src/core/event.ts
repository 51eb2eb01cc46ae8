// Audit events: what happened, said so that a reader needs no second query.

import type { ActorType } from './actor.ts';
import type { AssetId, EventId, TeamId, Timestamp } from './id.ts';
import type { JsonObject } from './json.ts';

export const eventTypes = [
  'asset.created',
  'asset.updated',
  'asset.deleted',
  'asset.restored',
  'contract.published',
  'contract.deprecated',
  'contract.archived',
  'proposal.created',
  'proposal.acknowledged',
  'proposal.approved',
  'proposal.reopened',
  'proposal.rejected',
  'proposal.rebased',
  'proposal.published',
  'proposal.withdrawn',
  'proposal.force_published',
  'registration.created',
  'registration.updated',
  'registration.deleted',
  'team.created',
  'team.updated',
  'team.deleted',
  'user.created',
  'user.updated',
  'user.deactivated',
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
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'import.completed',
  'source.confirmed',
] as const;

export type EventType = (typeof eventTypes)[number];

export const entityTypes = [
  'asset',
  'contract',
  'proposal',
  'registration',
  'team',
  'user',
  'api_key',
  'dependency',
  'audit_run',
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

/** An event before the writer gives it its id, its actor and its time. */
export interface EventDraft {
  readonly type: EventType;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly metadata: JsonObject;
  /** The asset whose order it belongs to: subscribers are told of it through the outbox. */
  readonly assetId?: AssetId;
  /** The teams whom it concerns. */
  readonly teamIds?: readonly TeamId[];
  /** Present where webhooks are told of it: the teams that it is meant for. */
  readonly toldTo?: readonly TeamId[];
}
