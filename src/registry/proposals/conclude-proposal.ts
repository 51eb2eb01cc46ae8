// Publish, force and auto_publish: three acts of the table, one way to carry them out.

import type { Asset } from '../../core/asset.ts';
import type { Comparison } from '../../core/comparison.ts';
import { termsOf } from '../../core/contract.ts';
import { type Act, decideAccess, decideManagement } from '../../core/decide/access.ts';
import type { PublishedProposal } from '../../core/decide/commands.ts';
import { hasSameBreaks, isVagueBreak } from '../../core/decide/contracts/publish.ts';
import { proposalEvent } from '../../core/decide/events.ts';
import type { ProposalFacts } from '../../core/decide/facts.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideForce } from '../../core/decide/proposals/four-eyes.ts';
import { changesOfProposed } from '../../core/decide/proposals/proposed-changes.ts';
import type { ProposalUpdate } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { isProposedByManager, type Proposal } from '../../core/proposal.ts';
import { decideProposalStep } from '../../core/proposal-machine.ts';
import { compareTerms } from '../contracts/terms.ts';
import { type Context, type Ports, type PublishBase, type StartOver, startOver } from '../ports.ts';
import type { Transaction } from '../transaction.ts';
import { type Compared, type Conclusion, carryOut } from './carry-out.ts';
import { circumstancesOf, updatedProposal, updateOf } from './proposing.ts';
import { isRequesterAdmin, requestForce } from './request-force.ts';

const accessOf: Readonly<Record<Conclusion['act'], Act>> = {
  publish: 'publish_proposal',
  force: 'force_proposal',
  auto_publish: 'force_proposal',
};

const attemptLimit = 100;

export async function concludeProposal(
  ports: Ports,
  context: Context<PublishedProposal>,
  conclusion: Conclusion,
): Promise<Outcome<PublishedProposal>> {
  for (let attempt = 0; attempt < attemptLimit; attempt++) {
    const proposal = await ports.reads.getProposal(conclusion.proposalId);
    if (proposal === null) return notFound('PROPOSAL', conclusion.proposalId);
    const found = await ports.reads.getPublishBase(proposal.assetId);
    if (found === null) return notFound('PROPOSAL', conclusion.proposalId);
    const comparison = await compareAgain(ports, proposal, found);
    const breaksBackward =
      conclusion.act === 'force' ? await seeBackward(ports, proposal, found, comparison) : null;
    const needsTwo = conclusion.act === 'force' && ports.policy.fourEyes;
    const prepared = { ...found, proposal, comparison, breaksBackward, needsTwo };
    const outcome = await ports.attempt(context, (transaction) =>
      concludeUnderLock(transaction, context, conclusion, prepared),
    );
    if (!('startOver' in outcome)) return outcome;
  }
  return refuse(
    'REGISTRY_UNAVAILABLE',
    'Other publishes changed the asset at the same time. Try again in a moment.',
  );
}

/** Only where the newest contract is another than the one the consumers were asked about. */
export async function compareAgain(
  ports: Ports,
  proposal: Proposal,
  { asset, base }: PublishBase,
): Promise<Comparison | null> {
  const { proposed } = proposal;
  if (proposed.kind !== 'schema' || base === null || base.id === proposal.baseContractId) {
    return null;
  }
  return compareTerms(ports.engine, base, termsOf(proposed), asset.guaranteeMode);
}

/** Whoever was not asked is told of a version that would have broken under backward. */
async function seeBackward(
  ports: Ports,
  { proposed }: Proposal,
  { asset, base }: PublishBase,
  comparison: Comparison | null,
): Promise<boolean | null> {
  if (proposed.kind !== 'schema' || base === null) return null;
  const compared =
    comparison ?? (await compareTerms(ports.engine, base, termsOf(proposed), asset.guaranteeMode));
  return compared.breaksBackward;
}

interface Prepared extends PublishBase {
  readonly proposal: Proposal;
  readonly comparison: Comparison | null;
  readonly breaksBackward: boolean | null;
  /** Whether it takes two administrators. */
  readonly needsTwo: boolean;
}

