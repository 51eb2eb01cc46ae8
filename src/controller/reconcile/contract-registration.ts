// ContractRegistration: a consumer team's own side, from its own namespace.

import type { Asset } from '../../core/asset.ts';
import { defaultEnvironment } from '../../core/asset.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { AcknowledgementResponse, Proposal } from '../../core/proposal.ts';
import type { Registration } from '../../core/registration.ts';
import { checkSpec, describeProblems } from '../check-spec.ts';
import { type Condition, toConditions, type Verdict } from '../conditions.ts';
import { contractRegistration } from '../crd/contract-registration.ts';
import type {
  ContractRegistrationSpec,
  ContractRegistrationSpecAcknowledge,
  ContractRegistrationStatus,
  ContractRegistrationStatusPendingProposal,
} from '../crd/resources.ts';
import { digestOf, resourceOfProposal } from '../effective.ts';
import { done, type WorkResult } from '../queue.ts';
import type { SourceObject } from '../source/source.ts';
import { verdictOfFailure } from './contract-status.ts';
import { reconcileObject } from './reconcile-object.ts';
import {
  actorOf,
  claimObject,
  contextOf,
  findStanding,
  type Standing,
  type World,
} from './world.ts';
import { secondsOf } from './write-object-status.ts';

interface Handled {
  readonly verdict: Verdict;
  readonly registration?: Registration;
  readonly pending?: readonly PendingProposal[];
  readonly handledDigest?: string;
}

type PendingProposal = ContractRegistrationStatusPendingProposal;

export function reconcileRegistration(world: World, object: SourceObject): Promise<WorkResult> {
  return reconcileObject(world, object, { handle, finalize, toStatus });
}

async function handle(world: World, object: SourceObject): Promise<Handled> {
  if (object.problem !== null) return refused('InvalidSpec', object.problem);
  const problems = checkSpec(contractRegistration.spec, object.spec);
  if (problems.length > 0) return refused('InvalidSpec', `${describeProblems(problems)}.`);
  // The check just made holds the object against the fields of this type.
  const spec = object.spec as unknown as ContractRegistrationSpec;
  if (spec.suspend === true) {
    return refused('Suspended', 'Nothing is changed from here while spec.suspend is true.');
  }
  return follow(world, object, spec);
}

async function follow(
  world: World,
  object: SourceObject,
  spec: ContractRegistrationSpec,
): Promise<Handled> {
  const standing = await findStanding(world, object, spec.team ?? null);
  if (!standing.ok) return { verdict: verdictOfFailure(standing.failure) };
  const environment = spec.environment ?? defaultEnvironment;
  const asset = await world.ports.reads.findAssetByName(spec.fqn, environment);
  if (asset !== null) world.follow(asset.id);
  const digest = digestOf(object.spec);
  const isHandled = statusOf(object).handledDigest === digest;
  const turned = isHandled ? null : await refuseAnotherName(world, object, standing.value, asset);
  if (turned !== null) return turned;
  if (asset === null || asset.activeContractId === null) {
    const what = asset === null ? 'is not in the registry' : 'has no contract';
    const message = `${spec.fqn} in ${environment} ${what} yet. The registration goes on as soon as it is there.`;
    return refused('SourceNotFound', message);
  }
  const registered = await register(world, object, spec, standing.value, asset, isHandled);
  if (!registered.ok) return { verdict: verdictOfFailure(registered.failure) };
  if (registered.value === null) {
    const message = `${spec.fqn}: the registration was ended in the registry. It comes back when the spec changes.`;
    return { verdict: { ...upToDate(spec), drift: message }, handledDigest: digest };
  }
  const answered = isHandled
    ? accept(true as const)
    : await answer(world, spec, standing.value, asset);
  const common = { registration: registered.value };
  if (!answered.ok) return { ...common, verdict: verdictOfFailure(answered.failure) };
  const pending = await listPending(world, standing.value, asset);
  return { ...common, verdict: upToDate(spec), pending, handledDigest: digest };
}

/** An API server refuses another name by itself; a file gets here with it. */
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
    `spec: fqn, environment and team are immutable, and this object registered ${held.consumerTeamName} for ${before.fqn} in ${before.environment}. Set them back, or delete this object and create another ContractRegistration.`,
  );
}

function upToDate(spec: ContractRegistrationSpec): Verdict {
  return { reason: 'UpToDate', message: `Registered as a consumer of ${spec.fqn}.` };
}

