import { type Actor, actorReference, hasScope } from '../../core/actor.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { Acknowledged, AcknowledgeProposal } from '../../core/decide/commands.ts';
import { proposalEvent } from '../../core/decide/events.ts';
import type { ProposalFacts } from '../../core/decide/facts.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { checkReason } from '../../core/decide/reason.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { TeamId, Timestamp } from '../../core/id.ts';
import { type Proposal, type ProposalConsumer, progressOf } from '../../core/proposal.ts';
import { decideProposalStep, type ProposalStep } from '../../core/proposal-machine.ts';
import { onlyTeamOf } from '../../core/team.ts';
import type { Verb } from '../commands.ts';
import type { Context } from '../ports.ts';
import type { Transaction } from '../transaction.ts';
import { circumstancesOf } from './proposing.ts';
import { settleProposal } from './settle-proposal.ts';

/** One answer of one consumer team; answering again replaces it. */
export const acknowledgeProposal: Verb<AcknowledgeProposal, Acknowledged> = async (
  ports,
  context,
  command,
) => {
  const checked = checkAnswer(command, context.now());
  if (!checked.ok) return checked;
  const team = answeringTeam(context.actor, command);
  if (!team.ok) return team;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockProposal(command.proposalId);
    if (facts === null) return notFound('PROPOSAL', command.proposalId);
    return acknowledge(transaction, context, command, team.value, facts);
  });
  if (outcome.ok && outcome.value.proposal.progress.canPublish) {
    await settleProposal(ports, context, outcome.value.proposal.assetId);
  }
  return outcome;
};

function checkAnswer(command: AcknowledgeProposal, now: Timestamp): Outcome<true> {
  if (command.response === 'blocked' && (command.notes ?? '').trim() === '') {
    return refuse('VALIDATION_ERROR', 'Explain in notes why you block the proposal.', {
      field: 'notes',
    });
  }
  if (command.until !== undefined && command.response !== 'migrating') {
    return refuse('VALIDATION_ERROR', 'until is only allowed with the response "migrating".', {
      field: 'until',
    });
  }
  // Its registration would move at once: who wants that approves, and who does not mistook the year.
  if (command.until !== undefined && Date.parse(command.until) <= Date.parse(now)) {
    return refuse(
      'VALIDATION_ERROR',
      'The date in until has passed. Choose a future date, or answer "approved".',
      { field: 'until' },
    );
  }
  return accept(true);
}

function answeringTeam(
  actor: Actor,
  { teamId: named, reason }: AcknowledgeProposal,
): Outcome<TeamId> {
  if (!hasScope(actor.scope, 'admin') && actor.teams.length === 0) {
    return refuse(
      'FORBIDDEN',
      'You are not in a team, so you cannot answer. Ask an administrator to add you to a team.',
    );
  }
  const team = named ?? onlyTeamOf(actor);
  if (team === null) {
    return refuse('VALIDATION_ERROR', 'You act for several teams. Choose one in team_id.', {
      field: 'team_id',
    });
  }
  const access = decideAccess(actor, 'acknowledge_proposal', team);
  if (!access.ok) return access;
  if (isOwnTeam(actor, team)) return accept(team);
  const checked = checkReason(reason);
  return checked.ok ? accept(team) : checked;
}

/** An administrator may answer for any team; for another one only with a reason. */
function isOwnTeam(actor: Actor, team: TeamId): boolean {
  return !hasScope(actor.scope, 'admin') || (actor.teams !== 'all' && actor.teams.includes(team));
}

