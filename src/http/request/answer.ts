// How an answer is written: one JSON.stringify, one writeHead.

import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../../core/failure.ts';
import { statusOf } from '../errors.ts';

export type Headers = Record<string, string | number>;

/** What every answer of the API carries: it is data, never a page, and belongs to its caller. */
export const apiHeaders: Readonly<Headers> = {
  'Cache-Control': 'private, no-cache',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

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

export function sendFailure(response: ServerResponse, failure: Failure, headers: Headers): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendRefusal(response, failure.code, failureText(failure), headers);
}

/** A failure whose text was made elsewhere. */
export function sendRefusal(
  response: ServerResponse,
  code: Failure['code'],
  text: string,
  headers: Headers,
): void {
  sendJson(response, statusOf(code), text, { ...headersOfCode[code], ...headers });
}

const headersOfCode: Readonly<Partial<Record<Failure['code'], Headers>>> = {
  UNAUTHENTICATED: { 'WWW-Authenticate': 'Bearer' },
  REGISTRY_UNAVAILABLE: { 'Retry-After': 2 },
  // Who counts a minute knows better, and says so.
  RATE_LIMITED: { 'Retry-After': 10 },
};

export function failureText(failure: Failure): string {
  const { code, message, field, details } = failure;
  return JSON.stringify({
    detail: { code, message, ...(field !== undefined && { field }), ...details },
  });
}

/** The state of one resource, as a name for it: the same JSON, the same tag. */
export function etagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`;
}

/** Whether a header of tags names this one. Weak and strong count alike: the text is the state. */
export function namesTag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own, where it is one that can stand in a log line. */
export function requestIdOf(request: IncomingMessage, newId: () => string): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : newId();
}
