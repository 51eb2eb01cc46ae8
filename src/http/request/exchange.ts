// One request and its answer, with the headers gathered on the way.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Failure, refuse } from '../../core/failure.ts';
import type { KeptAnswer } from '../../registry/ports.ts';
import {
  apiHeaders,
  type Headers,
  requestIdOf,
  sendEmpty,
  sendFailure,
  sendJson,
} from './answer.ts';
import { noteAnsweredEarly } from './early-answer.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Headers;
  readonly requestId: string;
  readonly path: string;
  readonly search: string;
}

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  newId: () => string,
  more: Readonly<Headers>,
): Exchange {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const requestId = requestIdOf(request, newId);
  return {
    request,
    response,
    requestId,
    headers: { 'X-Request-ID': requestId, ...apiHeaders, ...more },
    path: mark === -1 ? url : url.slice(0, mark),
    search: mark === -1 ? '' : url.slice(mark + 1),
  };
}

export function refuseExchange(exchange: Exchange, failure: Failure): void {
  noteAnsweredEarly(exchange.request);
  sendFailure(exchange.response, failure, exchange.headers);
}

/** What was answered to the same request before, under its Idempotency-Key. */
export function replayAnswer({ response, headers }: Exchange, kept: KeptAnswer): void {
  headers['Idempotency-Replayed'] = 'true';
  if (kept.body === '') sendEmpty(response, kept.status, headers);
  else sendJson(response, kept.status, kept.body, headers);
}

/** A path that is there, asked by a method that it does not take. */
export function answerMethods(exchange: Exchange, allow: string): void {
  const { request, response, headers, path } = exchange;
  headers.Allow = allow;
  if (request.method === 'OPTIONS') {
    sendEmpty(response, 204, headers);
    return;
  }
  const message = `${path} does not take ${request.method}. It takes ${allow}.`;
  refuseExchange(exchange, refuse('METHOD_NOT_ALLOWED', message).failure);
}

export function noRoute(path: string): Failure {
  const shown = path.length <= 200 ? path : `${path.slice(0, 200)}...`;
  return refuse('ROUTE_NOT_FOUND', `There is nothing at ${shown}. See /docs for what there is.`)
    .failure;
}
