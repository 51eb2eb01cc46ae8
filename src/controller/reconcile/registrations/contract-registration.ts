// ContractRegistration: the registration of a consumer team, from its own namespace.

import type { Asset } from '../../../core/asset.ts';
import { defaultEnvironment } from '../../../core/asset.ts';
import type { Contract } from '../../../core/contract.ts';
import { toRegistryGuarantee } from '../../../core/export/spelling.ts';
import { accept, type Outcome, refuse } from '../../../core/failure.ts';
import type { TeamId } from '../../../core/id.ts';
import type { StatedNeed } from '../../../core/need.ts';
import type { Proposal } from '../../../core/proposal.ts';
import type { Registration } from '../../../core/registration.ts';
import { isSameJson } from '../../../core/value/canonical-json.ts';
import type { Json } from '../../../core/value/json.ts';
import { checkSpec, describeProblems } from '../../check-spec.ts';
import { type Condition, isRetried, toConditions, type Verdict } from '../../conditions.ts';
import { contractRegistration } from '../../crd/contract-registration.ts';
import type {
  ContractRegistrationSpec,
  ContractRegistrationStatus,
  ContractRegistrationStatusPendingProposal,
} from '../../crd/resources.ts';
import { digestOf, namedProposal, questionDigest, resourceOfProposal } from '../../effective.ts';
import { done, type WorkResult } from '../../queue.ts';
import { type ObjectKey, placeOf, type SourceObject } from '../../source/source.ts';
import { giveAnswers } from '../answers/registration-answers.ts';
import { verdictOfFailure } from '../contract-status.ts';
import { reconcileObject } from '../reconcile-object.ts';
import {
  actorOf,
  ChangedMeanwhile,
  claimObject,
  confirmTeam,
  contextOf,
  findBase,
  findStanding,
  type Standing,
  slugsOf,
  type World,
} from '../world.ts';
import { secondsOf, writeObjectStatus } from '../write-object-status.ts';
import { isEndedOnPurpose, isNeedOfPerson } from './registration-authors.ts';
import { nameOf } from './registration-claims.ts';

interface Handled {
  readonly verdict: Verdict;
  readonly registration?: Registration;
  readonly pending?: readonly PendingProposal[];
  readonly answers?: ContractRegistrationStatus['acknowledgements'];
  readonly handledDigest?: string;
  /** The digest of the need that the object states; null if it states none. */
  readonly needsDigest?: string | null;
}

type PendingProposal = ContractRegistrationStatusPendingProposal;

interface OwnRegistration {
  readonly registration: Registration;
  /**
   * Another object that requests it. If the object was renamed in git, the registration continues
   * without a gap under the new name.
   */
  readonly heir: SourceObject | undefined;
}

export function reconcileRegistration(world: World, object: SourceObject): Promise<WorkResult> {
  return reconcileObject(world, object, { handle: handleAsConsumer, finalize, toStatus });
}

/**
 * Notes that this registration was read: changes of the asset wait for that. If its team does not exist, a
 * Team that was not read yet may declare it, so it waits for such a Team first.
 */
async function handleAsConsumer(world: World, object: SourceObject): Promise<Handled> {
  // Seen before, because a Team may be read meanwhile.
  const teams = world.claims.unreadTeams(slugsOf(world, object.namespace), object.key);
  try {
    const handled = await handle(world, object);
    const awaited = handled.verdict.reason === 'TeamNotFound' ? teams : [];
    const failed = awaited.find(({ state }) => state === 'failed');
    if (failed === undefined && awaited.length > 0) {
      for (const { key } of awaited) world.wake(key, 'answered');
      throw new ChangedMeanwhile(object);
    }
    const said = failed === undefined ? handled : notKnownYet(failed.key);
    world.claims.noteRead(object.key, outcomeOf(said.verdict));
    return said;
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) world.claims.noteRead(object.key, 'failed');
    throw error;
  }
}

function outcomeOf({ reason }: Verdict): 'handled' | 'absent' | 'unsettled' | 'failed' {
  if (isRetried(reason)) return 'failed';
  if (reason === 'AssetNotFound') return 'absent';
  return reason === 'Suspended' || cannotRegister.has(reason) ? 'unsettled' : 'handled';
}

