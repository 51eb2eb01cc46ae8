import type { Asset } from '../../core/asset.ts';
import { decideAssetUpdate, type UpdateAssetFacts } from '../../core/decide/assets/update.ts';
import type { UpdateAsset, UpdateAssetResult } from '../../core/decide/commands.ts';
import { problemOfEnvironment } from '../../core/decide/fqn.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { refuse } from '../../core/failure.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { lockForAsking } from '../proposals/lock-for-asking.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';
import { findName } from './find-name.ts';

export const updateAsset: Verb<UpdateAsset, UpdateAssetResult> = async (
  ports,
  context,
  command,
) => {
  const wrong =
    command.environment === undefined ? null : problemOfEnvironment(command.environment);
  if (wrong !== null) return refuse('VALIDATION_ERROR', wrong, { field: 'environment' });
  const before = await ports.reads.getAsset(command.assetId);
  if (before === null) return notFound('ASSET', command.assetId);

  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await gather(transaction, command, before);
    if (facts === null) return notFound('ASSET', command.assetId);
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideAssetUpdate(facts, command, by));
  });
  if (outcome.ok && mayPublishItself(command, outcome.value)) {
    await settleProposal(ports, context, command.assetId);
  }
  return outcome;
};

function mayPublishItself(command: UpdateAsset, result: UpdateAssetResult): boolean {
  if (command.dryRun === true) return false;
  return command.autoPublish === true || result.action === 'proposal_created';
}

/** Locks the new name of a move before the asset: every verb locks in this order. */
async function gather(
  transaction: Transaction,
  { assetId, environment, ownerTeamId, ownerUserId, serviceId }: UpdateAsset,
  before: Asset,
): Promise<UpdateAssetFacts | null> {
  const name = await findName(transaction, before, environment ?? before.environment);
  const facts = await lockForAsking(transaction, assetId);
  if (facts === null) return null;
  const newTeam = ownerTeamId === undefined ? null : await transaction.holdTeam(ownerTeamId);
  const newUser = ownerUserId == null ? null : await transaction.holdUser(ownerUserId);
  const newService = serviceId == null ? null : await transaction.holdService(serviceId);
  return { ...facts, name, newTeam, newUser, newService };
}
