import type { Deleted } from '../../core/decide/commands.ts';
import type { DeleteDependency } from '../../core/decide/lineage/commands.ts';
import { decideDependencyDeletion } from '../../core/decide/lineage/dependency.ts';
import { applyDecided } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const deleteDependency: Verb<DeleteDependency, Deleted> = (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const { assetId, dependencyId } = command;
    const [asset = null] = await transaction.lockAssets([assetId]);
    const found = await transaction.findDependency(assetId, dependencyId);
    return applyDecided(transaction, decideDependencyDeletion({ asset, found }, command, context));
  });
