// What teams object that the proposal does not ask, and the form for the team of the viewer.

import { type FormEvent, useState } from 'react';
import type { Proposal } from '../../data/shapes.ts';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { AreaField } from '../../parts/form/form.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useActsFor, useMyTeam } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

export function ObjectionsPanel({ proposal }: { readonly proposal: Proposal }) {
  const { objections = [], asset_id, consumers } = proposal;
  const asset = useAnswer('getAsset', { params: { asset_id } });
  const actsFor = useActsFor();
  const team = useMyTeam();
  const isConcerned =
    asset.kind !== 'ready' ||
    asset.body.owner_team_id === team?.id ||
    consumers.some(({ team_id }) => team_id === team?.id);
  const own = objections.find(({ team_id }) => team_id === team?.id);
  const isOpen = proposal.resolved_at === null;
  const mayObject = isOpen && team !== null && actsFor(team.id);
  const form = mayObject && (!isConcerned || own !== undefined) ? team : null;
  if (objections.length === 0 && form === null) return null;
  return (
    <Panel title={words.proposal.objections.title}>
      <p className="muted">{words.proposal.objections.hint}</p>
      {objections.length > 0 && (
        <ul className="answers">
          {objections.map(({ team_id, team_name, reason, objected_at }) => (
            <li key={team_id} className="answer">
              <div className="answer-head">
                <strong>{team_name}</strong>
              </div>
              <p className="muted">
                <Time at={objected_at} />
              </p>
              <p className="answer-note">{reason}</p>
            </li>
          ))}
        </ul>
      )}
      {form !== null && (
        <ObjectionForm
          key={`${form.id} ${own?.objected_at}`}
          proposalId={proposal.id}
          team={form}
          before={own?.reason ?? null}
          isAsked={isConcerned}
        />
      )}
    </Panel>
  );
}

function ObjectionForm({
  proposalId,
  team,
  before,
  isAsked,
}: {
  readonly proposalId: string;
  readonly team: { readonly id: string; readonly name: string };
  /** What the team objects now; null if it does not. */
  readonly before: string | null;
  /** A team that is asked by now can only take its objection back. */
  readonly isAsked: boolean;
}) {
  const act = useAct();
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState(before ?? '');
  const { objections: text } = words.proposal;
  const send = (next: string | null) => {
    const call = {
      params: { proposal_id: proposalId },
      body: { reason: next, team_id: team.id },
    };
    return act.run('objectToProposal', call, next === null ? text.takenBack : text.sent);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!act.isRunning && (await send(reason)) !== null) setOpen(false);
  };
  if (!isOpen) {
    return (
      <>
        <div className="decide">
          {!isAsked && (
            <button type="button" className="button" onClick={() => setOpen(true)}>
              {before === null ? text.begin(team.name) : text.change}
            </button>
          )}
          {before !== null && (
            <button
              type="button"
              className="button"
              aria-disabled={act.isRunning}
              onClick={() => send(null)}
            >
              {text.takeBack}
            </button>
          )}
        </div>
        <RefusalNote refusal={act.refusal} />
      </>
    );
  }
  return (
    <form className="stack" onSubmit={submit}>
      <AreaField
        label={text.reason}
        hint={text.reasonHint}
        value={reason}
        required
        maxLength={10_000}
        onText={setReason}
      />
      <RefusalNote refusal={act.refusal} />
      <div className="decide">
        <button type="submit" className="button" aria-disabled={act.isRunning}>
          {act.isRunning ? words.actions.working : text.send}
        </button>
        <button type="button" className="button button-quiet" onClick={() => setOpen(false)}>
          {words.actions.cancel}
        </button>
      </div>
    </form>
  );
}
