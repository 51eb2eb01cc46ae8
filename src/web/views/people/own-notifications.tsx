// What the viewer is told by e-mail in person.

import { type FormEvent, useState } from 'react';
import type { BodyOf } from '../../data/shapes.ts';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { PageHead, Panel, useTitle } from '../../parts/bits.tsx';
import { Checkbox } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Await, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words.ts';
import { EventChoices, TimingField } from '../webhook/webhook-dialogs.tsx';

type Choice = BodyOf<'getOwnNotifications'>;

export default function OwnNotifications() {
  useTitle(words.ownNotifications.title);
  const answer = useAnswer('getOwnNotifications', {});
  return (
    <>
      <PageHead title={words.ownNotifications.title}>
        <p className="muted">{words.ownNotifications.hint}</p>
      </PageHead>
      <Await answer={answer}>{(choice) => <ChoiceForm choice={choice} />}</Await>
    </>
  );
}

function ChoiceForm({ choice: now }: { readonly choice: Choice }) {
  const act = useAct();
  // What is being edited here stays when the registry tells of a change.
  const [choice, setChoice] = useState(now);
  const text = words.ownNotifications;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const { sent, events, daily_at } = choice;
    const body = { sent, events, daily_at };
    const saved = await act.run('chooseNotifications', { body }, text.saved);
    if (saved !== null) setChoice(saved);
  };
  return (
    <Panel>
      <form className="stack" onSubmit={save}>
        {now.problem !== null && <Note text={now.problem} />}
        {now.team_id === null && <Note text={text.noTeam} />}
        {now.stopped_at !== null && (
          <div className="note note-warn">
            <Icon name="alert" />
            <p>
              {text.stopped} <Time at={now.stopped_at} />. {text.stoppedHint}
            </p>
          </div>
        )}
        <Checkbox
          label={text.sent(choice.email)}
          isChecked={choice.sent}
          onChange={(sent) => setChoice({ ...choice, sent })}
        />
        {choice.sent && (
          <>
            <TimingField
              dailyAt={choice.daily_at}
              onHour={(daily_at) => setChoice({ ...choice, daily_at })}
            />
            <EventChoices
              events={choice.events}
              onEvents={(events) => setChoice({ ...choice, events: [...events] })}
            />
          </>
        )}
        <RefusalNote refusal={act.refusal} />
        <div>
          <button type="submit" className="button button-primary" disabled={act.isRunning}>
            {text.save}
          </button>
        </div>
      </form>
    </Panel>
  );
}

function Note({ text }: { readonly text: string }) {
  return (
    <div className="note note-warn">
      <Icon name="alert" />
      <p>{text}</p>
    </div>
  );
}
