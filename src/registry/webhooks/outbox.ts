// The store's interface for deliveries: messages, and which process sends which.

import type { AuditEvent } from '../../core/event.ts';
import type { AssetId, DeliveryId, TeamId, Timestamp, WebhookId } from '../../core/id.ts';

export interface Outbox {
  /** Hands the next messages to the webhooks that want them. True where there may be more. */
  readonly fanOut: () => Promise<boolean>;
  /** Takes what is due, for as long as the lease. Each asset of a webhook is taken by one only. */
  readonly claim: (question: ClaimQuestion) => Promise<Claimed>;
  readonly settle: (dispatch: Dispatch, result: DispatchResult) => Promise<void>;
  /** Somebody else may try it at once. */
  readonly giveBack: (dispatch: Dispatch) => Promise<void>;
  /** Removes what was finished long ago. */
  readonly prune: () => Promise<void>;
}

export interface ClaimQuestion {
  readonly limit: number;
  /**
   * The limit for one webhook in this process, so that one that hangs does not delay the others.
   */
  readonly webhookLimit: number;
  /** The number of deliveries in progress for each webhook, in this process. */
  readonly underWay: ReadonlyMap<WebhookId, number>;
  readonly leaseMs: number;
}

export interface Claimed {
  readonly dispatches: readonly Dispatch[];
  /** When the next one is due; null where none is, and where this call took all that it might. */
  readonly nextDueInMs: number | null;
}

/** One attempt at one delivery. */
export interface Dispatch {
  readonly claim: string;
  readonly deliveryId: DeliveryId;
  readonly webhookId: WebhookId;
  /** Null if it cannot be decrypted. */
  readonly target: { readonly url: string; readonly secret: string } | null;
  readonly assetId: AssetId;
  readonly sequence: number;
  /** This one included. */
  readonly attempts: number;
  /** For how long it has been tried, and waited for others. */
  readonly ageMs: number;
  /** One before it was given up. */
  readonly hasGap: boolean;
  readonly isReplay: boolean;
  readonly createdAt: Timestamp;
  readonly event: AuditEvent;
  readonly teams: readonly { readonly id: TeamId; readonly name: string }[];
}

export type DispatchResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed';
      /** Null where no answer came. */
      readonly status: number | null;
      readonly error: string;
      /** Null gives it up. */
      readonly retryInMs: number | null;
    };