/** Tried again, because nothing tells when a Team is refused in the end. */
function notKnownYet(team: ObjectKey): Handled {
  const message = `Team ${placeOf(team).name} could not be read yet, so it is not known who the consumer is. This goes on once it was.`;
  return refused('RegistryUnavailable', message);
}

async function handle(world: World, object: SourceObject): Promise<Handled> {
  // What it said before may have been about another asset, or something else.
  const isHolder = statusOf(object).registrationId !== undefined;
  if (!isHolder && world.claims.isAwaited(object.key)) giveWay(world, object);
  if (object.problem !== null) return refused('InvalidSpec', object.problem);
  const problems = checkSpec(contractRegistration.spec, object.spec);
  if (problems.length > 0) return refused('InvalidSpec', `${describeProblems(problems)}.`);
  // The check above validates the spec against this type's fields.
  const spec = object.spec as unknown as ContractRegistrationSpec;
  if (spec.suspend === true) {
    return refused('Suspended', 'The object is not reconciled while spec.suspend is true.');
  }
  return follow(world, object, spec);
}

async function follow(
  world: World,
  object: SourceObject,
  spec: ContractRegistrationSpec,
): Promise<Handled> {
  const { source } = world;
  const { reads } = world.ports;
  const standing = await findStanding(world, object, spec.team ?? null);
  if (!standing.ok) {
    giveWay(world, object);
    return { verdict: verdictOfFailure(standing.failure) };
  }
  const environment = spec.environment ?? defaultEnvironment;
  const asset = await reads.findAssetByName(spec.fqn, environment);
  if (asset !== null) world.follow(asset.id);
  const digest = digestOf(object.spec);
  const isHandled = statusOf(object).handledDigest === digest;
  const turned = await refuseAnotherName(world, object, standing.value, asset);
  if (turned !== null) {
    giveWay(world, object);
    return turned;
  }
  const base = asset === null ? null : await findBase(world, asset);
  const lack = await findLack(world, standing.value, asset, base);
  if (asset === null || base === null || lack !== null) {
    const message = `${spec.fqn} in ${environment} ${lack}. The registration is made once it is there.`;
    return refused('AssetNotFound', message);
  }
  const registered = await register(world, object, spec, standing.value, {
    asset,
    base,
    isHandled,
  });
  if (!registered.ok) return { verdict: verdictOfFailure(registered.failure) };
  if (registered.value === null) {
    const message = `${spec.fqn}: the registration was deleted in the registry. It is created again when the spec changes.`;
    return { verdict: changedElsewhere(message), handledDigest: digest };
  }
  const [holder = source.identity] = registered.value.claims;
  if (holder !== source.identity) {
    const message = heldBySource(holder, registered.value);
    return { verdict: { reason: 'Conflict', message }, registration: registered.value };
  }
  const open = await reads.getOpenProposal(asset.id);
  const { team, actor } = standing.value;
  const stated = await readNeed(world, object, spec, registered.value);
  const answered = await giveAnswers(
    { world, namespace: object.namespace, actor, teamId: team.id, asset, open },
    spec,
  );
  const common = { registration: registered.value, needsDigest: stated?.digest ?? null };
  if (!answered.ok) return { ...common, verdict: verdictOfFailure(answered.failure) };
  const { states, notGiven, newlyGiven } = answered.value;
  for (const note of newlyGiven) {
    const event = { type: 'Normal', reason: 'Acknowledged', action: 'Acknowledge', note } as const;
    await source.tell(object, event);
  }
  const now = states.length === 0 ? open : await reads.getOpenProposal(asset.id);
  const pending = pendingOf(standing.value, now);
  const drift =
    (await findDispute(world, object, spec, registered.value)) ??
    (stated === null ? describeShared(spec, registered.value) : null) ??
    driftOf(spec, registered.value, stated);
  const waits = pending.map(({ id }) => `Proposal ${id} waits for the answer of ${team.slug}.`);
  const verdict =
    drift === null
      ? { ...upToDate(spec, [...waits, ...notGiven]), needs: stated }
      : changedElsewhere(drift, waits);
  return { ...common, verdict, pending, answers: states, handledDigest: digest };
}

/**
 * Why nobody can register yet, or null. A deprecated contract is still read. Nobody registers anew for an
 * archived one, but a team that is registered stays so, under another name of its object, too.
 */
