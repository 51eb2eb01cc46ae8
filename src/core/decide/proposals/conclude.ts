// Publish, force and auto_publish: three acts of the proposal table with one chain of checks.

import type { Asset } from '../../asset.ts';
import type { Comparison } from '../../comparison.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { ContractId } from '../../id.ts';
import type { Verdicts } from '../../need.ts';
import { isProposedByManager, type Proposal } from '../../proposal.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import { type Act, decideAccess, decideManagement } from '../access.ts';
import { askingOf, asksAllNow, isAsked } from '../asking.ts';
import type { PublishedProposal } from '../commands.ts';
import { type By, type Decided, type StartOver, startOver } from '../decided.ts';
import { proposalEvent, teamsOf } from '../events.ts';
import type { NameFacts, ProposalFacts } from '../facts.ts';
import { checkNameIsFree } from '../name.ts';
import { notFound } from '../not-found.ts';
import { changesOfProposed } from '../publishing/proposed-changes.ts';
import { circumstancesOf, teamIdsOf, updatedProposal, updateOf } from '../publishing/proposing.ts';
import { hasSameBreaks } from '../publishing/publish.ts';
import type { ProposalUpdate } from '../write.ts';
import { checkRound } from './answer.ts';
import { type Compared, type Conclusion, carryOut } from './carry-out.ts';
import { decideForce } from './four-eyes.ts';
import { requestForce } from './request-force.ts';

const accessOf: Readonly<Record<Conclusion['act'], Act>> = {
  publish: 'publish_proposal',
  force: 'force_proposal',
  auto_publish: 'force_proposal',
};

/** The facts that were read and compared before the lock. */
interface Prepared {
  readonly asset: Pick<Asset, 'guaranteeMode'>;
  readonly base: { readonly id: ContractId } | null;
  /** The comparison with the newest contract, if that is not the one consumers were asked about. */
  readonly comparison: Comparison | null;
  /** Whether something published since then may go with the breaks, although they read the same. */
  readonly mayTakeMore: boolean;
  /** What that comparison means for each need of a consumer. */
  readonly verdicts: Verdicts;
  /** For a force: whether the change would break under backward. */
  readonly breaksBackward: boolean | null;
  /** Whether forcing needs two administrators. */
  readonly needsTwo: boolean;
}

export interface ConcludeFacts extends ProposalFacts {
  /** For a move to another environment: the facts about the name there. */
  readonly name: NameFacts | null;
  /** For a move: whether the new owner team still exists. */
  readonly hasNewOwner: boolean;
  /** Whether the person who requested a force may still force proposals. */
  readonly mayStillForce: boolean;
}

type Concluded = Outcome<Decided<PublishedProposal>>;

export function decideConclusion(
  facts: ConcludeFacts,
  conclusion: Conclusion,
  prepared: Prepared,
  by: By,
): Concluded | StartOver {
  const { asset, proposal } = facts;
  const access = decideAccess(by.actor, accessOf[conclusion.act], asset.ownerTeamId);
  if (!access.ok) return access;
  if (asset.deletedAt !== null) return notFound('ASSET', asset.id);
  const managed = decideManagement(by.actor, asset, conclusion);
  if (!managed.ok) {
    const mayPark = conclusion.act === 'publish' && !conclusion.override;
    if (!mayPark) return managed;
    // If the managing source made the proposal itself, there is nobody else to wait for.
    if (!isProposedByManager(asset, proposal)) return parkUntilAskedFor(facts);
  }
  const changed = checkRound(conclusion.round, proposal);
  if (changed !== null) return changed;
  const step = decideProposalStep(proposal.status, conclusion.act, circumstancesOf(facts));
  if (!step.ok) return namingConsumers(step, proposal);
  if (!isStillTrue(facts, prepared)) return startOver;
  const refused = checkMove(facts);
  if (refused !== null) return refused;
  const compared = rebaseSilently(facts, prepared);
  if (!compared.ok) return compared;
  const force = decideForce({
    needsTwo: prepared.needsTwo && conclusion.act === 'force',
    actor: by.actor,
    proposal,
    mayStillForce: facts.mayStillForce,
  });
  if (!force.ok) return force;
  if (force.value.kind === 'request') {
    const { userId } = force.value;
    return requestForce(facts, { userId, reason: conclusion.reason ?? '' }, by);
  }
  const { requested } = force.value;
  const { breaksBackward } = prepared;
  const concluding = { conclusion, requested, step: step.value, compared: compared.value };
  return carryOut(facts, { ...concluding, breaksBackward }, by);
}

function isStillTrue({ asset, base }: ProposalFacts, prepared: Prepared): boolean {
  return base?.id === prepared.base?.id && asset.guaranteeMode === prepared.asset.guaranteeMode;
}

function checkMove({ asset, proposal, ...facts }: ConcludeFacts): Outcome<never> | null {
  const { proposed } = proposal;
  if (proposed.kind !== 'move') return null;
  const taken = checkNameIsFree(asset, proposed.environment, facts.name);
  if (taken !== null || facts.hasNewOwner) return taken;
  return refuse(
    'PROPOSAL_STALE',
    'The team that the asset would move to was deleted. Withdraw the proposal.',
  );
}

