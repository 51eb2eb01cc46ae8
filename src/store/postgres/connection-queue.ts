// Callers wait here for a connection of the pool. slonik has a queue too, but nobody can leave it: a
// caller would wait until the lock is released or the statement is cancelled, and then still run.

import type { DatabasePool } from 'slonik';
import { isLockTimeout } from './driver-errors.ts';
import { answerPatienceMs } from './patience.ts';
import { connectingMethods, withMethods } from './pool-methods.ts';

/** When a caller stops waiting for a connection. */
export interface WaitLimits {
  /** No caller has given a connection back for this long: something holds all of them. */
  readonly standstillMs: number;
  /** Connections are given back, but there are more callers than they can serve. */
  readonly atMostMs: number;
  /** How long a read that has a connection waits for a lock; 0 for as long as a statement may take. */
  readonly lockMs: number;
}

/**
 * A person or a program waits for the answer, and can ask again. A queue that moves is no reason to
 * refuse: a burst of writes of one asset is served one after the other. A vacuum that
 * blocks a lock is canceled by Postgres after a second (`deadlock_timeout`), so a read waits a little longer.
 */
export const requestWait: WaitLimits = { standstillMs: 2_000, atMostMs: 20_000, lockMs: 1_500 };

/**
 * Imports and chores would lose work that takes longer than the wait. After the time of
 * `answerPatienceMs` each connection has answered or was closed.
 */
export const backgroundWait: WaitLimits = {
  standstillMs: answerPatienceMs + 5_000,
  atMostMs: 120_000,
  lockMs: 0,
};

/** All connections were in use for as long as the caller waits. */
export class NoFreeConnection extends Error {}

interface Waiting {
  readonly admit: () => void;
  readonly refuse: (error: NoFreeConnection) => void;
}

interface ConnectionQueue {
  /** The pool for callers that wait this long. */
  readonly poolFor: (limits: WaitLimits) => DatabasePool;
}

/** `observeWait` is called with the seconds that each caller waited, also if it was refused. */
export function openConnectionQueue(
  pool: DatabasePool,
  connections: number,
  observeWait: (seconds: number) => void,
): ConnectionQueue {
  const queue = new Set<Waiting>();
  let taken = 0;
  let givenBackAt = 0;

  const wait = ({ standstillMs, atMostMs }: WaitLimits) =>
    new Promise<void>((done, fail) => {
      const since = performance.now();
      let timer: NodeJS.Timeout;
      const waiting: Waiting = {
        admit: () => {
          clearTimeout(timer);
          done();
        },
        refuse: (error) => {
          clearTimeout(timer);
          fail(error);
        },
      };
      const look = () => {
        if (!queue.has(waiting)) return;
        const until = Math.min(Math.max(since, givenBackAt) + standstillMs, since + atMostMs);
        const leftMs = until - performance.now();
        // After a delay of the event loop, answers that have arrived are read first.
        if (leftMs > 0) timer = setTimeout(() => setImmediate(look), leftMs);
        else {
          queue.delete(waiting);
          const waitedMs = Math.round(performance.now() - since);
          fail(new NoFreeConnection(`No connection became free in ${waitedMs} ms.`));
        }
      };
      queue.add(waiting);
      look();
    });
  const giveBack = (isProgress: boolean) => {
    if (isProgress) givenBackAt = performance.now();
    const [next] = queue;
    if (next === undefined) {
      taken--;
      return;
    }
    queue.delete(next);
    next.admit();
  };
  const withConnection = async <T>(limits: WaitLimits, run: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    try {
      if (taken < connections) taken++;
      else await wait(limits);
    } finally {
      observeWait((performance.now() - startedAt) / 1000);
    }
    // Who gave up waiting for a lock leaves the next caller to wait for the same one.
    let isProgress = true;
    try {
      return await run();
    } catch (error) {
      isProgress = !isLockTimeout(error);
      throw error;
    } finally {
      giveBack(isProgress);
    }
  };
  return {
    poolFor: (limits) => {
      const queued = withMethods(
        pool,
        connectingMethods,
        (call) =>
          (...all) =>
            withConnection(limits, () => call(...all)),
      );
      return Object.assign(queued, {
        state: () => {
          const state = pool.state();
          return { ...state, waitingClients: state.waitingClients + queue.size };
        },
        end: () => {
          for (const { refuse } of queue) refuse(new NoFreeConnection('The pool is closing.'));
          queue.clear();
          return pool.end();
        },
      });
    },
  };
}