async function findLack(
  world: World,
  { team }: Standing,
  asset: Asset | null,
  base: Pick<Contract, 'status'> | null,
): Promise<string | null> {
  if (asset === null) return 'is not in the registry yet';
  if (base === null) return 'has no contract yet';
  if (base.status !== 'archived') return null;
  const registered = await findRegistration(world, asset, team.id);
  return registered === null ? 'has archived versions only' : null;
}

/** Why the need does not count, if another object states another one for the same team; null if none does. */
async function findDispute(
  world: World,
  object: SourceObject,
  spec: ContractRegistrationSpec,
  { consumerTeamId }: Registration,
): Promise<string | null> {
  const rivals = await findRivals(world, object, consumerTeamId);
  const rival = rivals.find((one) => statesOtherNeed(one, spec));
  if (rival === undefined) return null;
  return `${spec.fqn}: ContractRegistration ${rival.namespace}/${rival.name} says something else of what the team reads, so the team counts as a reader of everything. Delete one of them.`;
}

/** Like `findDispute`, for an object in another source: this controller does not know what that object states. */
function describeShared(
  { fqn, needs }: ContractRegistrationSpec,
  { claims }: Registration,
): string | null {
  const others = claims.slice(1);
  if (needs === undefined || others.length === 0) return null;
  return `${fqn}: ${others.join(' and ')} registers this team as well and may say something else of what it reads, so the team counts as a reader of everything. Delete one of the ContractRegistrations.`;
}

/** What was changed in the registry since the spec was handled; null if nothing was. */
function driftOf(
  spec: ContractRegistrationSpec,
  { status }: Registration,
  need: ReadNeed | null,
): string | null {
  if (status !== 'active') {
    return `${spec.fqn}: the registration was made inactive in the registry, so no change is asked of the team. It is active again when the spec changes.`;
  }
  if (spec.needs === undefined || isSameJson(need?.stated ?? null, needsOf(spec) as Json)) {
    return null;
  }
  return `${spec.fqn}: what the team reads was changed in the registry, so spec.needs does not count. It counts again when the spec changes.`;
}

function changedElsewhere(drift: string, aside: readonly string[] = []): Verdict {
  return { reason: 'UpToDate', message: [drift, ...aside].join(' '), drift };
}

interface ReadNeed extends NonNullable<Verdict['needs']> {
  readonly digest: string;
  readonly stated: Json;
}

/** The need in the registry, if this object states one. */
async function readNeed(
  { ports }: World,
  object: SourceObject,
  spec: ContractRegistrationSpec,
  { id }: Registration,
): Promise<ReadNeed | null> {
  if (spec.needs === undefined) return null;
  const { need = null, contractVersion } = (await ports.reads.getRegistration(id)) ?? {};
  if (need === null) return null;
  const { digest, status } = need;
  const isMet = status === 'met';
  const message = isMet
    ? `The contract in force meets what ${object.namespace}/${object.name} reads.`
    : `The contract in force (${contractVersion}) does not meet what spec.needs says. Until a version does, the team counts as a reader of everything. concordat can-i-deploy --needs shows what is missing.`;
  return { isMet, message, digest, stated: need.stated as Json };
}

function needsOf({ needs }: ContractRegistrationSpec): StatedNeed | null {
  if (needs === undefined) return null;
  const { fields, schema, guarantees } = needs;
  const relied =
    guarantees === undefined ? {} : { guarantees: guarantees.map(toRegistryGuarantee) };
  return fields === undefined ? { schema: schema ?? true, ...relied } : { fields, ...relied };
}

/**
 * An API server refuses to change these fields; files have no such check, and the namespace of an
 * object may get another team or environment.
 */
async function refuseAnotherName(
  { ports }: World,
  object: SourceObject,
  { team }: Standing,
  asset: Asset | null,
): Promise<Handled | null> {
  const { registrationId } = statusOf(object);
  if (registrationId === undefined) return null;
  const held = await ports.reads.getRegistration(registrationId);
  if (held === null) return null;
  if (held.assetId === asset?.id && held.consumerTeamId === team.id) return null;
  const before = await ports.reads.getAsset(held.assetId);
  if (before === null) return null;
  return refused(
    'InvalidSpec',
    `spec: fqn, environment and team are immutable, but this object registered ${held.consumerTeamName} for ${before.fqn} in ${before.environment}. Restore them (what the spec leaves out comes from the namespace), or delete this object and create another ContractRegistration.`,
  );
}

