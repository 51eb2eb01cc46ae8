// The queries for lists of webhooks and deliveries.

import type { AssetId, WebhookId } from '../../core/id.ts';
import type { DeliveryState } from '../../core/webhook.ts';
import type { ListQuery } from '../lists.ts';

export const webhookSortFields = ['created_at'] as const;
export const deliverySortFields = ['created_at'] as const;

export type WebhookQuery = ListQuery<(typeof webhookSortFields)[number]>;

export interface DeliveryQuery extends ListQuery<(typeof deliverySortFields)[number]> {
  readonly webhookId: WebhookId;
  readonly state?: DeliveryState | undefined;
  readonly assetId?: AssetId | undefined;
}
