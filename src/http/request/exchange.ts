// One request and its response, with the headers collected so far. It is opened before everything
// else, so that every response starts from the same headers.

import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { CountAnswer } from '../../ops/observe/observe-requests.ts';

export type Headers = Record<string, string | number | string[]>;

export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly headers: Headers;
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
  /** The path prefix of the server; empty for the root. */
  readonly basePath: string;
  /** The route that this response is counted for. */
  counted: CountAnswer;
  /** The route of the table that answers; `none` until one does. A path may contain a secret by mistake. */
  route: string;
  /** Undefined where nothing is traced. */
  traceId?: string | undefined;
}

/** The default headers of a response: data, never a page, and only for the caller. */
const dataHeaders: Readonly<Headers> = {
  'Cache-Control': 'private, no-cache',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

/** The headers of every response. */
export function firstHeaders(isBehindTls: boolean): Readonly<Headers> {
  const hsts = { 'Strict-Transport-Security': 'max-age=31536000' };
  return isBehindTls ? { ...dataHeaders, ...hsts } : dataHeaders;
}

interface ExchangeDeps {
  readonly newId: () => string;
  readonly basePath: string;
  readonly isBehindTls: boolean;
  /** Follows a response to its end, and counts it for the route that it then belongs to. */
  readonly observe: (response: Response, counted: () => CountAnswer) => void;
  /** Counts requests that no route handles. */
  readonly countedElsewhere: CountAnswer;
}

export function openExchanges(deps: ExchangeDeps): RequestHandler {
  const first = firstHeaders(deps.isBehindTls);
  return (request, response, next) => {
    const { originalUrl } = request;
    const mark = originalUrl.indexOf('?');
    const requestId = requestIdOf(request, deps.newId);
    const exchange: Exchange = {
      request,
      response,
      requestId,
      headers: { 'X-Request-ID': requestId, ...first },
      path: mark === -1 ? originalUrl : originalUrl.slice(0, mark),
      search: mark === -1 ? '' : originalUrl.slice(mark + 1),
      basePath: deps.basePath,
      counted: deps.countedElsewhere,
      route: 'none',
    };
    response.locals.exchange = exchange;
    deps.observe(response, () => (answered, seconds) => {
      exchange.counted(answered, seconds, exchange.traceId);
    });
    next();
  };
}

export function exchangeOf(response: Response): Exchange {
  return response.locals.exchange as Exchange;
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id if it is safe in a log line, otherwise a new one. */
export function requestIdOf(request: IncomingMessage, newId: () => string): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : newId();
}
