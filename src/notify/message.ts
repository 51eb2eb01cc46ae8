// The message for a receiver: the body, and the headers that authenticate the sender and identify
// the delivery.

import { createHmac } from 'node:crypto';
import type { AuditEvent } from '../core/event.ts';
import type { Dispatch } from '../registry/webhooks/outbox.ts';

export function bodyOf(dispatch: Dispatch): string {
  const { event } = dispatch;
  return JSON.stringify({
    id: dispatch.deliveryId,
    webhook_id: dispatch.webhookId,
    type: event.eventType,
    sequence: dispatch.sequence,
    gap: dispatch.hasGap,
    replay: dispatch.isReplay,
    created_at: dispatch.createdAt,
    asset: {
      id: dispatch.assetId,
      fqn: event.metadata.asset_fqn ?? null,
      environment: event.metadata.environment ?? null,
    },
    teams: dispatch.teams,
    event: bodyOfEvent(event),
  });
}

export function bodyOfEvent(event: AuditEvent) {
  return {
    id: event.id,
    event_type: event.eventType,
    entity_type: event.entityType,
    entity_id: event.entityId,
    actor_id: event.actorId,
    actor_type: event.actorType,
    timestamp: event.timestamp,
    metadata: event.metadata,
  };
}

/** What a test sends: nothing happened. */
export function testBodyOf(test: {
  readonly id: string;
  readonly webhookId: string;
  readonly createdAt: string;
}): string {
  const { id, webhookId, createdAt } = test;
  return JSON.stringify({ id, webhook_id: webhookId, type: 'test', created_at: createdAt });
}

export function headersOf(
  { type, id }: { readonly type: string; readonly id: string },
  secret: string,
  body: string,
  sentBy: { readonly userAgent: string; readonly seconds: number },
): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': sentBy.userAgent,
    'Concordat-Event': type,
    'Concordat-Delivery': id,
    'Concordat-Signature': signatureOf(secret, body, sentBy.seconds),
  };
}

/** The time is signed with the body, so a recorded message cannot be sent again much later. */
export function signatureOf(secret: string, body: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
