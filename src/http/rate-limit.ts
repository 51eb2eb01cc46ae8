// How many requests a minute a key, a user or an address may make, counted in this process.

export interface RateLimits {
  readonly read: number;
  readonly write: number;
  /** For each account, and for each address. */
  readonly login: number;
}

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

export type CountRequest = (whose: string, kind: keyof RateLimits) => RateState;

interface Window {
  startedAt: number;
  count: number;
}

const windowMs = 60_000;

/** About 100 bytes a window: 2 MB at most. Beyond, the oldest begins anew. */
const maxWindows = 20_000;

export function createRateLimit(limits: RateLimits, clock: () => number): CountRequest {
  const windows = {
    read: new Map<string, Window>(),
    write: new Map<string, Window>(),
    login: new Map<string, Window>(),
  };
  return (whose, kind) => {
    const now = clock();
    const window = windowOf(windows[kind], whose, now);
    window.count++;
    return {
      limit: limits[kind],
      remaining: Math.max(0, limits[kind] - window.count),
      resetSeconds: Math.ceil((window.startedAt + windowMs - now) / 1000),
      isExceeded: window.count > limits[kind],
    };
  };
}

function windowOf(windows: Map<string, Window>, whose: string, now: number): Window {
  const known = windows.get(whose);
  if (known !== undefined) {
    if (now - known.startedAt >= windowMs) {
      known.startedAt = now;
      known.count = 0;
    }
    return known;
  }
  const oldest = windows.size < maxWindows ? undefined : windows.keys().next().value;
  if (oldest !== undefined) windows.delete(oldest);
  const fresh = { startedAt: now, count: 0 };
  windows.set(whose, fresh);
  return fresh;
}
