// ContractProposal: a change that needs the consent of consumers. The controller creates one if a
// change to a DataContract breaks consumers; a team writes one to settle a change before it is
// merged.

import { actsFor } from '../../core/actor.ts';
import { type Asset, defaultEnvironment, type ManagedBy } from '../../core/asset.ts';
import { toRegistrySpelling } from '../../core/export/spelling.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { isProposedByManager, type Proposal, resourceName } from '../../core/proposal.ts';
import { isOpen } from '../../core/proposal-machine.ts';
import { checkSpec, describeProblems } from '../check-spec.ts';
import type { Verdict } from '../conditions.ts';
import { contractProposal, maxComments } from '../crd/contract-proposal.ts';
import type { ContractProposalSpec, DataContractSpec } from '../crd/resources.ts';
import { digestOf, namedProposal, proposalName, questionDigest } from '../effective.ts';
import { done, type WorkResult } from '../queue.ts';
import { keyOf, type SourceObject } from '../source/source.ts';
import { answerProposal, decideOnProposal } from './answers/proposal-decisions.ts';
import { verdictOfFailure } from './contract-status.ts';
import { findEditedField } from './made-proposals.ts';
import {
  type HandledProposal,
  isFinished,
  phaseOf,
  proposalObjectStatus,
  statusOfProposal,
} from './proposal-status.ts';
import type { ProposalWork } from './proposal-work.ts';
import { explainProposal, proposeChange } from './propose-change.ts';
import { readSchema } from './read-document.ts';
import { reconcileObject } from './reconcile-object.ts';
import { acknowledgedText, blockingText } from './review-proposal.ts';
import { reasonOfDeleted } from './withdraw-own.ts';
import {
  actorOf,
  awaitConsumers,
  claimObject,
  confirmConsumers,
  contextOf,
  findBase,
  findTeamsOf,
  isMadeBy,
  managerOf,
  type World,
} from './world.ts';

export function reconcileProposal(world: World, object: SourceObject): Promise<WorkResult> {
  return reconcileObject(world, object, { handle, finalize, toStatus: proposalObjectStatus });
}

async function handle(world: World, object: SourceObject): Promise<HandledProposal> {
  if (object.problem !== null) return refused('InvalidSpec', object.problem);
  const problems = checkSpec(contractProposal.spec, object.spec);
  if (problems.length > 0) return refused('InvalidSpec', `${describeProblems(problems)}.`);
  // The check above validates the spec against this type's fields.
  const spec = toRegistrySpelling(object.spec).spec as unknown as ContractProposalSpec;
  const target = await findTarget(world, object, spec);
  if ('verdict' in target) return target;
  const { slugs, teams, bound } = await findTeamsOf(world, object.namespace);
  const own = teams.filter(({ slug, id }) => bound.get(slug) === id);
  if (own.length === 0) {
    const named = slugs.length === 0 ? '' : ` (${slugs.join(', ')})`;
    return refused(
      'TeamNotResolved',
      `Namespace ${object.namespace} acts for no existing team${named}. Set its label concordat.dev/team, or use the mapping file.`,
    );
  }
  const read = await readProposed(world, object, spec);
  if (read !== null && !read.ok) return { verdict: read.verdict };
  const { schema, schemaFrom, kind, compatibilityMode, guarantees, team } = spec;
  const { guaranteeMode, needsMode } = spec;
  const terms = { schema, schemaFrom, compatibilityMode, guarantees };
  const asked = { ...terms, kind, team, guaranteeMode, needsMode };
  return follow({
    world,
    object,
    spec,
    ...target,
    teams: own,
    actor: actorOf(
      world,
      object,
      own.map(({ id }) => id),
      managerFor(world, object, target.asset),
    ),
    read: read?.value ?? null,
    digests: digestsOf(object, { ...asked, document: read?.value.document }, spec),
  });
}

/**
 * Answers that stay as they were while the change beside them becomes another one are not about that
 * one, until they are written again.
 */
function digestsOf(
  object: SourceObject,
  change: object,
  { acknowledgements = [] }: ContractProposalSpec,
): ProposalWork['digests'] {
  const { handledDigest = '' } = statusOfProposal(object);
  const asked = shortDigest(change);
  const said = shortDigest({ acknowledgements });
  const outdated = shortDigest({ acknowledgements, areOutdated: true });
  const isOther = !handledDigest.startsWith(asked) && handledDigest.endsWith(said);
  const areOutdated = isOther || handledDigest.endsWith(outdated);
  return { asked, said: areOutdated ? outdated : said, areOutdated };
}

