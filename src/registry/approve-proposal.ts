import { decideAccess } from '../core/access.ts';
import { proposalEvent } from '../core/drafts.ts';
import { accept } from '../core/failure.ts';
import type { Proposal } from '../core/proposal.ts';
import { decideProposalStep } from '../core/proposal-machine.ts';
import type { ApproveProposal, Verb } from './commands.ts';
import { namingConsumers } from './conclude-proposal.ts';
import { notFound } from './not-found.ts';
import { updatedProposal, updateOf } from './proposing.ts';
import type { ProposalUpdate } from './transaction.ts';

/** Parks the decision: who registers later does not reopen it, and publish still follows. */
export const approveProposal: Verb<ApproveProposal, Proposal> = (ports, context, { proposalId }) =>
  ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(proposalId);
    if (facts === null) return notFound('PROPOSAL', proposalId);
    const { asset, proposal } = facts;
    const access = decideAccess(context.actor, 'approve_proposal', asset.ownerTeamId);
    if (!access.ok) return access;
    const step = decideProposalStep(proposal.status, 'approve', {
      canPublish: proposal.progress.canPublish,
      autoPublish: asset.autoPublish,
      blockedByThisTeam: false,
    });
    if (!step.ok) return namingConsumers(step, proposal);
    const set: ProposalUpdate = {
      ...updateOf(proposal),
      status: step.value.to,
      decidedConsumers: proposal.consumers,
    };
    const transition = { from: proposal.status, to: step.value.to };
    const teamIds = proposal.consumers.map(({ teamId }) => teamId);
    const event = proposalEvent(step.value.event, asset, proposal, transition, { teamIds });
    await transaction.apply([{ kind: 'update_proposal', id: proposal.id, set, events: [event] }]);
    return accept(updatedProposal(proposal, set));
  });
