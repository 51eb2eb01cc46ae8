import type { AddDependency } from '../../core/decide/lineage/commands.ts';
import { decideDependency } from '../../core/decide/lineage/dependency.ts';
import type { Dependency } from '../../core/dependency.ts';
import { refuse } from '../../core/failure.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/**
 * Adds a dependency under the locks of both assets, so neither is deleted or changes its owner
 * meanwhile.
 */
export const addDependency: Verb<AddDependency, Dependency> = async (ports, context, command) => {
  const { assetId, dependsOnAssetId } = command;
  if (assetId === dependsOnAssetId) return refuseItself();
  return ports.transact(context, async (transaction) => {
    const assets = await transaction.lockAssets([assetId, dependsOnAssetId]);
    const existing = await transaction.findDependencyOn(assetId, dependsOnAssetId);
    const decided = decideDependency({ assets, existing }, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};

/**
 * Requests that contradict themselves are invalid whatever the registry holds, so they are answered
 * 400.
 */
function refuseItself() {
  return refuse(
    'VALIDATION_ERROR',
    '"depends_on_asset_id" must be another asset. An asset cannot depend on itself.',
    { field: 'depends_on_asset_id' },
  );
}
