// The fields of what a producer tells the consumers: why, whom to ask, and until when.

import { AreaField, TextField } from '../../parts/form/form.tsx';
import { words } from '../../words.ts';

/** Empty text says nothing. */
export interface RequestDraft {
  readonly reason: string;
  readonly contact: string;
  readonly answer_by: string;
}

export const emptyRequestDraft: RequestDraft = { reason: '', contact: '', answer_by: '' };

export function RequestFields({
  draft,
  onChange,
}: {
  readonly draft: RequestDraft;
  readonly onChange: (draft: RequestDraft) => void;
}) {
  const { request } = words.proposal;
  return (
    <>
      <AreaField
        label={request.reason}
        value={draft.reason}
        maxLength={4_000}
        onText={(reason) => onChange({ ...draft, reason })}
      />
      <TextField
        label={request.person}
        hint={request.personHint}
        value={draft.contact}
        maxLength={200}
        onText={(contact) => onChange({ ...draft, contact })}
      />
      <TextField
        label={request.day}
        hint={request.dayHint}
        type="date"
        value={draft.answer_by}
        onText={(answer_by) => onChange({ ...draft, answer_by })}
      />
    </>
  );
}
