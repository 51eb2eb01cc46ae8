// Props of an asset tab.

import type { Asset } from '../../data/shapes.ts';

export interface AssetTabProps {
  readonly asset: Asset;
}
