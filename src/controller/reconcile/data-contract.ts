// DataContract: facts, then steps that call the same verbs as the API, then one status.

import { actsFor } from '../../core/actor.ts';
import type { Asset } from '../../core/asset.ts';
import { claimAsset, isManagedBy } from '../../registry/claim-asset.ts';
import { RegistryUnavailable } from '../../registry/unavailable.ts';
import { checkSpec, describeProblems } from '../check-spec.ts';
import { isRetried } from '../conditions.ts';
import { dataContract } from '../crd/data-contract.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { digestOfSpec, effectiveContract } from '../effective.ts';
import { done, type WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { contractStatus, type Handled, refused, verdictOfFailure } from './contract-status.ts';
import { type ContractWork, lastVerdict, statusOf } from './contract-work.ts';
import { finalizeContract } from './finalize-contract.ts';
import { publishContractOf, syncAsset } from './publish-steps.ts';
import { readSchema } from './read-document.ts';
import { reviewHandled } from './review-contract.ts';
import { contextOf, findAsset, findStanding, managerOf, type World } from './world.ts';
import { writeObjectStatus } from './write-object-status.ts';

export async function reconcileContract(world: World, object: SourceObject): Promise<WorkResult> {
  try {
    if (object.isDeleting) return await finalizeContract(world, object);
    const handled = await handle(world, object);
    await writeObjectStatus(world, object, contractStatus(world, object, handled));
    return isRetried(handled.verdict.reason)
      ? { kind: 'failed', error: new Error(handled.verdict.message) }
      : done;
  } catch (error) {
    if (error instanceof RegistryUnavailable) await tellUnavailable(world, object, error);
    return { kind: 'failed', error };
  }
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
    schema: read.value.schema,
    digest: digestOfSpec(spec, read.value.document),
  };
  return handleWork(work);
}

async function handleWork(work: ContractWork): Promise<Handled> {
  const { world, object, status, digest } = work;
  const found = await findAsset(world, effectiveContract(work.spec));
  const isHandled = status.handledDigest === digest;
  if (isHandled && found !== null && isManagedBy(found, managerOf(world, object))) {
    const synced = await syncAsset(work, found, 'policies');
    if (!synced.ok) return { verdict: verdictOfFailure(synced.failure), asset: found };
    return reviewHandled(work, synced.value);
  }
  if (isHandled && found === null) {
    const drift = `${work.spec.fqn} was deleted in the registry. It comes back when the spec changes.`;
    return { verdict: { ...lastVerdict(object), drift } };
  }
  const claimed = await claim(work, found);
  if ('verdict' in claimed) return claimed;
  const synced = await syncAsset(work, claimed.asset, 'all');
  if (!synced.ok) return { verdict: verdictOfFailure(synced.failure), asset: claimed.asset };
  return publishContractOf(work, synced.value);
}

/** The name, made or taken over; the first claim wins. */
async function claim(
  work: ContractWork,
  found: Asset | null,
): Promise<{ readonly asset: Asset } | Handled> {
  const { world, object, standing, spec } = work;
  const manager = managerOf(world, object);
  if (found?.managedBy && !isManagedBy(found, manager)) return conflict(work, found);
  if (found !== null && !actsFor(standing.actor, found.ownerTeamId)) {
    return refused(
      'NotPermitted',
      `${found.fqn} belongs to ${found.ownerTeamName}, and namespace ${object.namespace} does not act for that team.`,
    );
  }
  // Before anything is made: whoever deletes the object from now on waits until it is settled.
  if (!object.isClaimed) {
    const claimed = await world.source.claim(object);
    if (claimed === 'conflict' || claimed === 'gone') {
      return refused('RegistryUnavailable', 'The object changed meanwhile.');
    }
  }
  const { fqn, environment, autoPublish, guaranteeMode, metadata } = effectiveContract(spec);
  const context = contextOf(world, standing.actor);
  if (found !== null) {
    const outcome = await claimAsset(world.ports, context, {
      assetId: found.id,
      managedBy: manager,
    });
    return outcome.ok
      ? { asset: outcome.value }
      : { verdict: verdictOfFailure(outcome.failure), asset: found };
  }
  const outcome = await world.verbs.createAsset(world.ports, context, {
    fqn,
    environment,
    ownerTeamId: standing.team.id,
    autoPublish,
    guaranteeMode,
    metadata,
    managedBy: manager,
  });
  if (outcome.ok) return { asset: outcome.value };
  // Somebody made it between the look and the lock: the next look sees whose it is.
  if (outcome.failure.code === 'ASSET_EXISTS') {
    return refused('RegistryUnavailable', outcome.failure.message);
  }
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

/** Only those with something to do say so: an outage is no news for ten thousand settled ones. */
async function tellUnavailable(
  world: World,
  object: SourceObject,
  error: RegistryUnavailable,
): Promise<void> {
  const { observedGeneration, conditions = [] } = statusOf(object);
  const isSettled =
    observedGeneration === object.generation &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  if (isSettled && !object.isDeleting) return;
  const verdict = verdictOfFailure({ code: 'REGISTRY_UNAVAILABLE', message: error.message });
  await writeObjectStatus(world, object, contractStatus(world, object, { verdict }));
}
