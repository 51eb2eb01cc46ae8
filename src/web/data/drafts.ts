// Edits that were not sent yet, kept in this tab for the one who made them.

const prefix = 'concordat.draft.';

/** Larger edits are not kept: the browser has about 5 MB for all of them. */
const mostLetters = 1_000_000;

export function readDraft(name: string): string | null {
  return sessionStorage.getItem(prefix + name);
}

export function keepDraft(name: string, text: string): void {
  if (text.length > mostLetters) return;
  try {
    sessionStorage.setItem(prefix + name, text);
  } catch {
    // The browser's room is full. The edit stays on the screen.
  }
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(prefix + name);
}

export function dropAllDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  }
}
