// Releases, deprecates or deletes the asset of a deleted DataContract. An object that never managed
// anything is removed at once.

import { type Asset, isManagedBy } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { Proposal, ProposalSummary } from '../../core/proposal.ts';
import { isOpen } from '../../core/proposal-machine.ts';
import type { Context } from '../../registry/ports.ts';
import type { Verdict } from '../conditions.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { effectiveContract } from '../effective.ts';
import { done, type WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { contractStatus, verdictOfFailure } from './contract-status.ts';
import { statusOf } from './contract-work.ts';
import { releaseDeparted } from './release-departed.ts';
import { withdrawAllOwn } from './withdraw-own.ts';
import {
  actorOf,
  awaitConsumers,
  confirmConsumers,
  contextOf,
  managerOf,
  type World,
} from './world.ts';
import { onceItIsSeen, writeObjectStatus } from './write-object-status.ts';

export async function finalizeContract(world: World, object: SourceObject): Promise<WorkResult> {
  if (!object.isClaimed) {
    // Another finalizer delays the deletion, but this object has none of ours: its assets are only
    // released.
    if (world.source.losesObjects) await releaseDeparted(world, object, object);
    return done;
  }
  if (await world.source.isKindEnding?.(object.kind)) {
    // All objects of the kind go, whatever each of them says. What is missing is only released.
    await releaseDeparted(world, object, null);
    return letGo(world, object);
  }
  const suspicion = world.source.suspicion();
  if (suspicion !== null)
    return blocked(world, object, { reason: 'DeletionBlocked', message: suspicion });
  const asset = await findOwned(world, object);
  if (asset !== null) world.follow(asset.id);
  const isOurs = asset !== null && isManagedBy(asset, managerOf(world, object));
  const waits = isOurs ? awaitConsumers(world, object, asset) : null;
  if (waits !== null) return blocked(world, object, waits);
  const settled = isOurs ? await settle(world, object, asset) : accept<Blocked | null>(null);
  if (!settled.ok) {
    const { reason, message } = verdictOfFailure(settled.failure);
    return blocked(world, object, {
      reason: reason === 'RegistryUnavailable' ? reason : 'DeletionBlocked',
      message,
    });
  }
  if (settled.value !== null) return blocked(world, object, settled.value);
  return letGo(world, object);
}

async function letGo(world: World, object: SourceObject): Promise<WorkResult> {
  const released = await world.source.release(object);
  return released === 'conflict' ? { kind: 'again', afterMs: 0 } : done;
}

/**
 * Finds the asset by its name if the status was never written, because the process stopped before.
 */
async function findOwned(world: World, object: SourceObject): Promise<Asset | null> {
  const { assetId } = statusOf(object);
  if (assetId !== undefined) return world.ports.reads.getAsset(assetId);
  if (typeof object.spec.fqn !== 'string') return null;
  // Only these fields are read, so the rest of the spec need not be valid.
  const { fqn, environment } = effectiveContract(object.spec as unknown as DataContractSpec);
  return world.ports.reads.findAssetByName(fqn, environment);
}

/** Null once nothing is left to do; a verdict while it waits for somebody. */
async function settle(
  world: World,
  object: SourceObject,
  asset: Asset,
): Promise<Outcome<Blocked | null>> {
  // The spec was checked when it was first handled; only its deletion policy is read here.
  const spec = object.spec as unknown as DataContractSpec;
  const { deletionPolicy } = effectiveContract(spec);
  world.follow(asset.id);
  // The namespace may have lost its label by now; the object may still clean up what it created.
  const context = contextOf(world, actorOf(world, object, [asset.ownerTeamId]));
  const isEnding = deletionPolicy === 'Deprecate';
  const withdrawn = await withdrawChange(world, object, asset, context, isEnding);
  if (!withdrawn.ok) return withdrawn;
  if (deletionPolicy !== 'Retain') {
    const confirmed = await confirmConsumers(world, object, asset);
    if (!confirmed.ok) return confirmed;
  }
  switch (deletionPolicy) {
    case 'Retain':
      break;
    case 'Delete': {
      const outcome = await world.verbs.deleteAsset(world.ports, context, {
        assetId: asset.id,
        force: false,
      });
      return outcome.ok ? accept(null) : outcome;
    }
    case 'Deprecate': {
      const waiting = await deprecate(world, object, asset, context);
      if (!waiting.ok || waiting.value !== null) return waiting;
      break;
    }
    default:
      return deletionPolicy satisfies never;
  }
  const outcome = await world.verbs.releaseAsset(world.ports, context, {
    assetId: asset.id,
    managedBy: managerOf(world, object),
  });
  return outcome.ok ? accept(null) : outcome;
}

/** Withdraws the proposal, because the change is no longer requested. */
async function withdrawChange(
  world: World,
  object: SourceObject,
  asset: Asset,
  context: Context,
  isEnding: boolean,
): Promise<Outcome<true>> {
  const reason = `DataContract ${object.namespace}/${object.name} was deleted`;
  // The proposal to deprecate the asset belongs to the deletion, while its policy is Deprecate.
  const isEnd = ({ kind }: ProposalSummary) => isEnding && kind === 'deprecation';
  const withdrawn = await withdrawAllOwn({ world, object, context }, asset, isEnd, reason);
  return withdrawn.ok ? accept(true) : withdrawn;
}

/** Asks the consumers once: a withdrawal or a rejection is final until somebody asks again. */
async function deprecate(
  world: World,
  object: SourceObject,
  asset: Asset,
  context: Context,
): Promise<Outcome<Blocked | null>> {
  if (asset.activeContractId === null) return accept(null);
  const { proposal: asked, lastHandledReconcileAt } = statusOf(object);
  const before = asked?.id === undefined ? null : await world.ports.reads.getProposal(asked.id);
  const isFinal = before?.status === 'withdrawn' || before?.status === 'rejected';
  const isAskedAgain = object.reconcileAt !== null && object.reconcileAt !== lastHandledReconcileAt;
  if (before?.kind === 'deprecation' && isFinal && !isAskedAgain) {
    return accept({
      reason: 'DeletionBlocked',
      message: `Proposal ${before.id} to deprecate ${asset.fqn} is ${before.status}. Agree with the consumers and set the annotation concordat.dev/reconcile-at, or set spec.deletionPolicy to Retain.`,
    });
  }
  const outcome = await world.verbs.updateContract(world.ports, context, {
    contractId: asset.activeContractId,
    status: 'deprecated',
  });
  if (!outcome.ok) return outcome;
  if (outcome.value.action === 'updated' || outcome.value.proposal.id === null) return accept(null);
  const proposal = await world.ports.reads.getProposal(outcome.value.proposal.id);
  if (proposal === null || !isOpen(proposal.status)) return accept(null);
  if (proposal.progress.canPublish) {
    const command = { proposalId: proposal.id };
    const published = await world.verbs.publishProposal(world.ports, context, command);
    return published.ok ? accept(null) : published;
  }
  const { acknowledged, totalConsumers } = proposal.progress;
  return accept({
    reason: 'DeletionBlocked',
    message: `Deprecating ${asset.fqn} waits for its consumers: ${acknowledged} of ${totalConsumers} have acknowledged proposal ${proposal.id}. To keep the asset and let this object go, set spec.deletionPolicy to Retain.`,
    proposal,
  });
}

interface Blocked extends Verdict {
  /** The proposal that the consumers have to answer. */
  readonly proposal?: Proposal;
}

/** The object is woken when consumers leave or answer, and when a suspicious source is confirmed. */
async function blocked(
  world: World,
  object: SourceObject,
  { proposal, ...verdict }: Blocked,
): Promise<WorkResult> {
  const handled = proposal === undefined ? { verdict } : { verdict, proposal };
  const written = await writeObjectStatus(world, object, contractStatus(world, object, handled));
  if (verdict.reason === 'RegistryUnavailable') {
    return { kind: 'failed', error: new Error(verdict.message) };
  }
  return written === 'conflict' ? onceItIsSeen : done;
}
