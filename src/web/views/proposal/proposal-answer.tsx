// The form for a consumer's answer. A draft survives if the proposal is decided meanwhile: it is
// shown with the decision, and with what is still possible.

import { type FormEvent, useId, useState } from 'react';
import type { Proposal, ProposalConsumer } from '../../data/shapes.ts';
import { type Act, useAct } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { AreaField, CopyButton, Radios, SelectField, TextField } from '../../parts/form/form.tsx';
import { ReasonField } from '../../parts/form/reason-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { endOfDay } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import {
  useActsFor,
  useIsForOther,
  useOnlyReadsFor,
  useTeamChoice,
} from '../../session/session-context.tsx';
import { words } from '../../words.ts';

type Response = 'approved' | 'migrating' | 'blocked';

/** An answer that is being written, for one team. */
interface Draft {
  readonly teamId: string;
  readonly teamName: string;
  /** Null until it is chosen: no answer is more likely than another. */
  readonly response: Response | null;
  readonly until: string;
  readonly notes: string;
  /** The round of the proposal when the draft was begun. */
  readonly round: number;
  /** Why an administrator answers for a team that is not their own. */
  readonly reason: string;
}

export function AnswerPanel({ proposal }: { readonly proposal: Proposal }) {
  const act = useAct();
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  const isForOther = useIsForOther();
  const onlyReadsFor = useOnlyReadsFor();
  const mine = proposal.consumers.filter((consumer) => actsFor(consumer.team_id));
  const [chosen, setChosen] = useState<string | null>(null);
  const [written, setWritten] = useState<Draft | null>(null);
  const [isReopened, setReopened] = useState(false);
  // Keep the team that the user has begun to write for, even if others answer meanwhile.
  const wanted = written?.teamId ?? chosen;
  // An administrator chooses for whom: of several other teams none is more likely than another.
  const own = mine.length === 1 ? mine : mine.filter(({ team_id }) => !isForOther(team_id));
  const me =
    written === null
      ? (mine.find(({ team_id }) => team_id === wanted) ??
        mine.find(({ team_id }) => team_id === teamId) ??
        own.find(({ response }) => response === undefined) ??
        own[0])
      : mine.find(({ team_id }) => team_id === wanted);
  const mayAnswer = me !== undefined && isAsked(proposal, me);
  // Others may decide meanwhile; the draft and the last refusal stay visible.
  const isKept = written !== null || act.refusal !== null || act.isRunning;
  const mayChoose = !mayAnswer && !isKept && mine.some((consumer) => isAsked(proposal, consumer));
  const name = written?.teamName ?? me?.team_name ?? null;
  const read = proposal.consumers.find(
    (consumer) => onlyReadsFor(consumer.team_id) && isAsked(proposal, consumer),
  );
  if (read !== undefined) {
    return (
      <Panel title={words.proposal.yourAnswer(read.team_name)}>
        <p className="muted">{words.viewer.answer(read.team_name)}</p>
      </Panel>
    );
  }
  if (!mayAnswer && !mayChoose && (name === null || !isKept)) return null;
  const isOfOther = me !== undefined && isForOther(me.team_id);
  const forget = () => {
    setWritten(null);
    setReopened(false);
    act.forget();
  };
  return (
    <Panel
      title={words.proposal.yourAnswer(mayChoose ? null : name)}
      className={isOfOther ? 'panel-answer' : 'panel-answer panel-asked'}
    >
      {(me !== undefined || mayChoose) && mine.length > 1 && (
        <SelectField
          className="answer-team"
          label={words.consumers.team}
          value={me?.team_id ?? ''}
          onText={(next) => {
            setChosen(next);
            forget();
          }}
          options={[
            ...(me === undefined ? [{ value: '', label: words.proposal.chooseTeam }] : []),
            ...mine.map(({ team_id, team_name }) => ({ value: team_id, label: team_name })),
          ]}
        />
      )}
      {mayAnswer && me.response !== undefined && written === null && !isReopened ? (
        <div className="stack">
          <p>{words.proposal.answered(me.team_name, words.proposal.responses[me.response])}</p>
          <button type="button" className="button" onClick={() => setReopened(true)}>
            {words.proposal.answerAgain}
          </button>
        </div>
      ) : mayChoose ? null : (
        <AnswerForm
          key={written?.teamId ?? me?.team_id}
          proposal={proposal}
          draft={written ?? emptyDraft(me, proposal)}
          mayAnswer={mayAnswer || act.isRunning}
          act={act}
          onDraft={setWritten}
          onForget={forget}
        />
      )}
    </Panel>
  );
}

function isAsked({ status }: Proposal, me: ProposalConsumer): boolean {
  return status === 'pending' || (status === 'rejected' && me.response === 'blocked');
}

function emptyDraft(me: ProposalConsumer | undefined, { round }: Proposal): Draft {
  const { team_id: teamId = '', team_name: teamName = '' } = me ?? {};
  return { teamId, teamName, response: null, until: '', notes: '', round, reason: '' };
}

