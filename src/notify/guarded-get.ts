// One GET from an untrusted server: within a time, up to a size, and without following redirects.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressGuard } from './address-guard.ts';
import { checkLiteral, guardedLookup } from './guarded-lookup.ts';

interface GetDeps {
  readonly guard: AddressGuard;
  /** Limits everything: lookup, connection, request and response. */
  readonly timeoutMs: number;
}

/** A complete answer; throws if there is none. */
type GuardedGet = (url: string) => Promise<Response>;

/** A set of a hundred keys has 200 KB. */
const answerLimitBytes = 768 * 1024;

export function openGet({ guard, timeoutMs }: GetDeps): GuardedGet {
  return async (address) => {
    const url = new URL(address);
    checkLiteral(guard, url);
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(timeoutMs);
    // Kubernetes serves its keys only under their own type.
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // A new connection each time, so that each one looks up and checks the address again.
      const sent = request(url, { headers, agent: false, signal, lookup: guardedLookup(guard) });
      sent.on('response', resolve);
      sent.on('upgrade', (_, socket) => {
        socket.destroy();
        reject(new Error('The server switched to another protocol.'));
      });
      sent.on('error', (error) =>
        reject(signal.aborted ? new Error(`No answer within ${timeoutMs} ms.`) : error),
      );
      sent.end();
    });
    return readAnswer(response);
  };
}

async function readAnswer(response: IncomingMessage): Promise<Response> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const part of response) {
    bytes += part.length;
    if (bytes > answerLimitBytes) {
      throw new Error(`The answer has more than ${answerLimitBytes} bytes.`);
    }
    parts.push(part);
  }
  const { statusCode = 0 } = response;
  const hasBody = bytes > 0 && statusCode === 200;
  return new Response(hasBody ? Buffer.concat(parts).toString() : null, {
    // Response throws on a status outside this range.
    status: statusCode >= 200 && statusCode <= 599 ? statusCode : 502,
  });
}
