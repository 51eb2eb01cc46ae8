// Management: an asset is written from one place. A claim records that place; a release returns the
// asset to the API. Both are decided under the asset's lock, so the first claim wins.

import {
  type Asset,
  type ImportedAs,
  isManagedBy,
  type ManagedBy,
  managerText,
} from '../../core/asset.ts';
import { decideAccess } from '../../core/decide/access.ts';
import { decideStandsFor } from '../../core/decide/assets/stand-for.ts';
import type { ClaimAsset, ReleaseAsset } from '../../core/decide/commands.ts';
import { assetEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';

export const claimAsset: Verb<ClaimAsset, Asset> = async (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockAsset(command.assetId);
    if (facts === null || facts.asset.deletedAt !== null) {
      return notFound('ASSET', command.assetId);
    }
    const { asset } = facts;
    const access = decideAccess(context.actor, 'update_asset', asset.ownerTeamId);
    if (!access.ok) return access;
    const isOwn = isManagedBy(asset, command.managedBy);
    if (!isOwn && asset.managedBy !== null) {
      if (command.adopt !== true) return heldElsewhere(asset, asset.managedBy);
      const identity = sourceOf(asset.managedBy);
      if (identity === sourceOf(command.managedBy) || !(await transaction.lockGone(identity))) {
        return heldElsewhere(asset, asset.managedBy);
      }
    }
    const { standsFor } = command;
    const known = standsFor && (await transaction.findImportedAs(asset.id));
    const told = standsFor && known && decideStandsFor(facts, known, standsFor);
    if (told?.ok === false) return told;
    const claimed = isOwn ? asset : await setManagement(transaction, asset, command.managedBy);
    if (known === undefined || told === undefined || told.value === known) return accept(claimed);
    return accept(await tellImportedAs(transaction, claimed, known, told.value));
  });

export const releaseAsset: Verb<ReleaseAsset, Asset> = async (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockAsset(command.assetId);
    if (facts === null || facts.asset.deletedAt !== null) {
      return notFound('ASSET', command.assetId);
    }
    const { asset } = facts;
    if (!isManagedBy(asset, command.managedBy)) return accept(asset);
    const access = decideAccess(context.actor, 'update_asset', asset.ownerTeamId);
    return access.ok ? accept(await setManagement(transaction, asset, null)) : access;
  });

async function setManagement(
  transaction: Transaction,
  before: Asset,
  managedBy: ManagedBy | null,
): Promise<Asset> {
  const asset: Asset = { ...before, managedBy, updatedAt: transaction.now() };
  const event = assetEvent('asset.updated', asset, {
    team_id: asset.ownerTeamId,
    from: { managed_by: managerText(before.managedBy) },
    to: { managed_by: managerText(managedBy) },
  });
  await transaction.apply([{ kind: 'update_asset', asset, events: [event] }]);
  return asset;
}

async function tellImportedAs(
  transaction: Transaction,
  before: Asset,
  known: ImportedAs,
  importedAs: ImportedAs,
): Promise<Asset> {
  const asset: Asset = { ...before, updatedAt: transaction.now() };
  const event = assetEvent('asset.updated', asset, {
    team_id: asset.ownerTeamId,
    from: { imported_as: known as JsonObject },
    to: { imported_as: importedAs as JsonObject },
  });
  await transaction.apply([{ kind: 'update_asset', asset, importedAs, events: [event] }]);
  return asset;
}

/** `shop/orders in 5f2c...` is of the source `5f2c...`. */
function sourceOf({ reference }: ManagedBy): string {
  return reference.slice(reference.indexOf(' in ') + ' in '.length);
}

function heldElsewhere(asset: Asset, managedBy: ManagedBy): Outcome<never> {
  return refuse(
    'ASSET_MANAGED_ELSEWHERE',
    `${asset.fqn} is managed by ${managerText(managedBy)}. Delete it there first. If that source is gone for good, an administrator hands its contracts over: concordat take-over.`,
    { details: { managed_by: { ...managedBy } } },
  );
}
