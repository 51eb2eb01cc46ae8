// The fields of what a producer tells the consumers: why, whom to ask, until when, and how to migrate.

import type { Proposal } from '../../data/shapes.ts';
import { AreaField, TextField } from '../../parts/form/form.tsx';
import { words } from '../../words.ts';

/** Empty text says nothing. */
export type RequestDraft = Readonly<Record<keyof Proposal['request'], string>>;

export const emptyRequestDraft: RequestDraft = {
  reason: '',
  contact: '',
  answer_by: '',
  migration: '',
  migrate_by: '',
};

export function draftOf(request: Proposal['request']): RequestDraft {
  return {
    reason: request.reason ?? '',
    contact: request.contact ?? '',
    answer_by: request.answer_by ?? '',
    migration: request.migration ?? '',
    migrate_by: request.migrate_by ?? '',
  };
}

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

/** What may as well be said later. */
export function LaterFields({ draft, onChange }: Parameters<typeof RequestFields>[0]) {
  const { request } = words.proposal;
  return (
    <>
      <AreaField
        label={request.howTo}
        hint={request.howToHint}
        value={draft.migration}
        maxLength={4_000}
        onText={(migration) => onChange({ ...draft, migration })}
      />
      <TextField
        label={request.lastDay}
        hint={request.lastDayHint}
        type="date"
        value={draft.migrate_by}
        onText={(migrate_by) => onChange({ ...draft, migrate_by })}
      />
    </>
  );
}
