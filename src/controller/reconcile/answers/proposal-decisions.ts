// The answers of a ContractProposal for consumers, and its decision for the producer.

import { actsFor } from '../../../core/actor.ts';
import { proposedDigestOf } from '../../../core/decide/publishing/publish.ts';
import { accept, type Outcome } from '../../../core/failure.ts';
import { isProposedByManager, type Proposal } from '../../../core/proposal.ts';
import { isOpen } from '../../../core/proposal-machine.ts';
import { questionDigest } from '../../effective.ts';
import { notPermitted, type ProposalWork } from '../proposal-work.ts';
import { confirmConsumers, confirmTeam, contextOf, isMadeBy } from '../world.ts';
import { giveAnswer, isAnswerable } from './give-answer.ts';

/**
 * Answers for the teams of the namespace. Returns messages for the status about answers that could
 * not be given.
 */
export async function answerProposal(
  { world, object, spec, teams, actor, digests }: ProposalWork,
  proposal: Proposal,
): Promise<Outcome<readonly string[]>> {
  const notGiven: string[] = [];
  for (const { team: slug, ...written } of spec.acknowledgements ?? []) {
    const team = teams.find((candidate) => candidate.slug === slug);
    if (team === undefined) {
      const own = teams.map((one) => one.slug).join(', ');
      return notPermitted(
        `Namespace ${object.namespace} answers for ${own}, not for ${slug}: that team answers from its own namespace, by a ContractRegistration, or through the API.`,
      );
    }
    if (!isAnswerable(proposal)) continue;
    const earlier = await world.ports.reads.listAnswers(proposal.assetId, team.id);
    const given = await giveAnswer(world, actor, {
      namespace: object.namespace,
      proposal,
      teamId: team.id,
      written,
      earlier,
      // The answer may be about another change: the object proposed one when the answer was written, or this
      // team has answered one that the object proposed.
      isExact:
        !digests.areOutdated &&
        !earlier.some((one) => isMadeBy(object, one.actor) && one.proposal.id !== proposal.id),
      howToRepeat: 'write another reason',
    });
    if (!given.ok) return given;
    if (given.value.state === 'Stale') notGiven.push(`${slug}: ${given.value.message}`);
  }
  return accept(notGiven);
}

/** Carries out a decision as soon as possible; does nothing if that has already happened. */
export async function decideOnProposal(
  work: ProposalWork,
  found: Proposal,
): Promise<Outcome<true>> {
  const { world, object, spec, asset, actor } = work;
  const { decision = 'Pending', decisionDigest, decisionReason: reason = '' } = spec;
  if (decision === 'Pending') return accept(true);
  const { ports, verbs } = world;
  // Read again, to include the answers just given.
  const proposal = (await ports.reads.getProposal(found.id)) ?? found;
  const mayStill =
    isOpen(proposal.status) ||
    (proposal.status === 'rejected' && (decision === 'Withdraw' || decision === 'Force'));
  if (!mayStill) return accept(true);
  // The decision was made about a different change than the current one.
  if (decisionDigest !== undefined && decisionDigest !== questionDigest(proposal)) {
    return accept(true);
  }
  if (!actsFor(actor, asset.ownerTeamId)) {
    return notPermitted(
      `Only ${asset.ownerTeamName} may set ${decision}, and namespace ${object.namespace} does not act for that team.`,
    );
  }
  const waits = (decision === 'Approve' || decision === 'Publish') && !proposal.progress.canPublish;
  const isDone = decision === 'Approve' && proposal.status === 'approved';
  if (waits || isDone) return accept(true);
  const confirmed = await confirmTeam(world, object.namespace, actor);
  if (!confirmed.ok) return confirmed;
  const context = contextOf(world, actor);
  const command = { proposalId: proposal.id };
  switch (decision) {
    case 'Approve':
      return settled(await verbs.approveProposal(ports, context, command));
    case 'Publish': {
      if (isProposedByManager(asset, proposal)) {
        const confirmed = await confirmConsumers(world, object, asset);
        if (!confirmed.ok) return confirmed;
        return settled(await verbs.publishProposal(ports, context, command));
      }
      // Parked: the DataContract still requests something else, until it has the same change.
      if (proposal.status === 'approved') return accept(true);
      return settled(await verbs.approveProposal(ports, context, command));
    }
    case 'Withdraw':
      return settled(await verbs.withdrawProposal(ports, context, { ...command, reason }));
    case 'Force': {
      if (!world.allowForce || world.source.kind !== 'cluster') {
        return notPermitted(
          'Forcing from a resource is disabled. Ask an administrator to force the proposal through the API, or set ALLOW_FORCE_FROM_RESOURCES.',
        );
      }
      if (spec.schemaFrom !== undefined) {
        // Anyone who may write the ConfigMap could change what is forced.
        return notPermitted(
          'Only a change that stands in this object can be forced. Write it in spec.schema in place of spec.schemaFrom.',
        );
      }
      const used = await findForced(work, proposal, reason);
      if (!used.ok) return used;
      if (used.value !== null) {
        return notPermitted(
          `Proposal ${used.value.id} was forced for this reason and asked the same: a decision forces once. To force proposal ${proposal.id} too, write another decisionReason.`,
        );
      }
      // The chart's policy has already asked the cluster's authorizer who may write this decision.
      const forcing = contextOf(world, { ...actor, scope: 'admin' });
      return settled(await verbs.forceProposal(ports, forcing, { ...command, reason }));
    }
    default:
      return decision satisfies never;
  }
}

/** More than an asset is forced in years. */
const forcedLimit = 100;

/**
 * A proposal that this decision has already forced. An object restored without its status proposes
 * again, and nobody decided about what was published since.
 */
async function findForced(
  { world, asset }: ProposalWork,
  proposal: Proposal,
  reason: string,
): Promise<Outcome<Proposal | null>> {
  const { reads } = world.ports;
  const listed = await reads.listProposals({
    assetId: asset.id,
    status: 'force_published',
    page: 1,
    pageSize: forcedLimit,
    includeTotal: false,
  });
  if (!listed.ok) return listed;
  const asked = proposedDigestOf(proposal.proposed);
  for (const { id } of listed.value.results) {
    const forced = await reads.getProposal(id);
    const isSame = forced !== null && proposedDigestOf(forced.proposed) === asked;
    if (isSame && forced.reason === reason.trim()) return accept(forced);
  }
  return accept(null);
}

/** If somebody else decided in the meantime, the next reconcile sees the result. */
function settled(outcome: Outcome<unknown>): Outcome<true> {
  return outcome.ok || outcome.failure.code === 'PROPOSAL_NOT_PENDING' ? accept(true) : outcome;
}
