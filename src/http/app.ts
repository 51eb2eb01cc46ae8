// The Express app: the middleware of every request, the API, the routes about the process, and the
// pages. Another Express app may mount it and put its own middleware in front.

import express, { type Express, type RequestHandler, type Response } from 'express';
import type { Authenticator } from '../core/audit/seal.ts';
import type { Timestamp, WebhookId } from '../core/id.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import { type CountAnswer, countAnswers, observeAnswers } from '../ops/observe/observe-requests.ts';
import type { OutageLog } from '../ops/observe/outage-log.ts';
import type { Tracing } from '../ops/observe/tracing.types.ts';
import type { EventFeed } from '../registry/audit/event-feed.ts';
import type { Verbs } from '../registry/commands.ts';
import type { Ports } from '../registry/ports.ts';
import { apiPrefix, isScim, type Route, scimPrefix } from '../wire/route.ts';
import { type RouteName, routes } from '../wire/routes.ts';
import { createEventStreams, type StreamLimits } from './event-stream.ts';
import type { TryWebhook } from './handler.ts';
import { isApiRoute, type OperationName } from './handlers.ts';
import { keepDocuments } from './kept-documents.ts';
import { createDocs, docPages } from './pages/docs.ts';
import { createGuide } from './pages/guide/guide.ts';
import { createOperations } from './pages/operations.ts';
import { createPage } from './pages/page.ts';
import { createStopLetters } from './pages/stop-letters.ts';
import { type Admit, createAdmit } from './request/admit.ts';
import { answerErrors, answerNothing } from './request/answer-errors.ts';
import { createAddressOf } from './request/caller/address.ts';
import { createAuthenticate } from './request/caller/auth.ts';
import { openFailureLimit, openLoginGate } from './request/caller/login-gate.ts';
import type { KeyChanges } from './request/caller/lookup.ts';
import { createNoteDenied, type NoteDenied } from './request/caller/note-denied.ts';
import { createRateLimit } from './request/caller/rate-limit.ts';
import { openSessionDoor } from './request/caller/session.ts';
import { checkTarget } from './request/check-target.ts';
import { exchangeOf, openExchanges } from './request/exchange.ts';
import { isImportRoute } from './request/import-call.ts';
import { holdBytes } from './request/import-memory.ts';
import { countRoute, serveRoute } from './request/pipeline.ts';
import { type Run, type RunImport, runHere, runInThread } from './request/run.ts';
import { runTools } from './request/run-tools.ts';
import { exactPaths, refuseEndingSlash, routeRows, type ServedRow } from './routers.ts';
import type { CheckToken } from './sign-in/check-token.ts';
import type { SignIn } from './sign-in/sign-in.ts';

export interface AppDeps {
  readonly ports: Ports;
  readonly verbs: Verbs;
  readonly auditAuthenticator?: Authenticator | undefined;
  readonly runImport: RunImport;
  readonly signIn: SignIn;
  readonly checkToken: CheckToken;
  readonly keyChanges: KeyChanges;
  readonly feed: EventFeed;
  readonly tryWebhook: TryWebhook;
  /** Whether the token is the one of the webhook's letters. */
  readonly isStopToken: (webhookId: WebhookId, token: string) => Promise<boolean>;
  /**
   * Called at each use of a key or session, with the key's id or the session's digest, and
   * milliseconds since 1970.
   */
  readonly noteKeyUse: (apiKeyId: string, atMs: number) => void;
  readonly noteSessionUse: (digest: string, atMs: number) => void;
  readonly log: Log;
  readonly outages: Pick<OutageLog, 'report'>;
  readonly metrics: Metrics;
  /** Null if tracing is off. */
  readonly tracing: Tracing | null;
  readonly now: () => Timestamp;
  readonly newId: () => string;
  /** Whether each dependency is ready for requests, by name. Never throws. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  readonly version: string;
  readonly settings: AppSettings;
}

export interface AppSettings {
  readonly bootstrapKey: string | undefined;
  readonly isBootstrapKeyDisabledAfterSetup?: boolean;
  readonly bodyLimitBytes: number;
  readonly importLimitBytes: number;
  readonly rateLimitRead: number;
  readonly rateLimitWrite: number;
  readonly rateLimitLogin: number;
  readonly rateLimitStranger: number;
  /** The public URL of the server, if it is set. */
  readonly baseUrl: string | undefined;
  /** The path below which everything is served; empty for the root. */
  readonly basePath: string;
  /** Which routes are tools for agents. */
  readonly agentTools: 'off' | 'read' | 'write';
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Whether clients reach the server over https. */
  readonly isBehindTls: boolean;
  readonly streamLimits: StreamLimits;
}

