// Deletes an asset. This frees the name and keeps everything else for the next asset with that
// name.

import { accept, type Outcome, refuse } from '../../failure.ts';
import { counted } from '../../value/counted.ts';
import { decideAccess, decideManagement } from '../access.ts';
import type { DeleteAsset, Deleted } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { assetDeleted, teamsOf } from '../events.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { AskingFacts } from '../proposals/ask.ts';
import { closeWrite } from '../publishing/proposing.ts';
import { checkReason } from '../reason.ts';
import type { Write } from '../write.ts';

export function decideDeletion(
  facts: AskingFacts,
  command: DeleteAsset,
  by: By,
): Outcome<Decided<Deleted>> {
  const { asset, consumers, open } = facts;
  if (asset.deletedAt !== null) return notFound('ASSET', asset.id);
  const { force } = command;
  const act = force ? 'force_delete_asset' : 'delete_asset';
  const access = decideAccess(by.actor, act, asset.ownerTeamId);
  if (!access.ok) return access;
  const managed = decideManagement(by.actor, asset, command);
  if (!managed.ok) return managed;
  if (command.precondition?.(asset) === false) return preconditionFailed();
  const reason = force ? checkReason(command.reason) : accept(command.reason?.trim() ?? null);
  if (!reason.ok) return reason;
  if (consumers.length > 0 && !force) {
    return refuse(
      'ASSET_HAS_CONSUMERS',
      `${asset.fqn} has ${counted(consumers.length, 'registered consumer')}. Have them leave first, or have an administrator delete it with force=true.`,
      { details: { consumers: teamsOf(consumers) } },
    );
  }

  const { at } = by;
  const withdrawn: readonly Write[] =
    open === null ? [] : [closeWrite(facts, open.proposal, { reason: 'asset deleted', at })];
  const write: Write = {
    kind: 'update_asset',
    asset: { ...asset, updatedAt: at, deletedAt: at },
    events: [assetDeleted(asset, consumers, { force, reason: reason.value })],
  };
  return accept({ writes: [...withdrawn, write], answer: { deleted: true } });
}
