// Decides when a failed delivery is retried, and when it is given up.

export interface RetryPolicy {
  /** The first wait; each later one doubles, up to an hour. */
  readonly firstMs: number;
  /** The total time for retries, counted from the creation of the delivery. */
  readonly forMs: number;
}

const longestWaitMs = 60 * 60 * 1000;

/** The minimum number of attempts, for a delivery that waited behind another for a day. */
const leastAttempts = 5;

/**
 * The wait before the next attempt; null gives up.
 *
 * @example retryInMs({ firstMs: 5_000, forMs: 86_400_000 }, { attempts: 3, ageMs: 15_000 }) //
 * 20_000
 */
export function retryInMs(
  policy: RetryPolicy,
  tried: { readonly attempts: number; readonly ageMs: number },
): number | null {
  if (tried.attempts >= leastAttempts && tried.ageMs >= policy.forMs) return null;
  // 2^30 waits of a millisecond exceed an hour, so this limit only prevents an overflow.
  const doublings = Math.min(30, Math.max(0, tried.attempts - 1));
  return Math.min(policy.firstMs * 2 ** doublings, longestWaitMs);
}
