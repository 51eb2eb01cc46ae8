import type { Asset } from '../asset.ts';
import { type Outcome, refuse } from '../failure.ts';
import { counted } from '../value/counted.ts';
import type { NameFacts } from './facts.ts';

/** Null if an asset may move to the name: no asset has it, and the last holder has no consumers. */
export function checkNameIsFree(
  asset: Pick<Asset, 'id' | 'fqn'>,
  environment: string,
  name: NameFacts | null,
): Outcome<never> | null {
  if (name === null) return null;
  if (name.living !== null && name.living !== asset.id) {
    return refuse(
      'ASSET_EXISTS',
      `${asset.fqn} already exists in ${environment} (${name.living}). Choose another environment.`,
      { field: 'environment', details: { asset_id: name.living } },
    );
  }
  if (name.predecessorConsumers === 0) return null;
  return refuse(
    'ASSET_EXISTS',
    `A deleted ${asset.fqn} in ${environment} still has ${counted(name.predecessorConsumers, 'consumer')} (${name.predecessor}). Restore that asset, or ask its consumers to leave first.`,
    { field: 'environment', details: { asset_id: name.predecessor } },
  );
}
