// Writes Kubernetes Events in the background, so that reconciling does not wait for them. Writes
// one at a time, with pauses, so that when thousands of objects are created at once, their statuses
// have priority at the API server.

import { type Clock, pause } from '../clock.ts';

interface Teller {
  /** Settles at once, or, if the queue is full, as soon as there is room. */
  readonly tell: (write: () => Promise<void>) => Promise<void>;
  /** Writes the remaining events while the API server accepts them, for a few seconds at most. */
  readonly stop: () => Promise<void>;
}

/**
 * As many as may be created at once in a large cluster; each note with its names takes about 1 KiB.
 */
const maxWaiting = 10_000;
/** While events wait, a fifth of the time is spent on writing, however fast the API server is. */
const restsOfAWrite = 4;
/** The shutdown waits no longer than this: the status contains what the events would say. */
const stopMs = 5_000;

export function openTeller(
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  onError: (error: unknown) => void,
): Teller {
  const waiting: (() => Promise<void>)[] = [];
  const forRoom: (() => void)[] = [];
  const stopping = new AbortController();
  let endsAtMs = Number.POSITIVE_INFINITY;
  let writing: Promise<void> | null = null;

  const writeOne = async (write: () => Promise<void>) => {
    const startedMs = clock.monotonicMs();
    try {
      await write();
    } catch (error) {
      // An event may be lost: the status contains what it would say.
      onError(error);
      if (stopping.signal.aborted) waiting.length = 0;
    }
    return clock.monotonicMs() - startedMs;
  };
  const writeAll = async () => {
    for (let write = waiting.shift(); write !== undefined; write = waiting.shift()) {
      forRoom.shift()?.();
      const tookMs = await writeOne(write);
      if (clock.monotonicMs() >= endsAtMs) waiting.length = 0;
      if (waiting.length > 0) await pause(clock, tookMs * restsOfAWrite, stopping.signal);
    }
    writing = null;
  };

  return {
    tell: async (write) => {
      waiting.push(write);
      writing ??= writeAll();
      if (waiting.length <= maxWaiting) return;
      await new Promise<void>((resolve) => forRoom.push(resolve));
    },
    stop: async () => {
      endsAtMs = clock.monotonicMs() + stopMs;
      stopping.abort();
      await writing;
    },
  };
}
