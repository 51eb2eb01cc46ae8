// Writes a response with one JSON.stringify and one writeHead.

import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Failure, type FailureCode, refuse } from '../../core/failure.ts';
import type { KeptAnswer } from '../../registry/ports.ts';
import { statusOf } from '../errors.ts';
import type { LiveAnswer } from '../event-stream.ts';
import type { Exchange, Headers } from './exchange.ts';
import type { Plan } from './parse.ts';
import { sendStream } from './stream.ts';

/** A response as text, because it may come from a thread. */
export type Answered = Replied | Replayed | Refusal;

interface Replied extends SentAs {
  readonly kind: 'reply';
  readonly status: number;
  /** Undefined for an answer without a body. */
  readonly text: string | undefined;
}

/** The stored response to an earlier request with the same Idempotency-Key. */
interface Replayed {
  readonly kind: 'replay';
  readonly status: number;
  readonly text: string;
}

/** A refusal on its way to the caller. Express passes it on like an error. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly status: number;
  readonly code: FailureCode;
  readonly message: string;
  readonly text: string;
  /** What SCIM calls the problem, if its handlers name it. */
  readonly scimType?: string;
}

/** A response body in another format than JSON. */
export interface SentAs {
  /** The body is text of this type. */
  readonly contentType?: string;
  readonly fileName?: string;
  /** Where a redirect leads. */
  readonly location?: string;
  /** In place of the body: lines that are produced while they are sent. */
  readonly stream?: AsyncIterable<string>;
  /** In place of the body: events from now on. */
  readonly live?: LiveAnswer;
}

export interface Reply extends SentAs {
  readonly status: number;
  readonly body: unknown;
}

export function replied({ body, ...reply }: Reply): Replied {
  const isText = reply.contentType !== undefined && typeof body === 'string';
  return { kind: 'reply', ...reply, text: isText ? body : JSON.stringify(body) };
}

export function replayed({ status, body }: KeptAnswer): Replayed {
  return { kind: 'replay', status, text: body };
}

export function refusal(failure: Failure): Refusal {
  const { code, message } = failure;
  const { scim_type: named } = failure.details ?? {};
  return {
    ...{ kind: 'refusal', status: statusOf(code), code, message, text: failureText(failure) },
    ...(typeof named === 'string' && { scimType: named }),
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';
}

/** The refusal for a path without a route. */
export function noRoute({ path, basePath }: Exchange): Refusal {
  const shown = path.length <= 200 ? path : `${path.slice(0, 200)}...`;
  const { failure } = refuse(
    'ROUTE_NOT_FOUND',
    `Nothing was found at ${shown}. See ${basePath}/docs for all routes.`,
  );
  return refusal(failure);
}

export async function sendAnswered(
  plan: Plan,
  exchange: Exchange,
  answered: Replied | Replayed,
): Promise<void> {
  const { request, response, headers } = exchange;
  const { status, text } = answered;
  if (answered.kind === 'replay') {
    headers['Idempotency-Replayed'] = 'true';
    if (text === '') sendEmpty(response, status, headers);
    else sendJson(response, status, answered.text, headers);
    return;
  }
  if (answered.location !== undefined) headers.Location = answered.location;
  if (text === undefined) return sendEmpty(response, status, headers);
  const { contentType, fileName, live, stream } = answered;
  if (contentType !== undefined) headers['Content-Type'] = contentType;
  if (fileName !== undefined) {
    headers['Content-Disposition'] = `attachment; filename="${fileName}"`;
  }
  if (live !== undefined) {
    // Proxies that buffer a response would never pass on a stream.
    response.writeHead(status, { ...headers, 'X-Accel-Buffering': 'no' });
    if (request.method !== 'HEAD') return live.start(response);
    live.cancel();
    response.end();
    return;
  }
  if (stream !== undefined) {
    response.writeHead(status, headers);
    await (request.method === 'HEAD' ? response.end() : sendStream(response, stream));
    return;
  }
  if (plan.row.tagged === true) {
    const etag = etagOf(text);
    headers.ETag = etag;
    const known = request.headers['if-none-match'];
    if (known !== undefined && plan.row.method === 'GET' && namesTag(known, etag)) {
      return sendEmpty(response, 304, headers);
    }
  }
  sendJson(response, status, text, headers);
}

const jsonType = 'application/json; charset=utf-8';

export function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers,
): void {
  headers['Content-Type'] ??= jsonType;
  headers['Content-Length'] = Buffer.byteLength(text);
  response.writeHead(status, headers);
  response.end(text);
}

export function sendEmpty(response: ServerResponse, status: number, headers: Headers): void {
  response.writeHead(status, headers);
  response.end();
}

export function sendRefusal(
  response: ServerResponse,
  { status, code, text }: Refusal,
  headers: Headers,
): void {
  sendJson(response, status, text, { ...headersOfCode[code], ...headers });
}

const headersOfCode: Readonly<Partial<Record<FailureCode, Headers>>> = {
  UNAUTHENTICATED: { 'WWW-Authenticate': 'Bearer' },
  REGISTRY_UNAVAILABLE: { 'Retry-After': 2 },
  // The rate limit knows the exact time.
  RATE_LIMITED: { 'Retry-After': 10 },
};

export function failureText(failure: Failure): string {
  const { code, message, field, details } = failure;
  return JSON.stringify({
    detail: { code, message, ...(field !== undefined && { field }), ...details },
  });
}

/** The ETag of a resource: equal JSON has equal tags. */
export function etagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`;
}

/**
 * Whether a header of tags contains this one. Weak and strong tags are treated alike, because the
 * tag is made of the text.
 */
export function namesTag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
