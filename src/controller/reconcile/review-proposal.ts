// What the consumers made of a proposal, and the last step where it is ours to take.

import type { Asset } from '../../core/asset.ts';
import type { Proposal } from '../../core/proposal.ts';
import { type Handled, verdictOfFailure } from './contract-status.ts';
import type { ContractWork } from './contract-work.ts';
import { contextOf } from './world.ts';

export async function reviewProposal(
  work: ContractWork,
  asset: Asset,
  proposal: Proposal,
): Promise<Handled> {
  const { world, standing, spec } = work;
  const isAutomatic = (spec.publishPolicy ?? 'Automatic') === 'Automatic';
  switch (proposal.status) {
    case 'pending':
    case 'approved': {
      if (!proposal.progress.canPublish || !isAutomatic) return pending(proposal, isAutomatic);
      const context = contextOf(world, standing.actor);
      const outcome = await world.verbs.publishProposal(world.ports, context, {
        proposalId: proposal.id,
      });
      if (!outcome.ok && outcome.failure.code === 'PROPOSAL_STALE') {
        return rebase(work, proposal);
      }
      if (!outcome.ok) return { verdict: verdictOfFailure(outcome.failure), proposal };
      return published(work, asset, outcome.value.proposal);
    }
    case 'rejected':
      return { verdict: { reason: 'ProposalRejected', message: rejectionOf(proposal) }, proposal };
    case 'withdrawn':
      return {
        verdict: {
          reason: 'ProposalWithdrawn',
          message: `Proposal ${proposal.id} was withdrawn: ${proposal.reason ?? 'no reason was given'}. Change the spec, or set the annotation concordat.dev/reconcile-at to propose it again.`,
        },
        proposal,
      };
    case 'published':
    case 'force_published':
      return published(work, asset, proposal);
    default:
      return proposal.status satisfies never;
  }
}

/** Another version came in between, and breaks differently: the consumers are asked again. */
async function rebase({ world, standing }: ContractWork, proposal: Proposal): Promise<Handled> {
  const context = contextOf(world, standing.actor);
  const command = { proposalId: proposal.id };
  const outcome = await world.verbs.rebaseProposal(world.ports, context, command);
  return outcome.ok
    ? pending(outcome.value, true)
    : { verdict: verdictOfFailure(outcome.failure), proposal };
}

function pending(proposal: Proposal, isAutomatic: boolean): Handled {
  const { acknowledged, totalConsumers, canPublish } = proposal.progress;
  const waiting = proposal.consumers.filter((consumer) => !consumer.acknowledged);
  const names = waiting.slice(0, 10).map(({ teamName }) => teamName);
  const more = waiting.length > names.length ? ` and ${waiting.length - names.length} more` : '';
  const message =
    canPublish && !isAutomatic
      ? `Proposal ${proposal.id}: all ${totalConsumers} consumers have acknowledged. It waits to be published, because publishPolicy is Manual.`
      : `Proposal ${proposal.id}: ${acknowledged} of ${totalConsumers} consumers have acknowledged; waiting for ${names.join(', ')}${more}. The active version keeps serving.`;
  return { verdict: { reason: 'ProposalPending', message }, proposal };
}

function rejectionOf(proposal: Proposal): string {
  const blocking = proposal.consumers
    .filter(({ response }) => response === 'blocked')
    .map(({ teamName, notes }) => `${teamName}: ${notes ?? 'no reason given'}`);
  return `Proposal ${proposal.id} was blocked (${blocking.join('; ')}). Change the spec, or settle it with them: who blocked may take it back.`;
}

async function published(work: ContractWork, asset: Asset, proposal: Proposal): Promise<Handled> {
  const { world } = work;
  const id = proposal.publishedContractId;
  const contract = id === null ? null : await world.ports.reads.getContract(id);
  const how = proposal.status === 'force_published' ? 'An administrator published' : 'Published';
  const message =
    contract === null
      ? `Proposal ${proposal.id} was carried out.`
      : `${how} version ${contract.version} by proposal ${proposal.id}.`;
  return { asset, verdict: { reason: 'Published', message }, contract, proposal: null };
}
