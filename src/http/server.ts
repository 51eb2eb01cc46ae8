// The server: the API first, then what is about the process, then the pages.

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Authenticator } from '../core/audit/seal.ts';
import { type Failure, refuse } from '../core/failure.ts';
import type { Timestamp } from '../core/id.ts';
import type { Log } from '../ops/log.ts';
import { type Metrics, metricsContentType } from '../ops/metrics.ts';
import type { Tracing } from '../ops/tracing.types.ts';
import type { Verbs } from '../registry/commands.ts';
import type { EventFeed } from '../registry/event-feed.ts';
import type { Ports } from '../registry/ports.ts';
import { buildOpenApi } from '../wire/openapi.ts';
import { createDrain, type Drain } from './drain.ts';
import { statusOf } from './errors.ts';
import { createEventStreams, type StreamLimits } from './event-stream.ts';
import { keepDocuments } from './kept-documents.ts';
import { createDocs } from './pages/docs.ts';
import { createGuide } from './pages/guide/guide.ts';
import { createPage } from './pages/page.ts';
import { createAddressOf } from './request/address.ts';
import { type Admit, createAdmit } from './request/admit.ts';
import { failureText, type Headers, requestIdOf, sendFailure, sendJson } from './request/answer.ts';
import { createAuthenticate } from './request/auth.ts';
import { isAnsweredEarly } from './request/early-answer.ts';
import { noRoute } from './request/exchange.ts';
import type { RunImport } from './request/import-exchange.ts';
import type { KeyChanges } from './request/lookup.ts';
import { createNoteDenied, type NoteDenied } from './request/note-denied.ts';
import { createRateLimit } from './request/rate-limit.ts';
import { createServe } from './request/serve.ts';
import { openSessionDoor } from './request/session.ts';

export interface ServerDeps {
  readonly ports: Ports;
  readonly verbs: Verbs;
  readonly auditAuthenticator?: Authenticator | undefined;
  readonly runImport: RunImport;
  readonly keyChanges: KeyChanges;
  readonly feed: EventFeed;
  /** Told of each use, in milliseconds since 1970: the key by its id, the session by its digest. */
  readonly noteKeyUse: (apiKeyId: string, atMs: number) => void;
  readonly noteSessionUse: (digest: string, atMs: number) => void;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly now: () => Timestamp;
  readonly newId: () => string;
  /** Each thing that must be well for requests to be served, by its name. Never throws. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  readonly version: string;
  readonly settings: ServerSettings;
}

export interface ServerSettings {
  readonly bootstrapKey: string | undefined;
  readonly bodyLimitBytes: number;
  readonly importLimitBytes: number;
  readonly rateLimitRead: number;
  readonly rateLimitWrite: number;
  readonly rateLimitLogin: number;
  readonly rateLimitStranger: number;
  /** How people reach the server, where a setting says so. */
  readonly baseUrl: string | undefined;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  /** Whether people reach the server over https. */
  readonly isBehindTls: boolean;
  readonly streamLimits: StreamLimits;
  /** How long a caller may take to send a request. */
  readonly requestTimeoutMs?: number;
}

export interface HttpServer {
  /** Answers the port that it listens on. */
  readonly listen: (port: number, host: string) => Promise<number>;
  /** Takes no more, and waits for what is under way; what takes longer is cut off. */
  readonly close: (graceMs: number) => Promise<void>;
  /** Before it is closed, where others go on serving. */
  readonly drain: Drain;
}

/** Headers are small: who needs longer for them holds a connection for nothing. */
const headersTimeoutMs = 10_000;
const defaultRequestTimeoutMs = 30_000;
/** Longer than the 60 s after which common load balancers let go. */
const keepAliveTimeoutMs = 65_000;

export function createServer(deps: ServerDeps): HttpServer {
  const requestTimeoutMs = deps.settings.requestTimeoutMs ?? defaultRequestTimeoutMs;
  const server = createHttpServer(
    {
      requestTimeout: requestTimeoutMs,
      requireHostHeader: false,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(requestTimeoutMs / 4)),
    },
    createApp(deps),
  );
  server.on('clientError', (error, socket) => answerClientError(error, socket, deps.newId()));
  server.on('connect', (request, socket: Duplex) =>
    endWith(socket, noTunnel.failure, requestIdOf(request, deps.newId)),
  );
  return {
    listen: (port, host) => listen(server, port, host),
    close: (graceMs) => close(server, graceMs),
    drain: createDrain(server),
  };
}

function createApp(deps: ServerDeps) {
  const { settings } = deps;
  const headers: Headers = settings.isBehindTls
    ? { 'Strict-Transport-Security': 'max-age=31536000' }
    : {};
  const noteDenied = createNoteDenied({ ...deps, clock: elapsedMs });
  const admit = openAdmit(deps, noteDenied);
  // After the caches of keys and sessions: what it asks them was forgotten before.
  const streams = createEventStreams({
    feed: deps.feed,
    changes: deps.keyChanges,
    limits: settings.streamLimits,
  });
  const { metrics } = deps;
  metrics.onRead(() => metrics.gauge('concordat_event_streams').set(streams.count()));
  const serve = createServe({
    ...deps,
    headers,
    streams,
    documents: keepDocuments(),
    bodyLimitBytes: settings.bodyLimitBytes,
    importLimitBytes: settings.importLimitBytes,
    admit,
    noteDenied,
  });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const nameRequest: RequestHandler = (request, response, next) => {
    response.set({ ...headers, 'X-Request-ID': requestIdOf(request, deps.newId) });
    next();
  };
  app.use(nameRequest);
  useOperations(app, deps);
  app.use(createGuide());
  app.use(createDocs());
  app.use(createPage());
  app.use((request, response) => sendFailure(response, noRoute(request.path), {}));
  app.use(crashed(deps.log));
  // What the API answers never sees Express: a twentieth of what a read costs was its share.
  return (request: IncomingMessage, response: ServerResponse) => {
    if (isWithoutHost(request)) {
      const named = { ...headers, 'X-Request-ID': requestIdOf(request, deps.newId) };
      sendFailure(response, hostless.failure, named);
    } else if (!serve(request, response)) {
      app(request, response);
    }
  };
}

