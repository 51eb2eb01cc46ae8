// The composition root creates the rooms and connects them. `start(config)` is the whole server;
// `concordat serve` and the tests both call it.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../../package.json' with { type: 'json' };
import { systemActor } from '../core/actor.ts';
import { type Authenticator, formatHead } from '../core/audit/seal.ts';
import type { FirstAdmin } from '../core/decide/people/commands.ts';
import { RegistryUnavailable } from '../core/unavailable.ts';
import { startComparePool } from '../engine/compare-pool.ts';
import { answerSmallHere } from '../engine/small-questions.ts';
import type { Answered } from '../http/request/answer.ts';
import type { ImportCall } from '../http/request/import-call.ts';
import { createServer } from '../http/server.ts';
import { afterNews } from '../ops/after-news.ts';
import { auditAuthenticator } from '../ops/audit-key.ts';
import { addressOf, type Config, pairsOf, tracesUrlOf } from '../ops/config/config.ts';
import { createLog, type Log } from '../ops/observe/log.ts';
import { type Metrics, openMetrics } from '../ops/observe/metrics.ts';
import { observeProcess } from '../ops/observe/observe-process.ts';
import type { Tracing } from '../ops/observe/tracing.types.ts';
import { hashPassword, newPassword } from '../ops/password.ts';
import { startRepeating } from '../ops/repeat.ts';
import { currentCaller } from '../ops/threads/callers.ts';
import { openImportThreads } from '../ops/threads/import-threads.ts';
import { openUseBook, type UseBook } from '../ops/use-book.ts';
import { newUuid } from '../ops/uuid.ts';
import type { Context, Policy, Ports } from '../registry/ports.ts';
import { openSweep } from '../registry/sweep.ts';
import { verbs as bareVerbs } from '../registry/verbs.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../store/postgres/embedded.ts';
import { startListener } from '../store/postgres/listener.ts';
import { checkMigrations, MigrationError, migrate } from '../store/postgres/migrate.ts';
import { openStore, type Store } from '../store/store.ts';
import type { ImportNote, ImportWorkerData } from './import-worker.ts';
import { openFeed, startDeliveries } from './notify.ts';
import { observeEngine, observeImports, observeVerbs } from './observe-work.ts';
import { hasSources, type RunningSources, startSources } from './sources.ts';
import { traceEngine, traceTransactions, traceVerbs } from './trace-work.ts';

export interface RunningServer {
  readonly url: string;
  /** The first administrator of a new registry, with the password if this start generated it. */
  readonly firstAdmin?: FirstAdmin;
  /** Keeps serving for at most this long, and asks each client to reconnect elsewhere. */
  readonly drain: (forMs: number) => Promise<void>;
  /**
   * Accepts no more requests, finishes those in progress, and closes everything that was opened.
   */
  readonly stop: () => Promise<void>;
}

/** The interval between attempts to reach an unavailable Postgres. */
const databaseRetryMs = 500;
/** One log line per this many attempts, so that an hour of waiting does not fill the disk. */
const triesPerWarning = 20;

