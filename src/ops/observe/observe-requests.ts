// Requests as metrics. The cells of each route are looked up at startup, so a request costs two
// reads of the clock and a few additions.

import type { EventEmitter } from 'node:events';
import type { Counter, Metrics } from './metrics.ts';

/** A response that can be observed. */
interface Answering extends Pick<EventEmitter, 'on'> {
  readonly statusCode: number;
  readonly writableFinished: boolean;
}

interface ObservedRoute {
  readonly route: string;
  readonly method: string;
  /** A response that lasts as long as its reader likes, so its duration means nothing. */
  readonly isEndless: boolean;
}

/** Counts one response. */
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
    // Created when needed, because most routes never return most statuses.
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

/** Follows a response to its end. By then it is known what to count it for. */
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
