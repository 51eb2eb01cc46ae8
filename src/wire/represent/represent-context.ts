// The context of an asset, as JSON.

import type { z } from 'zod';
import type { PreflightReason } from '../../core/decide/assets/preflight.ts';
import type { Lineage } from '../../core/dependency.ts';
import type { AssetContext } from '../shapes/overviews/asset-context.ts';
import { representLineageAsset } from './represent-lineage.ts';

type Shown = z.output<typeof AssetContext>;

export function representMay(reasons: readonly PreflightReason[]): Shown['may']['read'] {
  return {
    allowed: reasons.every(({ blocks }) => !blocks),
    reasons: reasons.map((reason) => ({ ...reason })),
  };
}

export function representNeighbours({ assets, truncated }: Lineage): Shown['upstream'] {
  return { results: assets.map(representLineageAsset), truncated };
}
