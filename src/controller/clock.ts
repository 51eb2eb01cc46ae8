// Time as the controller's parts are given it, so that a test can be the clock.

export interface Clock {
  /** Milliseconds that never go back, for measuring how long something takes. */
  readonly monotonicMs: () => number;
  readonly wallTime: () => Date;
  /** Calls later; what it answers cancels the call. */
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

/** Waits, or less long where the signal aborts. */
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
 * How long to wait before the next attempt: doubling from the first delay to a cap.
 *
 * @example backoffMs({ firstMs: 5, capMs: 1000 }, 3) // 20
 */
export function backoffMs(
  backoff: { readonly firstMs: number; readonly capMs: number },
  failures: number,
): number {
  // 2 ** 30 of anything is past every cap; without the bound a long outage would reach Infinity.
  return Math.min(backoff.capMs, backoff.firstMs * 2 ** Math.min(failures - 1, 30));
}
