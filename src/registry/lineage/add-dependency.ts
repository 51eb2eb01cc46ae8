import { decideAccess } from '../../core/decide/access.ts';
import { dependencyEvent } from '../../core/decide/lineage-events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { Dependency } from '../../core/dependency.ts';
import { accept, refuse } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';
import type { AddDependency } from './lineage-commands.ts';

/** Under the locks of both assets: neither is deleted, or taken over, meanwhile. */
export const addDependency: Verb<AddDependency, Dependency> = async (ports, context, command) => {
  const { assetId, dependsOnAssetId } = command;
  if (assetId === dependsOnAssetId) return refuseItself();
  return ports.transact(context, async (transaction) => {
    const assets = await transaction.lockAssets([assetId, dependsOnAssetId]);
    const asset = assets.find(({ id, deletedAt }) => id === assetId && deletedAt === null);
    if (asset === undefined) return notFound('ASSET', assetId);
    const access = decideAccess(context.actor, 'change_dependencies', asset.ownerTeamId);
    if (!access.ok) return access;
    const upstream = assets.find(
      ({ id, deletedAt }) => id === dependsOnAssetId && deletedAt === null,
    );
    if (upstream === undefined) {
      return notFound('ASSET', dependsOnAssetId, 'depends_on_asset_id');
    }
    const existing = await transaction.findDependencyOn(assetId, dependsOnAssetId);
    if (existing !== null) {
      return refuse(
        'DEPENDENCY_EXISTS',
        `${asset.fqn} already depends on ${upstream.fqn} (${existing.id}, ${existing.type}). To change the type, delete that dependency first.`,
        { field: 'depends_on_asset_id', details: { dependency_id: existing.id } },
      );
    }
    const dependency: Dependency = {
      id: context.newId(),
      assetId,
      assetFqn: asset.fqn,
      dependsOnAssetId,
      dependsOnFqn: upstream.fqn,
      type: command.type,
      source: command.source ?? 'manual',
      createdAt: transaction.now(),
    };
    const event = dependencyEvent('dependency.created', dependency, asset, upstream.ownerTeamId);
    await transaction.apply([{ kind: 'insert_dependency', dependency, events: [event] }]);
    return accept(dependency);
  });
};

/** The request contradicts itself, whatever the registry holds: that is a 400. */
function refuseItself() {
  return refuse(
    'VALIDATION_ERROR',
    '"depends_on_asset_id" must be another asset. An asset cannot depend on itself.',
    { field: 'depends_on_asset_id' },
  );
}