function upToDate(spec: ContractRegistrationSpec, notGiven: readonly string[] = []): Verdict {
  const said = [`Registered as a consumer of ${spec.fqn}.`, ...notGiven];
  return { reason: 'UpToDate', message: said.join(' ') };
}

/**
 * The other object that holds the registration, or null. The first object that claimed it holds it
 * as long as it may request it. This is synchronous, so that of two simultaneous claims one is
 * first.
 */
function findHolder(
  { claims }: World,
  object: SourceObject,
  registrationId: string,
  rivals: readonly SourceObject[],
): SourceObject | null {
  const known = claims.holderOf(registrationId);
  const hasClaimed = ({ status }: SourceObject) => status?.registrationId === registrationId;
  const isHolder = known === object.key || hasClaimed(object);
  const isKnown = (one: SourceObject) =>
    one.key === known && (hasClaimed(one) || !isSuspended(one));
  const holder = rivals.find(isKnown) ?? (isHolder ? undefined : rivals.find(hasClaimed));
  claims.hold(registrationId, holder?.key ?? object.key);
  if (holder !== undefined) claims.wait(object.key, holder.key);
  return holder ?? null;
}

/** Other objects that request the same asset, in namespaces that act for the team. */
async function findRivals(
  world: World,
  object: SourceObject,
  teamId: TeamId,
): Promise<readonly SourceObject[]> {
  const rivals: SourceObject[] = [];
  for (const one of world.claims.othersLike(object)) {
    const named = typeof one.spec.team === 'string' ? one.spec.team : null;
    const standing = await findStanding(world, one, named);
    if (standing.ok && standing.value.team.id === teamId) rivals.push(one);
  }
  return rivals;
}

function isSuspended({ spec }: SourceObject): boolean {
  return spec.suspend === true;
}

/** Wakes the objects that wait for a registration that this object no longer holds. */
function giveWay({ claims, wake }: World, { key }: SourceObject): void {
  for (const waiting of claims.takeWaiting(key)) wake(waiting);
}

function conflictOf({ namespace, name }: SourceObject, { fqn }: ContractRegistrationSpec): string {
  return `ContractRegistration ${namespace}/${name} already registers this team for ${fqn}. Delete one of them. If that one is deleted, this one takes over the registration.`;
}

/** Two sources request the same registration: the first one holds it, and answers for the team. */
function heldBySource(holder: string, { assetFqn }: Registration): string {
  return `Another source, ${holder}, registers this team for ${assetFqn} already. Delete one of the two: when that one goes, this one takes the registration over. If that source is gone for good, an administrator hands its registrations over: concordat take-over.`;
}

function statesOtherNeed(rival: SourceObject, spec: ContractRegistrationSpec): boolean {
  const isValid =
    rival.problem === null && checkSpec(contractRegistration.spec, rival.spec).length === 0;
  if (!isValid || isSuspended(rival)) return false;
  const other = needsOf(rival.spec as unknown as ContractRegistrationSpec);
  return !isSameJson(other as Json, needsOf(spec) as Json);
}

/**
 * Of two objects for one registration, the one that holds it may be the one that goes, so none of them may narrow what
 * the other one states: if they differ, the team reads everything until one is gone. A need that a person set through
 * the API counts only while no object states one.
 */
async function readEverything(
  { ports, verbs }: World,
  context: ReturnType<typeof contextOf>,
  spec: ContractRegistrationSpec,
  { existing, holder }: { readonly existing: Registration; readonly holder: SourceObject | null },
): Promise<void> {
  const need = (await ports.reads.getRegistration(existing.id))?.need ?? null;
  if (need === null || isSameJson(need.stated as Json, needsOf(spec) as Json)) return;
  const isSilent = spec.needs === undefined && holder?.spec.needs === undefined;
  if (isSilent && (await isNeedOfPerson(ports.reads, existing))) return;
  const command = { registrationId: existing.id, needs: null, allowUnmet: true };
  const dropped = await verbs.updateRegistration(ports, context, command);
  if (!dropped.ok) throw new Error(dropped.failure.message);
}

interface FoundAsset {
  readonly asset: Asset;
  readonly base: Pick<Contract, 'id'>;
  /** Whether this spec was handled before. */
  readonly isHandled: boolean;
}

