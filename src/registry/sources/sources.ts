// The queries about the sources that controllers reconcile.

import type { AssetId } from '../../core/id.ts';
import type { SourceObjectState } from '../../core/source.ts';
import type { ListQuery } from '../lists.ts';

export const sourceObjectSortFields = ['name', 'updated_at'] as const;

export interface SourceObjectQuery extends ListQuery<(typeof sourceObjectSortFields)[number]> {
  readonly sourceId: string;
  readonly kind?: SourceObjectState['kind'] | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly isReady?: boolean | undefined;
}

export interface ConfirmSource {
  readonly sourceId: string;
}

export interface TakeOverQuestion {
  readonly sourceId: string;
  readonly toSourceId: string;
  readonly assetId?: AssetId | undefined;
  /** The maximum number of locked assets. */
  readonly assetLimit: number;
}
