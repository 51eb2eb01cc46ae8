// Limits attempts to sign in. Each attempt costs a slow hash, so few run at once and addresses take
// turns. A failure counts against the address, never against the account alone, so nobody can lock
// out someone else.

import { type Outcome, refuse } from '../../../core/failure.ts';
import { openFairQueue } from '../../../ops/threads/fair-queue.ts';
import type { Headers } from '../exchange.ts';
import { type RateLimit, type RateState, setRateHeaders } from './rate-limit.ts';

interface LoginAttempt<Entered> {
  /** The e-mail address, in lower case. */
  readonly account: string;
  readonly network: string;
  readonly headers: Headers;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
  readonly enter: () => Promise<Outcome<Entered>>;
}

export type AttemptLogin = <Entered>(attempt: LoginAttempt<Entered>) => Promise<Outcome<Entered>>;

/**
 * A hash takes a quarter of a second and 32 MiB in one of Node's four threads. This is half of
 * them.
 */
const attemptsAtOnce = 2;

/**
 * The limit for one network. The last one waits for 100 * 0.25 s / 2 = 12.5 s if no other network
 * signs in.
 */
const waitingOfOne = 100;

/** About 100 bytes each: 1 MB at most. */
const maxRemembered = 10_000;

interface Waiting {
  readonly isGone: () => boolean;
  readonly begin: () => void;
}

export function openLoginGate(rates: RateLimit): AttemptLogin {
  const waiting = openFairQueue<Waiting>();
  const signedIn = new Set<string>();
  let running = 0;

  const failuresOf = (network: string) => rates.look(network, 'loginOfAddress');
  const findBar = (network: string, account: string): RateState | null => {
    const own = rates.look(pairOf(network, account), 'login');
    if (own.isExceeded) return own;
    // A user who has signed in from here before is not blocked by other people's failures at this
    // address.
    if (signedIn.has(pairOf(network, account))) return null;
    const shared = failuresOf(network);
    return shared.isExceeded ? shared : null;
  };
  const beginNext = () => {
    while (running < attemptsAtOnce) {
      const next =
        waiting.take((network) => failuresOf(network).remaining === failuresOf(network).limit) ??
        waiting.take(() => true);
      if (next === undefined) return;
      if (next.isGone()) continue;
      running++;
      next.begin();
    }
  };
  const conclude = (network: string, account: string, outcome: Outcome<unknown>) => {
    const pair = pairOf(network, account);
    if (outcome.ok) return remember(signedIn, pair);
    if (outcome.failure.code !== 'UNAUTHENTICATED') return;
    rates.count(pair, 'login');
    rates.count(network, 'loginOfAddress');
  };

  return async ({ account, network, headers, isGone, enter }) => {
    const barBefore = findBar(network, account);
    if (barBefore !== null) return refuseFailing(headers, barBefore);
    if (waiting.sizeOf(network) >= waitingOfOne) return refuseWaiting(headers);
    await new Promise<void>((begin) => {
      waiting.add(network, { isGone, begin });
      beginNext();
    });
    try {
      const bar = findBar(network, account);
      if (bar !== null) return refuseFailing(headers, bar);
      const outcome = await enter();
      conclude(network, account, outcome);
      return outcome;
    } finally {
      running--;
      beginNext();
    }
  };
}

export type LimitFailures = <Entered extends { readonly hasFailed: boolean }>(
  attempt: Pick<LoginAttempt<Entered>, 'network' | 'headers' | 'enter'>,
) => Promise<Outcome<Entered>>;

/**
 * Limits sign-ins with a provider: each failure counts against the address, together with those of
 * passwords. Nothing is hashed here, so none has to wait; those that the provider has not answered
 * yet count too, so that many at once cannot pass the limit.
 */
export function openFailureLimit(rates: RateLimit): LimitFailures {
  const running = new Map<string, number>();
  return async ({ network, headers, enter }) => {
    const bar = rates.look(network, 'loginOfAddress');
    const others = running.get(network) ?? 0;
    if (bar.remaining <= others) return refuseFailing(headers, { ...bar, isExceeded: true });
    running.set(network, others + 1);
    try {
      const outcome = await enter();
      if (outcome.ok && outcome.value.hasFailed) rates.count(network, 'loginOfAddress');
      return outcome;
    } finally {
      const left = (running.get(network) ?? 1) - 1;
      if (left === 0) running.delete(network);
      else running.set(network, left);
    }
  };
}

function pairOf(network: string, account: string): string {
  return `${network} ${account}`;
}

function remember(signedIn: Set<string>, pair: string): void {
  signedIn.delete(pair);
  const oldest = signedIn.size < maxRemembered ? undefined : signedIn.values().next().value;
  if (oldest !== undefined) signedIn.delete(oldest);
  signedIn.add(pair);
}

function refuseFailing(headers: Headers, rate: RateState): Outcome<never> {
  setRateHeaders(headers, rate);
  return refuse(
    'RATE_LIMITED',
    `Too many logins failed from your address in the last minute. Try again in ${rate.resetSeconds} seconds, or from another address.`,
  );
}

const waitSeconds = 10;

function refuseWaiting(headers: Headers): Outcome<never> {
  headers['Retry-After'] = waitSeconds;
  return refuse(
    'RATE_LIMITED',
    `${waitingOfOne} logins from your address are waiting. Try again in ${waitSeconds} seconds.`,
  );
}
