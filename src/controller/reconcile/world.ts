// The dependencies of a reconciler.

import type { Actor } from '../../core/actor.ts';
import type { Asset, ManagedBy } from '../../core/asset.ts';
import type { Contract } from '../../core/contract.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { TeamId, Timestamp } from '../../core/id.ts';
import { resourceName } from '../../core/proposal.ts';
import { managedSourceOf } from '../../core/source.ts';
import type { Team } from '../../core/team.ts';
import type { Verbs } from '../../registry/commands.ts';
import type { Context, Ports } from '../../registry/ports.ts';
import type { TeamBindings } from '../bindings.ts';
import type { Verdict } from '../conditions.ts';
import type { UnreadSince } from '../other-sources.ts';
import { resolveTeam, slugsOfNamespace, type TeamMapping } from '../permission.ts';
import type { Priority } from '../queue.ts';
import { type ObjectKey, placeOf, type Source, type SourceObject } from '../source/source.ts';
import type { CheckSettings } from './check/check-job.ts';
import type { RegistrationClaims } from './registrations/registration-claims.ts';

export interface World {
  readonly ports: Ports;
  readonly verbs: Verbs;
  readonly source: Source;
  readonly mapping: TeamMapping;
  readonly bindings: TeamBindings;
  /** Whether an object in a cluster may force a proposal: the chart allows it with a policy. */
  readonly allowForce: boolean;
  /** Wakes the object on every event in the registry with this id. */
  readonly follow: (id: string) => void;
  /** Reconciles another object again. */
  readonly wake: (key: ObjectKey, priority?: Priority) => void;
  readonly claims: RegistrationClaims;
  /** How long a registration stays after its last object was deleted; undefined for not at all. */
  readonly departurePauseMs?: number | undefined;
  readonly unreadSince: UnreadSince;
  /** Asks the registry anew which teams there are. */
  readonly forgetTeams: () => void;
  /** Of the Jobs of ContractChecks; undefined where checks are off. */
  readonly checkSettings?: CheckSettings | undefined;
  /** Called once for each run of a check that has ended. */
  readonly observeCheck?:
    | ((state: 'Passed' | 'Failed' | 'Error', severity: 'warning' | 'critical') => void)
    | undefined;
  readonly now: () => Timestamp;
  readonly newId: () => string;
}

/**
 * The object, or what it requests, changed during the reconcile. No result is written; the object
 * is reconciled again.
 */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';

  constructor(object: SourceObject) {
    super(`${object.key} changed while it was looked at.`);
  }
}

/**
 * Adds the finalizer before anything is created, so that a deletion waits until it has been
 * handled.
 */
export async function claimObject({ source }: World, object: SourceObject): Promise<void> {
  // This reconcile may already have claimed the object.
  const now = source.get(object.key);
  if (object.isClaimed || (now?.uid === object.uid && now.isClaimed)) return;
  const claimed = await source.claim(object);
  if (claimed === 'conflict' || claimed === 'gone') throw new ChangedMeanwhile(object);
}

/** The contract that a change is compared with: without an active one, the newest that the asset had. */
export async function findBase(
  { ports }: World,
  { id, activeContractId }: Asset,
): Promise<Pick<Contract, 'id' | 'status'> | null> {
  if (activeContractId !== null) return { id: activeContractId, status: 'active' };
  return (await ports.reads.getPublishBase(id))?.base ?? null;
}

/**
 * Waits for the consumers: until the ContractRegistrations for the asset have been reconciled, the
 * registry may lack a consumer, or something that it reads. That happens when a database was
 * restored, and when both sides change at once. Returns why the object has to wait for longer.
 */
export function awaitConsumers(
  { claims, wake }: World,
  object: SourceObject,
  asset: Asset,
): Verdict | null {
  const unread = claims.unreadOf(asset, object.key);
  const failed = unread.find(({ state }) => state === 'failed');
  if (failed !== undefined) {
    const { namespace, name } = placeOf(failed.key);
    return {
      reason: 'RegistryUnavailable',
      message: unreadText(`ContractRegistration ${namespace}/${name}`, asset),
    };
  }
  for (const { key } of unread) wake(key, 'answered');
  if (unread.length > 0) throw new ChangedMeanwhile(object);
  return null;
}

const unreadText = (what: string, { fqn }: Asset) =>
  `${what} could not be read yet, so the consumers of ${fqn} are not known. This goes on once it was.`;

function unreadable(what: string, unknown: string, error: unknown): Outcome<never> {
  const reason = error instanceof Error ? error.message : String(error);
  return refuse(
    'REGISTRY_UNAVAILABLE',
    `${what} cannot be read now, so ${unknown} (${reason}). This is tried again until it works.`,
  );
}

/**
 * Called before a namespace says something for its team: its labels may name another team or environment by
 * now, of which the watch has told nothing.
 */
export async function confirmTeam(
  world: World,
  namespace: string,
  { teams }: Pick<Actor, 'teams'>,
): Promise<Outcome<true>> {
  const { source } = world;
  if (source.isTold === undefined) return accept(true);
  let isTold: boolean;
  try {
    isTold = await source.isTold(namespace);
  } catch (error) {
    return unreadable(`Namespace ${namespace}`, 'it is not known for which team it acts', error);
  }
  if (isTold) {
    // The watch may have told it after the actor was found.
    const now = ownTeamsOf(await findTeamsOf(world, namespace));
    if (teams !== 'all' && teams.every((id) => now.includes(id))) return accept(true);
  }
  return refuse(
    'REGISTRY_UNAVAILABLE',
    `Namespace ${namespace} acts for another team or environment by now, of which its watch has not told yet. This goes on once it has.`,
  );
}