async function concludeUnderLock(
  transaction: Transaction,
  context: Context<PublishedProposal>,
  conclusion: Conclusion,
  prepared: Prepared,
): Promise<Outcome<PublishedProposal> | StartOver> {
  const { proposed } = prepared.proposal;
  if (proposed.kind === 'move') {
    const name = { fqn: prepared.asset.fqn, environment: proposed.environment };
    const taken = await findTaken(transaction, prepared.asset, name.environment);
    if (!taken.ok) return taken;
  }
  const facts = await transaction.lockProposal(conclusion.proposalId);
  if (facts === null) return notFound('PROPOSAL', conclusion.proposalId);
  const access = decideAccess(context.actor, accessOf[conclusion.act], facts.asset.ownerTeamId);
  if (!access.ok) return access;
  if (facts.asset.deletedAt !== null) return notFound('ASSET', facts.asset.id);
  const managed = decideManagement(context.actor, facts.asset, conclusion);
  if (!managed.ok) {
    const mayPark = conclusion.act === 'publish' && !conclusion.override;
    if (!mayPark) return managed;
    // What the place that manages it asks for itself is only waiting for this.
    if (!isProposedByManager(facts.asset, facts.proposal)) return park(transaction, facts);
  }
  const step = decideProposalStep(facts.proposal.status, conclusion.act, circumstancesOf(facts));
  if (!step.ok) return namingConsumers(step, facts.proposal);
  if (
    facts.base?.id !== prepared.base?.id ||
    facts.asset.guaranteeMode !== prepared.asset.guaranteeMode
  ) {
    return startOver;
  }
  if (proposed.kind === 'move' && (await transaction.holdTeam(proposed.ownerTeamId)) === null) {
    return refuse(
      'PROPOSAL_STALE',
      'The team that the asset would move to was deleted. Withdraw the proposal.',
    );
  }
  const current = rebaseSilently(facts, prepared.comparison);
  if (!current.ok) return current;
  const force = decideForce({
    needsTwo: prepared.needsTwo,
    actor: context.actor,
    proposal: facts.proposal,
    isRequesterAdmin: await isRequesterAdmin(transaction, facts.proposal),
  });
  if (!force.ok) return force;
  if (force.value.kind === 'request') {
    const { userId } = force.value;
    const reason = conclusion.reason ?? '';
    return requestForce(transaction, context, facts, { userId, reason });
  }
  return carryOut(transaction, context, facts, {
    conclusion,
    requested: force.value.requested,
    step: step.value,
    compared: current.value,
    breaksBackward: prepared.breaksBackward,
  });
}

/** Decided, and carried out once the place that manages the asset asks for the same. */
async function park(
  transaction: Transaction,
  facts: ProposalFacts,
): Promise<Outcome<PublishedProposal>> {
  if (facts.proposal.status === 'approved') {
    return accept({ proposal: facts.proposal, contract: null });
  }
  const parked = await parkProposal(transaction, facts);
  return parked.ok ? accept({ proposal: parked.value, contract: null }) : parked;
}

/** Parks the decision; publish still follows. Whoever registers meanwhile is asked first. */
export async function parkProposal(
  transaction: Transaction,
  facts: ProposalFacts,
): Promise<Outcome<Proposal>> {
  const { asset, proposal } = facts;
  const step = decideProposalStep(proposal.status, 'approve', circumstancesOf(facts));
  if (!step.ok) return namingConsumers(step, proposal);
  const set: ProposalUpdate = { ...updateOf(proposal), status: step.value.to };
  const transition = { from: proposal.status, to: step.value.to };
  const teamIds = proposal.consumers.map(({ teamId }) => teamId);
  const event = proposalEvent(step.value.event, asset, proposal, transition, { teamIds });
  await transaction.apply([{ kind: 'update_proposal', id: proposal.id, set, events: [event] }]);
  return accept(updatedProposal(proposal, set));
}

/** The name that a move wants: taken before any asset is locked, as everyone does. */
export async function findTaken(
  transaction: Transaction,
  asset: Pick<Asset, 'id' | 'fqn' | 'environment'>,
  environment: string,
): Promise<Outcome<true>> {
  if (environment === asset.environment) return accept(true);
  const name = await transaction.lockName({ fqn: asset.fqn, environment });
  if (name.living !== null && name.living !== asset.id) {
    return refuse(
      'ASSET_EXISTS',
      `${asset.fqn} already exists in ${environment} (${name.living}). Choose another environment.`,
      { field: 'environment', details: { asset_id: name.living } },
    );
  }
  if (name.predecessorConsumers > 0) {
    return refuse(
      'ASSET_EXISTS',
      `A deleted ${asset.fqn} in ${environment} still has ${name.predecessorConsumers} consumers (${name.predecessor}). Restore that asset, or have its consumers leave first.`,
      { field: 'environment', details: { asset_id: name.predecessor } },
    );
  }
  return accept(true);
}

/** Says who is still awaited. */
function namingConsumers<T>(refused: Outcome<T>, proposal: Proposal): Outcome<T> {
  if (refused.ok) return refused;
  const { failure } = refused;
  const remaining = proposal.consumers.filter((consumer) => !consumer.acknowledged);
  const details =
    failure.code === 'PROPOSAL_NOT_READY'
      ? {
          ...failure.details,
          awaiting: remaining.map(({ teamId, teamName }) => ({
            team_id: teamId,
            team_name: teamName,
          })),
        }
      : failure.details;
  return { ok: false, failure: { ...failure, ...(details === undefined ? {} : { details }) } };
}

/**
 * Consumers answered about the breaks with one contract; where the newest is another one with the
 * same breaks their answers hold, and where the breaks differ, or may, they must be asked again.
 */
function rebaseSilently(facts: ProposalFacts, comparison: Comparison | null): Outcome<Compared> {
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
  const mayDiffer = !isSameBase && changes.some(isVagueBreak);
  if (mayDiffer || !hasSameBreaks(changes, proposal.breakingChanges)) {
    const since = isSameBase
      ? 'The asset has changed since this proposal was made'
      : `The contract that this proposal was compared with is no longer the newest${base === null ? '' : ` (${base.version} is)`}`;
    return refuse(
      'PROPOSAL_STALE',
      `${since}, and the breaking changes ${mayDiffer ? 'may differ' : 'differ'} now. Rebase the proposal, so that consumers answer its current state.`,
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
