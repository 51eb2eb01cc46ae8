// One answer of one consumer team; a later answer replaces it.

import { type Actor, actorReference, hasScope } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId, Timestamp } from '../../id.ts';
import { type Proposal, type ProposalConsumer, progressOf } from '../../proposal.ts';
import { decideProposalStep, type ProposalStep } from '../../proposal-machine.ts';
import { onlyTeamOf } from '../../team.ts';
import { decideAccess, reasonForOther } from '../access.ts';
import type { Acknowledged, AcknowledgeProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { preconditionFailed } from '../not-found.ts';
import { circumstancesOf } from '../publishing/proposing.ts';
import type { Write } from '../write.ts';

/** Checks that need no facts. */
export function checkAnswer(command: AcknowledgeProposal, now: Timestamp): Outcome<true> {
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
  // The registration would move at once. A team that wants this approves, and otherwise the year is
  // probably wrong.
  if (command.until !== undefined && Date.parse(command.until) <= Date.parse(now)) {
    return refuse(
      'VALIDATION_ERROR',
      'The date in until has passed. Choose a future date, or answer "approved".',
      { field: 'until' },
    );
  }
  return accept(true);
}

export function answeringTeam(
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
  const checked = reasonForOther(actor, team, reason);
  return checked.ok ? accept(team) : checked;
}

export function decideAnswer(
  facts: ProposalFacts,
  command: AcknowledgeProposal,
  teamId: TeamId,
  by: By,
): Outcome<Decided<Acknowledged>> {
  const { proposal } = facts;
  const refused =
    checkConsumer(facts, teamId) ??
    checkRound(command.round, proposal) ??
    (command.precondition?.(proposal) === false ? preconditionFailed() : null);
  if (refused !== null) return refused;
  const act = command.response === 'blocked' ? 'block' : 'acknowledge';
  const step = decideProposalStep(proposal.status, act, {
    ...circumstancesOf(facts),
    blockedByThisTeam: hasBlocked(facts, teamId),
  });
  if (!step.ok) return step;
  const status = step.value.to;
  const consumers = withAnswer(proposal.consumers, teamId, command, by.at);
  const progress = progressOf(status, consumers);
  return accept({
    writes: [answerWrite(command, facts, { teamId, step: step.value }, by)],
    answer: {
      acknowledged: command.response !== 'blocked',
      acknowledgedAt: by.at,
      remainingConsumers: progress.remaining,
      proposal: { ...proposal, status, consumers, progress },
    },
  });
}

function checkConsumer({ asset, consumers }: ProposalFacts, teamId: TeamId): Outcome<never> | null {
  if (consumers.some((consumer) => consumer.teamId === teamId)) return null;
  return refuse(
    'FORBIDDEN',
    `Team ${teamId} is not a registered consumer of ${asset.fqn}, so it cannot answer this proposal.`,
  );
}

/** An answer or a force is about the round that its author has read, not about a later comparison. */
export function checkRound(round: number | undefined, proposal: Proposal): Outcome<never> | null {
  if (round === undefined || round === proposal.round) return null;
  return refuse(
    'PROPOSAL_CHANGED',
    `This is about round ${round} of the proposal, which is in round ${proposal.round}: it was compared again, and the consumers are asked anew. Read it again, then send its round.`,
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

/** A refusal shows some of the changes; the proposal has all of them. */
const shownChangesLimit = 50;

/** The team may withdraw its block, unless there is a newer proposal or the asset was deleted. */
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
  command: AcknowledgeProposal,
  facts: ProposalFacts,
  answer: { readonly teamId: TeamId; readonly step: ProposalStep },
  by: By,
): Write {
  const { asset, consumers, proposal } = facts;
  const { teamId, step } = answer;
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
      id: by.newId(),
      proposalId: proposal.id,
      round: proposal.round,
      teamId,
      response: command.response,
      until: command.until ?? null,
      notes: command.notes ?? null,
      answeredAt: by.at,
      answeredBy: actorReference(by.actor),
    },
    becomes: step.to,
    events: [event],
  };
}
