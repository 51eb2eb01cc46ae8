// Requests as metrics. What each route adds to is found at the start: a request costs two looks at
// the clock and a few additions.

import type { EventEmitter } from 'node:events';
import type { Counter, Metrics } from './metrics.ts';

/** An answer that goes to whoever asked. */
interface Answering extends Pick<EventEmitter, 'on'> {
  readonly statusCode: number;
  readonly writableFinished: boolean;
}

interface ObservedRoute {
  readonly route: string;
  readonly method: string;
  /** It goes on for as long as its reader likes: how long says nothing. */
  readonly isEndless: boolean;
}

/** Counts one answer. */
export type CountAnswer = (answered: Answering, seconds: number) => void;

const statusClasses = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Counts and times the requests of one route. */
export function countAnswers(
  metrics: Metrics,
  { route, method, isEndless }: ObservedRoute,
): CountAnswer {
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
  return ({ statusCode, writableFinished }, seconds) => {
    countOf(writableFinished ? Math.trunc(statusCode / 100) : 0).add();
    if (!isEndless) duration.observe(seconds);
  };
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