/**
 * Called before anything that consumers would be asked about: the API server may have a
 * ContractRegistration, labels of its namespace, or its Team, of which the watch has told nothing.
 */
export async function confirmConsumers(
  world: World,
  object: SourceObject,
  asset: Asset,
): Promise<Outcome<true>> {
  const { listMissed, isTeamMissed } = world.source;
  if (listMissed === undefined) return accept(true);
  const unknown = `the consumers of ${asset.fqn} are not known`;
  try {
    const [missed] = await listMissed(asset.fqn);
    if (missed !== undefined) {
      return refuse('REGISTRY_UNAVAILABLE', unreadText(`ContractRegistration ${missed}`, asset));
    }
  } catch (error) {
    return unreadable('ContractRegistrations', unknown, error);
  }
  // One that waits for its team may have it by now.
  const namespaces = world.claims.unsettledNamespaces(asset, object.key);
  const slugs = new Set([...namespaces].flatMap((namespace) => slugsOf(world, namespace)));
  for (const slug of slugs) {
    try {
      if ((await isTeamMissed?.(slug)) !== true) continue;
    } catch (error) {
      return unreadable('Teams', unknown, error);
    }
    return refuse('REGISTRY_UNAVAILABLE', unreadText(`Team ${slug}`, asset));
  }
  const waits = awaitConsumers(world, object, asset);
  return waits === null ? accept(true) : refuse('REGISTRY_UNAVAILABLE', waits.message);
}

/** The team that an object acts for, and the actor for the audit trail. */
export interface Standing {
  readonly team: Team;
  readonly actor: Actor;
}

/** An object that may be gone. */
export type Named = Pick<SourceObject, 'kind' | 'namespace' | 'name' | 'uid'>;

/**
 * `shop/orders in 5f2c...`: two clusters may each have a shop/orders. `checkout in 5f2c...` for an
 * object without a namespace.
 */
export function managerOf(
  { source }: Pick<World, 'source'>,
  { namespace, name }: Pick<Named, 'namespace' | 'name'>,
): ManagedBy {
  const { kind, identity } = source;
  return {
    source: managedSourceOf(kind),
    reference: `${namespace === '' ? '' : `${namespace}/`}${name} in ${identity}`,
  };
}

export function contextOf(world: World, actor: Actor): Context<unknown> {
  return { actor, requestId: null, now: world.now, newId: world.newId };
}

/** Whether the actor is this object, or an object that had its name before a restore. */
export function isMadeBy(
  { kind, namespace, name, uid }: Named,
  actor: Pick<Actor, 'type' | 'id' | 'name'>,
): boolean {
  if (actor.type !== 'controller') return false;
  return actor.id === uid || actor.name === resourceName(kind, namespace, name);
}

/** The team that the object acts for; `named` is the team in its spec. */
export async function findStanding(
  world: World,
  object: SourceObject,
  named: string | null,
): Promise<Outcome<Standing>> {
  const { namespace } = object;
  const { slugs, teams, bound } = await findTeamsOf(world, namespace);
  const resolved = resolveTeam({ namespace, slugs, named, teams, bound });
  if (!resolved.ok) return resolved;
  const actor = actorOf(world, object, ownTeamsOf({ teams, bound }));
  return { ok: true, value: { team: resolved.value, actor } };
}

/** Whose slugs have not gone to other teams since the namespace was bound to them. */
function ownTeamsOf({ teams, bound }: Pick<NamespaceTeams, 'teams' | 'bound'>): readonly TeamId[] {
  return teams.filter(({ slug, id }) => bound.get(slug) === id).map(({ id }) => id);
}

interface NamespaceTeams {
  readonly slugs: readonly string[];
  /** The existing teams with those slugs. */
  readonly teams: readonly Team[];
  readonly bound: ReadonlyMap<string, TeamId>;
}

/** The slugs of the teams that the namespace acts for, whether or not there are such teams. */
export function slugsOf({ source, mapping }: World, namespace: string): readonly string[] {
  return slugsOfNamespace({ namespace, label: source.teamLabelOf(namespace) }, mapping);
}

/** Uses one statement, or none if the namespace acts for no team. */
export async function findTeamsOf(world: World, namespace: string): Promise<NamespaceTeams> {
  const slugs = slugsOf(world, namespace);
  const teams = slugs.length === 0 ? [] : await world.ports.reads.listTeamsBySlug(slugs);
  return { slugs, teams, bound: await world.bindings.settle(namespace, slugs, teams) };
}

/** The object is the actor in the audit trail, because it is usually applied by a robot. */
export function actorOf(
  world: World,
  object: Named,
  teams: readonly TeamId[],
  manages: ManagedBy = managerOf(world, object),
): Actor {
  return {
    type: 'controller',
    id: object.uid,
    name: resourceName(object.kind, object.namespace, object.name),
    scope: 'write',
    teams,
    // The person who assigned teams to the namespace also let it answer for them.
    acknowledges: true,
    manages,
  };
}
