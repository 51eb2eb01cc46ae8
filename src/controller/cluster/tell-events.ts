// Events beside the work: an object does not wait for its news to be written, and a worker goes on
// with the next one. One at a time, so that news takes no more of the API server than that.

export interface Teller {
  /** Settles at once, or, where very many wait, as soon as there is room. */
  readonly tell: (write: () => Promise<void>) => Promise<void>;
  /** Writes what waits, for as long as the API server takes it. */
  readonly stop: () => Promise<void>;
}

/** Written in some seconds; a note and its names are about 1 KiB each. */
const maxWaiting = 1_000;

export function openTeller(onError: (error: unknown) => void): Teller {
  const waiting: (() => Promise<void>)[] = [];
  const forRoom: (() => void)[] = [];
  let isStopping = false;
  let writing: Promise<void> | null = null;

  const writeAll = async () => {
    for (let write = waiting.shift(); write !== undefined; write = waiting.shift()) {
      forRoom.shift()?.();
      try {
        await write();
      } catch (error) {
        // News, and no more: what it tells of stands in the status.
        onError(error);
        if (isStopping) waiting.length = 0;
      }
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
      isStopping = true;
      await writing;
    },
  };
}
