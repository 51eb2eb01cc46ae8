// An outage of the database in the log: a line when it begins, a count every ten seconds, and a line when
// it ends. A line for each failed request would bury the rest of the log.

import { setTimeout as delay } from 'node:timers/promises';
import { RegistryRefused, type RegistryUnavailable } from '../../core/unavailable.ts';
import type { Log } from './log.ts';

export interface OutageLog {
  /** Logs the first failure of an outage, and once for each reason why Postgres refuses. The others are only counted. */
  readonly report: (error: RegistryUnavailable, facts?: Readonly<Record<string, unknown>>) => void;
  readonly stop: () => Promise<void>;
}

interface OutageLogDeps {
  readonly log: Log;
  /** Rejects if Postgres does not answer. A busy Postgres answers. */
  readonly ping: () => Promise<void>;
  /** Milliseconds that never go back. */
  readonly clock: () => number;
  /** Called for each failure. */
  readonly count: (error: RegistryUnavailable) => void;
}

const checkEveryMs = 1_000;
const remindEveryMs = 10_000;

export function openOutageLog({ log, ping, clock, count }: OutageLogDeps): OutageLog {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  let following: Promise<void> | null = null;
  /** Postgres may answer again, and then refuse. */
  const refusals = new Set<string>();

  const answers = () =>
    ping().then(
      () => true,
      () => false,
    );
  /** Until Postgres answers and nothing has failed for a second. */
  const follow = async (
    first: Readonly<Record<string, unknown>>,
    reason: RegistryUnavailable['state'],
  ) => {
    const beganAt = clock();
    const isThere = await answers();
    if (signal.aborted) return;
    const isAbout = reason === (isThere ? 'unreachable' : 'busy');
    const state = isAbout ? (isThere ? 'busy' : 'unreachable') : reason;
    log.warn(first, `the database is ${state}`);
    let remindedAt = beganAt;
    for (let seen = 0, isOver = false; !isOver; seen = failures) {
      await delay(checkEveryMs, null, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      isOver = (await answers()) && failures === seen;
      const facts = { failures, seconds: Math.round((clock() - beganAt) / 1000) };
      if (isOver) log.info(facts, 'the database answers again');
      else if (clock() - remindedAt >= remindEveryMs) {
        remindedAt = clock();
        log.warn(facts, `the database is still ${state}`);
      }
    }
  };
  return {
    report: (error, facts = {}) => {
      failures++;
      count(error);
      log.debug({ ...facts, cause: String(error.cause) }, 'failed because of the database');
      if (signal.aborted) return;
      const first = { ...facts, cause: String(error.cause) };
      const isRefused = error instanceof RegistryRefused && !refusals.has(error.state);
      if (isRefused) refusals.add(error.state);
      if (following !== null) {
        if (isRefused) log.warn(first, `the database is ${error.state}`);
        return;
      }
      following = follow(first, error.state).finally(() => {
        following = null;
        failures = 0;
        refusals.clear();
      });
    },
    stop: async () => {
      stopping.abort();
      await following;
    },
  };
}
