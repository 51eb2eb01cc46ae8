// One field that finds assets, fields, teams, proposals, views and actions by name, and opens them by
// keyboard.

import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useSavedViews } from '../data/saved-views.ts';
import type { Hit } from '../data/shapes.ts';
import { useAnswer, useSettled } from '../data/use-answer.ts';
import { Breakable } from '../parts/bits.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { words } from '../words.ts';

interface Target {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
}

/** Something that is done at once, or in the dialog that an address opens. */
export type PaletteAction = Omit<Target, 'to'> &
  ({ readonly to: string } | { readonly run: () => void });

type Kind = keyof typeof words.palette.kinds;

type Found = PaletteAction & {
  readonly kind: Kind;
  /** What tells it from others of the same name. */
  readonly hint?: string;
};

const shownOfEach = 8;

export default function Palette({
  views,
  actions,
  onClose,
}: {
  readonly views: readonly Target[];
  readonly actions: readonly PaletteAction[];
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const saved = useSavedViews().views.map(({ name: label, address: to }) => ({
    ...{ to, label, icon: 'list' as const },
  }));
  const { found, isFresh } = useFound(text.trim(), [...saved, ...views], actions);
  const current = Math.min(chosen, found.length - 1);
  const open = useCallback((target: Found | undefined) => {
    if (target === undefined) return;
    dialog.current?.close();
    if ('run' in target) target.run();
    else navigate(target.to);
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
      <div role="listbox" id={listId} aria-label={words.palette.results} aria-busy={!isFresh}>
        {groupsOf(found).map(([kind, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset
          <div key={kind} role="group" aria-label={words.palette.kinds[kind]}>
            <p className="palette-group" aria-hidden="true">
              {words.palette.kinds[kind]}
            </p>
            {members.map(({ found: { icon, label, hint }, index }) => (
              // The keyboard is handled by the field, which keeps the focus.
              // biome-ignore lint/a11y/useFocusableInteractive: see above
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above
              <div
                key={index}
                id={`${listId} ${index}`}
                role="option"
                aria-selected={index === current}
                className="palette-option"
                onClick={() => open(found[index])}
              >
                <Icon name={icon} />
                <span className="palette-label">
                  <Breakable text={label} />
                </span>
                {hint !== undefined && (
                  <span className="muted palette-hint">
                    <Breakable text={hint} />
                  </span>
                )}
              </div>
            ))}
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
  actions: readonly PaletteAction[],
): { readonly found: readonly Found[]; readonly isFresh: boolean } {
  const isAsking = text !== '';
  const asked = useAnswer('search', isAsking ? { query: { q: text, limit: shownOfEach } } : null);
  const { answer } = useSettled(asked);
  const isWanted = ({ label }: { readonly label: string }) =>
    label.toLowerCase().includes(text.toLowerCase());
  const hits = isAsking && answer.kind === 'ready' ? answer.body.results : [];
  const found = [
    ...hits.map(toFound),
    ...views.filter(isWanted).map((view): Found => ({ kind: 'view', ...view })),
    ...actions.filter(isWanted).map((action): Found => ({ kind: 'action', ...action })),
  ];
  const inGroups = groupsOf(found).flatMap(([, members]) => members.map((each) => each.found));
  return { found: inGroups, isFresh: !isAsking || asked.kind !== 'loading' };
}

function toFound(hit: Hit): Found {
  switch (hit.type) {
    case 'asset':
      return {
        ...{ kind: 'asset', to: paths.asset(hit.asset_id), icon: 'box', label: hit.fqn },
        hint: hit.environment,
      };
    case 'field':
      return {
        ...{ kind: 'field', to: paths.field(hit.asset_id, hit.path), icon: 'list' },
        label: hit.path.replace(/^\$\.?/, ''),
        hint: hit.fqn,
      };
    case 'service':
      return {
        ...{ kind: 'service', icon: 'layers', label: hit.name, hint: hit.owner_team_name },
        to: paths.service(hit.service_id),
      };
    case 'team':
      return {
        ...{ kind: 'team', icon: 'people', label: hit.name },
        to: `${paths.assets}?owner=${hit.team_id}`,
      };
    case 'proposal':
      return {
        ...{ kind: 'proposal', to: paths.proposal(hit.proposal_id), icon: 'clock', label: hit.fqn },
        hint: words.proposalStates[hit.status],
      };
    case 'user':
      return {
        ...{ kind: 'user', to: paths.users, icon: 'people', label: hit.name, hint: hit.email },
      };
    default:
      return hit satisfies never;
  }
}

interface Placed {
  readonly found: Found;
  /** Among all, for the keyboard. */
  readonly index: number;
}

/** By kind, in the order of the best of each; within a group as they were found. */
function groupsOf(found: readonly Found[]): readonly (readonly [Kind, readonly Placed[]])[] {
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  let index = 0;
  return kinds.map((kind) => [
    kind,
    found.filter((each) => each.kind === kind).map((each) => ({ found: each, index: index++ })),
  ]);
}