/** Short, so that two of them fit into the field that stores them. */
function shortDigest(members: object): string {
  // The members come from a spec, which is JSON; absent ones are left out.
  return digestOf(JSON.parse(JSON.stringify(members))).slice(0, 32);
}

async function follow(work: ProposalWork): Promise<HandledProposal> {
  const { world, asset } = work;
  const found = await findProposal(work);
  if ('verdict' in found) return found;
  world.follow(found.proposal.id);
  const explained = await explainProposal(work, found.proposal);
  const answered = await answerProposal(work, found.proposal);
  // What is finished needs no answer, so one that was refused no longer matters.
  if (!answered.ok && !isFinished(phaseOf(found.proposal))) {
    return { ...found, asset, verdict: verdictOfFailure(answered.failure) };
  }
  const decided = await decideOnProposal(work, found.proposal);
  if (!decided.ok) return { ...found, asset, verdict: verdictOfFailure(decided.failure) };
  const proposal = (await world.ports.reads.getProposal(found.proposal.id)) ?? found.proposal;
  const described = await describe(work, proposal);
  // Answers and decisions do not wait for what is said beside them.
  if (!explained.ok) return { ...described, verdict: verdictOfFailure(explained.failure) };
  const message = [described.verdict.message, ...(answered.ok ? answered.value : [])].join(' ');
  return { ...described, verdict: { ...described.verdict, message } };
}

async function describe(work: ProposalWork, proposal: Proposal): Promise<HandledProposal> {
  const { world, asset, digests } = work;
  const { reads } = world.ports;
  const ids = [...proposal.consumers, ...proposal.excused].map(({ teamId }) => teamId);
  const consumers = ids.length === 0 ? [] : await reads.listTeamsById(ids);
  const { publishedContractId } = proposal;
  const contract =
    publishedContractId === null ? null : await reads.getContract(publishedContractId);
  const listed = await reads.listComments({
    proposalId: proposal.id,
    ...{ page: 1, pageSize: maxComments, includeTotal: false },
    sort: { field: 'written_at', direction: 'descending' },
  });
  return {
    asset,
    proposal,
    consumers,
    comments: listed.ok ? listed.value.results : [],
    publishedVersion: contract?.version ?? null,
    handledDigest: `${digests.asked}${digests.said}`,
    verdict: verdictOf(work, proposal, contract?.version ?? null),
  };
}

function verdictOf(
  { asset, spec }: ProposalWork,
  proposal: Proposal,
  version: string | null,
): Verdict {
  const { canPublish } = proposal.progress;
  const answered = acknowledgedText(proposal);
  switch (proposal.status) {
    case 'pending': {
      const waiting = proposal.consumers.filter((consumer) => !consumer.acknowledged);
      const names = waiting.slice(0, 10).map(({ teamName }) => teamName);
      const isDecided =
        spec.decision === 'Publish' ||
        spec.decision === 'Approve' ||
        (asset.autoPublish && isProposedByManager(asset, proposal));
      const digest = questionDigest(proposal);
      const { decisionDigest = digest } = spec;
      const isForAnother = decisionDigest !== digest;
      const stale = `decision ${spec.decision} is for the digest ${decisionDigest}, but the proposal has the digest ${digest}: read it, then decide anew`;
      const said = canPublish
        ? `${answered}. ${isDecided && !isForAnother ? 'It proceeds automatically.' : 'Decide: Approve, Publish or Withdraw.'}`
        : `${answered}; waiting for ${names.join(', ')}${waiting.length > 10 ? ' and others' : ''}.`;
      const message = isForAnother ? `${said} The ${stale}.` : said;
      return { reason: 'ProposalPending', message };
    }
    case 'approved': {
      const message = isProposedByManager(asset, proposal)
        ? asset.autoPublish
          ? 'Approved. It is published automatically.'
          : 'Approved. It is published once decision is Publish.'
        : 'Approved. It is published once the DataContract has the same change.';
      return { reason: 'ProposalPending', message };
    }
    case 'rejected': {
      const blocking = blockingText(proposal);
      const message =
        blocking === ''
          ? 'Blocked by a team that is no consumer any more. Withdraw it, and propose it again.'
          : `Blocked (${blocking}). Agree with these teams: they can change their answer, and an administrator can force the proposal.`;
      return { reason: 'ProposalRejected', message };
    }
    case 'published':
    case 'force_published': {
      const how = proposal.status === 'published' ? 'Published' : 'Forced';
      const message = version === null ? `${how}.` : `${how} as version ${version}.`;
      return { reason: 'Published', message };
    }
    case 'withdrawn':
      // Withdrawn proposals need no further action.
      return { reason: 'UpToDate', message: `Withdrawn: ${proposal.reason ?? 'no reason given'}.` };
    default:
      return proposal.status satisfies never;
  }
}

