import type { z } from 'zod';
import type { User } from '../../core/user.ts';
import type {
  Delivery as DeliveryEntity,
  ListedWebhook as ListedEntity,
  Webhook as WebhookEntity,
} from '../../core/webhook.ts';
import type { Delivery, ListedWebhook, NotificationChoice, Webhook } from '../shapes/webhook.ts';

export function representWebhook(webhook: WebhookEntity): z.output<typeof Webhook> {
  return {
    id: webhook.id,
    url: webhook.url,
    format: webhook.format,
    team_id: webhook.teamId,
    user_id: webhook.userId,
    events: [...webhook.events],
    team_ids: [...webhook.teamIds],
    daily_at: webhook.dailyAt,
    stopped_at: webhook.stoppedAt,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

/** @param problem why no letter reaches the user */
export function representChoice(
  { email, teamId }: Pick<User, 'email' | 'teamId'>,
  webhook: WebhookEntity | null,
  problem: string | null,
): z.output<typeof NotificationChoice> {
  return {
    sent: webhook !== null,
    events: [...(webhook?.events ?? [])],
    daily_at: webhook?.dailyAt ?? null,
    stopped_at: webhook?.stoppedAt ?? null,
    team_id: teamId,
    email,
    problem,
  };
}

export function representListedWebhook(webhook: ListedEntity): z.output<typeof ListedWebhook> {
  const { pending, parked, failingSince, lastError } = webhook.health;
  const health = { pending, parked, failing_since: failingSince, last_error: lastError };
  return { ...representWebhook(webhook), health };
}

export function representDelivery(delivery: DeliveryEntity): z.output<typeof Delivery> {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    asset_id: delivery.assetId,
    sequence: delivery.sequence,
    team_ids: [...delivery.teamIds],
    state: delivery.state,
    attempts: delivery.attempts,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    last_attempt_at: delivery.lastAttemptAt,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    finished_at: delivery.finishedAt,
  };
}
