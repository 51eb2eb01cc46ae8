// The comments on a proposal, oldest first, and the form for another one.

import { type FormEvent, useState } from 'react';
import type { Comment, Proposal } from '../../data/shapes.ts';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { AreaField, SelectField } from '../../parts/form/form.tsx';
import { Await, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import {
  useActsFor,
  useIsAdmin,
  useTeamChoice,
  useViewer,
} from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { useReplaced } from './proposal-since.tsx';

/** The most that one request gives. */
const shownLimit = 100;

export function TalkPanel({ proposal }: { readonly proposal: Proposal }) {
  const before = useReplaced(proposal);
  const answer = useAnswer('listComments', commentsOn(proposal.id));
  const earlier = useAnswer('listComments', before === null ? null : commentsOn(before));
  const [replied, setReplied] = useState<Comment | null>(null);
  const { talk } = words.proposal;
  return (
    <Panel title={talk.title}>
      {earlier.kind === 'ready' && earlier.body.results.length > 0 && (
        <details className="earlier">
          <summary>{talk.earlier(earlier.body.results.length)}</summary>
          <CommentList comments={earlier.body.results.toReversed()} />
        </details>
      )}
      <Await answer={answer}>
        {({ results, next_cursor }) => (
          <>
            {results.length === 0 && <p className="muted">{talk.none}</p>}
            {next_cursor !== null && <p className="hint">{talk.hidden(results.length)}</p>}
            <CommentList comments={results.toReversed()} onReply={setReplied} />
          </>
        )}
      </Await>
      <CommentForm proposal={proposal} replied={replied} onReplied={setReplied} />
    </Panel>
  );
}

function commentsOn(proposalId: string) {
  return {
    params: { proposal_id: proposalId },
    query: { page_size: shownLimit, sort: '-written_at' },
  } as const;
}

function CommentList({
  comments,
  onReply,
}: {
  readonly comments: readonly Comment[];
  /** Absent where nobody can reply any more. */
  readonly onReply?: (comment: Comment) => void;
}) {
  const { talk } = words.proposal;
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  if (comments.length === 0) return null;
  return (
    <ol className="comments">
      {comments.map((comment) => {
        const replied = comment.reply_to === null ? undefined : byId.get(comment.reply_to);
        return (
          <li key={comment.id} className={comment.reply_to === null ? 'comment' : 'comment reply'}>
            <p className="muted">
              <strong>{nameOf(comment)}</strong> · <Time at={comment.written_at} />
              {replied !== undefined && ` · ${talk.replyTo(nameOf(replied))}`}
            </p>
            <p className="answer-note">{comment.text}</p>
            {onReply !== undefined && (
              <button type="button" className="link-button" onClick={() => onReply(comment)}>
                {talk.reply}
                <span className="hidden"> {nameOf(comment)}</span>
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The person, and for whom; a key is named after what it is for. */
function nameOf({ team_name, written_by: { name } }: Comment): string {
  return team_name === null ? name : `${name}, ${team_name}`;
}

function CommentForm({
  proposal,
  replied,
  onReplied,
}: {
  readonly proposal: Proposal;
  readonly replied: Comment | null;
  readonly onReplied: (comment: Comment | null) => void;
}) {
  const act = useAct();
  const teams = useConcernedTeams(proposal);
  const isAdmin = useIsAdmin();
  const isViewer = useViewer().session.role === 'viewer';
  const { teamId } = useTeamChoice();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { talk } = words.proposal;
  const team = teams.find(({ id }) => id === (chosen ?? teamId)) ?? teams[0];
  // An administrator without a team that it concerns speaks as such.
  const isFor = isAdmin && chosen === null && team?.id !== teamId ? undefined : team;
  if (isViewer) return <p className="hint">{words.viewer.comment}</p>;
  if (isFor === undefined && !isAdmin) return null;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (act.isRunning) return;
    const body = {
      text,
      ...(isFor !== undefined && { team_id: isFor.id }),
      ...(replied !== null && { reply_to: replied.id }),
    };
    const call = { params: { proposal_id: proposal.id }, body };
    if ((await act.run('commentOnProposal', call, talk.sent)) === null) return;
    setText('');
    onReplied(null);
  };
  return (
    <form className="stack" onSubmit={send}>
      {teams.length > 1 && !isAdmin && isFor !== undefined && (
        <SelectField
          label={talk.team}
          value={isFor.id}
          onText={setChosen}
          options={teams.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <AreaField
        label={replied === null ? talk.write : talk.replyTo(nameOf(replied))}
        hint={talk.writeHint}
        value={text}
        required
        maxLength={10_000}
        onText={setText}
      />
      <RefusalNote refusal={act.refusal} />
      <div className="decide">
        <button type="submit" className="button" aria-disabled={act.isRunning}>
          {act.isRunning ? words.actions.working : talk.send}
        </button>
        {replied !== null && (
          <button type="button" className="button button-quiet" onClick={() => onReplied(null)}>
            {talk.noReply}
          </button>
        )}
      </div>
    </form>
  );
}

/** The teams that the viewer may comment for. The registry checks it, too. */
function useConcernedTeams({ asset_id, consumers, excused_consumers = [] }: Proposal) {
  const asset = useAnswer('getAsset', { params: { asset_id } });
  const actsFor = useActsFor();
  const owner =
    asset.kind === 'ready'
      ? [{ id: asset.body.owner_team_id, name: asset.body.owner_team_name }]
      : [];
  const asked = [...consumers, ...excused_consumers];
  return [
    ...owner,
    ...asked.map(({ team_id, team_name }) => ({ id: team_id, name: team_name })),
  ].filter(({ id }) => actsFor(id));
}