type Target = Pick<ProposalWork, 'asset' | 'contract' | 'known' | 'isElsewhere'>;

async function findTarget(
  world: World,
  object: SourceObject,
  spec: ContractProposalSpec,
): Promise<Target | HandledProposal> {
  const { reads } = world.ports;
  const { proposalId } = statusOfProposal(object);
  const known = proposalId === undefined ? null : await reads.getProposal(proposalId);
  const name = spec.contractRef?.name;
  const contract =
    name === undefined ? null : world.source.get(keyOf('DataContract', object.namespace, name));
  const isMissing = name !== undefined && contract === null;
  const named = contract === null ? spec : (contract.spec as unknown as DataContractSpec);
  const { fqn = '', environment = defaultEnvironment } = named;
  const asset = isMissing ? null : await reads.findAssetByName(fqn, environment);
  const isElsewhere = known !== null && known.assetId !== asset?.id;
  const asked = isElsewhere ? await reads.getAsset(known.assetId, 'any') : null;
  // What is finished needs nothing any more.
  const over = known !== null && isFinished(phaseOf(known)) ? asked : null;
  if (isMissing) {
    return over === null ? missing(object, name) : { asset: over, contract, known };
  }
  if (over?.fqn === fqn) return { asset: over, contract, known, isElsewhere };
  const another = aboutAnother(asked, { fqn, environment });
  if (another !== null) return another;
  if (asset === null) {
    const message = `${fqn} in ${environment} is not in the registry yet. The proposal continues once it is there.`;
    return refused('AssetNotFound', message);
  }
  world.follow(asset.id);
  const waits = awaitConsumers(world, object, asset);
  return waits === null ? { asset, contract, known } : { verdict: waits };
}

function missing({ namespace }: SourceObject, contract: string): HandledProposal {
  const message = `DataContract ${namespace}/${contract} does not exist. The proposal continues once it exists.`;
  return refused('ContractNotFound', message);
}

/** An API server refuses to change the asset; files have no such check, and a namespace may get another environment. */
function aboutAnother(
  asked: Asset | null,
  named: Pick<Asset, 'fqn' | 'environment'>,
): HandledProposal | null {
  if (asked === null) return null;
  const { fqn, environment } = asked;
  if (fqn === named.fqn && environment === named.environment) return null;
  const message = `spec: contractRef, fqn and environment are immutable, but this object is about ${fqn} in ${environment}. Restore them (what the spec leaves out comes from the namespace), or create another ContractProposal.`;
  return refused('InvalidSpec', message);
}

/**
 * A ContractProposal may also change an asset that is managed by a DataContract in its namespace.
 */
function managerFor(world: World, object: SourceObject, asset: Asset): ManagedBy | undefined {
  const { source, reference } = managerOf(world, object);
  const { managedBy } = asset;
  const isBeside =
    managedBy?.source === source &&
    managedBy.reference.startsWith(`${object.namespace}/`) &&
    managedBy.reference.endsWith(reference.slice(reference.indexOf(' in ')));
  return isBeside ? managedBy : undefined;
}

async function readProposed(world: World, object: SourceObject, spec: ContractProposalSpec) {
  const isNone = spec.schema === undefined && spec.schemaFrom === undefined;
  return isNone ? null : readSchema(world, object, spec);
}

type Found = { readonly proposal: Proposal } | HandledProposal;

