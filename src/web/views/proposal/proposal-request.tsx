// What the producer tells the consumers: why, whom to ask, until when, and how to migrate. The
// producer edits it, and reminds those who have not answered.

import { useState } from 'react';
import { deadlineActs } from '../../../core/asset.ts';
import type { Asset, Proposal } from '../../data/shapes.ts';
import { useAct, useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { Dialog, SelectField } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { Day, Time } from '../../parts/time.tsx';
import { useActsFor } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { draftOf, LaterFields, RequestFields } from './request-fields.tsx';

export function RequestPanel({ proposal }: { readonly proposal: Proposal }) {
  const asset = useAnswer('getAsset', { params: { asset_id: proposal.asset_id } });
  const actsFor = useActsFor();
  const act = useAct();
  const [isEditing, setEditing] = useState(false);
  const owner = asset.kind === 'ready' ? asset.body.owner_team_id : proposal.proposed_by;
  const isOpen = proposal.resolved_at === null;
  const mayEdit = isOpen && actsFor(owner);
  const isAwaited =
    proposal.status === 'pending' &&
    proposal.consumers.some(({ response }) => response === undefined);
  const { request: text } = words.proposal;
  const remind = () => {
    const call = { params: { proposal_id: proposal.id }, body: {} };
    return act.run('remindConsumers', call, text.reminded);
  };
  const saysNothing = Object.values(proposal.request).every((said) => said === null);
  if (saysNothing && !mayEdit) return null;
  return (
    <Panel title={text.title}>
      {proposal.escalated_at !== null && (
        <p className="note note-warn">
          <Icon name="clock" />
          <span>
            {text.escalated} <Time at={proposal.escalated_at} />
          </span>
        </p>
      )}
      {saysNothing ? <p className="muted">{text.nothing}</p> : <Said proposal={proposal} />}
      {proposal.reminded_at !== null && (
        <p className="muted">
          {text.remindedAt} <Time at={proposal.reminded_at} />
        </p>
      )}
      {mayEdit && (
        <div className="decide">
          <button type="button" className="button" onClick={() => setEditing(true)}>
            {text.edit}
          </button>
          {isAwaited && (
            <button type="button" className="button" aria-disabled={act.isRunning} onClick={remind}>
              {text.remind}
            </button>
          )}
        </div>
      )}
      <RefusalNote refusal={act.refusal} />
      {isEditing && (
        <EditDialog
          proposal={proposal}
          asset={asset.kind === 'ready' ? asset.body : null}
          onClose={() => setEditing(false)}
        />
      )}
    </Panel>
  );
}

function Said({ proposal }: { readonly proposal: Proposal }) {
  const { request: text } = words.proposal;
  const { reason, contact, answer_by, migration, migrate_by } = proposal.request;
  const isOver =
    answer_by !== null &&
    proposal.resolved_at === null &&
    answer_by < new Date().toISOString().slice(0, answer_by.length);
  return (
    <dl className="facts">
      <Told term={text.why} said={reason} />
      <Told term={text.contact} said={contact} />
      {answer_by !== null && (
        <div>
          <dt>{text.answerBy}</dt>
          <dd>
            <Day at={answer_by} />
            {isOver && ` · ${text.over}`}
          </dd>
        </div>
      )}
      <Told term={text.migration} said={migration} />
      {migrate_by !== null && (
        <div>
          <dt>{text.migrateBy}</dt>
          <dd>
            <Day at={migrate_by} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Told({ term, said }: { readonly term: string; readonly said: string | null }) {
  if (said === null) return null;
  return (
    <div>
      <dt>{term}</dt>
      <dd className="answer-note">{said}</dd>
    </div>
  );
}

function EditDialog({
  proposal,
  asset,
  onClose,
}: {
  readonly proposal: Proposal;
  readonly asset: Asset | null;
  readonly onClose: () => void;
}) {
  const act = useAct();
  const [said] = useState(draftOf(proposal.request));
  const [draft, setDraft] = useState(said);
  const [before] = useState(asset?.on_deadline ?? null);
  const [onDeadline, setOnDeadline] = useState(before);
  const { request: text } = words.proposal;
  const save = async () => {
    if (asset !== null && onDeadline !== null && onDeadline !== before) {
      const setting = { params: { asset_id: asset.id }, body: { on_deadline: onDeadline } };
      if ((await act.run('updateAsset', setting)) === null) return;
    }
    // The rest may have been changed elsewhere meanwhile.
    const changed = Object.entries(draft).filter(
      ([field, text]) => text !== said[field as keyof typeof said],
    );
    const body = Object.fromEntries(
      changed.map(([field, text]) => [field, text.trim() === '' ? null : text]),
    );
    const call = { params: { proposal_id: proposal.id }, body };
    if ((await act.run('updateProposal', call, text.saved)) !== null) onClose();
  };
  return (
    <Dialog
      title={text.editTitle}
      confirm={text.save}
      isRunning={act.isRunning}
      onConfirm={save}
      onClose={onClose}
    >
      <RequestFields draft={draft} onChange={setDraft} />
      <LaterFields draft={draft} onChange={setDraft} />
      {/* The setting of a managed asset needs an override, which the API takes. */}
      {asset !== null && asset.managed_by === null && onDeadline !== null && (
        <SelectField
          label={text.onDeadline}
          hint={text.onDeadlineHint}
          value={onDeadline}
          onText={(next) => setOnDeadline(deadlineActs.find((each) => each === next) ?? before)}
          options={deadlineActs.map((each) => ({ value: each, label: text.deadlineActs[each] }))}
        />
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
