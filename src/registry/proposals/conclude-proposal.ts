// Publish, force and auto_publish: they compare before the lock and decide under it.

import type { Change, Comparison } from '../../core/comparison.ts';
import { termsOf } from '../../core/contract.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { PublishedProposal } from '../../core/decide/commands.ts';
import type { ProposalFacts } from '../../core/decide/facts.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { isBesideBreaks } from '../../core/decide/proposals/beside-breaks.ts';
import type { Conclusion } from '../../core/decide/proposals/carry-out.ts';
import { type ConcludeFacts, decideConclusion } from '../../core/decide/proposals/conclude.ts';
import type { Outcome } from '../../core/failure.ts';
import type { Verdicts } from '../../core/need.ts';
import type { Proposal } from '../../core/proposal.ts';
import { actorOfUser } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import { findName } from '../assets/find-name.ts';
import { findVerdicts } from '../contracts/consumer-verdicts.ts';
import { compareTerms } from '../contracts/terms.ts';
import type { Context, Ports, PublishBase } from '../ports.ts';
import { reviewNeeds } from '../registrations/review-needs.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';

export async function concludeProposal(
  ports: Ports,
  context: Context<PublishedProposal>,
  conclusion: Conclusion,
): Promise<Outcome<PublishedProposal>> {
  const { act, proposalId } = conclusion;
  let hasNeeds = false;
  const outcome = await tryAgain<PublishedProposal>(async () => {
    const proposal = await ports.reads.getProposal(proposalId);
    const found = proposal === null ? null : await ports.reads.getPublishBase(proposal.assetId);
    if (proposal === null || found === null) return notFound('PROPOSAL', proposalId);
    ({ hasNeeds } = found);
    const comparison = await compareAgain(ports, proposal, found);
    const mayTakeMore = comparison !== null && !(await isAnswered(ports, proposal, found));
    const breaksBackward =
      act === 'force' ? await seeBackward(ports, proposal, found, comparison) : null;
    const needsTwo = ports.policy.fourEyes;
    const verdicts = await judgeAgain(ports, proposal, found, comparison);
    const judged = { comparison, mayTakeMore, verdicts, breaksBackward };
    const prepared = { ...found, ...judged, needsTwo };
    return ports.attempt(context, async (transaction) => {
      const facts = await gather(transaction, proposal, found);
      if (facts === null) return notFound('PROPOSAL', proposalId);
      const by = byOf(context, transaction);
      return applyDecided(transaction, decideConclusion(facts, conclusion, prepared, by));
    });
  });
  if (hasNeeds && outcome.ok && outcome.value.contract !== null) {
    await reviewNeeds(ports, context, outcome.value.contract.assetId);
  }
  return outcome;
}

/** Locks the new name of a move before the asset: every verb locks in this order. */
async function gather(
  transaction: Transaction,
  { id, proposed }: Proposal,
  { asset }: PublishBase,
): Promise<ConcludeFacts | null> {
  const isMove = proposed.kind === 'move';
  const name = isMove ? await findName(transaction, asset, proposed.environment) : null;
  const facts = await transaction.lockProposal(id);
  if (facts === null) return null;
  const newOwner = isMove ? await transaction.holdTeam(proposed.ownerTeamId) : null;
  const mayStillForce = await mayForce(transaction, facts);
  return { ...facts, name, hasNewOwner: newOwner !== null, mayStillForce };
}

/**
 * Held until the end of the transaction, so a demotion comes either before the force or after it.
 */
async function mayForce(
  transaction: Transaction,
  { asset, proposal }: ProposalFacts,
): Promise<boolean> {
  const userId = proposal.forceRequested?.userId;
  const user = userId === undefined ? null : await transaction.holdUser(userId);
  if (user === null) return false;
  return decideAccess(actorOfUser(user), 'force_proposal', asset.ownerTeamId).ok;
}

/**
 * Compares again if the newest contract is not the one that consumers were asked about, or if what it
 * does to guarantees may be a break by now, because the asset has become strict.
 */
export async function compareAgain(
  ports: Ports,
  proposal: Proposal,
  { asset, base }: PublishBase,
): Promise<Comparison | null> {
  const { proposed } = proposal;
  if (proposed.kind !== 'schema' || base === null) return null;
  const isLenient = ({ breaking, path }: Change) => !breaking && path.startsWith('$.guarantees');
  const mayBreakNow = asset.guaranteeMode === 'strict' && proposal.changes.some(isLenient);
  if (base.id === proposal.baseContractId && !mayBreakNow) return null;
  return compareTerms(ports.engine, base, termsOf(proposed), asset.guaranteeMode);
}

/** Whether the answers cover what was published since the contract that they are about. */
async function isAnswered(
  { reads, engine }: Ports,
  { baseContractId, breakingChanges }: Proposal,
  { asset, base }: PublishBase,
): Promise<boolean> {
  if (base?.id === baseContractId) return true;
  const asked = baseContractId === null ? null : await reads.getContract(baseContractId);
  if (asked === null || base === null) return false;
  const since = await compareTerms(engine, asked, termsOf(base), asset.guaranteeMode);
  return isBesideBreaks(since.changes, breakingChanges, base.schema);
}

/** What the new comparison means for each need of a consumer. */
export async function judgeAgain(
  ports: Ports,
  { assetId, proposed }: Proposal,
  { base, hasNeeds }: PublishBase,
  comparison: Comparison | null,
): Promise<Verdicts> {
  if (!hasNeeds || comparison === null || base === null || proposed.kind !== 'schema') return {};
  const change = { assetId, old: termsOf(base), next: termsOf(proposed), comparison };
  return findVerdicts(ports, change);
}

/**
 * Finds consumers who were not asked, to notify them of a version that would break under backward.
 */
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
