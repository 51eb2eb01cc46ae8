// The saved views of a list, and the button that saves the present one.

import { type ReactNode, useState } from 'react';
import { dropView, saveView, useSavedViews } from '../../data/saved-views.ts';
import { Link, usePlace, withQuery } from '../../router.tsx';
import { useViewer } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { announce } from '../announcer.tsx';
import { Icon } from '../icon.tsx';
import { Dialog, TextField } from './form.tsx';

/** For lists whose filters are in the address. */
export function SavedViews({
  isNarrowed,
  children,
}: {
  readonly isNarrowed: boolean;
  /** Stands before the views. */
  readonly children?: ReactNode;
}) {
  const { path, query } = usePlace();
  const { userId, name } = useViewer().session;
  const person = userId ?? name;
  const views = useSavedViews(person).filter(({ to }) => to.split('?')[0] === path);
  const [isSaving, setSaving] = useState(false);
  // A page, or a dialog that is open, is no part of a view.
  const kept = new URLSearchParams(query);
  for (const passing of ['page', 'new']) kept.delete(passing);
  const here = withQuery(path, kept);
  const isSaved = views.some(({ to }) => to === here);
  const text = words.savedViews;
  if (views.length === 0 && !isNarrowed) return null;
  return (
    <div className="saved-views">
      {children}
      {views.length > 0 && (
        <ul className="pills" aria-label={text.list}>
          {views.map((view) => (
            <li key={view.name}>
              <Link to={view.to} aria-current={view.to === here ? 'true' : undefined}>
                {view.name}
              </Link>
              <button
                type="button"
                className="pill-remove"
                aria-label={text.remove(view.name)}
                onClick={() => {
                  dropView(person, view.name);
                  announce(text.removed);
                }}
              >
                <Icon name="cross" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {isNarrowed && !isSaved && (
        <button type="button" className="button button-quiet" onClick={() => setSaving(true)}>
          <Icon name="plus" />
          {text.save}
        </button>
      )}
      {isSaving && (
        <SaveDialog
          onSave={(chosen) => {
            saveView(person, { name: chosen, to: here });
            announce(text.saved);
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

function SaveDialog({
  onSave,
  onClose,
}: {
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const text = words.savedViews;
  return (
    <Dialog
      title={text.save}
      confirm={text.confirm}
      onConfirm={() => {
        if (name.trim() === '') return;
        onSave(name.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        hint={text.hint}
        value={name}
        required
        maxLength={60}
        onText={setName}
      />
    </Dialog>
  );
}
