// What becomes of what an object managed that went without waiting for anybody: it is released, and
// what was asked for it is asked no longer. Whatever the object's policy was, nothing is deleted or
// deprecated: what waits for that is claimed, and does not go unasked.

import type { Asset } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { effectiveContract } from '../effective.ts';
import type { SourceObject } from '../source/source.ts';
import { stableUuid } from '../source/stable-uuid.ts';
import { withdrawAllOwn } from './withdraw-own.ts';
import { actorOf, contextOf, managerOf, type Named, type World } from './world.ts';

/** What is managed from this place and is not what the object that is there now, if any, asks for. */
export async function releaseDeparted(
  world: World,
  { namespace, name }: Pick<Named, 'namespace' | 'name'>,
  now: SourceObject | null,
): Promise<void> {
  const managedBy = managerOf(world, { namespace, name });
  const assets = await world.ports.reads.listAssetsManagedBy(managedBy);
  // Of the one that is gone nothing is known any more but its name.
  const uid = stableUuid('DataContract', managedBy.reference);
  const departed: Named = { kind: 'DataContract', namespace, name, uid };
  for (const asset of assets) {
    if (isAskedFor(asset, now)) continue;
    const released = await release(world, departed, asset);
    if (released.ok || released.failure.code === 'ASSET_NOT_FOUND') continue;
    throw new Error(released.failure.message);
  }
}

/** Whether the object that is there now manages this asset: one that ends unclaimed does no longer. */
export function isAskedFor(
  { fqn, environment }: Pick<Asset, 'fqn' | 'environment'>,
  now: SourceObject | null,
): boolean {
  if (now === null || (now.isDeleting && !now.isClaimed)) return false;
  // Of the spec nothing else is read, so nothing else need be right.
  const asked = effectiveContract(now.spec as unknown as DataContractSpec);
  return asked.fqn === fqn && asked.environment === environment;
}

async function release(world: World, departed: Named, asset: Asset): Promise<Outcome<true>> {
  // Its namespace may be gone by now: what it made is still its own to clear away.
  const context = contextOf(world, actorOf(world, departed, [asset.ownerTeamId]));
  const reason = `DataContract ${departed.namespace}/${departed.name} was deleted`;
  const withdrawn = await withdrawAllOwn(
    { world, object: departed, context },
    asset,
    () => false,
    reason,
  );
  if (!withdrawn.ok) return withdrawn;
  const managedBy = managerOf(world, departed);
  const released = await world.verbs.releaseAsset(world.ports, context, {
    assetId: asset.id,
    managedBy,
  });
  return released.ok ? accept(true) : released;
}
