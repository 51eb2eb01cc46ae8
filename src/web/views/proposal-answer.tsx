// What a consumer is asked to decide.

import { type FormEvent, useId, useState } from 'react';
import type { Proposal } from '../data/shapes.ts';
import { type Act, useAct } from '../data/use-answer.ts';
import { Panel } from '../parts/bits.tsx';
import { AreaField, Radios, SelectField, TextField } from '../parts/form.tsx';
import { RefusalNote } from '../parts/states.tsx';
import { useActsFor, useTeamChoice } from '../session/session-context.tsx';
import { words } from '../words.ts';

type Response = 'approved' | 'migrating' | 'blocked';

export function AnswerPanel({ proposal }: { readonly proposal: Proposal }) {
  const act = useAct();
  const actsFor = useActsFor();
  const { teamId } = useTeamChoice();
  const mine = proposal.consumers.filter((consumer) => actsFor(consumer.team_id));
  const [chosen, setChosen] = useState<string | null>(null);
  const me =
    mine.find(({ team_id }) => team_id === chosen) ??
    mine.find(({ team_id }) => team_id === teamId) ??
    mine.find(({ response }) => response === undefined) ??
    mine[0];
  const isAsked = proposal.status === 'pending' || me?.response === 'blocked';
  const isOpen = proposal.status === 'pending' || proposal.status === 'rejected';
  // Somebody else may have decided meanwhile: what was refused stays in sight.
  const mayAnswer = isAsked && isOpen;
  if (me === undefined || (!mayAnswer && act.refusal === null && !act.isRunning)) return null;
  return (
    <Panel title={words.proposal.yourAnswer(me.team_name)} className="panel-asked">
      {mine.length > 1 && (
        <SelectField
          className="answer-team"
          label={words.consumers.team}
          value={me.team_id}
          onText={(next) => {
            setChosen(next);
            act.forget();
          }}
          options={mine.map(({ team_id, team_name }) => ({ value: team_id, label: team_name }))}
        />
      )}
      {mayAnswer || act.isRunning ? (
        <AnswerForm
          key={me.team_id}
          proposalId={proposal.id}
          teamId={me.team_id}
          hasAnswered={me.response !== undefined}
          act={act}
        />
      ) : (
        <RefusalNote refusal={act.refusal} />
      )}
    </Panel>
  );
}

function AnswerForm({
  proposalId,
  teamId,
  hasAnswered,
  act,
}: {
  readonly proposalId: string;
  readonly teamId: string;
  readonly hasAnswered: boolean;
  readonly act: Act;
}) {
  const name = useId();
  const [isFormOpen, setFormOpen] = useState(!hasAnswered);
  const [response, setResponse] = useState<Response>('approved');
  const [until, setUntil] = useState('');
  const [notes, setNotes] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (act.isRunning) return;
    const body = {
      response,
      team_id: teamId,
      ...(notes !== '' && { notes }),
      ...(response === 'migrating' && until !== '' && { until: endOfDay(until) }),
    };
    const call = { params: { proposal_id: proposalId }, body };
    const taken = await act.run('acknowledgeProposal', call, words.proposal.sent);
    if (taken === null) return;
    // The next answer is another one: the words of this one do not belong to it.
    setFormOpen(false);
    setResponse('approved');
    setNotes('');
    setUntil('');
  };
  if (!isFormOpen) {
    return (
      <button type="button" className="button" onClick={() => setFormOpen(true)}>
        {words.proposal.answerAgain}
      </button>
    );
  }
  const isBlock = response === 'blocked';
  return (
    <form className="stack" onSubmit={submit}>
      <Radios
        legend={words.proposal.answer}
        name={name}
        value={response}
        onChoose={setResponse}
        choices={[
          { value: 'approved', label: words.proposal.approve, hint: words.proposal.approveHint },
          {
            value: 'migrating',
            label: words.proposal.migrating,
            hint: words.proposal.migratingHint,
          },
          { value: 'blocked', label: words.proposal.block, hint: words.proposal.blockHint },
        ]}
      />
      {response === 'migrating' && (
        <TextField label={words.proposal.untilLabel} type="date" value={until} onText={setUntil} />
      )}
      <AreaField
        label={words.proposal.note}
        value={notes}
        required={isBlock}
        onText={setNotes}
        {...(isBlock && { hint: words.proposal.noteNeeded })}
      />
      <RefusalNote refusal={act.refusal} />
      <button
        type="submit"
        className={`button ${isBlock ? 'button-danger' : 'button-main'}`}
        aria-disabled={act.isRunning}
      >
        {act.isRunning ? words.actions.working : words.proposal.send}
      </button>
    </form>
  );
}

/** "Until the 3rd" holds through the 3rd, in the zone of who says it. */
function endOfDay(date: string): string {
  return new Date(`${date}T23:59:59`).toISOString();
}
