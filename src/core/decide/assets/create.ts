// The write of a new asset, which continues with the contracts and consumers of its name.

import { type Asset, continuedMode, continuedNeedsMode } from '../../asset.ts';
import { assetEvent } from '../events.ts';
import type { AssetFacts } from '../facts.ts';
import type { WriteOf } from '../write.ts';

/** `line` is the last holder of the name, which was deleted. */
export function insertAssetWrite(made: Asset, line: AssetFacts | null): WriteOf<'insert_asset'> {
  const asset = line === null ? made : keepingPromises(made, line);
  const created = assetEvent('asset.created', asset, {
    team_id: asset.ownerTeamId,
    ...(asset.serviceId !== null && { service_id: asset.serviceId }),
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

/** Deleting and recreating a name must not lower what its consumers were promised. */
export function keepingPromises(asset: Asset, { asset: last, consumers }: AssetFacts): Asset {
  const guaranteeMode = continuedMode(last.guaranteeMode, asset.guaranteeMode, consumers.length);
  const needsMode = continuedNeedsMode(last.needsMode, asset.needsMode, consumers.length);
  return { ...asset, guaranteeMode, needsMode };
}
