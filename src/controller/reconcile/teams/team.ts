// Reconciles a Team object with the team that has its name as slug in the registry. In a cluster, the
// admission policy decides who may declare a Team. A folder may, if the mapping file lets it act for the slug.

import { isManagedBy } from '../../../core/asset.ts';
import { accept, type Outcome, refuse } from '../../../core/failure.ts';
import { isSlug, type Team } from '../../../core/team.ts';
import { isSameJson } from '../../../core/value/canonical-json.ts';
import type { JsonObject } from '../../../core/value/json.ts';
import type { Context } from '../../../registry/ports.ts';
import { checkSpec, describeProblems } from '../../check-spec.ts';
import { type Condition, isRetried, toConditions, type Verdict } from '../../conditions.ts';
import type { TeamSpec, TeamStatus } from '../../crd/resources.ts';
import { team as teamKind } from '../../crd/team.ts';
import { digestOf } from '../../effective.ts';
import { slugsOfNamespace } from '../../permission.ts';
import { done, type WorkResult } from '../../queue.ts';
import type { SourceObject } from '../../source/source.ts';
import { verdictOfFailure } from '../contract-status.ts';
import { reconcileObject } from '../reconcile-object.ts';
import {
  actorOf,
  ChangedMeanwhile,
  claimObject,
  contextOf,
  managerOf,
  type World,
} from '../world.ts';
import { onceItIsSeen, secondsOf, writeObjectStatus } from '../write-object-status.ts';

interface Handled {
  readonly verdict: Verdict;
  /** The team that the object holds. */
  readonly team?: Team;
  readonly handledDigest?: string;
}

export function reconcileTeam(world: World, object: SourceObject): Promise<WorkResult> {
  return reconcileObject(world, object, { handle: handleAsTeam, finalize, toStatus });
}

/** Notes that the team is known: ContractRegistrations of it wait for that. */
async function handleAsTeam(world: World, object: SourceObject): Promise<Handled> {
  const { claims, forgetTeams } = world;
  const note = (outcome: 'handled' | 'failed') => claims.noteRead(object.key, outcome);
  try {
    const handled = await handle(world, object);
    forgetTeams();
    note(isRetried(handled.verdict.reason) ? 'failed' : 'handled');
    return handled;
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) note('failed');
    throw error;
  }
}

async function handle(world: World, object: SourceObject): Promise<Handled> {
  if (object.problem !== null) return refused('InvalidSpec', object.problem);
  const problems = checkSpec(teamKind.spec, object.spec);
  if (problems.length > 0) return refused('InvalidSpec', `${describeProblems(problems)}.`);
  if (!isSlug(object.name)) {
    const message = `metadata.name is the slug of the team, and ${object.name} is not a DNS label.`;
    return refused('InvalidSpec', message);
  }
  // The check above validates the spec against this type's fields.
  const spec = object.spec as unknown as TeamSpec;
  if (spec.suspend === true) {
    return refused('Suspended', 'The object is not reconciled while spec.suspend is true.');
  }
  const permitted = decidePermission(world, object);
  if (!permitted.ok) return { verdict: verdictOfFailure(permitted.failure) };
  return declare(world, object, spec);
}

/** The folder of a file acts for what the mapping file says; the cluster's policy decides for itself. */
function decidePermission({ source, mapping }: World, object: SourceObject): Outcome<true> {
  const { namespace, name } = object;
  if (source.kind === 'cluster') return accept(true);
  if (slugsOfNamespace({ namespace, label: null }, mapping).includes(name)) return accept(true);
  return refuse(
    'FORBIDDEN',
    `Folder ${namespace} does not act for team ${name}. Add it to the mapping file, or move this file.`,
  );
}

async function declare(world: World, object: SourceObject, spec: TeamSpec): Promise<Handled> {
  const { name: slug } = object;
  await claimObject(world, object);
  const digest = digestOf({ name: spec.name ?? null, metadata: metadataOf(spec) });
  const before = statusOf(object);
  const isAskedAgain =
    object.reconcileAt !== null && object.reconcileAt !== before.lastHandledReconcileAt;
  if (before.handledDigest === digest && !isAskedAgain) {
    const [held = null] = await world.ports.reads.listTeamsBySlug([slug]);
    const stays =
      held === null
        ? await isDeleted(world, before.teamId)
        : isManagedBy(held, managerOf(world, object));
    if (stays) return compare(slug, spec, held, digest);
  }
  const declared = await world.verbs.declareTeam(world.ports, declaring(world, object), {
    slug,
    name: spec.name,
    metadata: metadataOf(spec),
  });
  if (!declared.ok) {
    const { team_id: heldBy } = declared.failure.details ?? {};
    if (typeof heldBy === 'string') world.follow(heldBy);
    return { verdict: verdictOfFailure(declared.failure) };
  }
  return { verdict: upToDate(slug), team: declared.value, handledDigest: digest };
}

