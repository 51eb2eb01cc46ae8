// The pool of threads for imports.

import { openThreadPool, type ThreadFigures } from './thread-pool.ts';

interface ImportThreadsOptions {
  readonly entry: URL;
  readonly workerData: unknown;
  readonly threads: number;
  /** The size of the largest allowed body, uncompressed. */
  readonly bodyLimitBytes: number;
  readonly onNote: (note: unknown) => void;
}

interface ImportThreads {
  readonly run: (
    call: {
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly actor: { readonly id: string };
    },
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** Keeps a thread ready from now on. */
  readonly stayReady: () => void;
  readonly figures: () => ThreadFigures;
  readonly stop: () => Promise<void>;
}

/** 128 MiB take some ten seconds of processor time. */
const processorLimitMs = 60_000;
/** By the clock, because small machines and queues for locks take their time. */
const clockLimitMs = 600_000;
/** Each holds a connection while it waits; the total of their bytes is limited on arrival. */
const queueLimit = 200;
/**
 * A parsed manifest takes some four times its size. Without a limit, garbage collection would start
 * late and take a gigabyte for 83 MB.
 */
const heapFactor = 5;
const leastHeapBytes = 512 * 1024 * 1024;
/** Beyond this, the memory of a thread is worth more than the cost of starting another one. */
const largeBytes = 24 * 1024 * 1024;

/** An import exceeded its processor time or its time limit. */
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
      const answered = await pool.ask(call, {
        limitMs: processorLimitMs,
        clockLimitMs,
        caller: call.actor.id,
        transfer: [call.bytes.buffer],
        signal,
        isLarge: call.bytes.length > largeBytes,
      });
      if (answered === 'late') throw new ImportTooLong();
      return answered.answer;
    },
    stayReady: pool.stayReady,
    figures: pool.figures,
    stop: pool.stop,
  };
}

/** Rounded up, so that of two threads one is left to others. */
function half(count: number): number {
  return Math.ceil(count / 2);
}
