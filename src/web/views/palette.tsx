// One field that finds assets, teams and views by name, and opens them by keyboard.

import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useAnswer, useSettled } from '../data/use-answer.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { words } from '../words.ts';

interface Target {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
}

interface Found extends Target {
  readonly kind: keyof typeof words.palette.kinds;
}

const shownAssets = 8;
const shownTeams = 5;

export default function Palette({
  views,
  onClose,
}: {
  readonly views: readonly Target[];
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const { found, isFresh } = useFound(text.trim(), views);
  const current = Math.min(chosen, found.length - 1);
  const open = useCallback((target: Found | undefined) => {
    if (target === undefined) return;
    dialog.current?.close();
    navigate(target.to);
  }, []);
  // Enter opens what was typed, and not what an earlier text found.
  const [isEntered, setEntered] = useState(false);
  const target = found[current];
  useEffect(() => {
    if (!isEntered || !isFresh) return;
    setEntered(false);
    open(target);
  }, [isEntered, isFresh, target, open]);
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') setEntered(true);
    if (step !== undefined && found.length > 0) {
      setChosen((current + step + found.length) % found.length);
    }
    if (step !== undefined || event.key === 'Enter') event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label={words.palette.title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label={words.palette.title}
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${listId} ${current}` : undefined}
        placeholder={words.palette.placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
          setEntered(false);
        }}
        onKeyDown={walk}
      />
      <div role="listbox" id={listId} aria-label={words.palette.results}>
        {found.map(({ kind, to, icon, label }, index) => (
          // The keyboard is handled by the field, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={`${kind} ${to}`}
            id={`${listId} ${index}`}
            role="option"
            aria-selected={index === current}
            className="palette-option"
            onClick={() => open(found[index])}
          >
            <Icon name={icon} />
            <span className="palette-label">{label}</span>
            <span className="muted">{words.palette.kinds[kind]}</span>
          </div>
        ))}
      </div>
      <p className="hint" role="status">
        {found.length === 0 ? words.palette.nothing : words.palette.keys}
      </p>
    </dialog>
  );
}

function useFound(
  text: string,
  views: readonly Target[],
): { readonly found: readonly Found[]; readonly isFresh: boolean } {
  const isAsking = text !== '';
  const askedAssets = useAnswer(
    'listAssets',
    isAsking ? { query: { q: text, page_size: shownAssets } } : null,
  );
  const askedTeams = useAnswer(
    'listTeams',
    isAsking ? { query: { q: text, page_size: shownTeams } } : null,
  );
  const isFresh = !isAsking || (askedAssets.kind !== 'loading' && askedTeams.kind !== 'loading');
  const assets = useSettled(askedAssets).answer;
  const teams = useSettled(askedTeams).answer;
  const isWanted = ({ label }: Target) => label.toLowerCase().includes(text.toLowerCase());
  const found = [
    ...(isAsking && assets.kind === 'ready'
      ? assets.body.results.map(
          ({ id, fqn }): Found => ({ kind: 'asset', to: paths.asset(id), icon: 'box', label: fqn }),
        )
      : []),
    ...(isAsking && teams.kind === 'ready'
      ? teams.body.results.map(
          ({ id, name }): Found => ({
            kind: 'team',
            to: `${paths.assets}?owner=${id}`,
            icon: 'people',
            label: name,
          }),
        )
      : []),
    ...views.filter(isWanted).map((view): Found => ({ kind: 'view', ...view })),
  ];
  return { found, isFresh };
}
