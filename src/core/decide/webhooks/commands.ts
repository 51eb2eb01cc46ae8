// The commands of the verbs about webhooks.

import type { DeliveryId, TeamId, UserId, WebhookId } from '../../id.ts';
import type { User } from '../../user.ts';
import type { Delivery, NotifiedEventType, Webhook, WebhookFormat } from '../../webhook.ts';
import type { Guarded } from '../commands.ts';

export interface CreateWebhook {
  readonly url: string;
  readonly format: WebhookFormat;
  /** The team that sets it up; null for an administrator's. */
  readonly teamId: TeamId | null;
  readonly secret: string;
  readonly events: readonly NotifiedEventType[];
  readonly teamIds: readonly TeamId[];
  readonly dailyAt: number | null;
}

export interface UpdateWebhook extends Guarded<Webhook> {
  readonly webhookId: WebhookId;
  readonly url?: string | undefined;
  readonly format?: WebhookFormat | undefined;
  readonly secret?: string | undefined;
  readonly events?: readonly NotifiedEventType[] | undefined;
  readonly teamIds?: readonly TeamId[] | undefined;
  readonly dailyAt?: number | null | undefined;
  readonly stopped?: boolean | undefined;
}

/** What a user wants to be told in person. */
export interface ChooseNotifications {
  readonly userId: UserId;
  /** Whether anything is sent. */
  readonly sent: boolean;
  readonly events: readonly NotifiedEventType[];
  readonly dailyAt: number | null;
  /** Of a webhook that is made for it. */
  readonly secret: string;
}

/** The choice as it is now. */
export interface Chosen {
  readonly user: User;
  /** Null if the user chose nothing. */
  readonly webhook: Webhook | null;
}

export interface DeleteWebhook extends Guarded<Webhook> {
  readonly webhookId: WebhookId;
}

export interface ReplayDelivery {
  readonly webhookId: WebhookId;
  readonly deliveryId: DeliveryId;
}

export interface ReplayParked {
  readonly webhookId: WebhookId;
}

/** The delivery as it is now. */
export type Replayed = Delivery;