type Observe = (response: Response, counted: () => CountAnswer) => void;

export function createApp(deps: AppDeps): Express {
  const { metrics, settings } = deps;
  const countElsewhere = (route: 'page' | 'none') =>
    countAnswers(metrics, {
      ...{ route, kind: 'page', isEndless: false, needsKey: false },
    });
  const app = express();
  // Each of these costs a little with every request, and nothing here uses them.
  for (const setting of ['x-powered-by', 'etag', 'query parser']) app.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing']) app.enable(setting);
  app.use(
    openExchanges({
      newId: deps.newId,
      basePath: settings.basePath,
      isBehindTls: settings.isBehindTls,
      observe: logAnswers(deps.log, observeAnswers(metrics)),
      countedElsewhere: countElsewhere('none'),
    }),
  );
  app.use(checkTarget);
  const { basePath } = settings;
  // Avoids another router, because each costs a little with every request.
  const site = basePath === '' ? app : express.Router(exactPaths);
  const rows = Map.groupBy(apiRows(deps, app), ({ row }) => (isScim(row) ? scimPrefix : apiPrefix));
  for (const [prefix, served] of rows) {
    site.use(prefix, refuseEndingSlash, routeRows(prefix, served));
  }
  site.use(['/api', '/scim'], answerNothing);
  site.use(
    beginPage(countElsewhere('page')),
    routeRows('', operationRows(deps)),
    createGuide(basePath),
    createDocs(basePath),
    createStopLetters({
      ...{ ...deps, basePath },
      addressOf: createAddressOf(settings.trustedProxies ?? []),
      rates: createRateLimit({ stranger: settings.rateLimitStranger }, elapsedMs),
    }),
    createPage(basePath),
  );
  if (site !== app) app.use(basePath, site);
  app.use(answerNothing);
  app.use(answerErrors(deps));
  return app;
}

/** The access log: one line for each answer, at the level debug. */
function logAnswers(log: Log, observe: Observe): Observe {
  if (!log.isLevelEnabled('debug')) return observe;
  return (response, counted) => {
    const startedAt = elapsedMs();
    response.on('close', () => {
      const { request, requestId, route } = exchangeOf(response);
      const { statusCode: status, writableFinished: finished } = response;
      const ms = Math.round(elapsedMs() - startedAt);
      log.debug(
        { request_id: requestId, method: request.method, route, status, ms, finished },
        'answered',
      );
    });
    observe(response, counted);
  };
}

