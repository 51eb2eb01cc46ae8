import type { Asset } from '../../core/asset.ts';
import { decideAccess } from '../../core/decide/access.ts';
import { keepingPromises } from '../../core/decide/assets/create.ts';
import type { RestoreAsset } from '../../core/decide/commands.ts';
import { assetEvent } from '../../core/decide/events.ts';
import type { AssetFacts } from '../../core/decide/facts.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';
import { counted } from '../../core/value/counted.ts';
import type { Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';
import { nameTaken } from './create-asset.ts';

/** Restores a deleted asset, with the versions and consumers that its name gained since. */
export const restoreAsset: Verb<RestoreAsset, Asset> = async (ports, context, { assetId }) => {
  const access = decideAccess(context.actor, 'restore_asset', null);
  if (!access.ok) return access;
  // A deleted asset never changes its name, so it can be read before its lock.
  const before = await ports.reads.getAsset(assetId, 'any');
  if (before === null) return notFound('ASSET', assetId);

  return ports.transact(context, async (transaction) => {
    const name = await transaction.lockName(before);
    if (name.living === assetId) {
      const message = `${before.fqn} is not deleted, so it cannot be restored.`;
      return refuse('ASSET_EXISTS', message, { details: { asset_id: assetId } });
    }
    if (name.living !== null) return nameTaken(before.fqn, before.environment, name.living);
    const facts = await transaction.lockAsset(assetId);
    if (facts === null) return notFound('ASSET', assetId);
    const owner = await transaction.holdTeam(facts.asset.ownerTeamId);
    if (owner === null) {
      return refuse(
        'OWNER_TEAM_NOT_FOUND',
        `The team that owned ${before.fqn} was deleted. Create the asset again for another team: it keeps its versions and consumers.`,
      );
    }
    const found = await findLine(transaction, facts, name.predecessor ?? assetId);
    if (!found.ok) return found;
    const line = found.value;
    const last = line?.asset.id ?? assetId;
    const at = transaction.now();
    const user = await ownerStill(transaction, facts.asset);
    const back: Asset = { ...facts.asset, ...user, deletedAt: null, updatedAt: at };
    const asset = line === null ? back : keepingPromises(back, line);
    const restored = assetEvent('asset.restored', asset, {
      team_id: asset.ownerTeamId,
      deleted_at: facts.asset.deletedAt,
      version: line?.base?.version ?? null,
      consumers: line?.consumers.length ?? 0,
      ...(last === assetId ? {} : { continues: last }),
    });
    const continues = last === assetId ? null : last;
    await transaction.apply([{ kind: 'restore_asset', asset, continues, events: [restored] }]);
    const after = await transaction.lockAsset(assetId);
    return after === null ? notFound('ASSET', assetId) : accept(after.asset);
  });
};

/**
 * Finds the versions and consumers to continue with: those of the last holder of the name. If that
 * holder was moved here with versions of its own, the restored asset keeps its own versions; if
 * consumers use the other ones, restoring is refused.
 */
async function findLine(
  transaction: Transaction,
  facts: AssetFacts,
  last: AssetId,
): Promise<Outcome<AssetFacts | null>> {
  if (last === facts.asset.id) return accept(facts);
  const line = await transaction.lockAsset(last);
  if (facts.base === null || line === null) return accept(line);
  if (line.consumers.length === 0) return accept(facts);
  const { fqn, environment } = facts.asset;
  return refuse(
    'ASSET_EXISTS',
    `Another ${fqn} in ${environment}, deleted later, still has ${counted(line.consumers.length, 'registered consumer')} (${last}). Restore that asset, or have its consumers leave first.`,
    { details: { asset_id: last } },
  );
}

/** A user who has left the team is no longer the owner. */
async function ownerStill(
  transaction: Transaction,
  { ownerUserId, ownerUserName, ownerTeamId }: Asset,
): Promise<Pick<Asset, 'ownerUserId' | 'ownerUserName'>> {
  const user = ownerUserId === null ? null : await transaction.holdUser(ownerUserId);
  return user?.teamId === ownerTeamId
    ? { ownerUserId, ownerUserName }
    : { ownerUserId: null, ownerUserName: null };
}
