// Announces short results ("Copied", "The key was revoked") at the bottom of the page and to screen
// readers. A new one replaces the previous one, and each disappears by itself.

import { useSyncExternalStore } from 'react';
import { Icon } from './icon.tsx';

const shownForMs = 5_000;

let said = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

export function announce(text: string): void {
  say(text);
  clearTimeout(timer);
  timer = setTimeout(() => say(''), shownForMs);
}

export function Announcer() {
  const text = useSyncExternalStore(watch, () => said);
  return (
    <div className="announcer" role="status" aria-live="polite">
      {text !== '' && (
        <span className="announcement">
          <Icon name="check" />
          {text}
        </span>
      )}
    </div>
  );
}

function say(text: string): void {
  said = text;
  for (const tell of watchers) tell();
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}
