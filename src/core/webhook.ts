// Webhooks: who is told of what, without asking.

import type { EventType } from './event.ts';
import type { AssetId, DeliveryId, EventId, TeamId, Timestamp, WebhookId } from './id.ts';

/** What anybody is ever told of; drafts.ts says for each event whether it is, and whom. */
export const toldEventTypes = [
  'proposal.created',
  'proposal.reopened',
  'proposal.rebased',
  'proposal.acknowledged',
  'proposal.rejected',
  'contract.published',
  'contract.deprecated',
  'contract.archived',
] as const satisfies readonly EventType[];

export type ToldEventType = (typeof toldEventTypes)[number];

/** The secret signs what is sent; it is kept beside this and shown once. */
export interface Webhook {
  readonly id: WebhookId;
  readonly url: string;
  /** Empty: every type. */
  readonly events: readonly ToldEventType[];
  /** Only what concerns one of these teams. Empty: whatever anybody is told. */
  readonly teamIds: readonly TeamId[];
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

export const deliveryStates = ['pending', 'delivered', 'parked'] as const;

export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  /** The same for every attempt: by it a receiver knows what it has had. */
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly eventId: EventId;
  readonly eventType: ToldEventType;
  readonly assetId: AssetId;
  /** Rises with what happens to the asset. */
  readonly sequence: number;
  /** Whom the event is told. */
  readonly teamIds: readonly TeamId[];
  readonly state: DeliveryState;
  readonly attempts: number;
  /** What the receiver answered; null where it did not. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed; null where it did not. */
  readonly lastError: string | null;
  readonly lastAttemptAt: Timestamp | null;
  /** Null while it is under way or waits for an earlier one of its asset, and once it is finished. */
  readonly nextAttemptAt: Timestamp | null;
  readonly createdAt: Timestamp;
  readonly finishedAt: Timestamp | null;
}

/**
 * The part of a URL that is no secret: paths and queries of webhooks often are.
 *
 * @example originOf('https://hooks.example.com/T0/B0/secret') // 'https://hooks.example.com'
 */
export function originOf(url: string): string {
  return /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
}
