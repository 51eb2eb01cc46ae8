// Reviews the consumers' answers to a proposal, and takes the last step if the controller may.

import type { Asset } from '../../core/asset.ts';
import { isProposedByManager, type Proposal } from '../../core/proposal.ts';
import { counted } from '../../core/value/counted.ts';
import type { ReadyReason } from '../conditions.ts';
import type { DataContractSpecDecision } from '../crd/resources.ts';
import { effectiveContract, questionDigest } from '../effective.ts';
import { type Handled, verdictOfFailure } from './contract-status.ts';
import type { ContractWork } from './contract-work.ts';
import { showProposal } from './made-proposals.ts';
import { withdrawOne } from './withdraw-own.ts';
import { confirmConsumers, contextOf, findBase, type World } from './world.ts';

type Reviewed =
  | { readonly next: 'stay'; readonly handled: Handled }
  /** The consumers were asked about another base, so the change has to be proposed again. */
  | { readonly next: 'ask' }
  /** The proposal was about the asset and is settled, so the schema may follow. */
  | { readonly next: 'go_on'; readonly handled: Handled };

export async function reviewProposal(
  work: ContractWork,
  asset: Asset,
  proposal: Proposal,
): Promise<Reviewed> {
  work.world.follow(proposal.id);
  switch (proposal.status) {
    case 'pending':
    case 'approved':
      return reviewOpen(work, asset, proposal);
    case 'rejected': {
      const withdrawn = await withdrawDecided(work, asset, proposal);
      return withdrawn ?? stay(await shown(work, asset, proposal));
    }
    case 'withdrawn':
      return stay(await shown(work, asset, proposal));
    case 'published':
    case 'force_published': {
      const handled = await tellProposal(work.world, asset, proposal);
      return proposal.kind === 'schema' ? stay(handled) : { next: 'go_on', handled };
    }
    default:
      return proposal.status satisfies never;
  }
}

async function shown(work: ContractWork, asset: Asset, proposal: Proposal): Promise<Handled> {
  const { verdict, ...told } = await tellProposal(work.world, asset, proposal);
  const message = `${verdict.message}${otherDecisions(work, proposal)}`;
  return {
    ...told,
    verdict: { ...verdict, message },
    ...(await showProposal(work, asset, proposal)),
  };
}

/** Decisions stay in git after their change, so this is told, and not refused. */
function otherDecisions(work: ContractWork, proposal: Proposal): string {
  const { decisions = [] } = work.spec;
  const isOver = proposal.status === 'withdrawn';
  if (isOver || decisions.length === 0 || decisionOn(work, proposal) !== undefined) return '';
  const digests = decisions.slice(0, 3).map(({ digest }) => digest);
  const more =
    decisions.length > digests.length ? ` and ${decisions.length - digests.length} more` : '';
  return ` spec.decisions is about other changes than this one (digest ${digests.join(', ')}${more}): status.proposal.digest is ${questionDigest(proposal)}.`;
}

/** Says where a proposal stands, and does nothing. */
export async function tellProposal(
  world: World,
  asset: Asset,
  proposal: Proposal,
): Promise<Handled & { readonly verdict: { readonly reason: ReadyReason } }> {
  switch (proposal.status) {
    case 'pending':
    case 'approved':
      return {
        verdict: { reason: 'ProposalPending', message: waitingOf(asset, proposal) },
        proposal,
      };
    case 'rejected':
      return { verdict: { reason: 'ProposalRejected', message: rejectionOf(proposal) }, proposal };
    case 'withdrawn': {
      const message = `Proposal ${proposal.id} was withdrawn: ${proposal.reason ?? 'no reason was given'}. Change the spec, or set the annotation concordat.dev/reconcile-at to propose it again.`;
      return { verdict: { reason: 'ProposalWithdrawn', message }, proposal };
    }
    case 'published':
    case 'force_published':
      return published(world, asset, proposal);
    default:
      return proposal.status satisfies never;
  }
}

function stay(handled: Handled): Reviewed {
  return { next: 'stay', handled };
}

async function reviewOpen(work: ContractWork, asset: Asset, proposal: Proposal): Promise<Reviewed> {
  const { world, standing, spec } = work;
  const isOurs = isProposedByManager(asset, proposal);
  const base = await findBase(world, asset);
  const isMoved = (base?.id ?? null) !== proposal.baseContractId;
  // An approval is valid for the contract that it was compared with.
  if (proposal.kind === 'schema' && isMoved && isOurs) {
    const context = contextOf(world, standing.actor);
    const withdrawing = { world, object: work.object, context };
    const reason = 'another version was published in the meantime';
    const withdrawn = await withdrawOne(withdrawing, proposal, reason);
    if (withdrawn.ok) return { next: 'ask' };
    return stay({ verdict: verdictOfFailure(withdrawn.failure), proposal });
  }
  if (!isOurs && isMoved) return stay(await rebase(work, asset, proposal));
  const withdrawn = await withdrawDecided(work, asset, proposal);
  if (withdrawn !== null) return withdrawn;
  const { autoPublish } = effectiveContract(spec);
  const isPreApproved = !isOurs && proposal.status === 'approved';
  const decision = decisionOn(work, proposal)?.decision;
  if (!proposal.progress.canPublish) return stay(await shown(work, asset, proposal));
  if (!(autoPublish || isPreApproved || decision === 'Publish')) {
    const isApproved = decision !== 'Approve' || proposal.status === 'approved';
    return stay(await (isApproved ? shown : approve)(work, asset, proposal));
  }
  const confirmed = await confirmConsumers(world, work.object, asset);
  if (!confirmed.ok) return stay({ verdict: verdictOfFailure(confirmed.failure), proposal });
  const outcome = await world.verbs.publishProposal(world.ports, contextOf(world, standing.actor), {
    proposalId: proposal.id,
  });
  if (outcome.ok) return reviewProposal(work, asset, outcome.value.proposal);
  if (outcome.failure.code === 'PROPOSAL_STALE') return stay(await rebase(work, asset, proposal));
  if (outcome.failure.code === 'PROPOSAL_NOT_PENDING') {
    // The system published it at the same moment, or somebody withdrew it.
    const now = await world.ports.reads.getProposal(proposal.id);
    if (now !== null && now.status !== proposal.status) return reviewProposal(work, asset, now);
  }
  return stay({ verdict: verdictOfFailure(outcome.failure), proposal });
}

