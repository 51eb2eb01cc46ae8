// Looks at everything again, some objects at a time: ten thousand at once would be eight seconds of
// a processor that requests and changes wait for, and one alone costs nearly twice what it costs among
// thirty, since everything wakes up for it.

import type { Clock } from './clock.ts';

interface ResyncOptions<Key> {
  readonly clock: Clock;
  /** Within which each object's turn comes once. */
  readonly everyMs: number;
  readonly keys: () => Iterable<Key>;
  readonly look: (key: Key) => void;
}

/** Of a hundred thousand objects in ten hours 28 are due by then: some 30 ms of a processor. */
const mostStepMs = 10_000;

/** What is new meanwhile comes in the next round: it was just looked at. Answers how to end it. */
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
