// The store's interface for deliveries: messages, and which process sends them.

import type { AuditEvent } from '../../core/event.ts';
import type { AssetId, DeliveryId, TeamId, Timestamp, WebhookId } from '../../core/id.ts';
import type { WebhookFormat } from '../../core/webhook.ts';

export interface Outbox {
  /**
   * Creates deliveries of the next messages for the webhooks that want them. Returns true if more
   * may be waiting.
   */
  readonly fanOut: () => Promise<boolean>;
  /**
   * Claims due deliveries for the time of the lease. Only one process at a time sends those of an
   * asset to a webhook, or the summary of a webhook.
   */
  readonly claim: (question: ClaimQuestion) => Promise<Claimed>;
  readonly settle: (dispatch: Dispatch, result: DispatchResult) => Promise<void>;
  /** Lets another process try the delivery at once. */
  readonly giveBack: (dispatch: Dispatch) => Promise<void>;
  readonly findReceiver: (webhookId: WebhookId) => Promise<Receiver | null>;
  /** Deletes deliveries that were finished long ago. */
  readonly prune: () => Promise<void>;
}

export interface ClaimQuestion {
  readonly limit: number;
  /**
   * The limit for one webhook in this process, so that a slow webhook does not delay the others.
   */
  readonly webhookLimit: number;
  /** The number of deliveries in progress for each webhook, in this process. */
  readonly underWay: ReadonlyMap<WebhookId, number>;
  readonly leaseMs: number;
}

export interface Claimed {
  readonly dispatches: readonly Dispatch[];
  /** When the next delivery is due; null if none is, or if this call claimed its maximum. */
  readonly nextDueInMs: number | null;
}

/** Where messages go, and how they are written. */
export interface Receiver {
  readonly webhookId: WebhookId;
  readonly format: WebhookFormat;
  /** The team that set it up, or of the user whose own choice it is. */
  readonly teamId: TeamId | null;
  readonly isOwnChoice: boolean;
  /** Null if it cannot be decrypted. */
  readonly target: { readonly url: string; readonly secret: string } | null;
}

/** One attempt to send one message. */
export interface Dispatch extends Receiver {
  readonly claim: string;
  /** A summary has one or more, in the order of events; else it is one. */
  readonly messages: readonly [Message, ...Message[]];
  readonly isSummary: boolean;
}

/** One delivery. */
export interface Message {
  readonly deliveryId: DeliveryId;
  readonly assetId: AssetId;
  readonly sequence: number;
  /** Includes this attempt. */
  readonly attempts: number;
  /** The time since the first attempt, including waits for others. */
  readonly ageMs: number;
  /** Whether an earlier delivery was given up. */
  readonly hasGap: boolean;
  readonly isReplay: boolean;
  readonly createdAt: Timestamp;
  readonly event: AuditEvent;
  readonly teams: readonly { readonly id: TeamId; readonly name: string }[];
}

export type DispatchResult =
  | { readonly kind: 'delivered'; readonly status: number | null }
  | {
      readonly kind: 'failed';
      /** Null if there was no response. */
      readonly status: number | null;
      readonly error: string;
      /** Of each message; null gives it up. */
      readonly retriesInMs: readonly (number | null)[];
    };
