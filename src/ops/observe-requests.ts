// Requests as metrics. What each route adds to is found at the start: a request costs two looks at
// the clock and a few additions.

import type { EventEmitter } from 'node:events';
import type { Counter, Metrics } from './metrics.ts';

/** An answer that goes to whoever asked. */
export interface Answering extends Pick<EventEmitter, 'on'> {
  readonly statusCode: number;
  readonly writableFinished: boolean;
}

export interface ObservedRoute {
  readonly route: string;
  readonly method: string;
  /** It goes on for as long as its reader likes: how long says nothing. */
  readonly isEndless: boolean;
}

/** Follows one answer to its end. */
export type ObserveAnswer = (response: Answering) => void;

const statusClasses = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** How requests of one route are counted and timed. */
export function observeRequests(
  metrics: Metrics,
  { route, method, isEndless }: ObservedRoute,
): ObserveAnswer {
  const inFlight = metrics.gauge('concordat_http_requests_in_flight');
  const duration = metrics.histogram('concordat_http_request_duration_seconds', { route, method });
  const counters = new Map<number, Counter>();
  const countOf = (index: number): Counter => {
    const known = counters.get(index);
    if (known !== undefined) return known;
    // Made when it is needed: most routes never answer most statuses.
    const status = statusClasses[index] ?? '5xx';
    const made = metrics.counter('concordat_http_requests_total', { route, method, status });
    counters.set(index, made);
    return made;
  };
  return (response) => {
    const startedAt = performance.now();
    inFlight.add(1);
    response.on('close', () => {
      inFlight.add(-1);
      countOf(response.writableFinished ? Math.trunc(response.statusCode / 100) : 0).add();
      if (!isEndless) duration.observe((performance.now() - startedAt) / 1000);
    });
  };
}
