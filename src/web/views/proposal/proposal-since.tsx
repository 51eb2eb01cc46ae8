// What changed since the viewer's team answered in an earlier round, or a proposal that this one replaced.

import type { Proposal } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { ChangeList } from '../../parts/change-list.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { useActsFor, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

/** The proposal that this one replaced; null if there is none, or while it is not known. */
export function useReplaced(proposal: Proposal): string | null {
  const revisions = useAnswer('listRevisions', revisionsOf(proposal));
  if (revisions.kind !== 'ready') return null;
  const before = revisions.body.results.find(({ proposal_id }) => proposal_id !== proposal.id);
  return before?.proposal_id ?? null;
}

export function Replaced({ proposal }: { readonly proposal: Proposal }) {
  const before = useReplaced(proposal);
  if (before === null) return null;
  return (
    <p>
      <Link to={paths.proposal(before)}>{words.proposal.since.replaces}</Link>
    </p>
  );
}

export function revisionsOf({ id }: Proposal) {
  return { params: { proposal_id: id } };
}

export function SincePanel({ proposal }: { readonly proposal: Proposal }) {
  const revisions = useAnswer('listRevisions', revisionsOf(proposal));
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  if (proposal.resolved_at !== null || revisions.kind !== 'ready') return null;
  // A team that has answered this round has read it.
  const awaited = proposal.consumers.filter(({ response }) => response === undefined);
  const mine = awaited.filter(({ team_id }) => actsFor(team_id));
  const me = mine.find(({ team_id }) => team_id === teamId) ?? mine[0];
  const answerOf = (answers: (typeof revisions.body.results)[number]['answers']) =>
    answers.find(({ team_id }) => team_id === me?.team_id);
  const found = revisions.body.results.find(({ answers }) => answerOf(answers) !== undefined);
  const given = found === undefined ? undefined : answerOf(found.answers);
  if (found === undefined || given === undefined) return null;
  const { since, responses } = words.proposal;
  return (
    <Panel
      title={
        found.proposal_id === proposal.id
          ? since.title(given.team_name, found.round)
          : since.titleReplaced(given.team_name)
      }
    >
      <p className="muted">
        {since.answered}: {responses[given.response]}
        {given.notes !== undefined && (
          <>
            {', '}
            <q>{given.notes}</q>
          </>
        )}
      </p>
      {found.added_count === 0 && found.removed_count === 0 && <p>{since.same}</p>}
      {found.added_count > 0 && (
        <>
          <p className="since">{since.added(found.added_count)}</p>
          <ChangeList changes={found.added} />
        </>
      )}
      {found.removed_count > 0 && (
        <>
          <p className="since">{since.removed(found.removed_count)}</p>
          <ChangeList changes={found.removed} />
        </>
      )}
    </Panel>
  );
}
