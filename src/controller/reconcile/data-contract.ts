// DataContract: facts, then steps that call the same verbs as the API, then one status.

import { actsFor } from '../../core/actor.ts';
import { type Asset, isManagedBy, managerText } from '../../core/asset.ts';
import { toRegistrySpelling } from '../../core/export/spelling.ts';
import { checkSpec, describeProblems } from '../check-spec.ts';
import type { Verdict } from '../conditions.ts';
import { dataContract } from '../crd/data-contract.ts';
import type { DataContractSpec, DataContractStatus } from '../crd/resources.ts';
import { digestOfSpec, effectiveContract } from '../effective.ts';
import type { WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { findUnknownDecisions } from './answers/unknown-decisions.ts';
import { checkTerms } from './check-terms.ts';
import { contractStatus, type Handled, refused, verdictOfFailure } from './contract-status.ts';
import { type ContractWork, lastVerdict, statusOf } from './contract-work.ts';
import { finalizeContract } from './finalize-contract.ts';
import { concludeFirst, termsAsked } from './publish-steps.ts';
import { readSchema } from './read-document.ts';
import { reconcileObject } from './reconcile-object.ts';
import { askEverything, reviewHandled } from './review-contract.ts';
import { tellProposal } from './review-proposal.ts';
import { findOwnerUser, syncPolicies } from './sync-asset.ts';
import {
  awaitConsumers,
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
  // Whatever the result for this generation, the deletion policy applies from now on.
  if (status.assetId !== undefined) await claimWhatWaits(world, object);
  if (object.problem !== null) {
    return refuse(world, status, { reason: 'InvalidSpec', message: object.problem });
  }
  const problems = checkSpec(dataContract.spec, object.spec);
  if (problems.length > 0) {
    const message = `${describeProblems(problems)}.`;
    return refuse(world, status, { reason: 'InvalidSpec', message });
  }
  // The check above validates the spec against this type's fields.
  const spec = toRegistrySpelling(object.spec).spec as unknown as DataContractSpec;
  if (spec.suspend === true) return lookOn(world, status);
  const standing = await findStanding(world, object, spec.team ?? null);
  if (!standing.ok) return refuse(world, status, verdictOfFailure(standing.failure));
  const read = await readSchema(world, object, spec);
  if (!read.ok) return refuse(world, status, read.verdict);
  const work: ContractWork = {
    world,
    object,
    spec,
    status,
    standing: standing.value,
    read: read.value,
    digest: digestOfSpec(spec, read.value.document),
  };
  return withUnknownDecisions(work, await handleWork(work));
}

/** While a proposal waits, Ready says what else the decisions are about. */
async function withUnknownDecisions(work: ContractWork, handled: Handled): Promise<Handled> {
  const { asset, verdict } = handled;
  const isSettled = verdict.reason === 'Published' || verdict.reason === 'UpToDate';
  if (asset === undefined || !isSettled) return handled;
  const unknownDecisions = await findUnknownDecisions(work, asset.id);
  return { ...handled, verdict: { ...verdict, unknownDecisions } };
}

/** What the object asked before may be answered, although it can ask for nothing now. */
async function refuse(
  world: World,
  status: DataContractStatus,
  verdict: Verdict,
): Promise<Handled> {
  const { verdict: _, ...told } = (await tellAsked(world, status)) ?? {};
  return { ...told, verdict };
}

/** A suspended object asks for nothing; but what it asked before may be answered, and its status says so. */
async function lookOn(world: World, status: DataContractStatus): Promise<Handled> {
  const idle = refused('Suspended', 'The object is not reconciled while spec.suspend is true.');
  const told = await tellAsked(world, status);
  if (told === null) return idle;
  const { reason, message } = told.verdict;
  return { ...told, verdict: { ...idle.verdict, meanwhile: { reason, message } } };
}

/** What became of the proposal in the status. Null if there is none, or if its end is only a step of what the spec asks. */
async function tellAsked(world: World, { assetId, proposal }: DataContractStatus) {
  if (assetId === undefined || proposal?.id === undefined) return null;
  const { reads } = world.ports;
  const asset = await reads.getAsset(assetId);
  const asked = await reads.getProposal(proposal.id);
  if (asset === null || asked === null) return null;
  world.follow(asked.id);
  const told = await tellProposal(world, asset, asked);
  // What else the spec asks follows by this proposal.
  if (told.proposal === null && asked.kind !== 'schema') return null;
  return { ...told, proposalName: proposal.name };
}

async function handleWork(work: ContractWork): Promise<Handled> {
  const { world, object, status, digest } = work;
  const { fqn, environment } = effectiveContract(work.spec);
  const found = await world.ports.reads.findAssetByName(fqn, environment);
  if (found !== null) world.follow(found.id);
  const renamed = await refuseAnotherName(work, found);
  if (renamed !== null) return renamed;
  const waits = found === null ? null : awaitConsumers(world, object, found);
  if (waits !== null) return { verdict: waits };
  const isHandled = status.handledDigest === digest;
  if (isHandled && found !== null && isManagedBy(found, managerOf(world, object))) {
    // What an earlier release published does not have this stored.
    const told = await tellStandsFor(work, found);
    if ('verdict' in told) return told;
    const synced = await syncPolicies(work, found);
    if (!synced.ok) return { verdict: verdictOfFailure(synced.failure), asset: found };
    return reviewHandled(work, synced.value);
  }
  if (isHandled && found === null && (await isDeleted(work))) {
    const drift = `${work.spec.fqn} was deleted in the registry. It is created again when the spec changes.`;
    return { verdict: { ...lastVerdict(object), drift } };
  }
  const wrong = await checkTerms(world.ports, work.spec, work.read);
  if (wrong !== null) return refuse(world, status, wrong);
  if (found === null) return declare(work);
  const claimed = await claim(work, found);
  return 'verdict' in claimed ? claimed : askEverything(work, claimed);
}

/** Unlike an asset that the database, restored to an earlier moment, has never had. */
async function isDeleted({ world, status }: ContractWork): Promise<boolean> {
  if (status.assetId === undefined) return false;
  return (await world.ports.reads.getAsset(status.assetId, 'any')) !== null;
}

/**
 * Claims the object if its deletion must deprecate or delete something. Releasing needs only the
 * object's name, so with `Retain` the object may disappear at once, if the source notices that.
 */
async function claimWhatWaits(world: World, object: SourceObject): Promise<void> {
  // Only this field is read, so the rest of the spec need not be valid.
  const { deletionPolicy } = effectiveContract(object.spec as unknown as DataContractSpec);
  if (world.source.losesObjects && deletionPolicy === 'Retain') return;
  await claimObject(world, object);
}

/** An API server refuses to change these fields; files have no such check. */
async function refuseAnotherName(
  { world, object, status }: ContractWork,
  found: Asset | null,
): Promise<Handled | null> {
  if (status.assetId === undefined || found?.id === status.assetId) return null;
  const held = await world.ports.reads.getAsset(status.assetId);
  if (held === null || !isManagedBy(held, managerOf(world, object))) return null;
  return refused(
    'InvalidSpec',
    `spec: fqn and environment are immutable, but this object manages ${held.fqn} in ${held.environment}. Restore them, or delete this object and create one with another name.`,
  );
}

/** Claims an existing asset that nothing manages; the first claim wins. */
async function claim(work: ContractWork, found: Asset): Promise<Asset | Handled> {
  const { world, object, standing } = work;
  const isManaged = found.managedBy !== null && !isManagedBy(found, managerOf(world, object));
  if (isManaged && work.spec.adopt !== true) return conflict(work, found);
  if (!actsFor(standing.actor, found.ownerTeamId)) {
    return refused(
      'NotPermitted',
      `${found.fqn} belongs to ${found.ownerTeamName}, and namespace ${object.namespace} does not act for that team.`,
    );
  }
  await claimWhatWaits(world, object);
  const owner = await findOwnerUser(work);
  if (!owner.ok) return { verdict: verdictOfFailure(owner.failure) };
  return recordClaim(work, found);
}

/** Stores which endpoint or root a managed asset describes. Refuses if another one is stored already. */
async function tellStandsFor(work: ContractWork, found: Asset): Promise<Asset | Handled> {
  const { read, standing } = work;
  if (read.standsFor === undefined || !actsFor(standing.actor, found.ownerTeamId)) return found;
  return recordClaim(work, found);
}

async function recordClaim(work: ContractWork, found: Asset): Promise<Asset | Handled> {
  const { world, object, standing, spec, read } = work;
  const managedBy = managerOf(world, object);
  const adopt = spec.adopt === true;
  const command = { assetId: found.id, managedBy, adopt, standsFor: read.standsFor };
  const context = contextOf(world, standing.actor);
  const outcome = await world.verbs.claimAsset(world.ports, context, command);
  if (outcome.ok) return outcome.value;
  const { code, message } = outcome.failure;
  if (code === 'ASSET_MANAGED_ELSEWHERE') return conflict(work, found);
  if (code === 'ASSET_HAS_CONSUMERS') {
    return { verdict: { reason: 'FqnConflict', message }, asset: found };
  }
  return { verdict: verdictOfFailure(outcome.failure), asset: found };
}

/** Creates an asset with a new name, together with its first version. */
async function declare(work: ContractWork): Promise<Handled> {
  const { world, object, standing, spec } = work;
  await claimWhatWaits(world, object);
  const { fqn, environment, autoPublish, guaranteeMode, needsMode, onDeadline, metadata } =
    effectiveContract(spec);
  const owner = await findOwnerUser(work);
  if (!owner.ok) return { verdict: verdictOfFailure(owner.failure) };
  const assetId = world.newId();
  world.follow(assetId);
  const context = contextOf(world, standing.actor);
  const outcome = await world.verbs.declareContract(world.ports, context, {
    assetId,
    asset: {
      fqn,
      environment,
      ownerTeamId: standing.team.id,
      ownerUserId: owner.value ?? undefined,
      autoPublish,
      guaranteeMode,
      needsMode,
      onDeadline,
      metadata,
      managedBy: managerOf(world, object),
      standsFor: work.read.standsFor,
    },
    contract: termsAsked(work),
  });
  if (outcome.ok) {
    const { asset, published } = outcome.value;
    if (published !== null) return concludeFirst(work, asset, published);
    // The asset of a deleted name continues with its versions and its open proposal.
    return askEverything(work, asset, asset.activeContractId === null ? null : undefined);
  }
  // Another request created the asset between the read and the lock; the next reconcile sees its
  // manager.
  if (outcome.failure.code === 'ASSET_EXISTS') throw new ChangedMeanwhile(object);
  return { verdict: verdictOfFailure(outcome.failure) };
}

function conflict({ world, object, spec }: ContractWork, asset: Asset): Handled {
  const { source, reference } = asset.managedBy ?? { source: '', reference: '' };
  const isSibling =
    source === managerOf(world, object).source &&
    reference.endsWith(` in ${world.source.identity}`);
  if (isSibling) {
    return refused(
      'FqnConflict',
      `${asset.fqn} in ${asset.environment} belongs to ${reference.replace(/ in .*$/, '')}, which claimed it first. Remove one of the two.`,
    );
  }
  const held = `${asset.fqn} in ${asset.environment} is managed by ${managerText(asset.managedBy)}`;
  return refused(
    'ManagedElsewhere',
    spec.adopt === true
      ? `${held}, and that source is alive, so it cannot be adopted. Delete it there, or stop that source, wait for a minute and set the annotation concordat.dev/reconcile-at.`
      : `${held}. Delete it there first. If that source is gone for good, set spec.adopt to true, or an administrator hands over everything that it had: concordat take-over.`,
  );
}
