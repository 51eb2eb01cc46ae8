// Requests of this process to its own server, over streams in memory: all that a request from outside
// passes through, and no network.

import { type IncomingMessage, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The server counts the caller's address as that of the requests. */
export function fetchWithin(server: Server, remoteAddress: string | undefined): typeof fetch {
  return (input, { method = 'GET', headers, body } = {}) => {
    const { pathname, search } = new URL(String(input));
    const [near, far] = duplexPair();
    server.emit('connection', Object.assign(far, { remoteAddress }));
    return new Promise((resolve, reject) => {
      const sent = request({
        createConnection: () => near as Socket,
        ...{ method, path: pathname + search },
        headers: Object.fromEntries(new Headers(headers)),
      });
      sent.on('error', reject).on('response', (answer) => {
        toResponse(answer).then(resolve, reject);
      });
      sent.end(body);
    });
  };
}

async function toResponse(answer: IncomingMessage): Promise<Response> {
  const { statusCode: status = 500, headers } = answer;
  const body = await text(answer);
  const told = Object.entries(headers).map(([name, value]): [string, string] => [name, `${value}`]);
  return new Response(body === '' ? null : body, { status, headers: told });
}
