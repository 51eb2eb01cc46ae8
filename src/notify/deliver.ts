// Sends pending deliveries, several at once but only one at a time per asset of a webhook. Several
// processes run this side by side; if one of them claims a delivery and never finishes it, another
// takes it when the lease ends.

import type { WebhookId } from '../core/id.ts';
import type { Dispatch, DispatchResult, Outbox, Receiver } from '../registry/webhooks/outbox.ts';
import { openBell } from './bell.ts';
import { type Outgoing, outgoingOf } from './message.ts';
import { oneLine } from './one-line.ts';
import { type RetryPolicy, retryInMs } from './retry.ts';
import type { Send } from './send.ts';

interface DeliverDeps {
  readonly outbox: Outbox;
  readonly send: Send;
  /** Subscribes to commits. Returns a function that unsubscribes. */
  readonly onNews: (hear: () => void) => () => void;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly reportError: (error: unknown, during: string) => void;
}

export interface Delivering {
  /** Claims no more deliveries; those in progress get some time to finish. */
  readonly stop: () => Promise<void>;
}

/** Deliveries nearly always wait for their receivers, so this many cost only 2 MB. */
const underWayLimit = 32;
/** An unresponsive receiver can block this many places, and no more. */
const webhookLimit = 4;
/** Finds deliveries without a notification within this time; when idle, the interval grows. */
const pollMs = { least: 1_000, most: 5_000 };
/** The first notification is handled at once; those that follow soon are handled together. */
const gatherMs = 100;
/** Allows for the time between the end of an attempt and storing its result. */
const settleMs = 5_000;
/** Avoids claiming at once a lane that another process holds at this moment. */
const shortestWaitMs = 10;
const graceMs = 5_000;
const pruneEveryMs = 60 * 60 * 1000;
const errorLimit = 500;

export function startDelivering(deps: DeliverDeps): Delivering {
  const { outbox } = deps;
  const bell = openBell();
  const flights = new Set<Promise<void>>();
  const underWay = new Map<WebhookId, number>();
  const callOff = new AbortController();
  let isStopping = false;
  let hasNews = true;
  let gathering: NodeJS.Timeout | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let quietMs = pollMs.least;
  let prunedAt = Number.NEGATIVE_INFINITY;

  const fly = async (dispatch: Dispatch) => {
    const result = await attempt(deps, dispatch, callOff.signal);
    if (result === 'called off') await outbox.giveBack(dispatch);
    else await outbox.settle(dispatch, result);
  };
  const launch = (dispatch: Dispatch) => {
    const { webhookId } = dispatch;
    underWay.set(webhookId, (underWay.get(webhookId) ?? 0) + 1);
    const flight = fly(dispatch)
      // Its lease ends, and it is sent again: delivery is at least once.
      .catch((error: unknown) => deps.reportError(error, 'noting what became of a delivery'))
      .finally(() => {
        flights.delete(flight);
        const left = (underWay.get(webhookId) ?? 1) - 1;
        if (left === 0) underWay.delete(webhookId);
        else underWay.set(webhookId, left);
        bell.ring();
      });
    flights.add(flight);
  };

  const hear = () => {
    const leftMs = gatherMs - (performance.now() - lookedAt);
    gathering ??= setTimeout(
      () => {
        gathering = null;
        hasNews = true;
        bell.ring();
      },
      Math.max(0, leftMs),
    );
  };
  const look = async () => {
    hasNews = false;
    lookedAt = performance.now();
    while (await outbox.fanOut()) if (isStopping) return;
    if (lookedAt - prunedAt < pruneEveryMs) return;
    prunedAt = lookedAt;
    await outbox.prune();
  };
  /** Returns how long there is nothing to do, unless a notification arrives. */
  const round = async (): Promise<number> => {
    const isNews = hasNews;
    if (isNews || performance.now() - lookedAt >= quietMs) await look();
    const limit = underWayLimit - flights.size;
    if (limit <= 0 || isStopping) return pollMs.least;
    const leaseMs = deps.timeoutMs + settleMs;
    const claimed = await outbox.claim({ limit, webhookLimit, underWay, leaseMs });
    claimed.dispatches.forEach(launch);
    const isQuiet = !isNews && flights.size === 0;
    quietMs = isQuiet ? Math.min(pollMs.most, 2 * quietMs) : pollMs.least;
    return Math.min(quietMs, Math.max(shortestWaitMs, claimed.nextDueInMs ?? quietMs));
  };
  const unsubscribe = deps.onNews(hear);
  const running = (async () => {
    while (!isStopping) {
      const waitMs = await round().catch((error: unknown) => {
        deps.reportError(error, 'looking for what is to be delivered');
        return pollMs.least;
      });
      await bell.wait(waitMs);
    }
  })();

  return {
    stop: async () => {
      isStopping = true;
      unsubscribe();
      if (gathering !== null) clearTimeout(gathering);
      bell.ring();
      await running;
      const impatient = setTimeout(() => callOff.abort(), graceMs);
      await Promise.all(flights);
      clearTimeout(impatient);
    },
  };
}

async function attempt(
  deps: DeliverDeps,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<DispatchResult | 'called off'> {
  const message = outgoingOf(dispatch);
  const answered = await trySending(deps.send, dispatch, message, signal);
  if (answered === 'called off') return answered;
  const { status, error } = answered;
  if (error === null) return { kind: 'delivered', status };
  const retriesInMs = dispatch.messages.map((tried) => retryInMs(deps.retry, tried));
  return { kind: 'failed', status, error, retriesInMs };
}

/** What the receiver answered, or why there is no answer. */
export async function trySending(
  send: Send,
  receiver: Receiver,
  message: Outgoing,
  signal: AbortSignal,
) {
  try {
    const { status, error } = await send(receiver, message, signal);
    return { status, error: error === null ? null : errorText(error) };
  } catch (thrown) {
    if (signal.aborted) return 'called off';
    return { status: null, error: errorText(messageOf(thrown)) };
  }
}

/** Servers say anything, and the database keeps no character 0. */
function errorText(said: string): string {
  return oneLine(said).slice(0, errorLimit);
}

/** If several addresses of a name were tried, each has its own reason. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const meaning = meanings[(error as NodeJS.ErrnoException).code ?? ''];
  return meaning === undefined ? error.message : `${meaning}: ${error.message}`;
}

/** What the codes of the system mean, before what it says itself. */
const meanings: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'The name of the host cannot be looked up now',
  ECONNREFUSED: 'Nothing listens at this address',
  ECONNRESET: 'The receiver cut the connection',
  ENOTFOUND: 'There is no such host',
  ETIMEDOUT: 'The receiver did not answer',
};
