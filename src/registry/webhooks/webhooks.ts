// What the verbs and lists of webhooks are asked.

import type { AssetId, DeliveryId, TeamId, WebhookId } from '../../core/id.ts';
import type { Delivery, DeliveryState, ToldEventType, Webhook } from '../../core/webhook.ts';
import type { ListQuery } from '../lists.ts';

export const webhookSortFields = ['created_at'] as const;
export const deliverySortFields = ['created_at'] as const;

export type WebhookQuery = ListQuery<(typeof webhookSortFields)[number]>;

export interface DeliveryQuery extends ListQuery<(typeof deliverySortFields)[number]> {
  readonly webhookId: WebhookId;
  readonly state?: DeliveryState | undefined;
  readonly assetId?: AssetId | undefined;
}

export interface CreateWebhook {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly ToldEventType[];
  readonly teamIds: readonly TeamId[];
}

export interface UpdateWebhook {
  readonly webhookId: WebhookId;
  readonly precondition?: ((current: Webhook) => boolean) | undefined;
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly events?: readonly ToldEventType[] | undefined;
  readonly teamIds?: readonly TeamId[] | undefined;
}

export interface DeleteWebhook {
  readonly webhookId: WebhookId;
  readonly precondition?: ((current: Webhook) => boolean) | undefined;
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
