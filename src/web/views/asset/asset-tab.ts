// Props of an asset tab.

import type { Asset, CallTo } from '../../data/shapes.ts';

export interface AssetTabProps {
  readonly asset: Asset;
}

/** The question for the version in force, of whatever was published last if no version is. */
export function currentOf(assetId: string, status?: 'active'): CallTo<'listAssetContracts'> {
  return { params: { asset_id: assetId }, query: { page_size: 1, ...(status && { status }) } };
}
