// A webhook receiver: a real server that behaves as a test tells it.

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Message;
}

export interface Message {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly gap: boolean;
  readonly replay: boolean;
  readonly asset: { readonly id: string; readonly fqn: string };
  readonly teams: readonly { readonly id: string; readonly name: string }[];
  readonly event: { readonly id: string; readonly metadata: Readonly<Record<string, unknown>> };
}

export type Behaviour = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly url: string;
  /** Every request, whatever the response. */
  readonly received: readonly Received[];
  /** The deliveries that were answered with 200, each id once. */
  readonly taken: () => readonly Message[];
  readonly behave: (behaviour: Behaviour) => void;
  /** Stops listening. */
  readonly goAway: () => Promise<void>;
  /** Listens again at the same address. */
  readonly comeBack: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const answerWith =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end('answered');
  };

export async function openReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  const taken = new Map<string, Message>();
  let behave = answerWith(200);
  let port = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        body: JSON.parse(text) as Message,
      };
      received.push(one);
      response.on('finish', () => {
        if (response.statusCode === 200) taken.set(one.body.id, one.body);
      });
      behave(response, one);
    });
  });
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  const goAway = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen();
  port = (server.address() as AddressInfo).port;
  return {
    url: `http://${host}:${port}/hook`,
    received,
    taken: () => [...taken.values()],
    behave: (behaviour) => {
      behave = behaviour;
    },
    goAway,
    comeBack: listen,
    stop: async () => {
      if (server.listening) await goAway();
    },
  };
}

/** The check with which a receiver authenticates the sender. */
export function isSignedBy(secret: string, { headers, text }: Received): boolean {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['concordat-signature']));
  if (match === null) return false;
  const [, seconds, mac] = match;
  const own = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex');
  return own === mac && Math.abs(Date.now() / 1000 - Number(seconds)) < 60;
}
