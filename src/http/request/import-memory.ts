// What the bodies of imports may hold of this process's memory, all together: those that arrive,
// those that wait for a thread, and those that a thread reads.

/** What one import holds, until it is answered. */
export interface HeldBody {
  /** Whether there is room for that much more. */
  readonly take: (bytes: number) => boolean;
  readonly letGo: () => void;
}

export interface HeldBytes {
  readonly open: () => HeldBody;
  /** Until those before are through, most likely. */
  readonly waitSeconds: () => number;
  readonly limitBytes: number;
}

/** One of the largest for each of the two threads there are by default, and as many that wait. */
const largestHeld = 4;
/** 128 MiB take some twenty seconds. */
const bytesPerSecond = 6 * 1024 * 1024;

/** @example holdBytes(128 * 1024 * 1024).open().take(1_000) // true */
export function holdBytes(largestBytes: number): HeldBytes {
  const limitBytes = largestHeld * largestBytes;
  let held = 0;
  return {
    limitBytes,
    waitSeconds: () => Math.max(1, Math.ceil(held / bytesPerSecond)),
    open: () => {
      let own = 0;
      return {
        take: (bytes) => {
          if (held + bytes > limitBytes) return false;
          held += bytes;
          own += bytes;
          return true;
        },
        letGo: () => {
          held -= own;
          own = 0;
        },
      };
    },
  };
}