/** The spec's decision on exactly this change; decisions on other changes may stay in the spec. */
function decisionOn(
  { spec }: ContractWork,
  proposal: Proposal,
): DataContractSpecDecision | undefined {
  return spec.decisions?.find(({ digest }) => digest === questionDigest(proposal));
}

/** Null if the spec does not withdraw the proposal. */
async function withdrawDecided(
  work: ContractWork,
  asset: Asset,
  proposal: Proposal,
): Promise<Reviewed | null> {
  const { world, object, standing } = work;
  const decided = decisionOn(work, proposal);
  if (decided?.decision !== 'Withdraw') return null;
  const withdrawing = { world, object, context: contextOf(world, standing.actor) };
  const outcome = await withdrawOne(withdrawing, proposal, decided.reason ?? '');
  if (!outcome.ok) return stay({ verdict: verdictOfFailure(outcome.failure), proposal });
  const now = await world.ports.reads.getProposal(proposal.id);
  return now === null || now.status === proposal.status ? null : reviewProposal(work, asset, now);
}

async function approve(work: ContractWork, asset: Asset, proposal: Proposal): Promise<Handled> {
  const { world, standing } = work;
  const command = { proposalId: proposal.id };
  const context = contextOf(world, standing.actor);
  const outcome = await world.verbs.approveProposal(world.ports, context, command);
  return outcome.ok
    ? shown(work, asset, outcome.value)
    : { verdict: verdictOfFailure(outcome.failure), proposal };
}

/** Moves the proposal to the current contract; the consumers are asked again. */
async function rebase(work: ContractWork, asset: Asset, proposal: Proposal): Promise<Handled> {
  const { world, standing } = work;
  const context = contextOf(world, standing.actor);
  const command = { proposalId: proposal.id };
  const outcome = await world.verbs.rebaseProposal(world.ports, context, command);
  return outcome.ok
    ? shown(work, asset, outcome.value)
    : { verdict: verdictOfFailure(outcome.failure), proposal };
}

function waitingOf({ activeContractId }: Asset, proposal: Proposal): string {
  const { canPublish } = proposal.progress;
  const answered = acknowledgedText(proposal);
  const waiting = proposal.consumers.filter((consumer) => !consumer.acknowledged);
  const names = waiting.slice(0, 10).map(({ teamName }) => teamName);
  const more = waiting.length > names.length ? ` and ${waiting.length - names.length} more` : '';
  const serving = activeContractId === null ? '' : ' The active version keeps serving.';
  return canPublish
    ? `Proposal ${proposal.id}: ${answered}. ${howToPublish(proposal)}`
    : `Proposal ${proposal.id}: ${answered}; waiting for ${names.join(', ')}${more}.${serving}`;
}

/** @example acknowledgedText(proposal) // '1 of 2 consumers have acknowledged' */
export function acknowledgedText({ progress }: Pick<Proposal, 'progress'>): string {
  const { acknowledged, totalConsumers } = progress;
  const have = totalConsumers === 1 ? 'has' : 'have';
  return `${acknowledged} of ${counted(totalConsumers, 'consumer')} ${have} acknowledged`;
}

/** A decision is only needed if publishPolicy is Manual. */
function howToPublish(proposal: Proposal): string {
  return proposal.status === 'approved'
    ? 'It is approved. To publish it, decide Publish.'
    : `publishPolicy is Manual, so it waits for a decision: write Publish for the digest ${questionDigest(proposal)} in spec.decisions, or in its ContractProposal.`;
}

function rejectionOf(proposal: Proposal): string {
  const blocking = blockingText(proposal);
  return blocking === ''
    ? `Proposal ${proposal.id} was blocked by a team that is no consumer any more. Set the annotation concordat.dev/reconcile-at to propose it again, or change the spec.`
    : `Proposal ${proposal.id} was blocked (${blocking}). Change the spec, or agree with these teams: they can change their answer, and an administrator can force the proposal.`;
}

/** @example blockingText(proposal) // 'billing: not before May; web: no reason given', or '' if they have left */
export function blockingText({ consumers }: Pick<Proposal, 'consumers'>): string {
  return consumers
    .filter(({ response }) => response === 'blocked')
    .map(({ teamName, notes }) => `${teamName}: ${notes ?? 'no reason given'}`)
    .join('; ');
}

async function published(world: World, asset: Asset, proposal: Proposal) {
  const id = proposal.publishedContractId;
  const contract = id === null ? null : await world.ports.reads.getContract(id);
  const how = proposal.status === 'force_published' ? 'An administrator published' : 'Published';
  const message =
    contract === null
      ? `Proposal ${proposal.id} was applied.`
      : `${how} version ${contract.version} by proposal ${proposal.id}.`;
  const isActive = contract !== null && contract.id === asset.activeContractId;
  // The asset was read before the publish, or another version was published since.
  const now = isActive ? asset : ((await world.ports.reads.getAsset(asset.id)) ?? asset);
  const verdict = { reason: 'Published', message } as const;
  return { asset: now, verdict, contract, proposal: null };
}