/** Unlike a team that the database, restored to an earlier moment, has never had. */
async function isDeleted({ ports }: World, teamId: string | undefined): Promise<boolean> {
  return teamId !== undefined && (await ports.reads.listTeamsById([teamId])).length > 0;
}

/** What was handled is only compared: an administrator's change stays until the spec changes. */
function compare(slug: string, spec: TeamSpec, held: Team | null, digest: string): Handled {
  if (held === null) {
    const drift = `Team ${slug} was deleted in the registry. It is created again when the spec changes.`;
    return { verdict: { ...upToDate(slug), drift }, handledDigest: digest };
  }
  const isRenamed = spec.name !== undefined && spec.name !== held.name;
  const other = Object.entries(metadataOf(spec))
    .filter(([key, value]) => !isSameJson(held.metadata[key], value))
    .map(([key]) => `metadata.${key}`);
  const differs = [...(isRenamed ? ['name'] : []), ...other];
  const drift =
    differs.length === 0
      ? null
      : `Changed in the registry: ${differs.join(', ')}. A new spec sets it again.`;
  return { verdict: { ...upToDate(slug), drift }, team: held, handledDigest: digest };
}

function metadataOf({ metadata = {} }: TeamSpec): JsonObject {
  return metadata as JsonObject;
}

function upToDate(slug: string): Verdict {
  return { reason: 'UpToDate', message: `Team ${slug} is in the registry.` };
}

/** It may declare this one team, and acts for none. */
function declaring(world: World, object: SourceObject): Context<unknown> {
  return contextOf(world, { ...actorOf(world, object, []), declares: object.name });
}

async function finalize(world: World, object: SourceObject): Promise<WorkResult> {
  if (!object.isClaimed) return done;
  const suspicion = world.source.suspicion();
  if (suspicion !== null) {
    return blocked(world, object, { reason: 'DeletionBlocked', message: suspicion });
  }
  const outcome = await letGo(world, object);
  if (!outcome.ok) return blocked(world, object, verdictOfFailure(outcome.failure));
  const released = await world.source.release(object);
  return released === 'conflict' ? { kind: 'again', afterMs: 0 } : done;
}

/** An event that the deletion waits for wakes the object, and so does a source that is confirmed. */
async function blocked(
  world: World,
  object: SourceObject,
  { reason, message }: Verdict,
): Promise<WorkResult> {
  const isDown = reason === 'RegistryUnavailable';
  const verdict: Verdict = { reason: isDown ? reason : 'DeletionBlocked', message };
  const written = await writeObjectStatus(world, object, toStatus(world, object, { verdict }));
  if (isDown) return { kind: 'failed', error: new Error(message) };
  return written === 'conflict' ? onceItIsSeen : done;
}

async function letGo(world: World, object: SourceObject): Promise<Outcome<true>> {
  const { name: slug } = object;
  const [held] = await world.ports.reads.listTeamsBySlug([slug]);
  if (held === undefined || !isManagedBy(held, managerOf(world, object))) return accept(true);
  // All objects of a kind that ends go, whatever each of them says.
  const isEnding = await world.source.isKindEnding?.(object.kind);
  const isDeleted = object.spec.deletionPolicy === 'Delete' && isEnding !== true;
  const command = { teamId: held.id, slug, isDeleted };
  const released = await world.verbs.releaseTeam(world.ports, declaring(world, object), command);
  return released.ok ? accept(true) : released;
}

function statusOf(object: SourceObject): TeamStatus {
  // The controller wrote the status, and the schema of its kind has checked it.
  return (object.status ?? {}) as TeamStatus;
}

function toStatus(
  world: World,
  object: SourceObject,
  handled: Handled | { readonly verdict: Verdict },
): TeamStatus {
  const before = statusOf(object);
  const { verdict } = handled;
  const team = 'team' in handled ? handled.team : undefined;
  const digest =
    ('handledDigest' in handled ? handled.handledDigest : null) ?? before.handledDigest;
  const teamId = team?.id ?? before.teamId;
  const name = team?.name ?? before.name;
  const isHandled = verdict.reason !== 'RegistryUnavailable';
  const reconcileAt = isHandled ? object.reconcileAt : before.lastHandledReconcileAt;
  const conditions = toConditions(
    verdict,
    object.generation,
    (before.conditions ?? []) as readonly Condition[],
    secondsOf(world.now()),
  );
  return {
    observedGeneration: object.generation,
    conditions,
    ...(teamId !== undefined && { teamId }),
    ...(name !== undefined && { name }),
    ...(digest !== undefined && { handledDigest: digest }),
    ...(reconcileAt != null && { lastHandledReconcileAt: reconcileAt }),
  };
}

function refused(reason: Verdict['reason'], message: string): Handled {
  return { verdict: { reason, message } };
}
