// Edits that were not sent yet, kept in this browser until the one who made them signs out.

/** Where the text of a draft came from. */
export type DraftOrigin =
  | { readonly kind: 'kept'; readonly since: string }
  | { readonly kind: 'shared'; readonly since: string; readonly replaces: boolean }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'other_tab' };

const prefix = 'concordat.draft.';

/** Larger edits are not kept: the browser has about 5 MB for all of them. */
const mostLetters = 1_000_000;

export function readDraft(name: string): string | null {
  return localStorage.getItem(prefix + name);
}

export function keepDraft(name: string, text: string): void {
  if (text.length > mostLetters) return;
  try {
    localStorage.setItem(prefix + name, text);
  } catch {
    // The browser's room is full. The edit stays on the screen.
  }
}

export function dropDraft(name: string): void {
  localStorage.removeItem(prefix + name);
}

/** Tells of each change of a draft in another tab. */
export function watchDraft(name: string, tell: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === prefix + name && newValue !== null) tell();
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}

export function dropAllDrafts(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(prefix)) localStorage.removeItem(key);
  }
}
