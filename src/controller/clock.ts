// The controller's clock, which tests can replace.

export interface Clock {
  /** Milliseconds that never decrease, for measuring durations. */
  readonly monotonicMs: () => number;
  readonly wallTime: () => Date;
  /** Calls back after the delay; the returned function cancels the call. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallTime: () => new Date(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits for the delay, or until the signal aborts. */
export function pause(
  clock: Pick<Clock, 'after'>,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}

/**
 * The delay before the next attempt: doubles from the first delay up to a cap.
 *
 * @example backoffMs({ firstMs: 5, capMs: 1000 }, 3) // 20
 */
export function backoffMs(
  backoff: { readonly firstMs: number; readonly capMs: number },
  failures: number,
): number {
  // 2 ** 30 of anything exceeds every cap; without this bound a long outage would reach Infinity.
  return Math.min(backoff.capMs, backoff.firstMs * 2 ** Math.min(failures - 1, 30));
}