/** The routes of the registry: all of them go through one pipeline. */
function apiRows(deps: AppDeps, app: Express): readonly ServedRow[] {
  const { settings, metrics } = deps;
  const noteDenied = createNoteDenied({ ...deps, clock: elapsedMs });
  const admit = openAdmit(deps, noteDenied);
  // After the caches of keys and sessions, which must drop their entries before streams ask them.
  const streams = createEventStreams({
    feed: deps.feed,
    changes: deps.keyChanges,
    limits: settings.streamLimits,
  });
  metrics.onRead(() => metrics.gauge('concordat_event_streams').set(streams.count()));
  const { bodyLimitBytes, importLimitBytes } = settings;
  const trials = createRateLimit({ trial: trialsOfWebhook }, elapsedMs);
  const here = { ...deps, streams, trials, documents: keepDocuments(), bodyLimitBytes };
  const inThread = { ...deps, importLimitBytes, held: holdBytes(importLimitBytes) };
  const runOf = (name: RouteName): Run | null => {
    if (isImportRoute(name)) return runInThread(inThread, name);
    if (name === 'callTools')
      return runTools({ ...settings, mode: settings.agentTools, app, version: deps.version });
    return isApiRoute(name) ? runHere(here, name) : null;
  };
  const pipeline = { ...deps, admit, noteDenied };
  return Object.entries<Route>(routes).flatMap(([name, row]) => {
    const run = runOf(name as RouteName);
    return run === null ? [] : [{ row, handler: serveRoute(pipeline, row, run) }];
  });
}

/** The routes about the process and the documentation, which need no key. */
function operationRows(deps: AppDeps): readonly ServedRow[] {
  const handlers = {
    ...createOperations({ ...deps, basePath: deps.settings.basePath }),
    ...docPages(deps.settings.basePath),
  };
  return Object.entries(handlers).map(([name, handler]) => {
    const row: Route = routes[name as OperationName];
    const counted = countRoute(deps.metrics, row);
    const serve: RequestHandler = (request, response, next) => {
      Object.assign(exchangeOf(response), { counted, route: row.path });
      return handler(request, response, next);
    };
    return { row, handler: serve };
  });
}

/** A page sets its own headers on top of those of every response. */
function beginPage(counted: CountAnswer): RequestHandler {
  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    exchange.counted = counted;
    exchange.route = 'page';
    response.set(exchange.headers);
    next();
  };
}

/** Test messages a minute: enough to set a webhook up, too few to fill somebody's mailbox. */
const trialsOfWebhook = 10;

/** The clock for durations, which never goes back. */
const elapsedMs = () => performance.now();

/**
 * An address may be a whole office, so it may fail this many times as often as one account from
 * there.
 */
const loginsOfAddress = 10;

function openAdmit(deps: AppDeps, noteDenied: NoteDenied): Admit {
  const { ports, verbs, signIn, keyChanges, settings } = deps;
  const { reads } = ports;
  const rates = createRateLimit(
    {
      read: settings.rateLimitRead,
      write: settings.rateLimitWrite,
      login: settings.rateLimitLogin,
      loginOfAddress: settings.rateLimitLogin * loginsOfAddress,
      stranger: settings.rateLimitStranger,
    },
    elapsedMs,
  );
  return createAdmit({
    ports,
    verbs,
    now: deps.now,
    newId: deps.newId,
    authenticate: createAuthenticate({
      findKeysByDigest: reads.findKeysByDigest,
      keyChanges,
      bootstrapKey: settings.bootstrapKey,
      acceptsBootstrapKey: () =>
        settings.isBootstrapKeyDisabledAfterSetup !== true ||
        reads.hasAdministrator().then((hasOne) => !hasOne),
      clock: Date.now,
      elapsedMs,
      noteUse: deps.noteKeyUse,
    }),
    sessions: openSessionDoor({
      findSessions: reads.findSessions,
      changes: keyChanges,
      isOffered: (provider) =>
        provider === null
          ? signIn.passwords
          : signIn.providers.some(({ name }) => name === provider),
      clock: Date.now,
      elapsedMs,
      noteUse: deps.noteSessionUse,
    }),
    rates,
    attemptLogin: openLoginGate(rates),
    limitFailures: openFailureLimit(rates),
    addressOf: createAddressOf(settings.trustedProxies ?? []),
    noteDenied,
    isBehindTls: settings.isBehindTls,
    basePath: settings.basePath,
    ownOrigin: settings.baseUrl === undefined ? null : new URL(settings.baseUrl).origin,
  });
}
