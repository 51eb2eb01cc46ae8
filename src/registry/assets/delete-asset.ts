import { decideAccess, decideManagement } from '../../core/decide/access.ts';
import type { DeleteAsset, Deleted } from '../../core/decide/commands.ts';
import { assetEvent, teamNames } from '../../core/decide/events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { checkReason } from '../../core/decide/reason.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, refuse } from '../../core/failure.ts';
import { counted } from '../../core/value/counted.ts';
import type { Verb } from '../commands.ts';
import { closeWrite } from '../proposals/proposing.ts';

/** Frees the name and keeps everything else: who takes the name again goes on with it. */
export const deleteAsset: Verb<DeleteAsset, Deleted> = async (ports, context, command) => {
  const { assetId, force } = command;
  return ports.transact(context, async (transaction) => {
    const facts = await transaction.lockAsset(assetId);
    if (facts === null || facts.asset.deletedAt !== null) return notFound('ASSET', assetId);
    const { asset, consumers, openProposal } = facts;
    const act = force ? 'force_delete_asset' : 'delete_asset';
    const access = decideAccess(context.actor, act, asset.ownerTeamId);
    if (!access.ok) return access;
    const managed = decideManagement(context.actor, asset, command);
    if (!managed.ok) return managed;
    if (command.precondition?.(asset) === false) return preconditionFailed();
    const reason = force ? checkReason(command.reason) : accept(command.reason?.trim() ?? null);
    if (!reason.ok) return reason;
    if (consumers.length > 0 && !force) {
      return refuse(
        'ASSET_HAS_CONSUMERS',
        `${asset.fqn} has ${counted(consumers.length, 'registered consumer')}. Have them leave first, or have an administrator delete it with force=true.`,
        {
          details: {
            consumers: consumers.map(({ teamId, teamName }) => ({
              team_id: teamId,
              team_name: teamName,
            })),
          },
        },
      );
    }

    const at = transaction.now();
    const open = openProposal === null ? null : await transaction.lockProposal(openProposal.id);
    const withdrawn: readonly Write[] =
      open === null ? [] : [closeWrite(facts, open.proposal, { reason: 'asset deleted', at })];
    const deleted = assetEvent('asset.deleted', asset, {
      team_id: asset.ownerTeamId,
      version: asset.activeContractVersion,
      forced: force,
      reason: reason.value,
      consumers: teamNames(consumers),
    });
    await transaction.apply([
      ...withdrawn,
      {
        kind: 'update_asset',
        asset: { ...asset, updatedAt: at, deletedAt: at },
        events: [{ ...deleted, teamIds: [asset.ownerTeamId, ...consumers.map((c) => c.teamId)] }],
      },
    ]);
    return accept({ deleted: true });
  });
};
