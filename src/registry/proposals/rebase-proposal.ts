import type { Comparison } from '../../core/comparison.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { RebaseProposal } from '../../core/decide/commands.ts';
import { breakingOf } from '../../core/decide/contracts/publish.ts';
import { proposalEvent } from '../../core/decide/events.ts';
import type { ProposalFacts } from '../../core/decide/facts.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { changesOfProposed } from '../../core/decide/proposals/proposed-changes.ts';
import type { ProposalUpdate } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import { decideProposalStep } from '../../core/proposal-machine.ts';
import type { Verb } from '../commands.ts';
import { type Context, type StartOver, startOver } from '../ports.ts';
import type { Transaction } from '../transaction.ts';
import { proposedVersion } from './carry-out.ts';
import { compareAgain } from './conclude-proposal.ts';
import { circumstancesOf, updateOf } from './proposing.ts';
import { settleProposal } from './settle-proposal.ts';

const attemptLimit = 100;

/** Compares with what is newest now, and asks every consumer again. */
export const rebaseProposal: Verb<RebaseProposal, Proposal> = async (ports, context, command) => {
  const { proposalId } = command;
  for (let attempt = 0; attempt < attemptLimit; attempt++) {
    const proposal = await ports.reads.getProposal(proposalId);
    const found = proposal === null ? null : await ports.reads.getPublishBase(proposal.assetId);
    if (proposal === null || found === null) return notFound('PROPOSAL', proposalId);
    const comparison = await compareAgain(ports, proposal, found);
    const outcome = await ports.attempt(context, async (transaction) => {
      const facts = await transaction.lockProposal(proposalId);
      if (facts === null) return notFound('PROPOSAL', proposalId);
      if (facts.base?.id !== found.base?.id) return startOver;
      if (facts.proposal.baseContractId !== proposal.baseContractId) return startOver;
      return rebase(transaction, context, facts, comparison);
    });
    if ('startOver' in outcome) continue;
    if (outcome.ok) await settleProposal(ports, context, proposal.assetId);
    return outcome;
  }
  return refuse(
    'REGISTRY_UNAVAILABLE',
    'Other publishes changed the asset at the same time. Try again in a moment.',
  );
};

async function rebase(
  transaction: Transaction,
  context: Context<Proposal>,
  facts: ProposalFacts,
  comparison: Comparison | null,
): Promise<Outcome<Proposal> | StartOver> {
  const { asset, base, consumers, proposal } = facts;
  const access = decideAccess(context.actor, 'rebase_proposal', asset.ownerTeamId);
  if (!access.ok) return access;
  const step = decideProposalStep(proposal.status, 'rebase', circumstancesOf(facts));
  if (!step.ok) return step;
  const changes =
    proposal.proposed.kind === 'schema'
      ? (comparison?.changes ?? proposal.changes)
      : changesOfProposed(proposal.proposed, facts);
  if (changes.length === 0) {
    return refuse('PROPOSAL_STALE', 'The proposal no longer changes anything. Withdraw it.');
  }
  if (proposal.proposed.kind === 'schema') {
    // Nobody is asked again for what cannot be published.
    const version = proposedVersion(facts, proposal.proposed);
    if (!version.ok) return version;
  }
  const set: ProposalUpdate = {
    ...updateOf(proposal),
    status: step.value.to,
    baseContractId: base?.id ?? null,
    changes,
    breakingChanges: breakingOf(changes),
    round: proposal.round + 1,
    decidedConsumers: null,
  };
  const event = proposalEvent(
    step.value.event,
    asset,
    { ...proposal, breakingChanges: set.breakingChanges },
    { from: proposal.status, to: step.value.to },
    {
      teamIds: consumers.map(({ teamId }) => teamId),
      more: { base_contract_id: set.baseContractId, base_version: base?.version ?? null },
    },
  );
  await transaction.apply([{ kind: 'update_proposal', id: proposal.id, set, events: [event] }]);
  const after = await transaction.lockProposal(proposal.id);
  return after === null ? notFound('PROPOSAL', proposal.id) : accept(after.proposal);
}