/** Null if the registration was deleted in the registry after this object had created it. */
async function register(
  world: World,
  object: SourceObject,
  spec: ContractRegistrationSpec,
  { team, actor }: Standing,
  { asset, base, isHandled }: FoundAsset,
): Promise<Outcome<Registration | null>> {
  const { ports, verbs, source } = world;
  const existing = (await findRegistration(world, asset, team.id)) ?? undefined;
  if (
    existing === undefined &&
    isHandled &&
    (await isEndedOnPurpose(ports.reads, statusOf(object)))
  ) {
    return accept(null);
  }
  const rivals = existing === undefined ? [] : await findRivals(world, object, team.id);
  const holder = existing === undefined ? null : findHolder(world, object, existing.id, rivals);
  const context = contextOf(world, actor);
  if (holder !== null) {
    if (existing !== undefined) await readEverything(world, context, spec, { existing, holder });
    world.wake(holder.key);
    return refuse('REGISTRATION_EXISTS', conflictOf(holder, spec));
  }
  await claimObject(world, object);
  const notes = spec.purpose ?? spec.notes;
  const rival = rivals.find((one) => statesOtherNeed(one, spec));
  if (rival !== undefined) world.claims.wait(object.key, rival.key);
  const needs = rival === undefined ? needsOf(spec) : null;
  if (existing === undefined) {
    const confirmed = await confirmTeam(world, object.namespace, actor);
    if (!confirmed.ok) return confirmed;
    // The watch may have told another environment after the object was read.
    const now = source.get(object.key);
    if (now !== null && nameOf(now) !== nameOf(object)) throw new ChangedMeanwhile(object);
    const made = await verbs.registerConsumer(ports, context, {
      contractId: base.id,
      consumerTeamId: team.id,
      notes,
      source: source.contractSource,
      claim: source.identity,
      ...(needs !== null && { needs, allowUnmet: true }),
    });
    if (made.ok) world.claims.hold(made.value.id, object.key);
    else if (made.failure.code === 'REGISTRATION_EXISTS') throw new ChangedMeanwhile(object);
    return made;
  }
  const claim = source.identity;
  const command = { registrationId: existing.id, claim };
  const isHeldElsewhere = existing.claims.length > 0 && existing.claims[0] !== claim;
  if (isHeldElsewhere) {
    // Claimed first, so that the holder knows of it, and does not state its own need again.
    const claimed = existing.claims.includes(claim)
      ? accept(existing)
      : await verbs.updateRegistration(ports, context, command);
    if (claimed.ok) await readEverything(world, context, spec, { existing, holder: null });
    return claimed;
  }
  const before = (await ports.reads.getRegistration(existing.id))?.need ?? null;
  // A need that was set through the API stays. There are three exceptions: this object has stated a need before, another
  // object states a different one, or an object stated the need that a restored database has.
  const hasStated =
    needs !== null ||
    rival !== undefined ||
    statusOf(object).needsDigest !== undefined ||
    (before !== null && !(await isNeedOfPerson(ports.reads, existing)));
  // What another source's object states is not known here.
  const wanted = existing.claims.length > 1 ? null : needs;
  const isSameNeed = isSameJson((before?.stated ?? null) as Json, wanted as Json);
  const isSame =
    existing.notes === (notes ?? null) && existing.status === 'active' && existing.endsAt === null;
  const isRight = isSame && (!hasStated || isSameNeed);
  const restated = hasStated && !isSameNeed && { needs: wanted, allowUnmet: true };
  // An object states its need again if it, or the database, was restored to before the one stated last.
  const isRestored =
    isHandled &&
    restated &&
    (rival !== undefined ||
      !(await isNeedOfPerson(
        ports.reads,
        existing,
        // The digest may be that of a registration that ended.
        statusOf(object).registrationId === existing.id ? statusOf(object) : {},
      )));
  const state = async (asked: typeof command) => {
    if (restated !== false) {
      const confirmed = await confirmTeam(world, object.namespace, actor);
      if (!confirmed.ok) return confirmed;
    }
    const stated = await verbs.updateRegistration(ports, context, asked);
    const others = rival === undefined ? await findRivals(world, object, team.id) : [];
    if (others.some((one) => statesOtherNeed(one, spec))) throw new ChangedMeanwhile(object);
    return stated;
  };
  if (isRestored) return state({ ...command, ...restated });
  if (isHandled || isRight) {
    return existing.claims.includes(claim)
      ? accept(existing)
      : verbs.updateRegistration(ports, context, command);
  }
  const asked = { ...command, notes: notes ?? null, status: 'active' as const, ...restated };
  return state(asked);
}

