// How many requests a minute a key may make, counted in this process.

export interface RateLimits {
  readonly read: number;
  readonly write: number;
}

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

export type CountRequest = (actorId: string, kind: keyof RateLimits) => RateState;

interface Window {
  startedAt: number;
  count: number;
}

const windowMs = 60_000;

/** About 100 bytes a window: 2 MB at most. Beyond, the oldest begins anew. */
const maxWindows = 20_000;

export function createRateLimit(limits: RateLimits, clock: () => number): CountRequest {
  const windows = { read: new Map<string, Window>(), write: new Map<string, Window>() };
  return (actorId, kind) => {
    const now = clock();
    const window = windowOf(windows[kind], actorId, now);
    window.count++;
    return {
      limit: limits[kind],
      remaining: Math.max(0, limits[kind] - window.count),
      resetSeconds: Math.ceil((window.startedAt + windowMs - now) / 1000),
      isExceeded: window.count > limits[kind],
    };
  };
}

function windowOf(windows: Map<string, Window>, actorId: string, now: number): Window {
  const known = windows.get(actorId);
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
  windows.set(actorId, fresh);
  return fresh;
}
