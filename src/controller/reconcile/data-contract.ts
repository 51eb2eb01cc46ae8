// DataContract: facts, then steps that call the same verbs as the API, then one status.

import { actsFor } from '../../core/actor.ts';
import { type Asset, isManagedBy } from '../../core/asset.ts';
import { checkSpec, describeProblems } from '../check-spec.ts';
import { dataContract } from '../crd/data-contract.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { digestOfSpec, effectiveContract } from '../effective.ts';
import type { WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { contractStatus, type Handled, refused, verdictOfFailure } from './contract-status.ts';
import { type ContractWork, lastVerdict, statusOf } from './contract-work.ts';
import { finalizeContract } from './finalize-contract.ts';
import { readSchema } from './read-document.ts';
import { reconcileObject } from './reconcile-object.ts';
import { askEverything, reviewHandled } from './review-contract.ts';
import { findOwnerUser, syncPolicies } from './sync-asset.ts';
import {
  ChangedMeanwhile,
  claimObject,
  contextOf,
  findStanding,
  managerOf,
  type World,
} from './world.ts';

export function reconcileContract(world: World, object: SourceObject): Promise<WorkResult> {
  return reconcileObject(world, object, {
    handle,
    finalize: finalizeContract,
    toStatus: contractStatus,
  });
}

async function handle(world: World, object: SourceObject): Promise<Handled> {
  const status = statusOf(object);
  if (object.problem !== null) return refused('InvalidSpec', object.problem);
  const problems = checkSpec(dataContract.spec, object.spec);
  if (problems.length > 0) return refused('InvalidSpec', `${describeProblems(problems)}.`);
  // The check just made holds the object against the fields of this type.
  const spec = object.spec as unknown as DataContractSpec;
  if (spec.suspend === true) {
    return refused('Suspended', 'Nothing is changed from here while spec.suspend is true.');
  }
  const standing = await findStanding(world, object, spec.team ?? null);
  if (!standing.ok) return { verdict: verdictOfFailure(standing.failure) };
  const read = await readSchema(world, object, spec);
  if (!read.ok) return { verdict: read.verdict };
  const work: ContractWork = {
    world,
    object,
    spec,
    status,
    standing: standing.value,
    read: read.value,
    digest: digestOfSpec(spec, read.value.document),
  };
  return handleWork(work);
}

async function handleWork(work: ContractWork): Promise<Handled> {
  const { world, object, status, digest } = work;
  const { fqn, environment } = effectiveContract(work.spec);
  const found = await world.ports.reads.findAssetByName(fqn, environment);
  if (found !== null) world.follow(found.id);
  const renamed = await refuseAnotherName(work, found);
  if (renamed !== null) return renamed;
  const isHandled = status.handledDigest === digest;
  if (isHandled && found !== null && isManagedBy(found, managerOf(world, object))) {
    const synced = await syncPolicies(work, found);
    if (!synced.ok) return { verdict: verdictOfFailure(synced.failure), asset: found };
    return reviewHandled(work, synced.value);
  }
  if (isHandled && found === null) {
    const drift = `${work.spec.fqn} was deleted in the registry. It comes back when the spec changes.`;
    return { verdict: { ...lastVerdict(object), drift } };
  }
  const claimed = await claim(work, found);
  if ('verdict' in claimed) return claimed;
  return askEverything(work, claimed.asset, claimed.isNew ? null : undefined);
}

/** An API server refuses another name by itself; a file gets here with it. */
async function refuseAnotherName(
  { world, object, status }: ContractWork,
  found: Asset | null,
): Promise<Handled | null> {
  if (status.assetId === undefined || found?.id === status.assetId) return null;
  const held = await world.ports.reads.getAsset(status.assetId);
  if (held === null || !isManagedBy(held, managerOf(world, object))) return null;
  return refused(
    'InvalidSpec',
    `spec: fqn and environment are immutable, and this object manages ${held.fqn} in ${held.environment}. Set them back, or delete this object and create one of another name.`,
  );
}

/** The name, made or taken over; the first claim wins. */
async function claim(
  work: ContractWork,
  found: Asset | null,
): Promise<{ readonly asset: Asset; readonly isNew: boolean } | Handled> {
  const { world, object, standing, spec } = work;
  const manager = managerOf(world, object);
  if (found?.managedBy && !isManagedBy(found, manager)) return conflict(work, found);
  if (found !== null && !actsFor(standing.actor, found.ownerTeamId)) {
    return refused(
      'NotPermitted',
      `${found.fqn} belongs to ${found.ownerTeamName}, and namespace ${object.namespace} does not act for that team.`,
    );
  }
  await claimObject(world, object);
  const { fqn, environment, autoPublish, guaranteeMode, metadata } = effectiveContract(spec);
  const owner = await findOwnerUser(work);
  if (!owner.ok) return { verdict: verdictOfFailure(owner.failure) };
  const context = contextOf(world, standing.actor);
  if (found !== null) {
    const outcome = await world.verbs.claimAsset(world.ports, context, {
      assetId: found.id,
      managedBy: manager,
    });
    return outcome.ok
      ? { asset: outcome.value, isNew: false }
      : { verdict: verdictOfFailure(outcome.failure), asset: found };
  }
  const outcome = await world.verbs.createAsset(world.ports, context, {
    fqn,
    environment,
    ownerTeamId: standing.team.id,
    ownerUserId: owner.value ?? undefined,
    autoPublish,
    guaranteeMode,
    metadata,
    managedBy: manager,
  });
  if (outcome.ok) {
    world.follow(outcome.value.id);
    // A name that was deleted before goes on with its versions, and with what is asked about them.
    return { asset: outcome.value, isNew: outcome.value.activeContractId === null };
  }
  // Somebody made it between the look and the lock: the next look sees whose it is.
  if (outcome.failure.code === 'ASSET_EXISTS') throw new ChangedMeanwhile(object);
  return { verdict: verdictOfFailure(outcome.failure) };
}

function conflict({ world, object }: ContractWork, asset: Asset): Handled {
  const { source, reference } = asset.managedBy ?? { source: '', reference: '' };
  const isSibling =
    source === managerOf(world, object).source &&
    reference.endsWith(` in ${world.source.identity}`);
  return isSibling
    ? refused(
        'FqnConflict',
        `${asset.fqn} in ${asset.environment} belongs to ${reference.replace(/ in .*$/, '')}, which claimed it first. Remove one of the two.`,
      )
    : refused(
        'ManagedElsewhere',
        `${asset.fqn} in ${asset.environment} is managed by ${source} (${reference}). Delete it there first.`,
      );
}
