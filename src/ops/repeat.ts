// Work that comes round: at the start and then every so often, one run at a time, for as long as
// the process lives. A run that fails is reported, and the next one comes all the same.

import { setTimeout as delay } from 'node:timers/promises';

interface Repeating {
  /** Waits for the run under way. */
  readonly stop: () => Promise<void>;
}

export function startRepeating(
  work: () => Promise<void>,
  everyMs: number,
  reportError: (error: unknown) => void,
): Repeating {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await work().catch(reportError);
      await delay(everyMs, null, { signal, ref: false }).catch(() => {});
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
