// An objection: of a team that the proposal does not ask. It is shown and told, and holds nothing back.

import { type Actor, actorReference } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId, Timestamp } from '../../id.ts';
import type { Objection, Proposal } from '../../proposal.ts';
import { decideProposalStep } from '../../proposal-machine.ts';
import { onlyTeamOf } from '../../team.ts';
import { decideAccess } from '../access.ts';
import type { ObjectToProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { ObjectionFacts } from '../facts.ts';
import { notFound } from '../not-found.ts';
import { circumstancesOf } from '../publishing/proposing.ts';
import { checkReason } from '../reason.ts';

interface Objecting {
  readonly teamId: TeamId;
  /** Null takes the objection back. */
  readonly reason: string | null;
}

/** Checks that need no facts. */
export function checkObjection(actor: Actor, command: ObjectToProposal): Outcome<Objecting> {
  const teamId = command.teamId ?? onlyTeamOf(actor);
  if (teamId === null) {
    return actor.scope !== 'admin' && actor.teams.length === 0
      ? refuse('FORBIDDEN', 'You are not in a team, so you cannot object.')
      : refuse('VALIDATION_ERROR', 'Choose the team that objects in team_id.', {
          field: 'team_id',
        });
  }
  const access = decideAccess(actor, 'object_to_proposal', teamId);
  if (!access.ok) return access;
  if (command.reason === null) return accept({ teamId, reason: null });
  const reason = checkReason(command.reason);
  return reason.ok ? accept({ teamId, reason: reason.value }) : reason;
}

export function decideObjection(
  facts: ObjectionFacts,
  { teamId, reason }: Objecting,
  by: By,
): Outcome<Decided<Proposal>> {
  const { asset, proposal, team } = facts;
  if (team === null) return notFound('TEAM', teamId, 'team_id');
  const before = proposal.objections.find((one) => one.teamId === teamId);
  // A team that is asked later may still take back what it said before.
  const refused = reason === null && before !== undefined ? null : checkUnasked(facts, teamId);
  if (refused !== null) return refused;
  const step = decideProposalStep(proposal.status, 'object', circumstancesOf(facts));
  if (!step.ok) return step;
  if ((before?.reason ?? null) === reason) return accept({ writes: [], answer: proposal });
  const others = proposal.objections.filter((one) => one.teamId !== teamId);
  const { id, name } = team;
  const objections =
    reason === null
      ? others
      : [...others, objectionOf({ teamId: id, teamName: name, reason, round: proposal.round }, by)];
  const event = proposalEvent(
    step.value.event,
    asset,
    proposal,
    { from: proposal.status, to: step.value.to },
    {
      teamIds: [id],
      more: { objecting_team_id: id, objecting_team_name: name, reason, round: proposal.round },
    },
  );
  return accept({
    writes: [{ kind: 'set_objections', id: proposal.id, objections, events: [event] }],
    answer: { ...proposal, objections },
  });
}

function objectionOf(
  said: Pick<Objection, 'teamId' | 'teamName' | 'reason' | 'round'>,
  { actor, at }: { readonly actor: Actor; readonly at: Timestamp },
): Objection {
  return { ...said, objectedAt: at, objectedBy: actorReference(actor) };
}

/** Who is asked answers, and the owner withdraws. */
function checkUnasked({ asset, proposal }: ObjectionFacts, teamId: TeamId): Outcome<never> | null {
  if (asset.ownerTeamId === teamId) {
    return refuse(
      'FORBIDDEN',
      `Team ${teamId} owns ${asset.fqn}. It can withdraw the proposal, or comment on it.`,
    );
  }
  if (!proposal.consumers.some((consumer) => consumer.teamId === teamId)) return null;
  return refuse(
    'FORBIDDEN',
    `The proposal asks team ${teamId}. It can answer "blocked", which holds the proposal back.`,
  );
}
