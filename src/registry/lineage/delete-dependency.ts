import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { dependencyEvent } from '../../core/decide/lineage-events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';
import type { DeleteDependency } from './lineage-commands.ts';

export const deleteDependency: Verb<DeleteDependency, Deleted> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const { assetId, dependencyId } = command;
    const [asset] = await transaction.lockAssets([assetId]);
    if (asset === undefined || asset.deletedAt !== null) return notFound('ASSET', assetId);
    const access = decideAccess(context.actor, 'change_dependencies', asset.ownerTeamId);
    if (!access.ok) return access;
    const found = await transaction.findDependency(assetId, dependencyId);
    if (found === null) return notFound('DEPENDENCY', dependencyId);
    const { dependency, dependsOnOwnerTeamId } = found;
    if (command.precondition?.(dependency) === false) return preconditionFailed();
    const event = dependencyEvent('dependency.deleted', dependency, asset, dependsOnOwnerTeamId);
    await transaction.apply([{ kind: 'delete_dependency', id: dependencyId, events: [event] }]);
    return accept({ deleted: true as const });
  });
