// The HTTP server: Node's own, with its limits, in front of the Express app.

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Failure, refuse } from '../core/failure.ts';
import { type AppDeps, type AppSettings, createApp } from './app.ts';
import { createDrain, type Drain, watchArrivals } from './drain.ts';
import { refusal } from './request/answer.ts';
import { toPath } from './request/check-target.ts';
import { isAnsweredEarly } from './request/early-answer.ts';
import { firstHeaders, type Headers, requestIdOf } from './request/exchange.ts';

interface ServerDeps extends AppDeps {
  readonly settings: AppSettings & {
    /** The time limit for sending a request. */
    readonly requestTimeoutMs?: number;
  };
}

export interface HttpServer {
  /** Returns the port that it listens on. */
  readonly listen: (port: number, host: string) => Promise<number>;
  /**
   * Accepts no more connections, and waits for requests in progress. Those that take longer are cut
   * off.
   */
  readonly close: (graceMs: number) => Promise<void>;
  /** Call before `close` if other replicas continue to serve. */
  readonly drain: Drain;
}

/** Headers are small; a client that needs longer for them blocks a connection for nothing. */
const headersTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 30_000;
/** Longer than 60 s, the idle timeout of common load balancers. */
const keepAliveTimeoutMs = 65_000;

export function createServer(deps: ServerDeps): HttpServer {
  const requestTimeoutMs = deps.settings.requestTimeoutMs ?? defaultRequestTimeoutMs;
  const app = createApp(deps);
  /** What is asked while the server closes waits until nobody can connect any more. */
  let held: (() => void)[] | null = null;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const answer = () => {
      request.url = toPath(request);
      app(request, response);
    };
    if (held === null) answer();
    else held.push(answer);
  };
  const server = createHttpServer(
    {
      requestTimeout: requestTimeoutMs,
      // The app refuses a missing Host header, in the usual form.
      requireHostHeader: false,
      // If a header that may occur only once is sent twice, neither value counts.
      joinDuplicateHeaders: true,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(requestTimeoutMs / 4)),
    },
    serve,
  );
  // Otherwise Node would answer unknown expectations itself.
  server.on('checkExpectation', serve);
  const first = firstHeaders(deps.settings.isBehindTls);
  server.on('clientError', (error, socket) => {
    const failure = failureOf(error, socket);
    if (failure === null) socket.destroy();
    else endWith(socket, failure, deps.newId(), first);
  });
  server.on('connect', (request, socket: Duplex) =>
    endWith(socket, noTunnel.failure, requestIdOf(request, deps.newId), first),
  );
  const drain = createDrain(server);
  const untilNobodyComes = watchArrivals(server);
  return {
    listen: (port, host) => listen(server, port, host),
    close: async (graceMs) => {
      await drain(0);
      held = [];
      await untilNobodyComes();
      const closed = close(server, graceMs);
      const all = held;
      held = null;
      for (const answer of all) answer();
      await closed;
    },
    drain,
  };
}

const noTunnel = refuse(
  'METHOD_NOT_ALLOWED',
  'This server is not a proxy and does not support CONNECT.',
);

const unreadable: Readonly<Record<string, { readonly failure: Failure }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refuse(
    'REQUEST_TIMEOUT',
    'The request took too long to arrive. Send it again.',
  ),
  HPE_HEADER_OVERFLOW: refuse(
    'VALIDATION_ERROR',
    'The path and the headers are larger than 16 KiB together. Send less.',
  ),
};

/** Refuses invalid HTTP in the same form; null if the connection cannot be answered. */
function failureOf(error: Error & { code?: string }, socket: Duplex): Failure | null {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnsweredEarly(socket)) return null;
  const { failure } =
    unreadable[error.code ?? ''] ?? refuse('VALIDATION_ERROR', 'The request is not valid HTTP.');
  return failure;
}

/** Without a response object, the whole response is written by hand. */
function endWith(
  socket: Duplex,
  failure: Failure,
  requestId: string,
  first: Readonly<Headers>,
): void {
  const { status, text } = refusal(failure);
  const headers = {
    'X-Request-ID': requestId,
    ...first,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const reason = STATUS_CODES[status] ?? '';
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${text}`);
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
    server.closeIdleConnections();
  });
}
