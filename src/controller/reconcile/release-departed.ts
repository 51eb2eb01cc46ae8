// Releases what a departed object managed, and withdraws its proposals. Whatever its deletion
// policy was, nothing is deleted or deprecated: objects with those policies are claimed, so their
// finalizer handles the deletion.

import type { Asset } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { effectiveContract } from '../effective.ts';
import type { SourceObject } from '../source/source.ts';
import { stableUuid } from '../source/stable-uuid.ts';
import { withdrawAllOwn } from './withdraw-own.ts';
import { actorOf, contextOf, managerOf, type Named, type World } from './world.ts';

/**
 * Releases the assets managed under this name that the current object, if any, does not request.
 */
export async function releaseDeparted(
  world: World,
  { namespace, name }: Pick<Named, 'namespace' | 'name'>,
  now: SourceObject | null,
): Promise<void> {
  const managedBy = managerOf(world, { namespace, name });
  const assets = await world.ports.reads.listAssetsManagedBy(managedBy);
  // Only the name of the departed object is known.
  const uid = stableUuid('DataContract', managedBy.reference);
  const departed: Named = { kind: 'DataContract', namespace, name, uid };
  for (const asset of assets) {
    if (isAskedFor(asset, now)) continue;
    const released = await release(world, departed, asset);
    if (released.ok || released.failure.code === 'ASSET_NOT_FOUND') continue;
    throw new Error(released.failure.message);
  }
}

/**
 * Whether the current object manages this asset: until it is deleted, also if its namespace got
 * another environment, which it reports. An object that is being deleted without our finalizer no
 * longer does.
 */
export function isAskedFor(
  { id, fqn, environment }: Pick<Asset, 'id' | 'fqn' | 'environment'>,
  now: SourceObject | null,
): boolean {
  if (now === null || (now.isDeleting && !now.isClaimed)) return false;
  if (now.status?.assetId === id) return true;
  // Only these fields are read, so the rest of the spec need not be valid.
  const asked = effectiveContract(now.spec as unknown as DataContractSpec);
  return asked.fqn === fqn && asked.environment === environment;
}

async function release(world: World, departed: Named, asset: Asset): Promise<Outcome<true>> {
  // The namespace may be gone by now; the object may still clean up what it created.
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
