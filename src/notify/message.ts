// The message for a receiver: the body, and the headers that authenticate the sender and identify
// the delivery.

import { createHash, createHmac } from 'node:crypto';
import type { AuditEvent } from '../core/event.ts';
import type { Dispatch, Message } from '../registry/webhooks/outbox.ts';

export interface Outgoing {
  /** The same for every attempt. */
  readonly id: string;
  readonly type: string;
  /** None in a test, several in a summary. */
  readonly events: readonly AuditEvent[];
  /** The body for a receiver that takes JSON. */
  readonly json: string;
}

export function outgoingOf({ webhookId, messages, isSummary }: Dispatch): Outgoing {
  const [first] = messages;
  const events = messages.map(({ event }) => event);
  const bodies = messages.map((message) => bodyOf(webhookId, message));
  if (!isSummary) {
    const { deliveryId: id, event } = first;
    return { id, type: event.eventType, events, json: JSON.stringify(bodies[0]) };
  }
  const id = idOfAll(messages.map(({ deliveryId }) => deliveryId));
  const body = { id, webhook_id: webhookId, type: 'summary', messages: bodies };
  return { id, type: 'summary', events, json: JSON.stringify(body) };
}

/** Another one as soon as a message more is in it: who knows the id may leave the summary unread. */
function idOfAll(ids: readonly string[]): string {
  const digest = createHash('sha256').update(ids.join()).digest('hex');
  const [, ...parts] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  const [a, b, c, d, e] = parts;
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

function bodyOf(webhookId: string, message: Message) {
  const { event } = message;
  return {
    id: message.deliveryId,
    webhook_id: webhookId,
    type: event.eventType,
    sequence: message.sequence,
    gap: message.hasGap,
    replay: message.isReplay,
    created_at: message.createdAt,
    asset: {
      id: message.assetId,
      fqn: event.metadata.asset_fqn ?? null,
      environment: event.metadata.environment ?? null,
    },
    teams: message.teams,
    event: bodyOfEvent(event),
  };
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