/** The open proposal, if it awaits this team's answer; an asset has at most one. */
function pendingOf({ team }: Standing, open: Proposal | null): readonly PendingProposal[] {
  const own = open?.consumers.find(({ teamId }) => teamId === team.id);
  if (open?.status !== 'pending' || own === undefined || own.acknowledged) return [];
  const count = open.breakingChangesCount;
  const name = resourceOfProposal(namedProposal(open));
  return [
    {
      id: open.id,
      digest: questionDigest(open),
      ...(name === null ? {} : { name }),
      breakingChanges: count === 1 ? '1 breaking change' : `${count} breaking changes`,
    },
  ];
}

/**
 * The registration in the status, if the spec requests it. Users may be allowed to write statuses,
 * so a status alone must not end the registration of another team or on another asset. If
 * the spec names no environment, the registration may have the one that the namespace had before.
 */
async function findOwn(world: World, object: SourceObject): Promise<OwnRegistration | null> {
  const { registrationId } = statusOf(object);
  if (registrationId === undefined) return findUnnamed(world, object);
  const { reads } = world.ports;
  const registration = await reads.getRegistration(registrationId);
  const asset = registration === null ? null : await reads.getAsset(registration.assetId);
  if (registration === null || asset === null) return null;
  const { fqn, team } = object.spec;
  if (asset.fqn !== fqn || !registration.claims.includes(world.source.identity)) return null;
  const standing = await findStanding(world, object, typeof team === 'string' ? team : null);
  const isOwn = standing.ok && standing.value.team.id === registration.consumerTeamId;
  if (!isOwn) return null;
  const asked = { ...object, spec: { ...object.spec, environment: asset.environment } };
  const rivals = await findRivals(world, asked, registration.consumerTeamId);
  return { registration, heir: rivals[0] };
}

/**
 * The registration that the spec requests, if no other object of this source does. The status does
 * not name it if it was lost or never written, or if another source holds the registration.
 */
async function findUnnamed(world: World, object: SourceObject): Promise<OwnRegistration | null> {
  const { fqn, team, environment } = object.spec;
  const standing = await findStanding(world, object, typeof team === 'string' ? team : null);
  if (!standing.ok || typeof fqn !== 'string') return null;
  const named = typeof environment === 'string' ? environment : defaultEnvironment;
  const asset = await world.ports.reads.findAssetByName(fqn, named);
  if (asset === null) return null;
  const registration = await findRegistration(world, asset, standing.value.team.id);
  if (registration?.claims.includes(world.source.identity) !== true) return null;
  const rivals = await findRivals(world, object, standing.value.team.id);
  return rivals.length === 0 ? { registration, heir: undefined } : null;
}

async function findRegistration(
  { ports }: World,
  { id: assetId }: Asset,
  consumerTeamId: TeamId,
): Promise<Registration | null> {
  const page = { page: 1, pageSize: 1, includeTotal: false };
  const listed = await ports.reads.listRegistrations({ assetId, consumerTeamId, ...page });
  if (!listed.ok) throw new Error(listed.failure.message);
  return listed.value.results[0] ?? null;
}

/**
 * Ends the registration with the last object that requests it, in any source. It ends after a pause, because
 * GitOps may delete an object that was renamed before it applies the new one.
 */
async function finalize(world: World, object: SourceObject): Promise<WorkResult> {
  if (!object.isClaimed) return done;
  const own = await findOwn(world, object);
  if (own?.heir !== undefined) {
    // A suspended one claims nothing by itself, and its deletion must end the registration.
    await claimObject(world, own.heir);
    world.claims.hold(own.registration.id, own.heir.key);
    world.wake(own.heir.key);
  } else if (own !== null) {
    const failed = await endRegistration(world, object, own.registration);
    if (failed !== null) return failed;
  }
  const released = await world.source.release(object);
  return released === 'conflict' ? { kind: 'again', afterMs: 0 } : done;
}

