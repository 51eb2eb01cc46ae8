// What becomes of the asset of a DataContract that is deleted: released, deprecated or deleted. An
// object that never came to own anything is let go at once.

import type { Asset } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { isManagedBy, releaseAsset } from '../../registry/claim-asset.ts';
import { reasonOfCode, type Verdict } from '../conditions.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { effectiveContract } from '../effective.ts';
import { done, type WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { contractStatus } from './contract-status.ts';
import { statusOf } from './contract-work.ts';
import { actorOf, contextOf, managerOf, type World } from './world.ts';
import { writeObjectStatus } from './write-object-status.ts';

export async function finalizeContract(world: World, object: SourceObject): Promise<WorkResult> {
  if (!object.isClaimed) return done;
  const suspicion = world.source.suspicion();
  if (suspicion !== null)
    return blocked(world, object, { reason: 'DeletionBlocked', message: suspicion });
  const assetId = statusOf(object).assetId;
  const asset = assetId === undefined ? null : await world.ports.reads.getAsset(assetId);
  const isOurs = asset !== null && isManagedBy(asset, managerOf(world, object));
  const settled = isOurs ? await settle(world, object, asset) : accept<Verdict | null>(null);
  if (!settled.ok) {
    const { code, message } = settled.failure;
    const reason = reasonOfCode(code);
    return blocked(world, object, {
      reason: reason === 'RegistryUnavailable' ? reason : 'DeletionBlocked',
      message,
    });
  }
  if (settled.value !== null) return blocked(world, object, settled.value);
  const released = await world.source.release(object);
  return released === 'conflict' ? { kind: 'again', afterMs: 0 } : done;
}

/** Null once nothing is left to do; a verdict where it waits for somebody. */
async function settle(
  world: World,
  object: SourceObject,
  asset: Asset,
): Promise<Outcome<Verdict | null>> {
  // The spec was checked when it was first handled; what it says of deletion is all that is read.
  const spec = object.spec as unknown as DataContractSpec;
  const { deletionPolicy } = effectiveContract(spec);
  // Its namespace may have lost its label by now: what it made is still its own to clear away.
  const context = contextOf(world, actorOf(object, [asset.ownerTeamId]));
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
      if (asset.activeContractId === null) break;
      const outcome = await world.verbs.updateContract(world.ports, context, {
        contractId: asset.activeContractId,
        status: 'deprecated',
      });
      if (!outcome.ok) return outcome;
      if (outcome.value.action === 'proposal_created') {
        const { id, progress } = outcome.value.proposal;
        return accept({
          reason: 'DeletionBlocked',
          message: `Deprecating ${asset.fqn} waits for its consumers: ${progress.acknowledged} of ${progress.totalConsumers} have acknowledged proposal ${id}.`,
        });
      }
      break;
    }
    default:
      return deletionPolicy satisfies never;
  }
  const manager = managerOf(world, object);
  const outcome = await releaseAsset(world.ports, context, {
    assetId: asset.id,
    managedBy: manager,
  });
  return outcome.ok ? accept(null) : outcome;
}

/** Consumers leave without telling the object: it is looked at again. */
const lookAgainMs = 30_000;

async function blocked(world: World, object: SourceObject, verdict: Verdict): Promise<WorkResult> {
  await writeObjectStatus(world, object, contractStatus(world, object, { verdict }));
  if (verdict.reason === 'RegistryUnavailable') {
    return { kind: 'failed', error: new Error(verdict.message) };
  }
  return { kind: 'again', afterMs: lookAgainMs };
}
