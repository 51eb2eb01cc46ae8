// Requests as metrics. The cells of each route are looked up at startup, so a request costs two
// reads of the clock and a few additions.

import type { EventEmitter } from 'node:events';
import type { Counter, Metrics } from './metrics.ts';

/** A response that can be observed. */
interface Answering extends Pick<EventEmitter, 'on'> {
  readonly statusCode: number;
  readonly writableFinished: boolean;
}

/** Requests that take about the same time. Durations have buckets, so they are kept by kind. */
export type RequestKind = 'read' | 'write' | 'import' | 'page' | 'probe';

interface ObservedRoute {
  readonly route: string;
  readonly kind: RequestKind;
  /** It goes on for as long as its reader likes: how long says nothing. */
  readonly isEndless: boolean;
  /** Without it, a 401 is the answer of the route itself, such as a wrong password. */
  readonly needsKey: boolean;
}

/** Counts one answer. */
export type CountAnswer = (answered: Answering, seconds: number, traceId?: string) => void;

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** Invalid keys, conflicts and rate limits call for different actions, so `4xx` excludes them. */
const countedApart = new Set([401, 409, 429]);
/** A request that is refused because of its key has not reached its route. */
const refusedBefore = new Set([401, 429]);
const everyRoute = '/api/v1';
const aborted = 0;

/** Counts and times the requests of one route. */
export function countAnswers(
  metrics: Metrics,
  { route, kind, isEndless, needsKey }: ObservedRoute,
): CountAnswer {
  const duration = metrics.histogram('concordat_http_request_duration_seconds', { kind });
  const cells = new Map<number, Cells>();
  // Series are created when they are needed: most routes never answer most statuses.
  const cellsOf = (code: number): Cells => {
    const existing = cells.get(code);
    if (existing !== undefined) return existing;
    const of = { route: needsKey && refusedBefore.has(code) ? everyRoute : route };
    const created = {
      count: metrics.counter('concordat_http_requests_total', { ...of, status: statusLabel(code) }),
      seconds: metrics.counter('concordat_http_request_seconds_total', of),
    };
    cells.set(code, created);
    return created;
  };
  return ({ statusCode, writableFinished }, took, traceId) => {
    const { count, seconds } = cellsOf(writableFinished ? statusCode : aborted);
    count.add();
    if (isEndless) return;
    duration.observe(took, traceId);
    seconds.add(took);
  };
}

interface Cells {
  readonly count: Counter;
  readonly seconds: Counter;
}

function statusLabel(code: number): string {
  if (code === aborted) return 'aborted';
  return countedApart.has(code) ? `${code}` : (statusClasses[Math.trunc(code / 100) - 1] ?? '5xx');
}

/** Follows an answer to its end. What it is counted for is known by then. */
type ObserveAnswer = (response: Answering, counted: () => CountAnswer) => void;

export function observeAnswers(metrics: Metrics): ObserveAnswer {
  const inFlight = metrics.gauge('concordat_http_requests_in_flight');
  return (response, counted) => {
    const startedAt = performance.now();
    inFlight.add(1);
    response.on('close', () => {
      inFlight.add(-1);
      counted()(response, (performance.now() - startedAt) / 1000);
    });
  };
}
