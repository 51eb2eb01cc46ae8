// Webhooks and their deliveries.

import type { EventType } from './event.ts';
import type { AssetId, DeliveryId, EventId, TeamId, Timestamp, UserId, WebhookId } from './id.ts';

/**
 * The types of events that webhooks can get; decide/events.ts decides which teams each event is
 * for.
 */
export const notifiedEventTypes = [
  'proposal.created',
  'proposal.reopened',
  'proposal.updated',
  'proposal.commented',
  'proposal.objected',
  'proposal.reminded',
  'proposal.deadline_passed',
  'proposal.reassessed',
  'proposal.rebased',
  'proposal.acknowledged',
  'proposal.rejected',
  'proposal.force_requested',
  'proposal.force_published',
  'contract.published',
  'contract.deprecated',
  'contract.archived',
  'contract.fields_ending',
  'asset.deleted',
  'audit_run.recorded',
] as const satisfies readonly EventType[];

export type NotifiedEventType = (typeof notifiedEventTypes)[number];

/**
 * How a message is written: as the event in JSON, or in words for a channel of Slack or Microsoft Teams or for
 * an e-mail.
 */
export const webhookFormats = ['json', 'slack', 'teams', 'email'] as const;

export type WebhookFormat = (typeof webhookFormats)[number];

/** A webhook. Its secret signs messages; it is stored separately and shown once. */
export interface Webhook {
  readonly id: WebhookId;
  /** Of `email`, a `mailto:` with one address. */
  readonly url: string;
  readonly format: WebhookFormat;
  /** The team that set it up; null if administrators did. Then `teamIds` is this team. */
  readonly teamId: TeamId | null;
  /** Whose own choice it is; else null. It tells this user by e-mail what is for the user's team. */
  readonly userId: UserId | null;
  /** Empty for every type. */
  readonly events: readonly NotifiedEventType[];
  /** Only events that are meant for one of these teams; empty for all. */
  readonly teamIds: readonly TeamId[];
  /** The hour (UTC) of the one message a day; null sends each event at once. */
  readonly dailyAt: number | null;
  /** Since when nothing is sent, because somebody stopped it; null while it sends. */
  readonly stoppedAt: Timestamp | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

/** What becomes of the messages of a webhook. */
interface WebhookHealth {
  /** At most `maxCountedDeliveries` are counted. */
  readonly pending: number;
  readonly parked: number;
  /** When the oldest message was created that was tried in vain and is still pending; null if there is none. */
  readonly failingSince: Timestamp | null;
  /** Why its last attempt failed. */
  readonly lastError: string | null;
}

export interface ListedWebhook extends Webhook {
  readonly health: WebhookHealth;
}

export const maxCountedDeliveries = 1_000;

export const deliveryStates = ['pending', 'delivered', 'parked'] as const;

export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  /** The same for every attempt, so that receivers recognize duplicates. */
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly eventId: EventId;
  readonly eventType: NotifiedEventType;
  readonly assetId: AssetId;
  /** The position in the order of events of the asset. */
  readonly sequence: number;
  /** The teams that the event is meant for. */
  readonly teamIds: readonly TeamId[];
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The last response status of the receiver; null if there was none. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed; null if it did not. */
  readonly lastError: string | null;
  readonly lastAttemptAt: Timestamp | null;
  /** Null while it is being sent, waits for an earlier delivery of its asset, or is finished. */
  readonly nextAttemptAt: Timestamp | null;
  readonly createdAt: Timestamp;
  readonly finishedAt: Timestamp | null;
}

/**
 * The part of a URL that is not secret: the path and query of a webhook often are. Of an e-mail
 * address, which is personal, the domain.
 *
 * @example originOf('https://hooks.example.com/T0/B0/secret') // 'https://hooks.example.com'
 */
export function originOf(url: string): string {
  const domain = /^mailto:.*@(.*)$/i.exec(url)?.[1];
  if (domain !== undefined) return `mailto:${domain}`;
  // A backslash ends a host as a slash does.
  return /^https?:\/\/[^/\\?#]*/i.exec(url)?.[0] ?? '';
}

/**
 * As people write it: an e-mail address without its scheme.
 *
 * @example shownUrl('mailto:shop@example.com') // 'shop@example.com'
 */
export function shownUrl(url: string): string {
  return url.replace(/^mailto:/i, '');
}

export function formatOf(url: string): WebhookFormat {
  return /^mailto:/i.test(url) ? 'email' : 'json';
}

/** @example mailTo({ email: 'ada@example.com' }) // 'mailto:ada@example.com' */
export function mailTo({ email }: { readonly email: string }): string {
  return `mailto:${email}`;
}
