// Repeats work at startup and at an interval, one run at a time, as long as the process lives. A
// failed run is reported and does not stop the following ones.

import { setTimeout as delay } from 'node:timers/promises';

interface Repeating {
  /** Waits for the run in progress. */
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
