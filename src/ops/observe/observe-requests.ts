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
  readonly method: string;
  readonly kind: RequestKind;
  /** It goes on for as long as its reader likes: how long says nothing. */
  readonly isEndless: boolean;
}

/** Counts one answer. */
export type CountAnswer = (answered: Answering, seconds: number, traceId?: string) => void;

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** Invalid keys, conflicts and rate limits call for different actions, so `4xx` excludes them. */
const countedApart = new Set([401, 409, 429]);
const aborted = 0;

/** Counts and times the requests of one route. */
export function countAnswers(
  metrics: Metrics,
  { route, method, kind, isEndless }: ObservedRoute,
): CountAnswer {
  const duration = metrics.histogram('concordat_http_request_duration_seconds', { kind });
  let seconds: Counter | null = null;
  const counters = new Map<number, Counter>();
  // Series are created when they are needed: most routes never answer most statuses.
  const countOf = (code: number): Counter => {
    const existing = counters.get(code);
    if (existing !== undefined) return existing;
    const status = statusLabel(code);
    const created = metrics.counter('concordat_http_requests_total', { route, method, status });
    counters.set(code, created);
    return created;
  };
  return ({ statusCode, writableFinished }, took, traceId) => {
    countOf(writableFinished ? statusCode : aborted).add();
    if (isEndless) return;
    duration.observe(took, traceId);
    seconds ??= metrics.counter('concordat_http_request_seconds_total', { route, method });
    seconds.add(took);
  };
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
