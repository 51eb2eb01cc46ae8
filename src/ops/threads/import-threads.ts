// The threads that imports are answered in.

import { openThreadPool, type ThreadFigures } from './thread-pool.ts';

interface ImportThreadsOptions {
  readonly entry: URL;
  readonly workerData: unknown;
  readonly threads: number;
  /** The largest body there may be, unpacked. */
  readonly bodyLimitBytes: number;
  readonly onNote: (note: unknown) => void;
}

interface ImportThreads {
  readonly run: (
    call: {
      readonly pieces: readonly Uint8Array<ArrayBuffer>[];
      readonly actor: { readonly id: string };
    },
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** Has a thread ready from now on. */
  readonly stayReady: () => void;
  readonly figures: () => ThreadFigures;
  readonly stop: () => Promise<void>;
}

/** 128 MiB take some ten seconds of a processor. */
const processorLimitMs = 60_000;
/** By the clock: a small machine, and a queue at the lock, take their time. */
const clockLimitMs = 600_000;
/** Each holds a connection while it waits; what their bytes come to is bounded where they arrive. */
const queueLimit = 200;
/**
 * A manifest takes some four times its size once it is read. With room for all that the machine
 * has, the collector would come late, and take a gigabyte for 83 MB.
 */
const heapFactor = 5;
const leastHeapBytes = 512 * 1024 * 1024;
/** Past it a thread's memory is worth more than what starting another one costs. */
const largeBytes = 24 * 1024 * 1024;

/** An import took more of a processor, or of the day, than it may. */
export class ImportTooLong extends Error {
  override name = 'ImportTooLong';
}

export function openImportThreads(options: ImportThreadsOptions): ImportThreads {
  const { bodyLimitBytes, ...rest } = options;
  const heapBytes = Math.max(leastHeapBytes, heapFactor * bodyLimitBytes);
  const pool = openThreadPool({
    ...rest,
    heapBytes,
    tasks: 'imports',
    queueLimit,
    shareOfOne: { threads: half(options.threads), queued: half(queueLimit) },
    hires: 'when_needed',
  });
  return {
    run: async (call, signal) => {
      const size = call.pieces.reduce((sum, piece) => sum + piece.length, 0);
      const answered = await pool.ask(call, {
        limitMs: processorLimitMs,
        clockLimitMs,
        caller: call.actor.id,
        transfer: call.pieces.map(({ buffer }) => buffer),
        signal,
        isLarge: size > largeBytes,
      });
      if (answered === 'late') throw new ImportTooLong();
      return answered.answer;
    },
    stayReady: pool.stayReady,
    figures: pool.figures,
    stop: pool.stop,
  };
}

/** Rounded up: of two threads it leaves one to the others. */
function half(count: number): number {
  return Math.ceil(count / 2);
}
