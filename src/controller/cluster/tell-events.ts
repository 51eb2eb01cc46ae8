// Events beside the work: an object does not wait for its news to be written, and a worker goes on
// with the next one. One at a time and with rests, so that thousands that begin at once have the API
// server for their statuses first.

import { type Clock, pause } from '../clock.ts';

interface Teller {
  /** Settles at once, or, where very many wait, as soon as there is room. */
  readonly tell: (write: () => Promise<void>) => Promise<void>;
  /** Writes what waits, for as long as the API server takes it, and for a few seconds at most. */
  readonly stop: () => Promise<void>;
}

/** As many as begin at once in a large cluster; a note and its names are about 1 KiB each. */
const maxWaiting = 10_000;
/** While more waits a fifth of the time is spent on news, however fast the API server is. */
const restsOfAWrite = 4;
/** Whoever ends this process waits no longer: what is told of stands in the status. */
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
      // News, and no more: what it tells of stands in the status.
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
