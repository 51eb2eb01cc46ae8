import type { Comparison } from '../../comparison.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Verdicts } from '../../need.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import { decideAccess } from '../access.ts';
import { askingOf, asksAllNow, isAsked } from '../asking.ts';
import type { By } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { changesOfProposed } from '../publishing/proposed-changes.ts';
import {
  circumstancesOf,
  stepOf,
  teamIdsOf,
  unanswered,
  updateOf,
} from '../publishing/proposing.ts';
import { breakingOf } from '../publishing/publish.ts';
import type { ProposalUpdate, Write } from '../write.ts';
import { proposedVersion } from './carry-out.ts';

/** Asks every consumer again, about the changes since the newest contract. */
export function decideRebase(
  facts: ProposalFacts,
  { comparison, verdicts }: { readonly comparison: Comparison | null; readonly verdicts: Verdicts },
  by: Pick<By, 'actor'>,
): Outcome<readonly Write[]> {
  const { asset, base, proposal } = facts;
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
  const asked = askedAgain(facts, comparison, verdicts);
  if (proposal.proposed.kind === 'schema') {
    // Do not ask again about a version that cannot be published.
    const version = proposedVersion(facts, proposal.proposed, asked.changeType);
    if (!version.ok) return version;
  }
  const set: ProposalUpdate = {
    ...updateOf(proposal),
    status: step.value.to,
    baseContractId: base?.id ?? null,
    changes,
    breakingChanges: breakingOf(changes),
    changeType: asked.changeType,
    asks: asked.asks,
    verdicts: asked.verdicts,
    round: proposal.round + 1,
    decidedConsumers: null,
  };
  const consumers = facts.consumers
    .filter((each) => isAsked(each, asked))
    .map((each) => unanswered(each, asked.verdicts));
  const event = proposalEvent(
    step.value.event,
    asset,
    { ...proposal, breakingChanges: set.breakingChanges, consumers },
    { from: proposal.status, to: step.value.to },
    {
      teamIds: teamIdsOf(consumers),
      more: { base_contract_id: set.baseContractId, base_version: base?.version ?? null },
    },
  );
  return accept([{ kind: 'update_proposal', id: proposal.id, set, events: [event] }]);
}

/** The same consumers as before, unless the change was compared with another contract. */
function askedAgain(
  { asset, base, consumers, proposal }: ProposalFacts,
  comparison: Comparison | null,
  verdicts: Verdicts,
): Pick<ProposalUpdate, 'asks' | 'verdicts' | 'changeType'> {
  const { changeType, proposed } = proposal;
  if (proposed.kind !== 'schema' || comparison === null) {
    const isWidened = asksAllNow(asset.needsMode, proposal.asks);
    return { asks: isWidened ? 'all' : proposal.asks, verdicts: proposal.verdicts, changeType };
  }
  if (!comparison.isBreaking && proposal.asks !== 'stated') {
    return { asks: 'all', verdicts: {}, changeType };
  }
  const change = { base, terms: proposed, comparison, verdicts };
  const asking = askingOf(consumers, asset.needsMode, change);
  return { asks: asking.asks, verdicts: asking.verdicts, changeType: stepOf(comparison) };
}
