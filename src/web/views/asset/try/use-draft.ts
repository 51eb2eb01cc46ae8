// Keeps the schema that a user is editing until the user resets or publishes it.

import { useEffect, useState } from 'react';
import { isJsonObject, parseJson } from '../../../../core/value/json.ts';
import { dropDraft, keepDraft, readDraft } from '../../../data/drafts.ts';
import type { Contract, Mode } from '../../../data/shapes.ts';
import { modes } from '../../../engine/verdict.ts';
import { useViewer } from '../../../session/session-context.tsx';

interface Draft {
  readonly text: string;
  readonly mode: Mode | null;
  /** The version that it began from; empty before the first version. */
  readonly since: string;
}

interface Editing {
  readonly text: string;
  readonly mode: Mode | null;
  /** An edit of an earlier visit that is shown again; null if there was none. */
  readonly kept: { readonly since: string } | null;
  readonly setText: (text: string) => void;
  readonly setMode: (mode: Mode | null) => void;
  readonly reset: () => void;
}

export function useDraft(assetId: string, base: Contract | undefined, startText: string): Editing {
  const { session } = useViewer();
  const name = `${session.userId ?? session.name}.${assetId}`;
  const [found, setFound] = useState(() => parseDraft(readDraft(name)));
  const [draft, setDraft] = useState<Draft | null>(found);
  useEffect(() => {
    if (draft === null) dropDraft(name);
    else keepDraft(name, JSON.stringify(draft));
  }, [name, draft]);
  const { text, mode, since } = draft ?? {
    text: startText,
    mode: null,
    since: base?.version ?? '',
  };
  return {
    text,
    mode,
    kept: found,
    setText: (next) => setDraft({ text: next, mode, since }),
    setMode: (next) => setDraft({ text, mode: next, since }),
    reset: () => {
      setFound(null);
      setDraft(null);
    },
  };
}

function parseDraft(text: string | null): Draft | null {
  const parsed = text === null ? null : parseJson(text);
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return null;
  const { text: edited, mode, since } = parsed.value;
  if (typeof edited !== 'string' || typeof since !== 'string') return null;
  return { text: edited, mode: modes.find((one) => one === mode) ?? null, since };
}