/** Returns why it cannot end now; null if it ends, or stays for good. */
async function endRegistration(
  world: World,
  object: SourceObject,
  { id, consumerTeamId, claims }: Registration,
): Promise<WorkResult | null> {
  const unread = claims.length > 1 ? [] : await listUnread(world, object);
  if (unread.length > 0) return awaitSources(world, object, unread);
  const actor = actorOf(world, object, [consumerTeamId]);
  const confirmed = await confirmTeam(world, object.namespace, actor);
  if (!confirmed.ok) return { kind: 'failed', error: new Error(confirmed.failure.message) };
  // All objects of a kind that ends go. Nobody deleted this one, so its registration stays.
  if (await world.source.isKindEnding?.(object.kind)) return null;
  const { departurePauseMs } = world;
  // By a clock that the sweeps of all replicas share: the one here may be behind by more than the pause.
  const endsAt =
    departurePauseMs === undefined
      ? undefined
      : new Date(Date.parse(await world.ports.reads.getTime()) + departurePauseMs).toISOString();
  const command = { registrationId: id, claim: world.source.identity, endsAt };
  const context = contextOf(world, actor);
  const outcome = await world.verbs.deleteRegistration(world.ports, context, command);
  const isOver = outcome.ok || outcome.failure.code === 'REGISTRATION_NOT_FOUND';
  return isOver ? null : { kind: 'failed', error: new Error(outcome.failure.message) };
}

/** Where another object may ask for the registration that this process does not know. */
async function listUnread(world: World, object: SourceObject): Promise<readonly string[]> {
  const refused = world.source.listRefused?.() ?? [];
  const elsewhere = await world.unreadSince(object.key, nameOf(object));
  return [...refused.map((namespace) => `namespace ${namespace}`), ...elsewhere];
}

const askAgainMs = 1_000;

/** Asks again after a while, because no event tells that another source was read. */
async function awaitSources(
  world: World,
  object: SourceObject,
  places: readonly string[],
): Promise<WorkResult> {
  const message = `The registration may have moved elsewhere, so it ends once ${places.join(' and ')} was read, and has no ContractRegistration that may be it and cannot register.`;
  const verdict: Verdict = { reason: 'DeletionBlocked', message };
  await writeObjectStatus(world, object, toStatus(world, object, { verdict }));
  return { kind: 'again', afterMs: askAgainMs };
}

function toStatus(
  world: World,
  object: SourceObject,
  { verdict, registration, pending, answers, handledDigest, needsDigest }: Handled,
): ContractRegistrationStatus {
  const { registrationId, contractVersion, pendingProposals, acknowledgements, ...other } =
    statusOf(object);
  const { needsDigest: stated, handledDigest: handled, ...rest } = other;
  // Another object holds the registration, so deleting this one must not end it.
  const isConflict = verdict.reason === 'Conflict';
  const told = answers === undefined ? acknowledgements : undefined;
  const held = {
    ...{ registrationId, contractVersion, pendingProposals, acknowledgements: told },
    needsDigest: needsDigest === undefined ? stated : (needsDigest ?? undefined),
    handledDigest: isConflict || cannotRegister.has(verdict.reason) ? undefined : handled,
  };
  const before = isConflict ? rest : { ...rest, ...definedOf(held) };
  return {
    ...before,
    observedGeneration: object.generation,
    conditions: toConditions(
      verdict,
      object.generation,
      (before.conditions ?? []) as readonly Condition[],
      secondsOf(world.now()),
    ),
    ...(registration === undefined
      ? {}
      : { registrationId: registration.id, contractVersion: registration.contractVersion }),
    ...(pending === undefined ? {} : { pendingProposals: pending }),
    ...(answers === undefined || answers.length === 0 ? {} : { acknowledgements: answers }),
    ...(handledDigest === undefined ? {} : { handledDigest }),
    ...(object.reconcileAt === null ? {} : { lastHandledReconcileAt: object.reconcileAt }),
  };
}

/**
 * With these reasons the object registers nobody, so another one may register the team in the meantime, and its
 * request counts as not handled yet.
 */
const cannotRegister: ReadonlySet<Verdict['reason']> = new Set([
  'InvalidSpec',
  'NotPermitted',
  'TeamNotFound',
  'TeamNotResolved',
]);

function statusOf(object: SourceObject): ContractRegistrationStatus {
  // Only this controller writes the status, under the schema of this type.
  return (object.status ?? {}) as ContractRegistrationStatus;
}

/** Leaves out undefined members, which are not JSON. */
function definedOf<T extends object>(members: T): Partial<T> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Partial<T>;
}

function refused(reason: Verdict['reason'], message: string): Handled {
  return { verdict: { reason, message } };
}
