// The queries for lists of webhooks and deliveries.

import type { AssetId, TeamId, WebhookId } from '../../core/id.ts';
import type { DeliveryState } from '../../core/webhook.ts';
import type { ListQuery } from '../lists.ts';

export const webhookSortFields = ['created_at'] as const;
export const deliverySortFields = ['created_at'] as const;

export interface WebhookQuery extends ListQuery<(typeof webhookSortFields)[number]> {
  /** Only those that these teams set up, or any team. */
  readonly ofTeams: 'all' | 'any_team' | readonly TeamId[];
  readonly teamId?: TeamId | undefined;
  /** Whether messages are tried again or parked. */
  readonly isFailing?: boolean | undefined;
}

export interface DeliveryQuery extends ListQuery<(typeof deliverySortFields)[number]> {
  readonly webhookId: WebhookId;
  readonly state?: DeliveryState | undefined;
  readonly assetId?: AssetId | undefined;
}
