// The error handler of all requests: refusals, broken machines, and bugs.

import type { ErrorRequestHandler, RequestHandler } from 'express';
import { refuse } from '../../core/failure.ts';
import { ArchiveUnavailable, RegistryUnavailable } from '../../core/unavailable.ts';
import type { Log } from '../../ops/observe/log.ts';
import type { OutageLog } from '../../ops/observe/outage-log.ts';
import { QueueFull, TaskCalledOff } from '../../ops/threads/thread-pool.ts';
import { scimPrefix, scimType } from '../../wire/route.ts';
import { scimText } from '../scim/scim-error.ts';
import { isRefusal, noRoute, type Refusal, refusal, sendRefusal } from './answer.ts';
import { RequestAborted } from './body.ts';
import { noteAnsweredEarly } from './early-answer.ts';
import { type Exchange, exchangeOf } from './exchange.ts';

export const answerNothing: RequestHandler = (_request, response, next) => {
  next(noRoute(exchangeOf(response)));
};

// Express knows a handler of errors by its four parameters.
interface ErrorDeps {
  readonly log: Log;
  readonly outages: Pick<OutageLog, 'report'>;
}

export function answerErrors(deps: ErrorDeps): ErrorRequestHandler {
  return (error, request, response, _next) => {
    if (error instanceof RequestAborted || error instanceof TaskCalledOff) return;
    const exchange = exchangeOf(response);
    const refused = isRefusal(error) ? error : toRefusal(deps, exchange, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    noteAnsweredEarly(request);
    if (exchange.path.startsWith(`${exchange.basePath}${scimPrefix}`)) {
      exchange.headers['Content-Type'] = scimType;
      return sendRefusal(response, { ...refused, text: scimText(refused) }, exchange.headers);
    }
    sendRefusal(response, refused, exchange.headers);
  };
}

/** Logged in full where it is a bug, and answered without a word of it. */
function toRefusal(
  { log, outages }: ErrorDeps,
  { request, requestId, path }: Exchange,
  error: unknown,
): Refusal {
  if (error instanceof QueueFull) {
    log.warn({ request_id: requestId, path, cause: error.message }, 'a queue is full');
    return refusal(refuse('RATE_LIMITED', error.message).failure);
  }
  if (error instanceof RegistryUnavailable) {
    outages.report(error, { request_id: requestId });
    return refusal(refuse('REGISTRY_UNAVAILABLE', error.message).failure);
  }
  if (error instanceof ArchiveUnavailable) {
    log.warn({ request_id: requestId, path, cause: error.message }, 'the archive cannot be read');
    return refusal(refuse('REGISTRY_UNAVAILABLE', error.message).failure);
  }
  // Express could not decode a parameter of the path.
  if (error instanceof URIError && 'status' in error && error.status === 400) {
    const message = 'The path is not percent-encoded UTF-8. Encode it and send it again.';
    return refusal(refuse('VALIDATION_ERROR', message).failure);
  }
  log.error(
    { request_id: requestId, method: request.method, path, err: error },
    'a request crashed',
  );
  const message = `The registry failed because of a bug. Report the request id ${requestId} to its operators.`;
  return refusal(refuse('INTERNAL_ERROR', message).failure);
}
