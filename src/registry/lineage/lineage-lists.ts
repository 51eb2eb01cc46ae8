// The queries for lists of dependencies and quality runs.

import type { LineageDirection } from '../../core/dependency.ts';
import type { AssetId } from '../../core/id.ts';
import type { QualityRunStatus } from '../../core/quality-run.ts';
import type { ListQuery } from '../lists.ts';

export const dependencySortFields = ['created_at'] as const;
const qualityRunSortFields = ['occurred_at'] as const;

export interface DependencyQuery extends ListQuery<(typeof dependencySortFields)[number]> {
  readonly assetId: AssetId;
  /** Upstream: what the asset depends on. Downstream: what depends on it. */
  readonly direction: LineageDirection;
}

export interface LineageQuery {
  readonly assetId: AssetId;
  readonly direction: LineageDirection;
  readonly maxDepth: number;
}

export interface QualityRunQuery extends ListQuery<(typeof qualityRunSortFields)[number]> {
  readonly assetId: AssetId;
  readonly status?: QualityRunStatus | undefined;
  readonly triggeredBy?: string | undefined;
}
