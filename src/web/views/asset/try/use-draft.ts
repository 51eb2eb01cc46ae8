// Keeps the schema that a user is editing until the user resets or publishes it, and shows one that
// came by a link, which replaces what is kept only once it is edited.

import { useEffect, useState } from 'react';
import { isJsonObject, type JsonObject, parseJson } from '../../../../core/value/json.ts';
import {
  type DraftOrigin,
  dropDraft,
  keepDraft,
  readDraft,
  watchDraft,
} from '../../../data/drafts.ts';
import type { Contract, Mode } from '../../../data/shapes.ts';
import { isDraftLink, openLink } from '../../../editor/share-link.ts';
import { modes } from '../../../engine/verdict.ts';
import { useViewer } from '../../../session/session-context.tsx';

interface Draft {
  readonly text: string;
  readonly mode: Mode | null;
  /** The version that it began from; empty before the first version. */
  readonly since: string;
}

interface Editing extends Draft {
  /** Where the text came from; null for one that was begun in this visit. */
  readonly origin: DraftOrigin | null;
  readonly setText: (text: string) => void;
  readonly setMode: (mode: Mode | null) => void;
  readonly reset: () => void;
}

/** What is edited, and where it begins. */
interface Subject {
  readonly id: string;
  readonly base: Contract | undefined;
  readonly start: Pick<Draft, 'text' | 'mode'>;
}

export function useDraft({ id, base, start }: Subject): Editing {
  const { session } = useViewer();
  const name = `${session.userId ?? session.name}.${id}`;
  const [draft, setDraft] = useState<Draft | null>(() => parseDraft(readDraft(name)));
  const [origin, setOrigin] = useState<DraftOrigin | null>(
    draft === null ? null : { kind: 'kept', since: draft.since },
  );
  const isShared = origin?.kind === 'shared';
  useEffect(() => watchDraft(name, () => setOrigin({ kind: 'other_tab' })), [name]);
  useEffect(() => {
    const open = async () => {
      const fragment = location.hash;
      if (!isDraftLink(fragment)) return;
      // A reload shows what is kept, not the link again.
      history.replaceState(history.state, '', location.pathname + location.search);
      const shared = draftOf(await openLink(fragment));
      if (shared === null) return setOrigin({ kind: 'damaged' });
      const replaces = readDraft(name) !== null;
      setOrigin({ kind: 'shared', since: shared.since, replaces });
      setDraft(shared);
    };
    void open();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [name]);
  const current = draft ?? { ...start, since: base?.version ?? '' };
  const edit = (next: Partial<Draft>) => {
    if (origin?.kind !== 'kept') setOrigin(null);
    const edited = { ...current, ...next };
    // At once: the last edit is told while the view is being left.
    keepDraft(name, JSON.stringify(edited));
    setDraft(edited);
  };
  return {
    ...current,
    origin,
    setText: (text) => edit({ text }),
    setMode: (mode) => edit({ mode }),
    reset: () => {
      // Leaving what came by a link returns to what is kept.
      const kept = isShared ? parseDraft(readDraft(name)) : null;
      if (!isShared) dropDraft(name);
      setOrigin(kept === null ? null : { kind: 'kept', since: kept.since });
      setDraft(kept);
    },
  };
}

function parseDraft(text: string | null): Draft | null {
  const parsed = text === null ? null : parseJson(text);
  return parsed?.ok && isJsonObject(parsed.value) ? draftOf(parsed.value) : null;
}

function draftOf(value: JsonObject | null): Draft | null {
  if (value === null) return null;
  const { text, mode, since } = value;
  if (typeof text !== 'string' || typeof since !== 'string' || since.length > 100) return null;
  return { text, mode: modes.find((one) => one === mode) ?? null, since };
}
