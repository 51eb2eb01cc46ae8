// Remembers when keys and sessions were last used, and stores the times together now and then.

import type { Timestamp } from '../core/id.ts';

export interface UseBook {
  readonly note: (id: string, atMs: number) => void;
  /** Stores the times since the last flush. */
  readonly flush: () => Promise<void>;
}

type Record = (uses: readonly { readonly id: string; readonly at: Timestamp }[]) => Promise<void>;

/**
 * About 100 bytes per use: 10 MB at most. Beyond it a use is dropped, and recorded at the next one.
 */
const maxUses = 100_000;

export function openUseBook(record: Record): UseBook {
  let uses = new Map<string, number>();
  return {
    note: (id, atMs) => {
      if (uses.size < maxUses || uses.has(id)) uses.set(id, atMs);
    },
    flush: async () => {
      if (uses.size === 0) return;
      const noted = [...uses].map(([id, atMs]) => ({ id, at: new Date(atMs).toISOString() }));
      uses = new Map();
      await record(noted);
    },
  };
}