/** Approves the proposal; it is published once the managing source requests the same change. */
function parkUntilAskedFor(facts: ProposalFacts): Concluded {
  const { proposal } = facts;
  if (proposal.status === 'approved') {
    return accept({ writes: [], answer: { proposal, contract: null } });
  }
  const parked = park(facts);
  if (!parked.ok) return parked;
  const { writes, answer } = parked.value;
  return accept({ writes, answer: { proposal: answer, contract: null } });
}

export function decideApproval(facts: ProposalFacts, { actor }: By): Outcome<Decided<Proposal>> {
  const access = decideAccess(actor, 'approve_proposal', facts.asset.ownerTeamId);
  return access.ok ? park(facts) : access;
}

/** Approves without publishing. A consumer who registers before the publish is asked first. */
function park(facts: ProposalFacts): Outcome<Decided<Proposal>> {
  const { asset, proposal } = facts;
  const step = decideProposalStep(proposal.status, 'approve', circumstancesOf(facts));
  if (!step.ok) return namingConsumers(step, proposal);
  const set: ProposalUpdate = { ...updateOf(proposal), status: step.value.to };
  const transition = { from: proposal.status, to: step.value.to };
  const teamIds = teamIdsOf(proposal.consumers);
  const event = proposalEvent(step.value.event, asset, proposal, transition, { teamIds });
  return accept({
    writes: [{ kind: 'update_proposal', id: proposal.id, set, events: [event] }],
    answer: updatedProposal(proposal, set),
  });
}

/** Names the consumers who have not answered in a refusal. */
function namingConsumers<T>(refused: Outcome<T>, proposal: Proposal): Outcome<T> {
  if (refused.ok) return refused;
  const { failure } = refused;
  const remaining = proposal.consumers.filter((consumer) => !consumer.acknowledged);
  const details =
    failure.code === 'PROPOSAL_NOT_READY'
      ? {
          ...failure.details,
          awaiting: teamsOf(remaining),
        }
      : failure.details;
  return { ok: false, failure: { ...failure, ...(details === undefined ? {} : { details }) } };
}

/**
 * Consumers answered about the breaks compared with one contract. If the newest contract is another
 * one with the same breaks, their answers hold. If the breaks differ, or may differ, they must be
 * asked again.
 */
function rebaseSilently(
  facts: ProposalFacts,
  { comparison, mayTakeMore, verdicts }: Prepared,
): Outcome<Compared> {
  const { proposal, base } = facts;
  const asBefore = {
    baseContractId: proposal.baseContractId,
    changes: proposal.changes,
    breakingChanges: proposal.breakingChanges,
  };
  const changes =
    proposal.proposed.kind === 'schema'
      ? (comparison?.changes ?? proposal.changes)
      : changesOfProposed(proposal.proposed, facts);
  const isSameBase = base?.id === proposal.baseContractId;
  const asksDiffer = asksOthers(facts, { comparison, verdicts }, isSameBase);
  const mayDiffer = mayTakeMore || asksDiffer;
  if (mayDiffer || !hasSameBreaks(changes, proposal.breakingChanges)) {
    const since = isSameBase
      ? 'The asset has changed since this proposal was made'
      : `The contract that this proposal was compared with is no longer the newest${base === null ? '' : ` (${base.version} is)`}`;
    return refuse(
      'PROPOSAL_STALE',
      `${since}, and ${asksDiffer ? 'whom it affects may differ' : `the breaking changes ${mayDiffer ? 'may differ' : 'differ'}`} now. Rebase the proposal, so that consumers answer its current state.`,
      {
        details: {
          base_contract_id: proposal.baseContractId,
          newest_contract_id: base?.id ?? null,
        },
      },
    );
  }
  if (isSameBase) return accept(asBefore);
  const breakingChanges = changes.filter((change) => change.breaking);
  return accept({ baseContractId: base?.id ?? null, changes, breakingChanges });
}

/** Whether a consumer who was not asked would be asked, or may be, if this were proposed now. */
function asksOthers(
  { asset, base, consumers, proposal }: ProposalFacts,
  { comparison, verdicts }: Pick<Prepared, 'comparison' | 'verdicts'>,
  isSameBase: boolean,
): boolean {
  const { asks, proposed } = proposal;
  const others = consumers.filter((each) => !isAsked(each, proposal));
  if (others.length > 0 && asksAllNow(asset.needsMode, asks)) return true;
  // Without a break, what a need says of the change depends on the contract before it.
  if (!isSameBase && asks === 'stated') return true;
  if (comparison === null || proposed.kind !== 'schema') return false;
  const now = askingOf(consumers, asset.needsMode, { base, terms: proposed, comparison, verdicts });
  return others.some((each) => isAsked(each, { asks, verdicts }) || isAsked(each, now));
}
