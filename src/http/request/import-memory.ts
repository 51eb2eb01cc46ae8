// Limits the memory for the bodies of imports, in total and per caller: of those that arrive, wait
// for a thread, or are being read by one.

/** No room in total, or none in the caller's share. */
export type NoRoom = 'full' | 'share_full';

/** The memory that one import holds until its response. */
export interface HeldBody {
  /** Reserves memory, if there is room for that much more. */
  readonly take: (bytes: number) => 'taken' | NoRoom;
  readonly letGo: () => void;
}

export interface HeldBytes {
  readonly open: (caller: string) => HeldBody;
  /** An estimate of when the imports in front will be done. */
  readonly waitSeconds: () => number;
  readonly limitBytes: number;
  /** The bytes that one caller may hold. */
  readonly shareBytes: number;
}

/**
 * One of the largest bodies being read and as much waiting: a replica has one gibibyte for
 * everything.
 */
const largestHeld = 2;
/** 128 MiB take some twenty seconds. */
const bytesPerSecond = 6 * 1024 * 1024;

/** @example holdBytes(128 * 1024 * 1024).open('ada').take(1_000) // 'taken' */
export function holdBytes(largestBytes: number): HeldBytes {
  const limitBytes = largestHeld * largestBytes;
  const shareBytes = largestBytes;
  const held = new Map<string, number>();
  let all = 0;
  const change = (caller: string, bytes: number) => {
    all += bytes;
    const rest = (held.get(caller) ?? 0) + bytes;
    if (rest === 0) held.delete(caller);
    else held.set(caller, rest);
  };
  return {
    limitBytes,
    shareBytes,
    waitSeconds: () => Math.max(1, Math.ceil(all / bytesPerSecond)),
    open: (caller) => {
      let own = 0;
      return {
        take: (bytes) => {
          if ((held.get(caller) ?? 0) + bytes > shareBytes) return 'share_full';
          if (all + bytes > limitBytes) return 'full';
          change(caller, bytes);
          own += bytes;
          return 'taken';
        },
        letGo: () => {
          change(caller, -own);
          own = 0;
        },
      };
    },
  };
}