function AnswerForm({
  proposal,
  draft,
  mayAnswer,
  act,
  onDraft,
  onForget,
}: {
  readonly proposal: Proposal;
  readonly draft: Draft;
  readonly mayAnswer: boolean;
  readonly act: Act;
  readonly onDraft: (draft: Draft) => void;
  readonly onForget: () => void;
}) {
  const { response, until, notes, round, reason } = draft;
  const isForOther = useIsForOther()(draft.teamId);
  const isOutdated = mayAnswer && round !== proposal.round;
  const change = (changed: Partial<Draft>) => onDraft({ ...draft, ...changed });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (act.isRunning || !mayAnswer || isOutdated || response === null) return;
    const body = {
      response,
      team_id: draft.teamId,
      round,
      ...(isForOther && { reason }),
      ...(notes !== '' && { notes }),
      ...(response === 'migrating' && until !== '' && { until: endOfDay(until) }),
    };
    const call = { params: { proposal_id: proposal.id }, body };
    const taken = await act.run('acknowledgeProposal', call, words.proposal.sent);
    // The next answer is a new one, so this draft does not belong to it.
    if (taken !== null) onForget();
  };
  const isBlock = response === 'blocked';
  const hasText = notes !== '';
  return (
    <form className="stack" onSubmit={submit}>
      {mayAnswer && <ResponseChoice response={response} onChange={change} />}
      {!mayAnswer && <TooLate proposal={proposal} draft={draft} />}
      {/* As high for each answer, so that a choice moves nothing below. */}
      <div className={mayAnswer ? 'answer-text' : ''}>
        {mayAnswer && response === 'migrating' && (
          <TextField
            label={words.proposal.untilLabel}
            type="date"
            value={until}
            onText={(next) => change({ until: next })}
          />
        )}
        {/* The same field before and after sending, so that it keeps the focus and its text can be selected. */}
        {(mayAnswer || hasText) && (
          <AreaField
            label={
              mayAnswer
                ? words.proposal[isBlock ? 'blockReason' : 'message']
                : words.proposal.late.text
            }
            rows={2}
            value={notes}
            required={isBlock}
            readOnly={!mayAnswer}
            onText={(next) => change({ notes: next })}
            {...(isBlock && mayAnswer && { hint: words.proposal.blockReasonHint })}
          />
        )}
      </div>
      {mayAnswer && isForOther && (
        <ReasonField
          label={words.proposal.reasonForOther(draft.teamName)}
          reason={reason}
          onText={(next) => change({ reason: next })}
        />
      )}
      {isOutdated && (
        <div className="note note-warn" role="status">
          <Icon name="alert" />
          <p>{words.proposal.changed}</p>
          <button
            type="button"
            className="button"
            onClick={() => {
              act.forget();
              change({ round: proposal.round });
            }}
          >
            {words.proposal.changedRead}
          </button>
        </div>
      )}
      <RefusalNote refusal={act.refusal} />
      {mayAnswer ? (
        <button
          type="submit"
          className={`button ${isBlock ? 'button-danger' : 'button-main'}`}
          aria-disabled={act.isRunning || isOutdated}
        >
          {act.isRunning ? words.actions.working : words.proposal.send}
        </button>
      ) : (
        <div className="decide">
          {hasText && <CopyButton text={notes} label={words.proposal.late.copy} />}
          <button type="button" className="button button-quiet" onClick={onForget}>
            {words.proposal.late.discard}
          </button>
        </div>
      )}
    </form>
  );
}

function ResponseChoice({
  response,
  onChange,
}: {
  readonly response: Response | null;
  readonly onChange: (changed: { readonly response: Response }) => void;
}) {
  const name = useId();
  const { approve, approveHint, migrating, migratingHint, block, blockHint } = words.proposal;
  return (
    <Radios
      legend={words.proposal.answer}
      name={name}
      value={response}
      onChoose={(next) => onChange({ response: next })}
      choices={[
        { value: 'approved', label: approve, hint: approveHint },
        { value: 'migrating', label: migrating, hint: migratingHint },
        { value: 'blocked', label: block, hint: blockHint },
      ]}
    />
  );
}

/**
 * Shown if the proposal was decided before the answer was sent: the decision, and what to do now.
 */
function TooLate({ proposal, draft }: { readonly proposal: Proposal; readonly draft: Draft }) {
  const { late } = words.proposal;
  return (
    <div className="note note-warn" role="status">
      <Icon name="alert" />
      <div>
        <p>
          {late.happened[proposal.status]} {draft.response !== null && late.begun[draft.response]}
        </p>
        <p>{late.possible[proposal.status]}</p>
        {proposal.superseded_by !== null && (
          <Link to={paths.proposal(proposal.superseded_by)}>{late.successor}</Link>
        )}
        {proposal.published_contract_id !== null && (
          <Link to={paths.asset(proposal.asset_id, 'consumers')}>{late.consumers}</Link>
        )}
      </div>
    </div>
  );
}