/** What is waited for or believed for a while: the clock of the day may be turned back. */
const elapsedMs = () => performance.now();

function openAdmit(deps: ServerDeps, noteDenied: NoteDenied): Admit {
  const { ports, verbs, keyChanges, settings } = deps;
  const { reads } = ports;
  return createAdmit({
    ports,
    verbs,
    now: deps.now,
    newId: deps.newId,
    authenticate: createAuthenticate({
      findKeyByDigest: reads.findKeyByDigest,
      keyChanges,
      bootstrapKey: settings.bootstrapKey,
      clock: Date.now,
      elapsedMs,
      noteUse: deps.noteKeyUse,
    }),
    sessions: openSessionDoor({
      findSession: reads.findSession,
      changes: keyChanges,
      clock: Date.now,
      elapsedMs,
      noteUse: deps.noteSessionUse,
    }),
    rates: createRateLimit(
      {
        read: settings.rateLimitRead,
        write: settings.rateLimitWrite,
        login: settings.rateLimitLogin,
        stranger: settings.rateLimitStranger,
      },
      elapsedMs,
    ),
    addressOf: createAddressOf(settings.trustedProxies ?? []),
    noteDenied,
    isBehindTls: settings.isBehindTls,
    ownOrigin: settings.baseUrl === undefined ? null : new URL(settings.baseUrl).origin,
  });
}

function useOperations(app: express.Express, deps: ServerDeps): void {
  const startedAt = Date.now();
  const health: RequestHandler = (_request, response) => {
    const uptime_seconds = (Date.now() - startedAt) / 1000;
    sendText(response, 200, { status: 'ok', version: deps.version, uptime_seconds });
  };
  app.get('/health', health);
  app.get('/health/live', health);
  // However many ask at once, and nobody needs a key: it is one question to the database.
  let looking: ReturnType<typeof deps.readiness> | null = null;
  app.get('/health/ready', async (_request, response) => {
    looking ??= deps.readiness().finally(() => {
      looking = null;
    });
    const found = await looking;
    const isReady = Object.values(found).every(Boolean);
    const checks = Object.fromEntries(
      Object.entries(found).map(([name, isWell]) => [name, isWell ? 'ok' : 'failing']),
    );
    sendText(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not_ready', checks });
  });
  app.get('/metrics', async (_request, response) => {
    const text = await deps.metrics.text();
    response.set({ ...plainHeaders, 'Content-Type': metricsContentType }).send(text);
  });
  let document: string | null = null;
  app.get('/openapi.json', (_request, response) => {
    document ??= JSON.stringify(buildOpenApi(statusOf, deps.version));
    sendJson(response, 200, document, { ...plainHeaders, 'Cache-Control': 'no-cache' });
  });
}

/** Of what machines ask for. */
const plainHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

function sendText(response: express.Response, status: number, body: unknown): void {
  sendJson(response, status, JSON.stringify(body), { ...plainHeaders });
}

function crashed(log: Log): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    log.error({ err: error }, 'a page crashed');
    const message = 'Something is broken in the registry. It is logged: tell its operators.';
    sendFailure(response, refuse('INTERNAL_ERROR', message).failure, {});
  };
}

/** Asked for by HTTP/1.1; looked at here, so that the refusal is one like the others. */
function isWithoutHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}

const noTunnel = refuse('METHOD_NOT_ALLOWED', 'This server is no proxy: it takes no CONNECT.');

const hostless = refuse('VALIDATION_ERROR', 'The request has no Host header. Send one.');

const unreadable: Readonly<Record<string, { readonly failure: Failure }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refuse(
    'REQUEST_TIMEOUT',
    'The request took too long to arrive. Send it in one go.',
  ),
  HPE_HEADER_OVERFLOW: refuse(
    'VALIDATION_ERROR',
    'The path and the headers are larger than 16 KiB together. Send less.',
  ),
};

/** What never became a request: answered in the same form, over the bare socket. */
function answerClientError(
  error: Error & { code?: string },
  socket: Duplex,
  requestId: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnsweredEarly(socket)) {
    socket.destroy();
    return;
  }
  const { failure } =
    unreadable[error.code ?? ''] ??
    refuse('VALIDATION_ERROR', 'The request is not HTTP that can be read.');
  endWith(socket, failure, requestId);
}

/** Where there is no response to write to: the whole answer, by hand. */
function endWith(socket: Duplex, failure: Failure, requestId: string): void {
  const text = failureText(failure);
  const status = statusOf(failure.code);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      `X-Request-ID: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
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
