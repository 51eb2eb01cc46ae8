// A comment on a proposal, open or closed: by its producer, a consumer of the asset, or an administrator.

import { type Actor, actorReference, actsFor, hasScope } from '../../actor.ts';
import { type Comment, commentLimit } from '../../comment.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId } from '../../id.ts';
import type { CommentOnProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { CommentFacts, ProposalFacts } from '../facts.ts';
import { notFound } from '../not-found.ts';
import { teamIdsOf } from '../publishing/proposing.ts';

export function decideComment(
  facts: CommentFacts,
  command: CommentOnProposal,
  by: By,
): Outcome<Decided<Comment>> {
  const { asset, proposal } = facts;
  const team = writingTeam(facts, command, by.actor);
  if (!team.ok) return team;
  const { replyTo = null } = command;
  if (replyTo !== null && facts.repliedTo === null) return notFound('COMMENT', replyTo, 'reply_to');
  if (facts.commentCount >= commentLimit) {
    return refuse(
      'TOO_MANY_COMMENTS',
      `The proposal has ${commentLimit} comments, and no proposal can have more. Talk elsewhere, and say where in the request of the proposal.`,
    );
  }
  const comment: Comment = {
    id: by.newId(),
    proposalId: proposal.id,
    replyTo,
    round: proposal.round,
    teamId: team.value?.teamId ?? null,
    teamName: team.value?.teamName ?? null,
    text: command.text.trim(),
    writtenAt: by.at,
    writtenBy: actorReference(by.actor),
  };
  const told = new Set([asset.ownerTeamId, ...teamIdsOf(proposal.consumers)]);
  if (facts.repliedTo?.teamId != null) told.add(facts.repliedTo.teamId);
  if (comment.teamId !== null) told.delete(comment.teamId);
  const event = proposalEvent(
    'proposal.commented',
    asset,
    proposal,
    { from: proposal.status, to: proposal.status },
    {
      teamIds: [...told],
      more: {
        comment_id: comment.id,
        reply_to: replyTo,
        round: comment.round,
        comment_team_id: comment.teamId,
        comment_team_name: comment.teamName,
        text: comment.text,
      },
    },
  );
  return accept({
    writes: [{ kind: 'insert_comment', comment, events: [event] }],
    answer: comment,
  });
}

interface NamedTeam {
  readonly teamId: TeamId;
  readonly teamName: string;
}

/** The team that a comment is written for; null for an administrator who names none. */
function writingTeam(
  facts: ProposalFacts,
  { teamId }: CommentOnProposal,
  actor: Actor,
): Outcome<NamedTeam | null> {
  const concerned = concernedBy(facts);
  const isAdmin = hasScope(actor.scope, 'admin');
  const own = concerned.filter((team) => isMember(actor, team.teamId));
  if (teamId !== undefined) {
    const named = (isAdmin ? concerned : own).find((team) => team.teamId === teamId);
    return named !== undefined && hasScope(actor.scope, 'write')
      ? accept(named)
      : mayNot(facts, `for team ${teamId}`);
  }
  const [first, second] = own;
  if (second !== undefined && !isAdmin) {
    return refuse('VALIDATION_ERROR', 'You act for several teams. Choose one in team_id.', {
      field: 'team_id',
    });
  }
  if (first !== undefined && second === undefined && hasScope(actor.scope, 'write')) {
    return accept(first);
  }
  return isAdmin ? accept(null) : mayNot(facts, 'on it');
}

/** An administrator acts for every team, but is a member of few. */
function isMember(actor: Actor, teamId: TeamId): boolean {
  return hasScope(actor.scope, 'admin')
    ? actor.teams !== 'all' && actor.teams.includes(teamId)
    : actsFor(actor, teamId);
}

/** The owner, and every consumer, whether or not it is asked; of a closed proposal those asked, too. */
function concernedBy({ asset, consumers, proposal }: ProposalFacts): readonly NamedTeam[] {
  const all = [
    { teamId: asset.ownerTeamId, teamName: asset.ownerTeamName },
    ...consumers,
    ...proposal.consumers,
  ];
  return [...new Map(all.map(({ teamId, teamName }) => [teamId, { teamId, teamName }])).values()];
}

function mayNot({ asset }: ProposalFacts, what: string): Outcome<never> {
  return refuse(
    'FORBIDDEN',
    `You cannot comment ${what}. Only the owner team of ${asset.fqn}, its consumers and administrators may.`,
  );
}
