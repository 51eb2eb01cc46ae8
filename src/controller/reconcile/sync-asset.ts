// Updates the asset's settings beside its contract to match the spec.

import type { Asset } from '../../core/asset.ts';
import { isLoosened, isLowered } from '../../core/asset.ts';
import type { ProposalCreated, ProposalView, UpdateAsset } from '../../core/decide/commands.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { UserId } from '../../core/id.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import type { JsonObject } from '../../core/value/json.ts';
import { effectiveContract } from '../effective.ts';
import type { ContractWork } from './contract-work.ts';
import { confirmConsumers, contextOf } from './world.ts';

type AskedWork = Pick<ContractWork, 'world' | 'spec' | 'standing'>;

type Patch = Partial<{
  -readonly [Key in keyof UpdateAsset]: UpdateAsset[Key];
}>;

/** Updates what may change without asking again; the rest keeps the values of an override. */
export async function syncPolicies(work: ContractWork, asset: Asset): Promise<Outcome<Asset>> {
  const { autoPublish } = effectiveContract(work.spec);
  if (asset.autoPublish === autoPublish) return accept(asset);
  const outcome = await update(work, asset, { autoPublish }, false);
  return outcome.ok ? accept(outcome.value.asset) : outcome;
}

interface Synced {
  readonly asset: Asset;
  /** The proposal that must be decided before the rest can follow; null if there is none. */
  readonly asked: ProposalView | null;
}

/** Updates everything that a new spec says about the asset, with one proposal at a time. */
export async function syncAsset(
  work: ContractWork,
  asset: Asset,
  supersede: boolean,
): Promise<Outcome<Synced>> {
  const patch = await patchAsked(work, asset);
  if (!patch.ok) return patch;
  return Object.keys(patch.value).length === 0
    ? accept({ asset, asked: null })
    : update(work, asset, patch.value, supersede);
}

/** What differs between the asset and the spec, without what has to be asked after something else. */
async function patchAsked(work: AskedWork, asset: Asset): Promise<Outcome<Patch>> {
  const { standing, spec } = work;
  const { autoPublish, guaranteeMode, needsMode, onDeadline, metadata } = effectiveContract(spec);
  const owner = await findOwnerUser(work);
  if (!owner.ok) return owner;
  const moves = asset.ownerTeamId !== standing.team.id;
  const patch: Patch = {};
  if (asset.autoPublish !== autoPublish) patch.autoPublish = autoPublish;
  if (asset.onDeadline !== onDeadline) patch.onDeadline = onDeadline;
  if (moves) patch.ownerTeamId = standing.team.id;
  // A new owner from the other team is set after the asset has moved there.
  if (!moves && owner.value !== null && asset.ownerUserId !== owner.value) {
    patch.ownerUserId = owner.value;
  }
  const isAnother = asset.guaranteeMode !== guaranteeMode;
  if (isAnother && !(moves && isLowered(asset.guaranteeMode, guaranteeMode))) {
    patch.guaranteeMode = guaranteeMode;
  }
  const isAsking = moves || isLowered(asset.guaranteeMode, guaranteeMode);
  if (asset.needsMode !== needsMode && !(isAsking && isLoosened(asset.needsMode, needsMode))) {
    patch.needsMode = needsMode;
  }
  const changed = metadataPatch(asset.metadata, metadata);
  if (Object.keys(changed).length > 0) patch.metadata = changed;
  return accept(patch);
}

/** Finds the proposal that the spec would create for the asset itself, and writes nothing. Null if there is none. */
export async function findAsking(
  work: AskedWork,
  asset: Asset,
): Promise<Outcome<ProposalCreated | null>> {
  const patch = await patchAsked(work, asset);
  if (!patch.ok) return patch;
  const { ownerTeamId, guaranteeMode, needsMode } = patch.value;
  if ((ownerTeamId ?? guaranteeMode ?? needsMode) === undefined) return accept(null);
  const command = { ...patch.value, assetId: asset.id, supersede: true, dryRun: true };
  const { ports, verbs } = work.world;
  const context = contextOf(work.world, work.standing.actor);
  const outcome = await verbs.updateAsset(ports, context, command);
  if (!outcome.ok) return outcome;
  return accept(outcome.value.action === 'updated' ? null : outcome.value);
}

/** Null if the spec names no user. */
export async function findOwnerUser({
  world,
  spec,
}: Pick<ContractWork, 'world' | 'spec'>): Promise<Outcome<UserId | null>> {
  if (spec.ownerUser === undefined) return accept(null);
  const user = await world.ports.reads.findUserByEmail(spec.ownerUser);
  if (user !== null) return accept(user.id);
  return refuse(
    'USER_NOT_FOUND',
    `spec.ownerUser is ${spec.ownerUser}, but no user has that address. Create the user, or correct the address.`,
  );
}

async function update(
  { world, object, standing }: ContractWork,
  asset: Asset,
  patch: Patch,
  supersede: boolean,
): Promise<Outcome<Synced>> {
  const { ownerTeamId, guaranteeMode, needsMode, autoPublish } = patch;
  // An open proposal that asks nobody is published as soon as the asset publishes by itself.
  if (autoPublish || (ownerTeamId ?? guaranteeMode ?? needsMode) !== undefined) {
    const confirmed = await confirmConsumers(world, object, asset);
    if (!confirmed.ok) return confirmed;
  }
  const command = { ...patch, assetId: asset.id, supersede };
  const context = contextOf(world, standing.actor);
  const outcome = await world.verbs.updateAsset(world.ports, context, command);
  if (!outcome.ok) return outcome;
  return accept(
    outcome.value.action === 'updated'
      ? { asset: outcome.value.asset, asked: null }
      : { asset, asked: outcome.value.proposal },
  );
}

/** Sets what differs. Keys that others added stay: a spec need not be complete. */
function metadataPatch(held: JsonObject, wanted: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !isSameJson(held[key], value)),
  );
}
