// One POST to an untrusted receiver: it may hang, lie, send without end, or redirect.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { checkLiteral, guardedLookup, type Resolve } from './guarded-lookup.ts';

interface PostDeps {
  readonly guard: AddressGuard;
  /** Limits the whole attempt: lookup, connection, request and response. */
  readonly timeoutMs: number;
  /** Resolves names; if absent, the system does. */
  readonly resolve?: Resolve | undefined;
}

interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Returns the status of a complete response; throws if there is none. */
export type Post = (request: PostRequest) => Promise<number>;

/** Responses are not read beyond this size; then only their status counts. */
const answerLimitBytes = 64 * 1024;

export function openPost(deps: PostDeps): Post {
  return async (asked) => {
    const url = new URL(asked.url);
    checkLiteral(deps.guard, url);
    const late = AbortSignal.timeout(deps.timeoutMs);
    try {
      return await send(url, asked, {
        signal: AbortSignal.any([asked.signal, late]),
        lookup: guardedLookup(deps.guard, deps.resolve),
      });
    } catch (error) {
      if (late.aborted) throw new Error(`No answer within ${deps.timeoutMs} ms.`);
      throw error;
    }
  };
}

function send(
  url: URL,
  { headers, body }: PostRequest,
  how: { readonly signal: AbortSignal; readonly lookup: LookupFunction },
): Promise<number> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        // A new connection each time, so that each attempt looks up and checks the address again.
        agent: false,
        ...how,
      },
      (response) => {
        isAnswered = true;
        readAnswer(response, resolve, reject);
      },
    );
    // An upgrade would switch to another protocol. It is ignored; the status counts.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode ?? 0);
    });
    sent.on('error', reject);
    // However the connection ends, the attempt ends with it.
    sent.on('close', () => {
      if (!isAnswered) reject(new Error('The connection was closed before an answer came.'));
    });
    sent.end(body);
  });
}

function readAnswer(
  response: IncomingMessage,
  resolve: (status: number) => void,
  reject: (error: Error) => void,
): void {
  const status = response.statusCode ?? 0;
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= answerLimitBytes) return;
    resolve(status);
    response.destroy();
  });
  response.on('end', () => resolve(status));
  response.on('error', reject);
  response.on('close', () => {
    if (!response.complete) reject(new Error(`The answer (${status}) broke off.`));
  });
}
