// Limits what happens per minute for a key, a user, an address or a webhook, counted in this process.

import type { Headers } from '../exchange.ts';

interface RateLimits {
  readonly read: number;
  readonly write: number;
  /** Failed logins for each account from one address. */
  readonly login: number;
  /** Failed logins for each address, over all accounts. */
  readonly loginOfAddress: number;
  /** Requests of each address without a valid key or session. */
  readonly stranger: number;
}

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly isExceeded: boolean;
}

export interface RateLimit<Kind extends string = keyof RateLimits> {
  readonly count: (whose: string, kind: Kind, times?: number) => RateState;
  /** Checks without counting whether one more would exceed the limit. */
  readonly look: (whose: string, kind: Kind) => RateState;
}

interface Window {
  startedAt: number;
  count: number;
}

const windowMs = 60_000;

/** About 100 bytes per window: 2 MB at most. Beyond it the oldest starts again. */
const maxWindows = 20_000;

export function createRateLimit<Kind extends string = keyof RateLimits>(
  limits: Readonly<Record<Kind, number>>,
  clock: () => number,
): RateLimit<Kind> {
  const kinds = Object.keys(limits) as Kind[];
  const windows = new Map(kinds.map((kind) => [kind, new Map<string, Window>()]));
  const windowsOf = (kind: Kind) => windows.get(kind) ?? new Map<string, Window>();
  const stateOf = ({ count, startedAt }: Window, limit: number, now: number): RateState => ({
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.ceil((startedAt + windowMs - now) / 1000),
    isExceeded: count > limit,
  });
  return {
    count: (whose, kind, times = 1) => {
      const now = clock();
      const window = windowOf(windowsOf(kind), whose, now);
      window.count += times;
      return stateOf(window, limits[kind], now);
    },
    look: (whose, kind) => {
      const now = clock();
      const known = windowsOf(kind).get(whose);
      const isOver = known === undefined || now - known.startedAt >= windowMs;
      const state = stateOf(isOver ? { startedAt: now, count: 0 } : known, limits[kind], now);
      return { ...state, isExceeded: state.remaining === 0 };
    },
  };
}

export function setRateHeaders(headers: Headers, rate: RateState): void {
  headers['RateLimit-Limit'] = rate.limit;
  headers['RateLimit-Remaining'] = rate.remaining;
  headers['RateLimit-Reset'] = rate.resetSeconds;
  if (rate.isExceeded) headers['Retry-After'] = rate.resetSeconds;
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