async function acknowledge(
  transaction: Transaction,
  context: Context<Acknowledged>,
  command: AcknowledgeProposal,
  teamId: TeamId,
  facts: ProposalFacts,
): Promise<Outcome<Acknowledged>> {
  const { asset, proposal } = facts;
  const consumer = facts.consumers.find((candidate) => candidate.teamId === teamId);
  if (consumer === undefined) {
    return refuse(
      'FORBIDDEN',
      `Team ${teamId} is not a registered consumer of ${asset.fqn}, so it cannot answer this proposal.`,
    );
  }
  const isCurrent = checkRound(command, proposal);
  if (!isCurrent.ok) return isCurrent;
  const act = command.response === 'blocked' ? 'block' : 'acknowledge';
  const step = decideProposalStep(proposal.status, act, {
    ...circumstancesOf(facts),
    blockedByThisTeam: hasBlocked(facts, teamId),
  });
  if (!step.ok) return step;

  const at = transaction.now();
  const answered = withAnswer(proposal.consumers, teamId, command, at);
  await transaction.apply([answerWrite(context, command, facts, { teamId, at, step: step.value })]);
  return accept({
    acknowledged: command.response !== 'blocked',
    acknowledgedAt: at,
    remainingConsumers: progressOf(step.value.to, answered).remaining,
    proposal: {
      ...proposal,
      status: step.value.to,
      consumers: answered,
      progress: progressOf(step.value.to, answered),
    },
  });
}

/** An answer is about what its team has read: not about what was compared again since. */
function checkRound(command: AcknowledgeProposal, proposal: Proposal): Outcome<true> {
  if (command.round !== undefined && command.round !== proposal.round) {
    return refuse(
      'PROPOSAL_CHANGED',
      `This answers round ${command.round} of the proposal, which is in round ${proposal.round}: it was compared again, and the consumers are asked anew. Read it again, then answer with its round.`,
      {
        field: 'round',
        details: {
          round: proposal.round,
          base_contract_id: proposal.baseContractId,
          breaking_changes: proposal.breakingChanges.slice(0, shownChangesLimit),
        },
      },
    );
  }
  return command.precondition?.(proposal) === false ? preconditionFailed() : accept(true);
}

/** A refusal shows some of what changed; the proposal has it all. */
const shownChangesLimit = 50;

/** It may take its answer back, unless a newer proposal came since, or the asset went. */
function hasBlocked(facts: ProposalFacts, teamId: TeamId): boolean {
  const { asset, proposal } = facts;
  if (asset.deletedAt !== null || circumstancesOf(facts).isSuperseded) return false;
  return proposal.consumers.some(
    (consumer) => consumer.teamId === teamId && consumer.response === 'blocked',
  );
}

function withAnswer(
  consumers: readonly ProposalConsumer[],
  teamId: TeamId,
  command: AcknowledgeProposal,
  at: Timestamp,
): readonly ProposalConsumer[] {
  const acknowledged = command.response !== 'blocked';
  return consumers.map((consumer) =>
    consumer.teamId !== teamId
      ? consumer
      : {
          ...consumer,
          acknowledged,
          acknowledgedAt: acknowledged ? at : null,
          response: command.response,
          until: command.until ?? null,
          notes: command.notes ?? null,
        },
  );
}

function answerWrite(
  context: Context<Acknowledged>,
  command: AcknowledgeProposal,
  facts: ProposalFacts,
  answer: { readonly teamId: TeamId; readonly at: Timestamp; readonly step: ProposalStep },
): Write {
  const { asset, consumers, proposal } = facts;
  const { teamId, at, step } = answer;
  const teamName = consumers.find((consumer) => consumer.teamId === teamId)?.teamName ?? null;
  const event = proposalEvent(
    step.event,
    asset,
    proposal,
    { from: proposal.status, to: step.to },
    {
      teamIds: [teamId],
      more: {
        consumer_team_id: teamId,
        consumer_team_name: teamName,
        response: command.response,
        until: command.until ?? null,
        notes: command.notes ?? null,
        round: proposal.round,
        ...(command.reason === undefined ? {} : { reason: command.reason.trim() }),
      },
    },
  );
  return {
    kind: 'insert_acknowledgement',
    acknowledgement: {
      id: context.newId(),
      proposalId: proposal.id,
      round: proposal.round,
      teamId,
      response: command.response,
      until: command.until ?? null,
      notes: command.notes ?? null,
      answeredAt: at,
      answeredBy: actorReference(context.actor),
    },
    becomes: step.to,
    events: [event],
  };
}
