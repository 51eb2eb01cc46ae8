// The write of a new asset, which goes on with what the last holder of its name left.

import { type Asset, continuedMode } from '../../asset.ts';
import { assetEvent } from '../events.ts';
import type { AssetFacts } from '../facts.ts';
import type { WriteOf } from '../write.ts';

/** The line of a name is its last holder, deleted since. */
export function insertAssetWrite(made: Asset, line: AssetFacts | null): WriteOf<'insert_asset'> {
  const asset = line === null ? made : keepingPromises(made, line);
  const created = assetEvent('asset.created', asset, {
    team_id: asset.ownerTeamId,
    metadata: asset.metadata,
    guarantee_mode: asset.guaranteeMode,
    ...(line === null
      ? {}
      : {
          continues: line.asset.id,
          version: line.base?.version ?? null,
          consumers: line.consumers.length,
        }),
  });
  const continues = line?.asset.id ?? null;
  return { kind: 'insert_asset', asset, continues, events: [created] };
}

/** What its consumers were promised is not lowered by deleting a name and making it again. */
export function keepingPromises(asset: Asset, { asset: last, consumers }: AssetFacts): Asset {
  const guaranteeMode = continuedMode(last.guaranteeMode, asset.guaranteeMode, consumers.length);
  return { ...asset, guaranteeMode };
}
