// Checks the host and the target of a request, and refuses those that two programs on its path
// could read in different ways. Runs before everything else; its refusals have the usual form.

import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { refuse } from '../../core/failure.ts';
import { refusal } from './answer.ts';

/**
 * A name or an address, and a port. Two Host headers are joined by a comma, which does not match.
 */
const hostPattern = /^(?:[\w.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

export const checkTarget: RequestHandler = (request, _response, next) => {
  const { host } = request.headers;
  const isOld = request.httpVersion === '1.0';
  if (host === undefined ? !isOld : !hostPattern.test(host)) return next(refusal(noHost.failure));
  if (!request.url.startsWith('/')) return next(refusal(noPath.failure));
  next();
};

const noHost = refuse(
  'VALIDATION_ERROR',
  'The request needs exactly one Host header: a name or an address, and optionally a port.',
);

const noPath = refuse(
  'VALIDATION_ERROR',
  'The request target must be a path. Send the host in the Host header.',
);

const absolutePattern = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * A client may send the whole URL, as it does to a proxy. It is reduced to its path if it names the
 * same host as the Host header, and otherwise stays as it is.
 */
export function toPath({ url = '/', headers }: IncomingMessage): string {
  if (url.startsWith('/')) return url;
  const [, host, path = ''] = absolutePattern.exec(url) ?? [];
  if (host === undefined || host.toLowerCase() !== headers.host?.toLowerCase()) return url;
  return path.startsWith('/') ? path : `/${path}`;
}
