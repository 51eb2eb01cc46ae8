import type { Comparison } from '../../comparison.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import { decideAccess } from '../access.ts';
import type { By } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { changesOfProposed } from '../publishing/proposed-changes.ts';
import { circumstancesOf, teamIdsOf, updateOf } from '../publishing/proposing.ts';
import { breakingOf } from '../publishing/publish.ts';
import type { ProposalUpdate, Write } from '../write.ts';
import { proposedVersion } from './carry-out.ts';

/** Asks every consumer again, about the changes since the newest contract. */
export function decideRebase(
  facts: ProposalFacts,
  comparison: Comparison | null,
  by: Pick<By, 'actor'>,
): Outcome<readonly Write[]> {
  const { asset, base, consumers, proposal } = facts;
  const access = decideAccess(by.actor, 'rebase_proposal', asset.ownerTeamId);
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
    // Do not ask again about a version that cannot be published.
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
      teamIds: teamIdsOf(consumers),
      more: { base_contract_id: set.baseContractId, base_version: base?.version ?? null },
    },
  );
  return accept([{ kind: 'update_proposal', id: proposal.id, set, events: [event] }]);
}
