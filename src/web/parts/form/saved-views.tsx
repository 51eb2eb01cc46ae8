// The saved views of a list, and the button that saves the present one.

import { type ReactNode, useState } from 'react';
import { useSavedViews } from '../../data/saved-views.ts';
import { Link, usePlace, withQuery } from '../../router.tsx';
import { useViewer } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { Icon } from '../icon.tsx';
import { RefusalNote } from '../states.tsx';
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
  const saved = useSavedViews();
  const views = saved.views.filter(({ address }) => pathOf(address) === path);
  const [isSaving, setSaving] = useState(false);
  // A page, or a dialog that is open, is no part of a view.
  const kept = new URLSearchParams(query);
  for (const passing of ['page', 'new']) kept.delete(passing);
  const here = withQuery(path, kept);
  const isSaved = views.some(({ address }) => address === here);
  const text = words.savedViews;
  if (views.length === 0 && !isNarrowed) return null;
  return (
    <div className="saved-views">
      {children}
      {isNarrowed && !isSaved && (
        <button type="button" className="button button-quiet" onClick={() => setSaving(true)}>
          <Icon name="plus" />
          {text.save}
        </button>
      )}
      {views.length > 0 && (
        <ul className="pills" aria-label={text.list}>
          {views.map((view) => (
            <li key={view.name}>
              <Link to={view.address} aria-current={view.address === here ? 'true' : undefined}>
                {view.name}
              </Link>
              <button
                type="button"
                className="pill-remove"
                aria-label={text.remove(view.name)}
                onClick={() => saved.change({ remove: [view.name] }, text.removed)}
              >
                <Icon name="cross" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {!isSaving && <RefusalNote refusal={saved.refusal} />}
      {isSaving && <SaveDialog saved={saved} address={here} onClose={() => setSaving(false)} />}
    </div>
  );
}

function SaveDialog({
  saved,
  address,
  onClose,
}: {
  readonly saved: ReturnType<typeof useSavedViews>;
  readonly address: string;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  // A name is one of all lists, so what it replaces may be out of sight.
  const [asked, setAsked] = useState<string | null>(null);
  const text = words.savedViews;
  const name = typed.trim();
  const replaced = name === asked ? saved.views.find((view) => view.name === name) : undefined;
  const save = async () => {
    if (name !== asked && saved.views.some((view) => view.name === name)) setAsked(name);
    else if (name !== '' && (await saved.change({ save: [{ name, address }] }, text.saved)))
      onClose();
  };
  return (
    <Dialog
      title={text.save}
      confirm={replaced === undefined ? text.confirm : text.replace}
      isDangerous={replaced !== undefined}
      isRunning={saved.isRunning}
      onConfirm={save}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        hint={useViewer().session.userId === null ? text.hintOfKey : text.hint}
        value={typed}
        required
        maxLength={60}
        onText={setTyped}
      />
      {replaced !== undefined && (
        <p className="note note-warn" role="status">
          <Icon name="alert" />
          <span>{text.taken(name, pathOf(replaced.address) === pathOf(address))}</span>
        </p>
      )}
      <RefusalNote refusal={saved.refusal} />
    </Dialog>
  );
}

function pathOf(address: string): string | undefined {
  return address.split('?')[0];
}
