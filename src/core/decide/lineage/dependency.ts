import type { Asset } from '../../asset.ts';
import type { Dependency } from '../../dependency.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId } from '../../id.ts';
import { decideAccess } from '../access.ts';
import type { Deleted } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { AddDependency, DeleteDependency } from './commands.ts';
import { dependencyEvent } from './events.ts';

interface AddFacts {
  /** The existing ones of the two assets; may include deleted ones. */
  readonly assets: readonly Asset[];
  /** The dependency of the one asset on the other, if it exists. */
  readonly existing: Dependency | null;
}

export function decideDependency(
  { assets, existing }: AddFacts,
  command: AddDependency,
  { actor, at, newId }: By,
): Outcome<Decided<Dependency>> {
  const { assetId, dependsOnAssetId, type, source = 'manual' } = command;
  const living = (id: string) => assets.find((each) => each.id === id && each.deletedAt === null);
  const asset = living(assetId);
  if (asset === undefined) return notFound('ASSET', assetId);
  const access = decideAccess(actor, 'change_dependencies', asset.ownerTeamId);
  if (!access.ok) return access;
  const upstream = living(dependsOnAssetId);
  if (upstream === undefined) return notFound('ASSET', dependsOnAssetId, 'depends_on_asset_id');
  if (existing !== null) {
    return refuse(
      'DEPENDENCY_EXISTS',
      `${asset.fqn} already depends on ${upstream.fqn} (${existing.id}, ${existing.type}). To change the type, delete that dependency first.`,
      { field: 'depends_on_asset_id', details: { dependency_id: existing.id } },
    );
  }
  const dependency: Dependency = {
    id: newId(),
    assetId,
    assetFqn: asset.fqn,
    dependsOnAssetId,
    dependsOnFqn: upstream.fqn,
    type,
    source,
    createdAt: at,
  };
  const event = dependencyEvent('dependency.created', dependency, asset, upstream.ownerTeamId);
  return accept({
    writes: [{ kind: 'insert_dependency', dependency, events: [event] }],
    answer: dependency,
  });
}

interface DeleteFacts {
  readonly asset: Asset | null;
  readonly found: {
    readonly dependency: Dependency;
    readonly dependsOnOwnerTeamId: TeamId;
  } | null;
}

export function decideDependencyDeletion(
  { asset, found }: DeleteFacts,
  command: DeleteDependency,
  { actor }: Pick<By, 'actor'>,
): Outcome<Decided<Deleted>> {
  const { assetId, dependencyId: id } = command;
  if (asset === null || asset.deletedAt !== null) return notFound('ASSET', assetId);
  const access = decideAccess(actor, 'change_dependencies', asset.ownerTeamId);
  if (!access.ok) return access;
  if (found === null) return notFound('DEPENDENCY', id);
  const { dependency, dependsOnOwnerTeamId } = found;
  if (command.precondition?.(dependency) === false) return preconditionFailed();
  const event = dependencyEvent('dependency.deleted', dependency, asset, dependsOnOwnerTeamId);
  return accept({
    writes: [{ kind: 'delete_dependency', id, events: [event] }],
    answer: { deleted: true },
  });
}
