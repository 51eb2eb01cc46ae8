// Runs a message of the Model Context Protocol. Each tool is one more request to this server, with
// the key or session of the message, so that nothing but the pipeline says what a caller may do.

import { createServer } from 'node:http';
import type { Express } from 'express';
import type { CallRoute } from '../../mcp/call-route.ts';
import { createClient } from '../../wire/client.ts';
import { type Answered, noRoute, refusal, replied } from './answer.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { fetchWithin } from './fetch-within.ts';
import type { Run } from './run.ts';

interface RunToolsDeps {
  readonly mode: 'off' | 'read' | 'write';
  readonly app: Express;
  readonly version: string;
  readonly bodyLimitBytes: number;
}

export function runTools({ mode, app, version, bodyLimitBytes }: RunToolsDeps): Run {
  const server = createServer(app);
  return async ({ plan, exchange }): Promise<Answered> => {
    if (mode === 'off') return noRoute(exchange);
    const body = await readBody(plan, exchange.request, bodyLimitBytes);
    if (!body.ok) return refusal(body.failure);
    // Loaded by the first message: most registries are asked none.
    const [{ answerMessage }, { callBy }] = await Promise.all([
      import('../../mcp/answer-message.ts'),
      import('../../mcp/call-route.ts'),
    ]);
    const call: CallRoute = callBy(
      createClient({
        baseUrl: origin + exchange.basePath,
        fetch: fetchWithin(server, exchange.request.socket.remoteAddress),
        headers: { ...callerOf(exchange), 'x-request-id': exchange.requestId },
      }),
    );
    const { authorization, cookie = '' } = exchange.request.headers;
    const secret = authorization ?? cookie;
    const allowWrites = mode === 'write';
    const answer = await answerMessage({ call, allowWrites, secret, version }, body.value.parsed);
    return replied(
      answer === null ? { status: 202, body: undefined } : { status: 200, body: answer },
    );
  };
}

const origin = 'http://registry';

const kept = [
  'authorization',
  'cookie',
  'x-csrf-token',
  'origin',
  'referer',
  'host',
  'x-forwarded-for',
];

/** What says who asks, and from where. */
function callerOf({ request }: Exchange): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