async function findProposal(work: ProposalWork): Promise<Found> {
  const { world, object, contract, digests, known } = work;
  const status = statusOfProposal(object);
  if (known !== null && work.isElsewhere === true) return { proposal: known };
  const named = status.proposalId ?? object.madeFor;
  const proposal =
    named === undefined
      ? await findForgotten(world, object, work.asset)
      : (known ?? (await world.ports.reads.getProposal(named)));
  if (contract !== null && object.ownerUid === contract.uid) {
    return findMade(work, contract, proposal);
  }
  const isAsked = status.handledDigest?.startsWith(digests.asked) === true;
  const isAskedAgain =
    object.reconcileAt !== null && object.reconcileAt !== status.lastHandledReconcileAt;
  if (isAsked && !isAskedAgain) {
    // The object was restored to before what it proposed last.
    const isLater = proposal !== null && (await isSuperseded(work, proposal));
    if (isLater) return askAnew(work, await findForgotten(world, object, work.asset));
    if (proposal !== null) return keepToBase(work, proposal);
    if (status.proposalId === undefined) return { verdict: notBreaking, phase: 'NotBreaking' };
    // The database was restored to before the proposal.
  }
  if (isAsked && proposal !== null && phaseOf(proposal) !== 'Withdrawn') return { proposal };
  return askAnew(work, proposal);
}

/**
 * Finds the object's proposal if its status does not name it: the status was lost, or never
 * written.
 */
async function findForgotten(
  { ports }: World,
  object: SourceObject,
  asset: Asset,
): Promise<Proposal | null> {
  const open = await ports.reads.getOpenProposal(asset.id);
  return open !== null && isMadeBy(object, open.proposedByActor) ? open : null;
}

/** Whether the object has proposed something else since. */
async function isSuperseded({ world, object, asset }: ProposalWork, { id, status }: Proposal) {
  if (status !== 'withdrawn') return false;
  const open = await findForgotten(world, object, asset);
  return open !== null && open.id !== id;
}

/**
 * For proposals that the controller created for a DataContract. The checks prevent others from
 * claiming a proposal by its name.
 */
async function findMade(
  { world, asset, object, spec }: ProposalWork,
  contract: SourceObject,
  proposal: Proposal | null,
): Promise<Found> {
  const isLinked = statusOfProposal(object).proposalId !== undefined;
  if (proposal === null && isLinked) {
    // The controller makes another object if the DataContract still asks for this.
    await world.source.made?.remove(object);
    return refused(
      'UpToDate',
      'The registry was restored to before this proposal. This object goes.',
    );
  }
  const isRight =
    proposal !== null &&
    proposal.assetId === asset.id &&
    (isLinked || proposalName(contract.name, namedProposal(proposal)) === object.name);
  if (!isRight) {
    return refused(
      'InvalidSpec',
      'The object claims to be created by the controller, but it was not. Delete it.',
    );
  }
  const edited = isFinished(phaseOf(proposal))
    ? null
    : await findEditedField(world, spec, proposal);
  if (edited === null) return { proposal };
  const message = `spec.${edited} was changed, but the proposal in the registry was not. Restore it, or delete this object: the controller creates it again.`;
  return { proposal, verdict: { reason: 'InvalidSpec', message } };
}

/**
 * An approval is valid for the contract that it was compared with; with another base, consumers are
 * asked again.
 */
async function keepToBase(work: ProposalWork, proposal: Proposal): Promise<Found> {
  const { world, asset, actor, object } = work;
  const isOwn = isMadeBy(object, proposal.proposedByActor);
  if (!isOwn || !isOpen(proposal.status)) return { proposal };
  const base = await findBase(world, asset);
  if ((base?.id ?? null) === proposal.baseContractId) return { proposal };
  const context = contextOf(world, actor);
  const rebased = await world.verbs.rebaseProposal(world.ports, context, {
    proposalId: proposal.id,
  });
  if (rebased.ok) return { proposal: rebased.value };
  if (rebased.failure.code !== 'PROPOSAL_STALE') {
    return { proposal, verdict: verdictOfFailure(rebased.failure) };
  }
  const withdrawn = await world.verbs.withdrawProposal(world.ports, context, {
    proposalId: proposal.id,
    reason: 'the proposal no longer changes anything',
  });
  return withdrawn.ok
    ? { proposal: withdrawn.value }
    : { proposal, verdict: verdictOfFailure(withdrawn.failure) };
}

const notBreaking: Verdict = {
  reason: 'UpToDate',
  message: 'The change breaks no consumer, so it needs no proposal. Change the DataContract.',
};