/** May wait for Postgres for ever. If the signal is aborted, it throws the signal's reason. */
export async function start(
  config: Config,
  log: Log = createLog(config.LOG_LEVEL, logFormat(config)),
  stopped: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const closeLater = (close: () => Promise<void>) => opened.push(close);
    const { url, drain, firstAdmin } = await openServer(config, log, stopped, closeLater);
    return { url, drain, stop, ...(firstAdmin !== null && { firstAdmin }) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The longest delay for due migrations, and for work that a crash interrupted. */
const sweepEveryMs = 30_000;
/** Partitions are created three months ahead, so a day's delay does not matter. */
const maintainEveryMs = 24 * 60 * 60 * 1000;
/** The last use of a key or session is accurate to a minute. */
const noteUsesEveryMs = 60_000;

/** Seals are written at least every second: this interval plus the run itself. */
const sealEveryMs = 500;
/** The interval without notifications: a sealer that was killed may have left events. */
const sealAnywayMs = 5_000;

const now = () => new Date().toISOString();

/**
 * Opens everything in order; each part registers its own closing, which runs in the opposite order.
 */
async function openServer(
  config: Config,
  log: Log,
  stopped: AbortSignal,
  closeLater: (close: () => Promise<void>) => void,
): Promise<Pick<RunningServer, 'url' | 'drain'> & { readonly firstAdmin: FirstAdmin | null }> {
  const metrics = openMetrics();
  const tracing = await startTracing(config, log);
  closeLater(async () => tracing?.stop());
  const verbs = traceVerbs(observeVerbs(bareVerbs, metrics), tracing);
  const databaseUrl = await openDatabase(config, log, closeLater);
  await prepareDatabase(databaseUrl, config, log, stopped);
  const store = await openStore({
    url: databaseUrl,
    maxConnections: config.DATABASE_POOL_SIZE,
    rowChecks: config.CHECK_ROWS ? 'every' : 'none',
    onStatement: tracing?.statement,
  });
  closeLater(store.stop);
  const listener = startListener(databaseUrl);
  closeLater(listener.stop);
  const engine = startComparePool({
    workers: config.COMPARE_WORKERS,
    stepBudget: config.COMPARE_STEP_BUDGET,
    callerOf: currentCaller,
  });
  closeLater(engine.stop);
  const imports = openImportThreads({
    entry: new URL('./import-worker.ts', import.meta.url),
    workerData: importSettings(databaseUrl, config),
    threads: config.IMPORT_WORKERS,
    bodyLimitBytes: config.IMPORT_LIMIT_BYTES,
    onNote: (note) => logImport(log, note as ImportNote),
  });
  closeLater(imports.stop);
  const acceptsBootstrapKey =
    config.BOOTSTRAP_KEY !== undefined && !config.BOOTSTRAP_KEY_DISABLED_AFTER_SETUP;
  const forget = observeProcess(metrics, {
    engine: engine.figures,
    imports: imports.figures,
    connections: store.poolFigures,
    maxConnections: config.DATABASE_POOL_SIZE,
    ping: store.ping,
    registry: async () => {
      const { hasAdministrator, ...figures } = await store.figures();
      return { ...figures, bootstrapKeyAccepted: hasAdministrator && acceptsBootstrapKey };
    },
    reportError: (error) => log.error({ err: error, during: 'asking for figures' }, 'no metrics'),
    version: packageFile.version,
    clock: () => performance.now(),
  });
  closeLater(async () => forget());
  const engineTook = metrics.counter('concordat_engine_serving_seconds_total');
  const ports: Ports = {
    ...store,
    ...traceTransactions(store, tracing),
    policy: policyOf(config),
    engine: traceEngine(observeEngine(answerSmallHere(engine, engineTook.add), metrics), tracing),
    reportError: (error, during) => log.error({ err: error, during }, 'a follow-up failed'),
  };
  const system: Context = { actor: systemActor, requestId: null, now, newId: newUuid };
  const failed = (during: string) => (error: unknown) => ports.reportError(error, during);
  const authenticator =
    config.AUDIT_KEY === undefined ? undefined : auditAuthenticator(config.AUDIT_KEY);
  const retention = { archiveAfterMs: config.ARCHIVE_AFTER };
  const keyUses = openUseBook(store.reads.recordKeyUse);
  const sessionUses = openUseBook(store.reads.recordSessionUse);
  const noteUses = () => flushAll([keyUses, sessionUses]);
  const stopping = new AbortController();
  const sealAll = () => seal({ store, log, metrics }, authenticator, stopping.signal);
  const sealNews = afterNews({
    news: listener,
    work: sealAll,
    anywayMs: sealAnywayMs,
    clock: () => performance.now(),
  });
  const chores = [
    startRepeating(openSweep(ports, system, retention), sweepEveryMs, failed('the sweep')),
    startRepeating(() => maintain(store, log), maintainEveryMs, failed('maintenance')),
    startRepeating(sealNews, sealEveryMs, (error) => {
      // Would be logged twice a second while Postgres is unavailable, which requests and the sweep
      // already report.
      if (!(error instanceof RegistryUnavailable)) failed('sealing the audit')(error);
    }),
    startRepeating(noteUses, noteUsesEveryMs, failed('noting when keys were used')),
  ];
  closeLater(async () => void (await Promise.all(chores.map((chore) => chore.stop()))));
  // A backlog is left to the next process. Closing runs in the opposite order, so this comes first.
  closeLater(async () => stopping.abort());
  closeLater(() => noteUses().catch(failed('noting when keys were used')));
  const firstAdmin = await makeFirstAdmin(ports, system, config);
  if (acceptsBootstrapKey && (await store.reads.hasAdministrator())) {
    log.warn(
      'BOOTSTRAP_KEY still works although an administrator exists. Unset it, or set BOOTSTRAP_KEY_DISABLED_AFTER_SETUP=true',
    );
  }
  const delivering = startDeliveries(config, { store, listener, log, metrics });
  closeLater(delivering.stop);
  const feed = openFeed({ store, listener, log });
  let sources: RunningSources | null = null;
  const server = createServer({
    ports,
    feed,
    verbs,
    // The cast is safe: the thread's own entry answers, and is compiled together with this file.
    runImport: observeImports(
      async (call: ImportCall, signal) => (await imports.run(call, signal)) as Answered,
      metrics,
    ),
    auditAuthenticator: authenticator,
    keyChanges: {
      isListening: listener.isListening,
      onChange: (tell) => listener.onHeard(tell),
    },
    noteKeyUse: keyUses.note,
    noteSessionUse: sessionUses.note,
    log,
    metrics,
    tracing,
    now,
    newId: newUuid,
    readiness: async () => ({
      ...(await checkDatabase(store)),
      ...(hasSources(config) && { controller_cache: sources?.isReady() ?? false }),
    }),
    version: packageFile.version,
    settings: {
      bootstrapKey: config.BOOTSTRAP_KEY,
      isBootstrapKeyDisabledAfterSetup: config.BOOTSTRAP_KEY_DISABLED_AFTER_SETUP,
      bodyLimitBytes: config.BODY_LIMIT_BYTES,
      importLimitBytes: config.IMPORT_LIMIT_BYTES,
      rateLimitRead: config.RATE_LIMIT_READ,
      rateLimitWrite: config.RATE_LIMIT_WRITE,
      rateLimitLogin: config.RATE_LIMIT_LOGIN,
      rateLimitStranger: config.RATE_LIMIT_STRANGER,
      baseUrl: config.BASE_URL,
      basePath: config.BASE_PATH,
      trustedProxies: config.TRUSTED_PROXIES,
      isBehindTls: config.BASE_URL?.startsWith('https:') ?? false,
      streamLimits: {
        streams: config.EVENT_STREAMS,
        streamsOfOne: config.EVENT_STREAMS_PER_KEY,
        heartbeatMs: config.EVENT_STREAM_HEARTBEAT_SECONDS * 1000,
      },
    },
  });
  const port = await server.listen(config.PORT, config.HOST);
  closeLater(() => server.close(config.SHUTDOWN_GRACE_SECONDS * 1000));
  // Must close first: otherwise the server would wait for open streams to end.
  closeLater(feed.stop);
  sources = await startSources(config, { store, ports, verbs, listener, log, metrics, tracing });
  closeLater(sources.stop);
  const url = addressOf(config, port);
  log.info({ url }, 'serving');
  // Not earlier, because on a machine with two processors the server's own start comes first.
  imports.stayReady();
  return { url, drain: server.drain, firstAdmin };
}

/** While the database is down, its migrations are unknown. */
function checkDatabase(store: Store): Promise<{ database: boolean; migrations?: boolean }> {
  return store.isMigrated().then(
    (migrations) => ({ database: true, migrations }),
    () => ({ database: false }),
  );
}

/** Loads tracing only if an endpoint is set. */
async function startTracing(config: Config, log: Log): Promise<Tracing | null> {
  const url = tracesUrlOf(config);
  if (url === null) return null;
  const { openTracing } = await import('../ops/observe/tracing.ts');
  log.info({ url }, 'sending traces');
  return openTracing({
    url,
    headers: pairsOf(config.OTEL_EXPORTER_OTLP_HEADERS),
    serviceName: config.OTEL_SERVICE_NAME,
    attributes: pairsOf(config.OTEL_RESOURCE_ATTRIBUTES),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    version: packageFile.version,
    reportError: (error) => log.warn({ cause: String(error) }, 'traces could not be sent'),
  });
}

/** Events outside of every month's partition slow down every query of the trail. */
async function maintain(store: Store, log: Log): Promise<void> {
  const { strayEvents } = await store.maintain();
  if (!strayEvents) return;
  log.error(
    'audit events lie in the default partition: a clock is wrong, or partitions were not made',
  );
}

/** Logs checkpoints. A copy of the log reveals a truncated or rewritten trail. */
async function seal(
  { store, log, metrics }: { readonly store: Store; readonly log: Log; readonly metrics: Metrics },
  authenticator: Authenticator | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let goesOn = true; goesOn && !signal.aborted; ) {
    const startedAt = performance.now();
    const sealing = await store.sealEvents({ authenticator: authenticator ?? null, now });
    const { head, sealed } = sealing;
    metrics.counter('concordat_audit_sealed_total').add(sealed);
    if (head !== null) log.info({ head: formatHead(head), events: sealed }, 'sealed the audit');
    goesOn = sealing.hasMore;
    // Rest as long as the batch took, so that sealing a backlog leaves time for writers.
    const rest = performance.now() - startedAt;
    if (goesOn) await delay(rest, null, { signal, ref: false }).catch(() => {});
  }
}

function policyOf({ API_KEY_MAX_DAYS, FOUR_EYES }: Config): Policy {
  return {
    keyMaxDays: API_KEY_MAX_DAYS === 0 ? null : API_KEY_MAX_DAYS,
    fourEyes: FOUR_EYES,
  };
}

function importSettings(databaseUrl: string, config: Config): ImportWorkerData {
  return {
    databaseUrl,
    rowChecks: config.CHECK_ROWS ? 'every' : 'none',
    // Half of them, so that one import does not use more than one caller's share.
    compareWorkers: Math.ceil(config.COMPARE_WORKERS / 2),
    stepBudget: config.COMPARE_STEP_BUDGET,
    dbtSettings: {
      metaAliases: config.META_ALIASES,
      nullableColumns: config.NULLABLE_COLUMNS,
      integerAtScale0: config.INTEGER_AT_SCALE_0,
      notNullAsRequired: config.NOT_NULL_AS_REQUIRED,
    },
    publishesOpenapi: config.OPENAPI_AUTO_PUBLISH,
    policy: policyOf(config),
  };
}

function logImport(log: Log, { isWarning, during, error }: ImportNote): void {
  if (isWarning) log.warn({ cause: error, during }, 'an import met trouble');
  else log.error({ err: error, during }, 'a follow-up failed');
}

async function flushAll(books: readonly UseBook[]): Promise<void> {
  for (const book of books) await book.flush();
}

/** A registry that nobody can sign in to would be useless, so a failure here ends the start. */
async function makeFirstAdmin(
  ports: Ports,
  system: Context,
  config: Config,
): Promise<FirstAdmin | null> {
  const made = await bareVerbs.ensureFirstAdmin(ports, system, {
    email: config.ADMIN_EMAIL,
    password: config.ADMIN_PASSWORD,
    newPassword,
    hashPassword,
  });
  if (!made.ok) throw new Error(`The first administrator: ${made.failure.message}`);
  return made.value;
}

async function openDatabase(
  config: Config,
  log: Log,
  closeLater: (close: () => Promise<void>) => void,
): Promise<string> {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const embedded: EmbeddedPostgres = await startEmbeddedPostgres({
    dataFolder: join(config.DATA_DIR, 'postgres'),
    onCrash: (serverLog) =>
      log.error({ server_log: serverLog }, 'the embedded Postgres stopped and is being restarted'),
  });
  closeLater(embedded.stop);
  return embedded.url;
}

/** Waits for an unavailable Postgres; a database that cannot be served ends the start. */
async function prepareDatabase(
  url: string,
  config: Config,
  log: Log,
  stopped: AbortSignal,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      if (!config.MIGRATE) return await checkMigrations(url);
      const { applied } = await migrate(url);
      if (applied.length > 0) log.info({ applied }, 'migrated the database');
      return;
    } catch (error) {
      if (error instanceof MigrationError || !isAway(error)) throw error;
      if (tries % triesPerWarning === 0) {
        log.warn({ reason: String(error) }, 'waiting for Postgres');
      }
      await delay(databaseRetryMs, undefined, { signal: stopped }).catch(() =>
        stopped.throwIfAborted(),
      );
    }
  }
}

/** Refused, reset, unknown host, starting up or shutting down: all temporary. */
const passingCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'],
  ...['57P01', '57P02', '57P03', '53300'],
]);

function isAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isAway);
  return error instanceof Error && 'code' in error && passingCodes.has(String(error.code));
}

function logFormat(config: Config): 'json' | 'pretty' {
  if (config.LOG_FORMAT !== 'auto') return config.LOG_FORMAT;
  return process.stderr.isTTY ? 'pretty' : 'json';
}
