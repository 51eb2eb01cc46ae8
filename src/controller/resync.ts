// Reconciles all objects again, some at a time. Ten thousand at once would take eight seconds of
// CPU that requests and changes wait for; one alone costs nearly twice its share among thirty,
// because everything has to wake up for it.

import type { Clock } from './clock.ts';

interface ResyncOptions<Key> {
  readonly clock: Clock;
  /** The period in which each object gets one turn. */
  readonly everyMs: number;
  readonly keys: () => Iterable<Key>;
  readonly look: (key: Key) => void;
}

/** With a hundred thousand objects in ten hours, 28 are due per step: some 30 ms of CPU. */
const mostStepMs = 10_000;

/**
 * Objects that appear during a round wait for the next one, because they were just reconciled.
 * Returns a function that ends the resync.
 */
export function startResync<Key>({ clock, everyMs, keys, look }: ResyncOptions<Key>): () => void {
  const stepMs = Math.min(mostStepMs, everyMs);
  let round: readonly Key[] = [...keys()];
  let startedAtMs = clock.monotonicMs();
  let next = 0;
  const step = () => {
    const passed = Math.min(1, (clock.monotonicMs() - startedAtMs) / everyMs);
    const due = Math.floor(passed * round.length);
    for (; next < due; next++) look(round[next] as Key);
    if (passed === 1) {
      round = [...keys()];
      startedAtMs = clock.monotonicMs();
      next = 0;
    }
    cancel = clock.after(stepMs, step);
  };
  let cancel = clock.after(stepMs, step);
  return () => cancel();
}