async function askAnew(work: ProposalWork, before: Proposal | null): Promise<Found> {
  const { world, object, asset, actor, digests, contract } = work;
  const { contractRef } = work.spec;
  if (contractRef !== undefined && contract === null) return missing(object, contractRef.name);
  if (!actsFor(actor, asset.ownerTeamId)) {
    return refused(
      'NotPermitted',
      `${asset.fqn} belongs to ${asset.ownerTeamName}, and namespace ${object.namespace} does not act for that team.`,
    );
  }
  await claimObject(world, object);
  const confirmed = await confirmConsumers(world, object, asset);
  if (!confirmed.ok) return { asset, verdict: verdictOfFailure(confirmed.failure) };
  const asked = await proposeChange(work, before);
  if (!asked.ok) {
    const verdict = verdictOfFailure(asked.failure);
    // Another proposal is open, so an earlier proposal in the status is no longer about this spec.
    const isWaiting = asked.failure.code === 'PROPOSAL_PENDING';
    return { asset, verdict, ...(isWaiting && { proposal: null }) };
  }
  if (asked.value !== null) return { proposal: asked.value };
  const withdrawn = await withdrawOwn(work, before, 'the change no longer breaks a consumer');
  if (!withdrawn.ok) return { asset, verdict: verdictOfFailure(withdrawn.failure) };
  const handledDigest = `${digests.asked}${digests.said}`;
  return { asset, verdict: notBreaking, phase: 'NotBreaking', proposal: null, handledDigest };
}

async function withdrawOwn(
  { world, object, actor }: Pick<ProposalWork, 'world' | 'object' | 'actor'>,
  proposal: Proposal | null,
  reason: string,
): Promise<Outcome<true>> {
  // Includes blocked proposals: a consumer may take the block back, and nobody would be left to
  // publish.
  const isWaiting =
    proposal !== null && (isOpen(proposal.status) || proposal.status === 'rejected');
  if (!isWaiting || !isMadeBy(object, proposal.proposedByActor)) return accept(true);
  const command = { proposalId: proposal.id, reason };
  const outcome = await world.verbs.withdrawProposal(world.ports, contextOf(world, actor), command);
  return outcome.ok ? accept(true) : outcome;
}

/** On deletion, withdraws the object's open proposal; the results of finished ones stay. */
async function finalize(world: World, object: SourceObject): Promise<WorkResult> {
  if (!object.isClaimed) return done;
  const suspicion = world.source.suspicion();
  if (suspicion !== null) return { kind: 'again', afterMs: lookAgainMs };
  const id = statusOfProposal(object).proposalId;
  const known = id === undefined ? null : await world.ports.reads.getProposal(id);
  const asset =
    known === null
      ? await findAsset(world, object)
      : await world.ports.reads.getAsset(known.assetId);
  const open = asset === null ? null : await findForgotten(world, object, asset);
  const own = [known, open?.id === known?.id ? null : open].filter((one) => one !== null);
  for (const proposal of own) {
    if (asset === null) break;
    // The object may withdraw its own proposal, whoever manages the asset now.
    const { ownerTeamId, managedBy } = asset;
    const actor = actorOf(world, object, [ownerTeamId], managedBy ?? undefined);
    const reason = reasonOfDeleted(resourceName(object.kind, object.namespace, object.name));
    const withdrawn = await withdrawOwn({ world, object, actor }, proposal, reason);
    const isOver = !withdrawn.ok && withdrawn.failure.code === 'PROPOSAL_NOT_PENDING';
    if (!withdrawn.ok && !isOver) {
      return { kind: 'failed', error: new Error(withdrawn.failure.message) };
    }
  }
  const released = await world.source.release(object);
  return released === 'conflict' ? { kind: 'again', afterMs: 0 } : done;
}

/** The proposal's asset, if an object still names it. */
async function findAsset(world: World, object: SourceObject): Promise<Asset | null> {
  // Only these fields are read, so the rest of the spec need not be valid.
  const { contractRef, fqn, environment } = object.spec as unknown as ContractProposalSpec;
  const contract =
    contractRef === undefined
      ? { fqn, environment }
      : world.source.get(keyOf('DataContract', object.namespace, contractRef.name))?.spec;
  if (typeof contract?.fqn !== 'string') return null;
  const named = String(contract.environment ?? defaultEnvironment);
  return world.ports.reads.findAssetByName(contract.fqn, named);
}

const lookAgainMs = 30_000;

function refused(reason: Verdict['reason'], message: string): HandledProposal {
  return { verdict: { reason, message } };
}