/** Null where it was ended in the registry after it had been made from here. */
async function register(
  world: World,
  object: SourceObject,
  spec: ContractRegistrationSpec,
  { team, actor }: Standing,
  asset: Asset,
  isHandled: boolean,
): Promise<Outcome<Registration | null>> {
  const { ports, verbs, source } = world;
  const page = { page: 1, pageSize: 1, includeTotal: false };
  const listed = await ports.reads.listRegistrations({
    assetId: asset.id,
    consumerTeamId: team.id,
    ...page,
  });
  if (!listed.ok) return listed;
  const existing = listed.value.results[0];
  if (existing === undefined && isHandled) return accept(null);
  await claimObject(world, object);
  const context = contextOf(world, actor);
  const notes = spec.notes ?? null;
  if (existing === undefined) {
    return verbs.registerConsumer(ports, context, {
      contractId: asset.activeContractId ?? '',
      consumerTeamId: team.id,
      notes: spec.notes,
      source: source.contractSource,
    });
  }
  const isRight = existing.notes === notes && existing.status === 'active';
  if (isHandled || isRight) return accept(existing);
  const command = { registrationId: existing.id, notes, status: 'active' as const };
  return verbs.updateRegistration(ports, context, command);
}

const responses: Readonly<
  Record<ContractRegistrationSpecAcknowledge['response'], AcknowledgementResponse>
> = { Approved: 'approved', Migrating: 'migrating', Blocked: 'blocked' };

const uuidPattern = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Each answer once: what was answered elsewhere since then stays. */
async function answer(
  world: World,
  spec: ContractRegistrationSpec,
  { team, actor }: Standing,
  asset: Asset,
): Promise<Outcome<true>> {
  for (const { proposal: id, response, notes, until } of spec.acknowledge ?? []) {
    const proposal = await findAsked(world, asset, id);
    if (proposal === null || proposal.assetId !== asset.id || isOver(proposal)) continue;
    const given = proposal.consumers.find(({ teamId }) => teamId === team.id);
    const wanted = responses[response];
    if (given?.response === wanted && given.notes === (notes ?? null)) continue;
    const outcome = await world.verbs.acknowledgeProposal(world.ports, contextOf(world, actor), {
      proposalId: proposal.id,
      teamId: team.id,
      response: wanted,
      notes,
      until: until === undefined ? undefined : new Date(until).toISOString(),
    });
    if (!outcome.ok) return outcome;
  }
  return accept(true);
}

/** By its id, or by the name of its ContractProposal. */
async function findAsked(world: World, asset: Asset, named: string): Promise<Proposal | null> {
  if (uuidPattern.test(named)) return world.ports.reads.getProposal(named);
  const open = await world.ports.reads.getOpenProposal(asset.id);
  return open !== null && resourceOfProposal(asset, open) === named ? open : null;
}

function isOver({ status }: Proposal): boolean {
  return status !== 'pending' && status !== 'rejected';
}

/** An asset has one open proposal at most; listed while this team's answer is awaited. */
async function listPending(
  world: World,
  { team }: Standing,
  asset: Asset,
): Promise<readonly PendingProposal[]> {
  const open = await world.ports.reads.getOpenProposal(asset.id);
  const own = open?.consumers.find(({ teamId }) => teamId === team.id);
  if (open?.status !== 'pending' || own === undefined || own.acknowledged) return [];
  const count = open.breakingChangesCount;
  const name = resourceOfProposal(asset, open);
  return [
    {
      id: open.id,
      ...(name === null ? {} : { name }),
      breakingChanges: count === 1 ? '1 breaking change' : `${count} breaking changes`,
    },
  ];
}

/** The registration ends with the object, where there is still one. */
async function finalize(world: World, object: SourceObject): Promise<WorkResult> {
  if (!object.isClaimed) return done;
  const id = statusOf(object).registrationId;
  const registration = id === undefined ? null : await world.ports.reads.getRegistration(id);
  if (registration !== null) {
    const context = contextOf(world, actorOf(world, object, [registration.consumerTeamId]));
    const command = { registrationId: registration.id };
    const outcome = await world.verbs.deleteRegistration(world.ports, context, command);
    if (!outcome.ok && outcome.failure.code !== 'REGISTRATION_NOT_FOUND') {
      return { kind: 'failed', error: new Error(outcome.failure.message) };
    }
  }
  const released = await world.source.release(object);
  return released === 'conflict' ? { kind: 'again', afterMs: 0 } : done;
}

function toStatus(
  world: World,
  object: SourceObject,
  { verdict, registration, pending, handledDigest }: Handled,
): ContractRegistrationStatus {
  const before = statusOf(object);
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
    ...(handledDigest === undefined ? {} : { handledDigest }),
    ...(object.reconcileAt === null ? {} : { lastHandledReconcileAt: object.reconcileAt }),
  };
}

function statusOf(object: SourceObject): ContractRegistrationStatus {
  // Written by this controller alone, under the schema of this type.
  return (object.status ?? {}) as ContractRegistrationStatus;
}

function refused(reason: Verdict['reason'], message: string): Handled {
  return { verdict: { reason, message } };
}
